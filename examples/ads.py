"""Ads: a click comes minutes after the ad was shown, and that there was none is known only after an hour."""

import heapq
import sys

import numpy as np

from rbmle import LinTS
from rbmle.online import Agent, Status

HOUR = 3600.0
ADS = {"shoes": 0.04, "books": 0.08, "travel": 0.15}  # how often each is clicked on; the agent does not know


class Clock:
    """A clock of our own, so that a day takes a second. In production leave `clock` out."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def main(visits: int = 3000) -> None:
    rng, clock = np.random.default_rng(0), Clock()
    agent = Agent(
        LinTS(n_features=3, scale=0.4),
        wait=HOUR,  # a decision is open for an hour …
        default_reward=0.0,  # … and an ad that was not clicked on by then has earned nothing
        learn="at_close",  # the default, written out: clicks that come early do not count before the silence does
        samples=200,  # draws that the logged probabilities are estimated and served by
        seed=1, clock=clock,
    )  # fmt: skip
    for place, ad in enumerate(ADS):
        agent.arms.add(ad, np.eye(3)[place])

    clicks: list[tuple[float, str]] = []
    for visit in range(visits):
        clock.now += rng.exponential(30.0)
        while clicks and clicks[0][0] <= clock.now:
            _, id = heapq.heappop(clicks)
            first, again = agent.reward(id, 1.0), agent.reward(id, 1.0)  # the browser tells everything twice
            assert (first, again) in {(Status.ACCEPTED, Status.DUPLICATE), (Status.LATE, Status.LATE)}
        decision = agent.decide(id=f"visit {visit}")  # an id of ours; left out, it is a random one
        if rng.random() < ADS[decision.arm]:
            heapq.heappush(clicks, (clock.now + rng.exponential(10 * 60.0), decision.id))

    print(agent.stats())
    frontier = agent.log().frontier
    assert frontier is not None and clock.now - 1.1 * HOUR < frontier < clock.now
    print(f"Rewards are settled up to {(clock.now - frontier) / 60:.0f} minutes ago; evaluation reads up to there.")
    assert agent.stats()["counts"]["duplicate"] > 0

    served = [agent.decide(id=f"later {visit}").arm for visit in range(200)]
    print("the next 200:", {ad: served.count(ad) for ad in ADS})
    assert max(ADS, key=served.count) == "travel"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3000)
