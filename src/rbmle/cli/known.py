"""The methods that the shell knows: ours, those of installed packages, those of modules that it was told to import."""

import functools
import importlib
import importlib.util
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

from rbmle.errors import InvalidParameterError

if TYPE_CHECKING:
    from rbmle.policies import Policy

T = TypeVar("T")

PLUGINS = "rbmle.policies"
CLUSTER_HELP = "Where trials are run: dask://host:port, ray://host:port, or local. [local]"
IMPORT_HELP = "A module, or a file such as mine.py, to import first: its policies can then be named. May be repeated."


def methods() -> "dict[str, type[Policy]]":
    """All policies by the names of their classes."""
    from rbmle.policies import Policy

    for name, trouble in plugins().items():
        if trouble:
            say(f"the policies {name} cannot be loaded: {trouble}")
    return dict(Policy.registry)


@functools.cache
def plugins() -> dict[str, str | None]:
    """What installed packages bring along under the entry point `rbmle.policies`; why a part cannot be loaded, or None.

    A package says in its pyproject.toml, of a module or of a class, `[project.entry-points."rbmle.policies"]`,
    `mine = "mypackage.policies"`. Somebody else's fault must not keep anybody from comparing other policies.
    """
    found: dict[str, str | None] = {}
    for each in entry_points(group=PLUGINS):
        label = f"{each.name} ({each.value})"
        try:
            each.load()
            found[label] = None
        except Exception as reason:  # noqa: BLE001 - whatever it is, it is told
            found[label] = f"{type(reason).__name__}: {reason}"
    return found


@functools.cache
def say(message: str) -> None:
    """Tell the user, once."""
    print(f"rbmle: {message}", file=sys.stderr)


def method(name: str) -> "type[Policy]":
    """One of them, however its name is spelt in capitals and small letters."""
    return named("method", name, methods())


def begins(incomplete: str) -> list[str]:
    """The methods whose names begin so, for the shell to complete."""
    return [name for name in methods() if name.startswith(incomplete)]


def named(kind: str, name: str, known: Mapping[str, T]) -> T:
    """What a name stands for: as written, else without regard to capitals if that leaves no doubt."""
    from rbmle.cli.values import suggestion

    alike = [each for each in known if each.lower() == name.lower()]
    if name in known or len(alike) == 1:
        return known[name if name in known else alike[0]]
    raise InvalidParameterError(f"Unknown {kind} {name!r}.{suggestion(name, known)}")


def import_all(names: Iterable[str], cluster: str | None = None) -> None:
    """Import modules by name, from here or installed, and files that end in .py.

    cluster: where they will be needed too. Workers have what is installed there; files are sent.
    """
    for name in names:
        try:
            if name.endswith(".py"):
                module = import_file(Path(name))
                if cluster not in (None, "local"):
                    import cloudpickle

                    cloudpickle.register_pickle_by_value(module)
            else:
                if str(Path.cwd()) not in sys.path:
                    sys.path.insert(0, str(Path.cwd()))
                importlib.import_module(name)
        except (ImportError, OSError, SyntaxError) as reason:
            raise InvalidParameterError(f"{name} cannot be imported: {reason}.") from reason


def import_file(path: Path) -> ModuleType:
    """Import a file as a module of its name."""
    known = sys.modules.get(path.stem)
    if known is not None and Path(getattr(known, "__file__", None) or "") != path.resolve():
        raise ImportError(f"there is another module called {path.stem}, so give the file another name")
    spec = importlib.util.spec_from_file_location(path.stem, path.resolve())
    if spec is None or spec.loader is None:
        raise ImportError("it is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[path.stem]
        raise
    return module
