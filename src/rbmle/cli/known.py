"""The methods that the shell knows: ours, and those of modules that it was told to import."""

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rbmle.errors import InvalidParameterError

if TYPE_CHECKING:
    from rbmle.policies import Policy

T = TypeVar("T")

IMPORT_HELP = "A module, or a file such as mine.py, to import first: its policies can then be named. May be repeated."


def methods() -> "dict[str, type[Policy]]":
    """All policies by the names of their classes."""
    from rbmle.policies import Policy

    return dict(Policy.registry)


def method(name: str) -> "type[Policy]":
    """One of them, however its name is spelt in capitals and small letters."""
    return named("method", name, methods())


def named(kind: str, name: str, known: Mapping[str, T]) -> T:
    """What a name stands for: as written, else without regard to capitals if that leaves no doubt."""
    from rbmle.cli.values import suggestion

    alike = [each for each in known if each.lower() == name.lower()]
    if name in known or len(alike) == 1:
        return known[name if name in known else alike[0]]
    raise InvalidParameterError(f"Unknown {kind} {name!r}.{suggestion(name, known)}")


def import_all(names: Iterable[str]) -> None:
    """Import modules by name, from here or installed, and files that end in .py."""
    for name in names:
        try:
            if name.endswith(".py"):
                import_file(Path(name))
            else:
                if str(Path.cwd()) not in sys.path:
                    sys.path.insert(0, str(Path.cwd()))
                importlib.import_module(name)
        except (ImportError, OSError, SyntaxError) as reason:
            raise InvalidParameterError(f"{name} cannot be imported: {reason}.") from reason


def import_file(path: Path) -> None:
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
