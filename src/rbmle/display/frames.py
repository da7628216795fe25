"""pandas, where it is installed."""

from typing import Any

from rbmle.errors import RbmleError


def pandas() -> Any:
    """The pandas module, or an error that says how to get it."""
    try:
        import pandas
    except ModuleNotFoundError as missing:
        raise RbmleError("Data frames need pandas: pip install 'rbmle[report]'.") from missing
    return pandas
