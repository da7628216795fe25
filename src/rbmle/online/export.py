"""The journal as a log: a row per decision, for evaluation, for other programs, and for a warm start elsewhere."""

from dataclasses import replace
from typing import Any

import numpy as np

from rbmle.errors import InvalidInputError
from rbmle.logs import Log
from rbmle.online.arms import Arms
from rbmle.online.core import restored
from rbmle.online.decision import contexts_of
from rbmle.online.history import Outcome
from rbmle.online.ids import from_json
from rbmle.online.journal.base import Event, Journal
from rbmle.online.rules import Rules
from rbmle.policies.base import Policy


def log_of(journal: Journal, rules: Rules, arms: Arms) -> Log:
    """All decisions that the journal still has, in memory. Where all were the caller's own, nobody knows whether who
    decided has learnt from them. What is open is not settled; what earned nothing that
    counts, such as what was never shown, is settled and has no reward."""
    rows: dict[str, dict[str, Any]] = {}
    outcomes: dict[str, Outcome] = {}
    for event in journal.events():
        name = event.subject
        if name is None or event.kind == "begin":
            continue
        if event.kind == "decision":
            rows[name] = row_of(event, arms)
            outcomes[name] = Outcome(rules)
        if name in outcomes:
            outcomes[name].apply(event)
    if not rows:
        raise InvalidInputError("A log needs at least one decision. The journal has none.")
    for name, row in rows.items():
        found = outcomes[name]
        row["settled"], row["reward"] = found.closed, found.reward if found.closed else None
    sources = {row.pop("by") for row in rows.values()}
    columns = {column: [row[column] for row in rows.values()] for column in next(iter(rows.values()))}
    log = Log.read(columns, adaptive=None if sources == {"baseline"} else True, name="the agent's journal")
    return replace(log, metadata={**log.metadata, "horizon": rules.patience})


def log_of_journal(journal: Journal) -> Log:
    """The log of a journal whose agent is not here; nothing is written."""
    state = restored(journal, None)
    for event in journal.events(state.position):
        state.apply(event, event.seq)
    return log_of(journal, state.rules, state.arms)


def row_of(event: Event, arms: Arms) -> dict[str, Any]:
    """A decision as a row of a log."""
    data = event.data
    K, ids = data["K"], data.get("arms")
    X, chances = contexts_and_chances(event)
    return {
        "id": event.subject,
        "time": event.time,
        "contexts": X,
        "eligible": arms.numbers_of(ids, K),
        "arms": [str(arm if ids is None else from_json(arm)) for arm in (range(K) if ids is None else ids)],
        "arm": data["arm"],
        "probability": float(chances[data["arm"]]),
        "probabilities": chances,
        "by": data.get("by", "policy"),
    }


def contexts_and_chances(event: Event) -> tuple[Any, Any]:
    """The two arrays of a decision, as lists."""
    X = contexts_of(event)
    return X.tolist(), np.frombuffer(event.body, offset=X.nbytes).tolist()


def learn_from(policy: Policy, log: Log) -> int:
    """Let a policy learn the settled rewards of a log, as a warm start for `Agent`; how many those are.

    >>> from rbmle import LinUCB
    >>> policy = LinUCB(n_features=1)
    >>> log = Log.from_arrays(arms=[0, 1], rewards=[1.0, 0.5], contexts=[[[1.0], [2.0]], [[1.0], [2.0]]])
    >>> learn_from(policy, log), policy.n_observed
    (2, 2)
    """
    learnt = 0
    for batch in log:
        if batch.contexts is None:
            raise InvalidInputError("log must have contexts of all arms. `log.per_arm()` makes them from one shared.")
        rows = ~(batch.reward != batch.reward)
        if batch.settled is not None:
            rows &= batch.settled
        policy.update_many(batch.contexts[batch.played[rows]], batch.reward[rows])
        learnt += int(rows.sum())
    return learnt
