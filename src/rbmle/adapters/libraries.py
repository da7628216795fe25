"""Other libraries, loaded when an adapter first needs them."""

import importlib
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rbmle.errors import RbmleError
from rbmle.random import python_random_kept


def library(module: str, extra: str) -> Any:
    """A module of another library; an error that names the extra where it is missing."""
    try:
        with python_random_kept():
            return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        name = str(missing.name)
        raise RbmleError(f"This adapter needs {name}: pip install 'rbmle[{extra}]'.") from missing


def version_of(distribution: str) -> str:
    """The name and version of an installed library, for results."""
    try:
        return f"{distribution} {version(distribution)}"
    except PackageNotFoundError:  # a copy on the path that nobody installed
        return distribution
