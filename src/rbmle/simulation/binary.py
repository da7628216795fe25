"""Results as binary columns: a Parquet file for whoever has pyarrow, else one of NumPy arrays. Nothing is rounded."""

import io
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rbmle import files
from rbmle.logs.arrow import pyarrow
from rbmle.simulation.log import TrialLog
from rbmle.simulation.results import Results
from rbmle.types import FloatArray, IntArray

Curves = tuple[IntArray, dict[str, FloatArray], dict[str, FloatArray], dict[str, TrialLog]]


def to_npz(results: Results) -> dict[str, bytes]:
    """One file of arrays, numbered in the order of the policies."""
    arrays: dict[str, Any] = {"rounds": results.rounds}
    for place, name in enumerate(results.policies):
        arrays[f"regret_{place}"], arrays[f"seconds_{place}"] = results.regret[name], results.seconds[name]
        if name in results.logs:
            arrays |= {f"{part}_{place}": column for part, column in results.logs[name]._asdict().items()}
    return {"results.npz": files.arrays_to_bytes({"names": results.policies}, arrays)}


def from_npz(content: Mapping[str, bytes]) -> Curves:
    """What `to_npz` was given."""
    header, arrays = files.arrays_from_bytes(content["results.npz"], "results.npz")
    names = list(enumerate(header["names"]))
    logs = {
        name: TrialLog(*(arrays[f"{part}_{place}"] for part in TrialLog._fields))
        for place, name in names
        if f"arms_{place}" in arrays
    }
    return (
        arrays["rounds"],
        {name: arrays[f"regret_{place}"] for place, name in names},
        {name: arrays[f"seconds_{place}"] for place, name in names},
        logs,
    )


def to_parquet(results: Results) -> dict[str, bytes]:
    """Tidy tables as the CSV files have them."""
    n, rounds = results.trials, len(results.rounds)
    content = {
        "results.parquet": table(results.policies, (n, rounds), {
            "trial": np.repeat(np.arange(n, dtype=np.int32), rounds),
            "round": np.tile(results.rounds, n),
        }, {"regret": results.regret}),
        "seconds.parquet": table(results.policies, (n, 1), {"trial": np.arange(n, dtype=np.int32)},
                                 {"seconds": results.seconds}),
    }  # fmt: skip
    if results.logs:
        names, horizon = list(results.logs), results.horizon
        same = {
            "trial": np.repeat(np.arange(n, dtype=np.int32), horizon),
            "round": np.tile(np.arange(1, horizon + 1), n),
        }
        parts = {
            label: {name: getattr(results.logs[name], part) for name in names}
            for label, part in (("arm", "arms"), ("probability", "chances"), ("reward", "rewards"))
        }
        content["log.parquet"] = table(names, (n, horizon), same, parts)
    return content


def table(names: list[str], shape: tuple[int, int], same: Mapping[str, Any], own: Mapping[str, Any]) -> bytes:
    """A Parquet file, a row group for each policy: columns that are the same for all, and those of its own."""
    pa = pyarrow()
    import pyarrow.parquet as pq

    def group(name: str) -> Any:
        label = pa.DictionaryArray.from_arrays(np.zeros(shape[0] * shape[1], dtype=np.int32), pa.array([name]))
        columns = {key: pa.array(np.asarray(values[name]).ravel(), from_pandas=False) for key, values in own.items()}
        return pa.table({"policy": label, **{key: pa.array(column) for key, column in same.items()}, **columns})

    file = io.BytesIO()
    first = group(names[0])
    plain = [column for column in first.column_names if column in own]
    options = {"compression": "zstd", "use_dictionary": [each for each in first.column_names if each not in plain]}
    with pq.ParquetWriter(file, first.schema, **options) as writer:
        for name in names:
            each = group(name)
            writer.write_table(each, row_group_size=max(1, len(each)))
    return file.getvalue()


def from_parquet(content: Mapping[str, bytes]) -> Curves:
    """What `to_parquet` was given."""
    regret: dict[str, FloatArray] = {}
    rounds = np.empty(0, dtype=np.int64)
    for name, columns in groups(content["results.parquet"]):
        trials = int(columns["trial"][-1]) + 1
        regret[name] = columns["regret"].reshape(trials, -1)
        rounds = columns["round"][: regret[name].shape[1]].astype(np.int64)
    seconds = {name: columns["seconds"] for name, columns in groups(content["seconds.parquet"])}
    logs = {}
    for name, columns in groups(content["log.parquet"]) if "log.parquet" in content else ():
        trials = int(columns["trial"][-1]) + 1
        arms, chances, rewards = (columns[each].reshape(trials, -1) for each in ("arm", "probability", "reward"))
        logs[name] = TrialLog(arms.astype(np.int32), chances, rewards)
    return rounds, regret, seconds, logs


def groups(content: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    """The row groups of a file: the policy of each, and its columns."""
    pa = pyarrow()
    import pyarrow.parquet as pq

    file = pq.ParquetFile(pa.BufferReader(content))
    for place in range(file.num_row_groups):
        found = file.read_row_group(place)
        columns = {key: found[key].to_numpy() for key in found.column_names if key != "policy"}
        yield str(found["policy"][0].as_py()), columns
