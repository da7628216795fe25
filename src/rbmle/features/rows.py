"""What is known, in the shapes people have it in: dicts, rows of pandas and polars, NumPy arrays, CSR matrices."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from rbmle.errors import InvalidInputError, describe


def as_row(values: Any, names: Sequence[str], what: str) -> list[Any]:
    """The values of one row in the order of `names`; columns are matched by name where they have one."""
    if isinstance(values, Mapping):
        return matched(values, names, what)
    if values is None and not names:
        return []
    rows = as_rows(values, names, what) if many(values) else [as_array_row(values, names, what)]
    if len(rows) != 1:
        raise InvalidInputError(f"{what} must be one row. Got {len(rows)}.")
    return rows[0]


def as_rows(values: Any, names: Sequence[str], what: str) -> list[list[Any]]:
    """The values of several rows, each in the order of `names`."""
    if hasattr(values, "columns") and hasattr(values, "shape"):  # a table of pandas or polars
        own = [str(name) for name in values.columns]
        require_names(own, names, what)
        columns = [values[name].to_list() for name in names]
        return [list(row) for row in zip(*columns, strict=True)] if names else [[] for _ in range(len(values))]
    if isinstance(values, np.ndarray) and values.ndim == 2:
        return [as_array_row(row, names, what) for row in values]
    if hasattr(values, "tocsr") and hasattr(values, "toarray"):
        return [as_array_row(row, names, what) for row in values.toarray().reshape(-1, values.shape[-1])]
    if isinstance(values, list | tuple):
        return [as_row(row, names, f"{what}[{i}]") for i, row in enumerate(values)]
    raise InvalidInputError(
        f"{what} must be rows: a list of dicts, a table of pandas or polars, or an array. Got {describe(values)}."
    )


def many(values: Any) -> bool:
    """Whether values come as a table, of one row maybe."""
    return (
        (hasattr(values, "columns") and hasattr(values, "shape"))
        or (hasattr(values, "tocsr") and hasattr(values, "toarray"))
        or (isinstance(values, np.ndarray) and values.ndim == 2)
    )


def as_array_row(values: Any, names: Sequence[str], what: str) -> list[Any]:
    """The values of a row without names, or of one that tells them in its own way."""
    if isinstance(values, Mapping):
        return matched(values, names, what)
    if hasattr(values, "_asdict"):  # a named tuple, as tables give them
        told = values._asdict()
        told.pop("Index", None)
        return matched(told, names, what)
    if hasattr(values, "index") and hasattr(values, "items") and hasattr(values, "to_numpy"):  # a row of pandas
        return matched(dict(values.items()), names, what)
    if isinstance(values, list | tuple) or (isinstance(values, np.ndarray) and values.ndim == 1):
        if len(values) != len(names):
            raise InvalidInputError(
                f"{what} must have {len(names)} values ({', '.join(names)}): they have no names, their order counts. "
                f"Got {len(values)}."
            )
        return values.tolist() if isinstance(values, np.ndarray) else list(values)
    raise InvalidInputError(f"{what} must be a dict, a row of pandas or polars, or an array. Got {describe(values)}.")


def matched(values: Mapping[Any, Any], names: Sequence[str], what: str) -> list[Any]:
    """The values of a dict in the order of `names`."""
    if len(values) != len(names) or any(name not in values for name in names):
        require_names(list(values), names, what)
    return [values[name] for name in names]


def require_names(own: Sequence[Any], names: Sequence[str], what: str) -> None:
    """Raise unless these are the names, in any order; says which are missing and which are not known."""
    missing = [name for name in names if name not in own]
    unknown = [name for name in own if name not in names]
    if not missing and not unknown and len(own) == len(names):
        return
    told = f"{what} must have the columns {', '.join(names) or '(none)'}."
    if missing:
        told += f" Missing: {', '.join(missing)}."
    if unknown:
        told += f" Unknown: {', '.join(map(str, unknown))}."
        close = [match for name in unknown for match in get_close_matches(str(name), missing, n=1)]
        told += f" Did you mean {', '.join(close)}?" if close else ""
    if not missing and not unknown:
        told += " Got one of them twice."
    raise InvalidInputError(told)
