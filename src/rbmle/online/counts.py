"""What is counted while a journal is read."""

from collections.abc import Mapping
from struct import Struct
from typing import Any

import numpy as np

from rbmle.types import FloatArray, IntArray

DAY = 86400.0
CHANCE = Struct("=d")
NUMBERS = ("arm_expected", "arm_variance")


class Counts:
    """Counts and sums over a journal.

    by_name      how many decisions, rewards of each status, closings of each kind, …
    by_day       the rewards learnt of the decisions of each day since 1970: [how many, their sum]
    arm_served   [A] how often each arm was served, by its number
    arm_expected, arm_variance  (A,) Σ p and Σ p(1 − p) over the decisions that left it to chance, p < 1
    arm_by_chance               (A,) how often it was served in those
    weights      Σ 1/p and Σ 1/p² over all decisions
    """

    def __init__(self) -> None:
        self.by_name: dict[str, int] = {}
        self.by_day: dict[int, list[float]] = {}
        self.arm_served: list[int] = []
        self.arm_by_chance: IntArray = np.zeros(0, dtype=np.int64)
        self.arm_expected: FloatArray = np.zeros(0)
        self.arm_variance: FloatArray = np.zeros(0)
        self.weights = [0.0, 0.0]

    def add(self, name: str, count: int) -> None:
        """Count something."""
        self.by_name[name] = self.by_name.get(name, 0) + count

    def served(self, numbers: list[int], p: float, data: Mapping[str, Any], body: bytes) -> None:
        """Count a decision among the arms of these numbers, served with chance p."""
        chosen = numbers[data["arm"]]
        most = chosen if p == 1.0 else max(numbers)
        if most >= len(self.arm_served):
            self._grow(max(16, 2 * most))
        names = self.by_name
        names["decisions"] = names.get("decisions", 0) + 1
        by, agreed = data.get("by"), data.get("agreed")
        if by is not None:
            self.add(by, 1)
        if agreed is not None:
            self.add("agreed" if agreed else "disagreed", 1)
        self.arm_served[chosen] += 1
        weights = self.weights
        weights[0] += 1.0 / p
        weights[1] += 1.0 / (p * p)
        if p < 1.0:
            chances = np.frombuffer(body, offset=len(body) - 8 * len(numbers))
            self.arm_by_chance[chosen] += 1
            self.arm_expected[numbers] += chances
            self.arm_variance[numbers] += chances * (1.0 - chances)

    def _grow(self, size: int) -> None:
        self.arm_served += [0] * (size - len(self.arm_served))
        for name in ("arm_by_chance", "arm_expected", "arm_variance"):
            old = getattr(self, name)
            new = np.zeros(size, dtype=old.dtype)
            new[: len(old)] = old
            setattr(self, name, new)

    def learnt(self, time: float, value: float) -> None:
        """Count a reward that was learnt."""
        names, number = self.by_name, int(time // DAY)
        names["learnt"] = names.get("learnt", 0) + 1
        day = self.by_day.get(number)
        if day is None:
            day = self.by_day[number] = [0, 0.0]
        day[0] += 1
        day[1] += value

    def to_plain(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "by_name": self.by_name,
            "by_day": [[day, *values] for day, values in self.by_day.items()],
            "weights": self.weights,
            "arm_served": self.arm_served,
            **{name: getattr(self, name).tolist() for name in ("arm_by_chance", *NUMBERS)},
        }

    @classmethod
    def from_plain(cls, data: Any) -> "Counts":
        """What `to_plain` gave."""
        counts = cls()
        counts.by_name = {str(name): int(count) for name, count in data["by_name"].items()}
        counts.by_day = {int(day): [int(n), float(value)] for day, n, value in data["by_day"]}
        counts.weights = [float(each) for each in data["weights"]]
        counts.arm_served = [int(each) for each in data["arm_served"]]
        counts.arm_by_chance = np.array(data["arm_by_chance"], dtype=np.int64)
        for name in NUMBERS:
            setattr(counts, name, np.array(data[name], dtype=np.float64))
        return counts
