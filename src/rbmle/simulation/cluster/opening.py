"""Which cluster is meant: a word, an address, or a client."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rbmle.errors import InvalidParameterError
from rbmle.simulation.cluster.drive import Cluster

ADDRESS = re.compile(r"(dask|ray)(?:://([\w.\-\[\]:]+:\d+))?")


@contextmanager
def opened(backend: Any) -> Iterator[Cluster | None]:
    """The cluster that a backend stands for; None where it is one of joblib's."""
    if isinstance(backend, str) and (found := ADDRESS.fullmatch(backend)):
        kind, address = found.groups()
        if kind == "dask":
            from rbmle.simulation.cluster.dask import at

            with at(address) as cluster:
                yield cluster
        else:
            from rbmle.simulation.cluster.ray import at as ray_at

            with ray_at(address) as cluster:
                yield cluster
    elif type(backend).__module__.partition(".")[0] == "distributed":
        from rbmle.simulation.cluster.dask import DaskCluster

        yield DaskCluster(backend)
    elif isinstance(backend, str) and "://" in backend:
        raise InvalidParameterError(
            f"A cluster must be 'dask', 'ray', 'dask://host:port' or 'ray://host:port'. Got {backend!r}."
        )
    else:
        yield None


def named(cluster: str | None) -> str | None:
    """What the shell was told: an address, or "local" for this machine; raises for anything else."""
    if cluster is None or cluster == "local":
        return None
    if ADDRESS.fullmatch(cluster):
        return cluster
    raise InvalidParameterError(f"A cluster must be local, dask://host:port or ray://host:port. Got {cluster!r}.")
