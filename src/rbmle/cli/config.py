"""The settings of a comparison: defaults, then a TOML file, then what the command line says."""

import tomllib
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

from rbmle import files
from rbmle.cli import values
from rbmle.errors import InvalidParameterError, RbmleError


@dataclass(frozen=True)
class Comparison:
    """A comparison. The defaults are the paper's first problem, smaller: a few seconds."""

    theta: list[float] = field(default_factory=lambda: [-0.3, 0.5, 0.8])
    arms: int = 10
    static: bool = True
    noise: Any = "gaussian"
    family: str = "gaussian"
    dataset: str | None = None
    encoding: str = "disjoint"
    data: Path | None = None
    methods: list[str] = field(default_factory=list)
    horizon: int = 3000
    trials: int = 20
    seed: int = 0
    jobs: int = -1
    cluster: str | None = None
    figure: Path | None = None
    out: Path | None = None
    report: Path | None = None
    store: Path | None = None
    imports: list[str] = field(default_factory=list)
    policies: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def from_toml(cls, path: Path) -> Self:
        """Read a file with the same keys; files it names are relative to where you are."""
        try:
            settings = tomllib.loads(files.read_bytes(path).decode())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as reason:
            raise RbmleError(f"{path} is not a valid TOML file: {reason}.") from reason
        try:
            return cls().changed(settings)
        except RbmleError as reason:
            raise RbmleError(f"{path}: {reason}") from reason

    def changed(self, settings: dict[str, Any]) -> Self:
        """With other settings, of the types the fields have; None leaves a setting as it is."""
        known = [each.name for each in fields(self)]
        new = {}
        for key, value in settings.items():
            if key not in known:
                raise InvalidParameterError(f"Unknown setting {key!r}.{values.suggestion(key, known)}")
            if value is not None:
                new[key] = converted(key, value)
        return replace(self, **new)


def converted(key: str, value: Any) -> Any:
    """A setting as its type, from the command line (text) or from TOML."""
    match key, value:
        case "theta", str():
            return values.numbers(value, "theta")
        case "methods", str():
            return [name.strip() for name in value.split(",") if name.strip()]
        case "methods" | "imports", list() if all(isinstance(each, str) for each in value):
            return value
        case "theta", list():
            return value
        case "figure" | "out" | "report" | "store" | "data", str() | Path():
            return Path(value)
        case "arms" | "horizon" | "trials" | "seed" | "jobs", int() if not isinstance(value, bool):
            return value
        case "static", bool():
            return value
        case "family" | "dataset" | "encoding" | "cluster", str():
            return value
        case "noise", str() | dict():
            return value
        case "policies", dict() if all(isinstance(each, dict) for each in value.values()):
            return value
    wanted = {
        "theta": "a list of numbers",
        "methods": "a list of names",
        "static": "true or false",
        "figure": "a path",
        "out": "a path",
        "report": "a path",
        "store": "a path",
        "data": "a path",
        "cluster": "local or an address such as dask://host:port",
        "dataset": "a name",
        "encoding": "a name",
        "imports": "a list of modules or files",
        "family": "a name",
        "noise": "a name such as 'uniform', or text such as 'Uniform(half_width=1.0)'",
        "policies": 'tables such as [policies.mine] with method = "LinUCB"',
    }.get(key, "an integer")
    raise InvalidParameterError(f"The setting {key!r} must be {wanted}. Got {value!r} instead.")
