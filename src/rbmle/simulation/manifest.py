"""What was run, with which versions, on which machine: plain data that goes with every result."""

import functools
import os
import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from rbmle import __version__
from rbmle.problems.base import Problem


def manifest(
    policies: Mapping[str, Any], problem: Mapping[str, Any], horizon: int, trials: int, seed: int
) -> dict[str, Any]:
    """Everything needed to run the comparison again; the problem as `settings_of` has it."""
    return {
        "problem": plain(problem),
        "policies": {name: describe(policy) for name, policy in policies.items()},
        "seed": seed,
        "horizon": horizon,
        "trials": trials,
        "versions": versions(),
        "machine": machine(),
    }


def settings_of(problem: Problem) -> dict[str, Any]:
    """A problem as plain data: its class and its parameters."""
    return {"problem": type(problem).__name__, **plain(problem.params)}


def describe(policy: Any) -> dict[str, Any]:
    """A policy as plain data: its class and its parameters."""
    own = getattr(policy, "params", None)
    label = getattr(policy, "__name__", type(policy).__name__)
    return {"policy": label, **(plain(own) if isinstance(own, Mapping) else {})}


def versions() -> dict[str, str]:
    """Versions of what computes."""
    return dict(_versions())


@functools.cache
def _versions() -> dict[str, str]:
    return {  # reading them takes milliseconds
        "rbmle": __version__,
        "numpy": np.__version__,
        "scipy": version("scipy"),
        "numba": version("numba"),
        "python": platform.python_version(),
    }


def machine() -> dict[str, Any]:
    """The machine, in two words."""
    return {"cpus": os.cpu_count(), "platform": _platform()}


@functools.cache
def _platform() -> str:
    return platform.platform()


def plain(value: Any) -> Any:
    """Numbers, texts, lists and dicts as they are, anything else (schedules, families) by its repr."""
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if callable(value) and hasattr(value, "__qualname__"):  # a function's repr holds an address
        return value.__qualname__
    return repr(value)
