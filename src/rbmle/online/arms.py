"""Arms that come and go: which there were, and which there are."""

from typing import Any

from rbmle.online.ids import from_json, to_json


class Arms:
    """The arms of an agent, in the order in which its journal first speaks of them. An id is never used again for
    something else.

    numbers  of every arm that was ever served or added, by id: for logs and counts
    rows     what was told of arms when they were added: columns for the agent's features, or a context
    retired  arms that are not served any more
    """

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.rows: dict[Any, Any] = {}
        self.retired: set[Any] = set()
        self.version = 0
        self._active: tuple[Any, ...] | None = None
        self._positions: list[int] = []

    def number(self, arm: Any) -> int:
        """The number of an arm, given out when it is first met."""
        found = self.numbers.get(arm)
        if found is None:
            found = self.numbers[arm] = len(self.numbers)
        return found

    def numbers_of(self, ids: Any, n_arms: int) -> list[int]:
        """The numbers of the arms of a decision; without ids they are 0 … K − 1."""
        if ids is not None:
            arms = [from_json(arm) for arm in ids]
            if len(arms) != n_arms or any(hash(arm) is None for arm in arms):  # raises where one has no hash
                raise ValueError(f"{len(arms)} ids of {n_arms} arms")
            return [self.number(arm) for arm in arms]
        known = self._positions
        if n_arms > len(known):
            known += [self.number(position) for position in range(len(known), n_arms)]
        return known if n_arms == len(known) else known[:n_arms]

    @property
    def active(self) -> tuple[Any, ...]:
        """The arms that were added and not retired, in their order."""
        if self._active is None:
            self._active = tuple(arm for arm in self.rows if arm not in self.retired)
        return self._active

    def add(self, arm: Any, row: Any) -> None:
        """Add an arm, or bring one back."""
        self.number(arm)
        self.rows.setdefault(arm, row)
        self.retired.discard(arm)
        self.version += 1
        self._active = None

    def retire(self, arm: Any) -> None:
        """Take an arm out."""
        self.number(arm)
        self.retired.add(arm)
        self.version += 1
        self._active = None

    def to_plain(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "numbers": [to_json(arm) for arm in self.numbers],
            "rows": [[to_json(arm), row] for arm, row in self.rows.items()],
            "retired": sorted((to_json(arm) for arm in self.retired), key=repr),
            "positions": len(self._positions),
        }

    @classmethod
    def from_plain(cls, data: Any) -> "Arms":
        """What `to_plain` gave."""
        arms = cls()
        arms.numbers = {from_json(arm): number for number, arm in enumerate(data["numbers"])}
        arms.rows = {from_json(arm): row for arm, row in data["rows"]}
        arms.retired = {from_json(arm) for arm in data["retired"]}
        arms._positions = [arms.numbers[position] for position in range(int(data["positions"]))]
        return arms
