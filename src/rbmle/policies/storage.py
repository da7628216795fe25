"""Policies as files: plain arrays and a JSON header. Reading a file executes nothing that is in it."""

import importlib
from collections.abc import Mapping
from contextlib import nullcontext
from os import PathLike
from typing import Any

import numpy as np

from rbmle import files, plain
from rbmle.errors import StateFileError
from rbmle.policies import old_files
from rbmle.policies.base import Policy
from rbmle.random import from_state, state_of
from rbmle.types import FloatArray

# Format 1 is that of version 0.1.
FORMAT = 2
PARTS = {"policy": str, "params": dict, "origin": list, "generator": dict}
# Methods as published are known once this is imported; policies do not import it, for it imports them.
PUBLISHED, PUBLISHED_MODULE = "rbmle.Published", "rbmle.paper.published"
# A policy of so many features is small, and is built before anybody looks whether its arrays are of that size.
SMALL = 1000
# What constructors and `restore`, of users too, may say to arguments and arrays that make no sense to them.
INVALID = (ValueError, TypeError, LookupError, AttributeError, RuntimeError, ArithmeticError, MemoryError)


def save(policy: Policy, path: str | PathLike[str]) -> None:
    """Write a policy to one file, as it is at one moment. The file appears whole or not at all."""
    files.write_arrays(path, *to_arrays(policy))


def to_arrays(policy: Policy) -> tuple[dict[str, Any], dict[str, FloatArray]]:
    """Header and arrays of a policy, as it is at one moment."""
    with getattr(policy, "lock", nullcontext()):  # nobody learns meanwhile
        arrays = {name: np.array(array) for name, array in policy.state().items()}
        origin, generator = list(policy.origin), state_of(policy.rng)
    header = {
        "format": FORMAT,
        "policy": Policy.registry.name_of(type(policy)),
        "params": {name: plain.to_plain(value, name) for name, value in policy.params.items()},
        "origin": origin,
        "generator": generator,
    }
    if policy.feature_names is not None:
        header["feature_names"] = list(policy.feature_names)
    return header, arrays


def load(path: str | PathLike[str]) -> Policy:
    """Read a policy that `policy.save` wrote; it goes on bit for bit. A policy of your own must be imported first.

    Files of version 0.1 are read too. Where a method has an argument less now, they load as what they were: see
    `rbmle.policies.old_files`.

    >>> import tempfile, pathlib
    >>> from rbmle.policies import LinUCB
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "policy.npz"
    >>> LinUCB(n_features=2, alpha=0.5).save(file)
    >>> load(file)
    LinUCB(n_features=2, regularization=1.0, alpha=0.5)
    """
    return from_arrays(*read(path), path)


def from_arrays(header: dict[str, Any], arrays: dict[str, FloatArray], path: str | PathLike[str]) -> Policy:
    """The policy of a header that was checked, and of arrays; `path` is for messages."""
    name, params, old = header["policy"], header["params"], header["format"] == 1
    try:
        if old:
            name, params = old_files.description(name, params)
        if name.startswith(PUBLISHED):
            importlib.import_module(PUBLISHED_MODULE)
        arguments = {key: plain.from_plain(value) for key, value in params.items()}
        cls = Policy.registry.find(name)
        require_size(arguments.get("n_features"), arrays)
        policy = cls(**arguments)
        policy.restore(old_files.state(arrays, policy.state()) if old else arrays)
        policy.reseed(*header["origin"])
        policy.rng = from_state(header["generator"])
        policy.name_features(header.get("feature_names"))
        if state_of(policy.rng) != header["generator"]:
            raise StateFileError("the state of its generator is none.")
    except INVALID as reason:
        text = reason if isinstance(reason, ValueError) else repr(reason)
        raise StateFileError(f"{path} does not describe a valid {header['policy']}: {text}") from reason
    return policy


def read(path: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, FloatArray]]:
    """Header and arrays of a file, checked for damage, version and the kinds of what it says."""
    header, arrays = files.read_arrays(path)
    require_header(header, path)
    return header, arrays


def require_header(header: dict[str, Any], path: str | PathLike[str]) -> None:
    """Raise unless a header has a known version and says what a policy is."""
    version = header.get("format")
    if not isinstance(version, int) or not 1 <= version <= FORMAT:
        raise StateFileError(f"{path} has format {version}; this version of rbmle reads up to {FORMAT}. Update rbmle.")
    for part, kind in PARTS.items():
        if not isinstance(header.get(part), kind):
            raise StateFileError(f"{path} is not a saved policy: its {part} must be a {kind.__name__}.")
    if not header["origin"] or not all(type(seed) is int and seed >= 0 for seed in header["origin"]):
        raise StateFileError(f"{path} is not a saved policy: its origin must be seeds. Got {header['origin']}.")


def require_size(n_features: Any, arrays: Mapping[str, FloatArray]) -> None:
    """Raise where a policy would take much memory though no array in the file is of that size."""
    if isinstance(n_features, int) and n_features > SMALL:
        sizes = {size for array in arrays.values() for size in array.shape}
        if n_features not in sizes:
            raise StateFileError(f"n_features is {n_features}, but no array in the file has this size.")
