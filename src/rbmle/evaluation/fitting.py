"""`fit`: a policy that learns from a log."""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from rbmle.errors import InvalidInputError, NotMergeableError
from rbmle.evaluation.engines import Engine, runner
from rbmle.evaluation.tasks import Partition, partitions
from rbmle.logs import Batch, Log
from rbmle.logs.ids import Ids
from rbmle.logs.scan import Usable
from rbmle.policies import Policy

P = TypeVar("P", bound=Policy)


def fit(log: Any, policy: P, *, engine: Engine = None, progress: bool | None = False) -> P:
    """Let a policy learn all settled rewards of a log, and return it.

    In this process it learns as if the rewards had come one by one, in the order of the log, to the last bit. With an
    engine every part is learnt by a fresh policy where it lies, and they are merged in their order: the same up to
    rounding, for policies whose merging is exact; others are refused.

    A bad row leaves the policy as it was. log, engine and progress are as in `evaluate`.

    >>> from rbmle import LinRBMLE
    >>> from rbmle.logs import Log
    >>> log = Log.from_arrays(arms=[0, 1], rewards=[1.0, 0.5], contexts=[[[1.0], [2.0]], [[1.0], [3.0]]])
    >>> fit(log, LinRBMLE(n_features=1)).model.theta_hat    # (1 + 3 · 0.5) / (1 + 1 + 9)
    array([0.22727273])
    """
    log = log if isinstance(log, Log) else Log.read(log)
    require_fitting(log, policy)
    if engine is not None and not policy.merge_is_exact:
        raise NotMergeableError(
            f"{policy!r} depends on the order of rewards: parts of a log that are learnt apart would not give what one "
            "policy learns. Use engine=None."
        )
    task = Fitting(log.usable, policy if engine is None else fresh(policy), merges=engine is not None)
    before = policy.state()
    try:
        learnt: Learnt = runner(engine, progress)(task, partitions(log))
        learnt.ids.require_different(log)
        if engine is not None:
            policy.merge(learnt.policy)
    except BaseException:
        policy.restore(before)
        raise
    return policy


def require_fitting(log: Log, policy: Any) -> None:
    """Raise unless the policy can learn from the contexts of the log."""
    if not isinstance(policy, Policy):
        raise InvalidInputError(f"policy must be a policy of rbmle. Got {policy!r}.")
    if "contexts" not in log.columns:
        hint = ": log.per_arm() makes them of the one they share" if log.n_features else ""
        raise InvalidInputError(f"A policy learns from contexts of the arms. The log has none{hint}.")
    if log.n_features is not None and log.n_features != policy.n_features:
        raise InvalidInputError(
            f"policy must have n_features={log.n_features}, as the contexts of the log. Got {policy.n_features}."
        )


def fresh(policy: P) -> P:
    """A policy of the same parameters that has learnt nothing."""
    return type(policy)(**policy.params)


@dataclass(eq=False)
class Learnt:
    """What a part has taught."""

    policy: Policy
    ids: Ids
    merges: bool

    def merge(self, other: "Learnt") -> None:
        """Take in what the next part has taught; where one policy learns all there is nothing to take."""
        if self.merges:
            self.policy.merge(other.policy)
        self.ids.merge(other.ids)


@dataclass(frozen=True, eq=False)
class Fitting:
    """A policy learns the rewards of a part: itself, one part after the other, or a copy for each part."""

    usable: Usable
    policy: Policy
    merges: bool

    def of(self, partition: Partition) -> Learnt:
        """What a part teaches."""
        policy, ids = self.policy.copy() if self.merges else self.policy, Ids()
        for batch in self.usable.batches(partition.part, partition.place):
            if len(batch):
                ids.add(batch.keys, batch.rows)
                learn(policy, batch)
        return Learnt(policy, ids, self.merges)


def learn(policy: Policy, batch: Batch) -> None:
    """Learn the rewards of a batch; an error of the policy (rewards that are none of its family) says where that is."""
    try:
        policy.update_many(np.array(batch.contexts)[batch.played], np.array(batch.reward))
    except InvalidInputError as reason:
        where = f"rows {batch.rows[0]} to {batch.rows[-1]} of the log, counted from the first of them"
        raise InvalidInputError(f"{type(policy).__name__} cannot learn {where}: {reason}") from reason
