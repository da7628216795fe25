"""What a policy or a problem is, as plain data: two that are told apart by nothing here give the same outcome.

Objects of rbmle are their class and their parameters: the code is hashed as a whole. Objects of others are the source
of their classes, what that source refers to, and all that the object holds. Where there is no stable source (a lambda,
something typed into an interpreter, compiled code), there is no identity, and `Unstorable` says why.
"""

import dataclasses
import functools
import hashlib
import inspect
import sys
import types
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rbmle.policies.base import Policy
from rbmle.problems.base import Problem
from rbmle.problems.prepared import PreparedProblem

# Members of a class whose source is the class's.
CODE = (types.FunctionType, property, staticmethod, classmethod, functools.cached_property, types.MemberDescriptorType)


class Unstorable(Exception):
    """Something has no stable identity; the text says what and why."""


def identity(thing: Any) -> Any:
    """Plain data that is equal only for things that behave alike; raises Unstorable where that cannot be told."""
    return _Describer().plain(thing)


class _Describer:
    """One description. What is being described already is named only, so that circles end."""

    def __init__(self) -> None:
        self.seen: dict[int, str] = {}
        self.keep: list[Any] = []  # ids are unique among the living only
        self.asked: set[tuple[str, ...]] = set()  # modules, and the names that were looked up there

    def plain(self, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float | str):
            return [type(value).__name__, repr(value)]  # True is not 1 is not 1.0
        if isinstance(value, bytes):
            return ["bytes", value.hex()]
        if isinstance(value, np.ndarray | np.generic):
            return self._array(np.asarray(value))
        if id(value) in self.seen:
            return ["again", self.seen[id(value)]]
        self.seen[id(value)] = f"{type(value).__qualname__} {len(self.seen)}"
        self.keep.append(value)
        if isinstance(value, Mapping):
            return ["dict", [[self.plain(key), self.plain(item)] for key, item in value.items()]]
        if isinstance(value, list | tuple):
            return [type(value).__name__, [self.plain(item) for item in value]]
        if isinstance(value, set | frozenset):
            return ["set", sorted(repr(self.plain(item)) for item in value)]
        return self._code(value) if isinstance(value, types.FunctionType | type) else self._object(value)

    def _array(self, array: np.ndarray) -> Any:
        if array.dtype.hasobject:
            return ["array", array.shape, [self.plain(item) for item in array.ravel()]]
        return ["array", str(array.dtype), array.shape, hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()]

    def _code(self, value: Any) -> Any:
        """A function or a class of somebody, by its source and what that refers to."""
        name = f"{value.__module__}.{value.__qualname__}"
        known = library_of(value)
        if known is not None:
            return ["library", name, known]
        text = ["source", name, source_of(value), self._referred(value)]
        if isinstance(value, type):
            members = {name: member for name, member in vars(value).items() if is_constant(name, member)}
            return [*text, [self.plain(base) for base in value.__mro__[1:]], self.plain(members)]
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        return [*text, self.plain([value.__defaults__, value.__kwdefaults__, cells])]

    def _referred(self, value: Any) -> Any:
        """The functions, classes and constants that the code names, of the module it stands in."""
        space = vars(inspect.getmodule(value) or types.ModuleType("")) if isinstance(value, type) else value.__globals__
        return self._named(sorted(set(names_in(value))), space)

    def _named(self, names: list[str], space: Mapping[str, Any]) -> Any:
        """What names stand for; of modules that are no library, what the names stand for there."""
        found: list[Any] = []
        for name in names:
            other = space.get(name)
            if isinstance(other, types.ModuleType):
                known: Any = library_at(other.__name__)
                if known is None and (other.__name__, *names) not in self.asked:  # modules may name each other
                    self.asked.add((other.__name__, *names))
                    known = self._named(names, vars(other))
                found.append([name, "module", other.__name__, known])
            elif name in space:
                found.append([name, self.plain(other)])
        return found

    def _object(self, value: Any) -> Any:
        cls = self._code(type(value))
        inner = getattr(value, "py_func", None) or getattr(value, "function", None)
        if isinstance(inner, types.FunctionType):  # compiled, by us or by numba
            return [cls, self.plain(inner)]
        if isinstance(value, np.random.Generator):
            return [cls, self.plain(value.bit_generator.state)]
        if isinstance(value, PreparedProblem):
            return [cls, self.plain(value.params)]  # they hold a digest of all numbers
        if isinstance(value, Policy):
            return [cls, self.plain(value.params), self.plain(value.state()), self._held(value)]
        if isinstance(value, functools.partial):
            return [cls, self.plain([value.func, value.args, value.keywords])]
        if isinstance(value, types.MethodType):
            return [cls, value.__func__.__qualname__, self.plain(value.__self__)]
        if isinstance(value, types.BuiltinFunctionType | np.ufunc):
            return [cls, getattr(value, "__module__", ""), value.__name__]
        return [cls, self._held(value)]

    def _held(self, value: Any) -> Any:
        """Attributes. Of ours without the private ones, which follow from the others.

        Of a policy nothing: a copy of it is played, which is made of its parameters and of what it has learnt.
        """
        if isinstance(value, Policy) and is_ours(type(value).copy):
            return []
        if not hasattr(value, "__dict__") and not dataclasses.is_dataclass(value):
            raise Unstorable(f"{describe(value)} cannot be looked into")
        names: Iterable[str] = (
            vars(value) if hasattr(value, "__dict__") else (field.name for field in dataclasses.fields(value))
        )
        shown = [name for name in names if not (name.startswith("_") and is_ours(type(value)))]
        if isinstance(value, Policy):  # what it has learnt and its generator are described elsewhere or set anew
            shown = [name for name in shown if name not in ("model", "rng", "origin")]
        held = [[name, self.plain(getattr(value, name))] for name in shown]
        return [*held, self.plain(value.params)] if isinstance(value, Problem) else held


def library_of(code: Any) -> str | None:
    """The version of the library that a class or function belongs to; None for what somebody wrote for this study."""
    return library_at(str(code.__module__))


def library_at(name: str) -> str | None:
    """The same of a module's name."""
    top = name.split(".")[0]
    if top == "__main__":  # whatever was started, its code is of nobody's version
        return None
    if top == "rbmle" or top in sys.stdlib_module_names:
        return top
    module = sys.modules.get(top)
    if "site-packages" not in str(getattr(module, "__file__", "")):
        return None
    return f"{top} {getattr(module, '__version__', '')}"


def is_constant(name: str, member: Any) -> bool:
    """Whether a class holds this as a value, rather than as code of its own or as Python's bookkeeping."""
    return not (name.startswith("__") or name == "_abc_impl" or isinstance(member, CODE))


def is_ours(code: Any) -> bool:
    """Whether a class or function belongs to this program."""
    return str(code.__module__).split(".")[0] == "rbmle"


def source_of(code: Any) -> str:
    """A hash of the source text."""
    if getattr(code, "__name__", "") == "<lambda>":
        raise Unstorable("a lambda has no source of its own: write a function with def")
    try:
        return hashlib.sha256(inspect.getsource(code).encode()).hexdigest()
    except (OSError, TypeError) as reason:
        raise Unstorable(f"{describe(code)} has no source that can be read") from reason


def names_in(code: Any) -> list[str]:
    """Global names that a function, or the methods of a class, may look up."""
    if isinstance(code, types.CodeType):
        return [*code.co_names, *(name for const in code.co_consts for name in names_in(const))]
    if isinstance(code, types.FunctionType):
        return names_in(code.__code__)
    if isinstance(code, property):
        return [name for part in (code.fget, code.fset) for name in names_in(part)]
    if isinstance(code, staticmethod | classmethod | functools.cached_property):
        return names_in(code.func if isinstance(code, functools.cached_property) else code.__func__)
    if isinstance(code, type):
        return [name for member in vars(code).values() for name in names_in(member)]
    return []


def describe(value: Any) -> str:
    """A short name for a message."""
    return f"{getattr(value, '__qualname__', type(value).__qualname__)}"
