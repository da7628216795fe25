"""News: articles come and go, three web workers decide on their own, and learn as one from one SQLite journal."""

import multiprocessing
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from rbmle import LinUCB
from rbmle.errors import SharedJournalWarning
from rbmle.features import Category, Features, Number
from rbmle.online import Agent

FEATURES = Features(
    shared=[Category("section", ["politics", "sport"]), Number("hour", center=12.0, scale=6.0)],
    arm=[Category("topic", ["politics", "sport", "culture"])],
    cross="all",  # who likes sport may click on sport
)


def clicked(visitor: dict[str, Any], article: str, rng: np.random.Generator) -> bool:
    """What the agent does not know: visitors click on what they came for."""
    return rng.random() < (0.6 if article.startswith(visitor["section"]) else 0.1)


def worker(place: str, number: int, visits: int) -> None:
    """A web worker: it opens the journal, decides, tells clicks, and learns what the others were told."""
    warnings.simplefilter("ignore", SharedJournalWarning)
    rng = np.random.default_rng(number)
    with Agent.open(place, sync_seconds=0.05) as agent:
        for visit in range(visits):
            visitor = {"section": ["politics", "sport"][int(rng.integers(2))], "hour": float(rng.integers(24))}
            decision = agent.decide(visitor)  # among the articles that are there
            agent.reward(decision.id, float(clicked(visitor, decision.arm, rng)))
            if number == 0 and visit == visits // 2:  # the editors' desk
                agent.arms.add("sport: the final", {"topic": "sport"})
                agent.arms.retire("sport: the draw")


def main(visits: int = 300) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder) / "news.db")
        with Agent(LinUCB(n_features=FEATURES.n_features, alpha=0.5), journal=place, features=FEATURES) as agent:
            agent.arms.add("politics: the vote", {"topic": "politics"})
            agent.arms.add("sport: the draw", {"topic": "sport"})
            agent.arms.add("culture: the prize", {"topic": "culture"})

        processes = multiprocessing.get_context("spawn")
        workers = [processes.Process(target=worker, args=(place, k, visits)) for k in range(3)]
        for each in workers:
            each.start()
        for each in workers:
            each.join()
        assert all(each.exitcode == 0 for each in workers)

        with Agent.open(place) as agent:  # what it comes to: every reward of every worker, each once
            print(agent.stats())
            print(agent.explain({"section": "sport", "hour": 20.0}))
            assert agent.policy.n_observed == 3 * visits
            assert agent.decide({"section": "sport", "hour": 20.0}).arm == "sport: the final"
            assert agent.decide({"section": "politics", "hour": 8.0}).arm == "politics: the vote"
            assert agent.stats()["mean_reward"] > 0.35  # 0.27 by chance alone


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
