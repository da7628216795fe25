"""Linear policies: a ridge model and a formula. A new method is a formula and a short class; see CONTRIBUTING.md."""

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, cast

import numpy as np

from rbmle import kernels
from rbmle.errors import InvalidInputError, InvalidParameterError
from rbmle.inputs import LARGEST_CONTEXT, LARGEST_REWARD, LIMITS, as_contexts, as_reward, is_single, require_contexts
from rbmle.models.forgetting import Forgets, Forgetting
from rbmle.models.forgetting_ridge import ForgettingRidge
from rbmle.models.ridge import RidgeModel
from rbmle.models.ridge_catalogue import RidgeCatalogue
from rbmle.params import Real
from rbmle.policies.base import one_hot
from rbmle.policies.formulas import BoundFormula
from rbmle.policies.formulas import formula as formula
from rbmle.policies.formulated import NO_BANK, Formulated, one_uniform
from rbmle.policies.table import WeightTable
from rbmle.policies.threads import share_out
from rbmle.random import twin_of
from rbmle.types import FloatArray, IntArray

if TYPE_CHECKING:
    from rbmle.kernels.linear.formula import Rule
    from rbmle.kernels.linear.index import Bound

# Most random numbers held at once.
MOST_DRAWS = 2**20
# kernels.linear.predict.SMALL, which takes numba to import; and from how many arms on searching them is faster.
FEW_FEATURES, MANY_ARMS = 12, 1000
NONE = np.empty(0)


@dataclass(kw_only=True, eq=False)
class LinearPolicy(Formulated):
    """A policy over a ridge model. A method supplies `formula` and, where it has them, `coefficients` and `draws`.

    regularization: λ; V is λI before anything is learnt, and the estimate that of ridge regression.
    forgetting: None, Discount(γ) or Window(length), for rewards that drift: see the guide "Rewards that drift".
    """

    rewards: ClassVar[tuple[str, ...]] = ("gaussian",)

    regularization: Annotated[float, Real(0.0, open_low=True)] = 1.0
    forgetting: Annotated[Forgetting | None, Forgets()] = field(default=None, metadata={"quiet": True})

    def __post_init__(self) -> None:
        super().__post_init__()
        if not hasattr(type(self), "formula"):
            raise InvalidParameterError(f"{type(self).__name__} must have a formula; see CONTRIBUTING.md.")
        # Kernels look at contexts themselves, unless they see scaled ones; but a refused call must not have drawn.
        self._look_first = self.random or not self._steady
        self._is_plain = self._steady and not (self.random or self.needs_root or self._has_bank)
        self._kernels_look = self._steady
        self._draws_one = type(self).draws is one_uniform and not self.needs_root
        self._projects = self.projects and self.forgetting is None  # what fades has no factor that is kept
        # An upper bound of few features has loops of its own, one of many arms is searched for.
        bounded = self._is_plain and isinstance(self.formula, BoundFormula)
        self._is_bound = bounded and self.n_features <= FEW_FEATURES
        self._is_searched = bounded and self.n_features > FEW_FEATURES
        if isinstance(self.formula, BoundFormula):
            self._bounds, self._is_rooted = WeightTable(self._table, self.formula.weights), self.formula.rooted

    def new_model(self) -> RidgeModel:
        """A ridge model that has seen nothing."""
        size: dict[str, Any] = {"n_features": self.n_features, "regularization": self.regularization}
        return RidgeModel(**size) if self.forgetting is None else ForgettingRidge(**size, forgetting=self.forgetting)

    @property
    def merge_is_exact(self) -> bool:
        """V and b are sums; a model that forgets is not merged."""
        return self.forgetting is None

    def effective_rounds(self, rounds: "FloatArray") -> "FloatArray":
        """What schedules take for t: with forgetting, how many rewards are remembered once the round has its own."""
        return rounds if self.forgetting is None else self.forgetting.effective(rounds)

    def _arms(self, contexts: Any) -> FloatArray:
        if self._is_searched and is_single(contexts, self.n_features) and len(contexts) >= MANY_ARMS:
            return cast(FloatArray, contexts)
        X = as_contexts(contexts, self.n_features)
        # A table's columns are noted, and a refused call must not have noted any.
        if (self._look_first or X is not contexts) and not kernels.border.all_within(X, LARGEST_CONTEXT):
            require_contexts(X)
        if X is not contexts:
            self._know(contexts)
        return X

    def _choose(self, X: FloatArray, held: RidgeCatalogue | None, t: int) -> int:
        if not self._is_plain:
            return self._choose_one_drawn(X, t) if held is None and self._draws_one else self._ask(X, held, t)[0]
        if held is None and self._is_bound:
            outer, inner = self._bounds.at(t, len(X))
            arm: int = kernels.linear.index.choose(X, outer, inner, self._is_rooted, self.model.settle())
            if arm < 0:
                raise self._no_arm(arm, X, t)
            return arm
        if held is None and self._is_searched and len(X) >= MANY_ARMS:
            outer, inner = self._bounds.at(t, len(X))
            if 0.0 <= outer < inf and 0.0 <= inner < inf:  # bounds of mean and variance bound the index
                arm = kernels.linear.search.search(X, outer, inner, self._is_rooted, self.model.settle())
                if arm < 0:
                    raise self._no_arm(arm, as_contexts(X, self.n_features), t)
                return arm
            X = as_contexts(X, self.n_features)
        if held is not None and held.bounds is not None and (self._is_bound or self._is_searched):
            outer, inner = self._bounds.at(t, len(X))
            if 0.0 <= outer < inf and 0.0 <= inner < inf:
                return int(self.model.best_held(held, outer, inner, self._is_rooted))
        address, c = self.formula.address, self._table.at(t)
        if held is None:
            arm = kernels.linear.rounds.decide_plain(address, X, c, self.model.settle())
        else:
            known = self.model.known(held)
            arm = kernels.linear.rounds.decide_fixed_plain(address, known.rows, known.root, known.volume, c)
        if arm < 0:
            raise self._no_arm(arm, X, t)
        return arm

    def _choose_one_drawn(self, X: FloatArray, t: int) -> int:
        """The arm of a method that draws one number, which costs half as much as an array of one."""
        c, model, bank = self._table.at(t), self.model, self._checked_bank() if self._has_bank else NO_BANK
        seen, z, address = model.scaled(X), self.rng.random(), self.formula.address
        arm: int = kernels.linear.rounds.decide_drawn(address, seen, c, z, bank, model.settle())
        if arm < 0:
            raise self._no_arm(arm, X, t)
        return arm

    def _scores(self, X: FloatArray, held: RidgeCatalogue | None, t: int) -> FloatArray:
        return self._ask(as_contexts(X, self.n_features), held, t)[1]

    def _ask(self, X: FloatArray, held: RidgeCatalogue | None, t: int) -> tuple[int, FloatArray]:
        """One decision: the arm and all scores."""
        c, model, scores = self._table.at(t), self.model, np.empty(len(X))
        bank = self._checked_bank() if self._has_bank else NO_BANK
        z = self._drawn(1)[0] if self.random else NONE
        if self._projects:
            factor = model.factor
            arm = kernels.linear.rounds.decide_by_draw(self.formula.address, X, c, z, factor, model.settle(), scores)
        elif held is None:
            rounds = kernels.linear.rounds
            decide = rounds.decide_rooted if self.needs_root else rounds.decide
            arm = decide(self.formula.address, model.scaled(X), c, z, bank, model.settle(), scores)
        else:
            known = model.known(held)
            arm = kernels.linear.rounds.decide_fixed(
                self.formula.address, known.rows, known.root, known.volume, c, z, bank, scores
            )
        if arm < 0:
            raise self._no_arm(arm, X, t)
        return arm, scores

    def _rule(self, coefficients: FloatArray, draws: FloatArray) -> "Rule":
        """The formula with its numbers, for compiled loops."""
        bank, factor = self._checked_bank(), self.model.factor if self._projects else NO_BANK
        return kernels.linear.formula.Rule(self.formula.address, coefficients, draws, bank, self.needs_root, factor)

    def _chances(self, X: FloatArray, held: RidgeCatalogue | None, t: int, samples: int) -> FloatArray:
        if not self.random:
            return one_hot(self._choose(X, held, t), len(X))
        offsets = np.array([0, len(X)], dtype=np.int64)
        return self._shares(X, offsets, held, t, samples)

    def _chances_many(self, X: FloatArray, offsets: IntArray, t: int, samples: int) -> FloatArray:
        if self.random:
            return self._shares(X, offsets, None, t, samples)
        chances = np.zeros(len(X))
        chances[offsets[:-1] + self._choose_many(X, offsets, t)] = 1.0
        return chances

    def _shares(
        self, X: FloatArray, offsets: IntArray, held: RidgeCatalogue | None, t: int, samples: int
    ) -> FloatArray:
        """The share of every arm of every set in `samples` decisions."""
        c, model, chances = self._numbers(t)[None], self.model, np.zeros(len(X))
        seen, width = model.scaled(X), max(1, self._width)
        at_once = max(1, MOST_DRAWS // (samples * width))
        for first in range(0, len(offsets) - 1, at_once):
            some = offsets[first : first + at_once + 1]
            part, ends, left = slice(some[0], some[-1]), some - some[0], samples
            while left:  # more than one turn only where the draws of one set are too many to be held
                now = min(left, max(1, MOST_DRAWS // width))
                rule = self._rule(c, self._drawn((len(some) - 1) * now))
                if held is None:
                    counts = chances[part]
                    code = kernels.linear.rounds.shares_of_many(rule, seen[part], ends, model.settle(), now, counts)
                else:
                    code = kernels.linear.rounds.shares_fixed(rule, model.known(held).form(), chances)
                if code < 0:
                    raise self._no_arm(code, X, t)
                left -= now
        chances /= samples
        return chances

    def _choose_many(self, X: FloatArray, offsets: IntArray, t: int) -> IntArray:
        if not (self._is_bound or self._is_searched):
            return self._ask_many(X, offsets, t, self._numbers(t))
        sizes, block, d = np.diff(offsets), self.model.settle(), self.n_features
        arms = np.empty(len(sizes), dtype=np.int64)
        weights = np.empty((len(sizes), 2))
        if (sizes == sizes[0]).all():
            weights[:] = self._bounds.at(t, int(sizes[0]))
        else:
            for n_arms in np.unique(sizes).tolist():
                weights[sizes == n_arms] = self._bounds.at(t, n_arms)

        def choose(first: int, last: int) -> None:
            own, part = slice(first, last), offsets[first : last + 1]
            kernels.linear.sets.best_of_sets(X, part, weights[own], self._is_rooted, block, arms[own])

        share_out(choose, offsets, d * d // 2)
        return arms

    def _ask_many(
        self, X: FloatArray, offsets: IntArray, t: int, numbers: FloatArray, scores: FloatArray | None = None
    ) -> IntArray:
        """The arm of each set by the formula with these coefficients; `scores` (ΣK,) is filled where it is given."""
        scores = np.empty(len(X)) if scores is None else scores
        model, arms = self.model, np.empty(len(offsets) - 1, dtype=np.int64)
        c, seen, at_once = numbers[None], model.scaled(X), max(1, MOST_DRAWS // max(1, self._width))
        for first in range(0, len(arms), at_once):
            some = offsets[first : first + at_once + 1]
            rule, block, own = self._rule(c, self._drawn(len(some) - 1)), model.settle(), arms[first : first + at_once]

            def choose(
                start: int, stop: int, rule: Any = rule, block: Any = block, own: Any = own, some: Any = some
            ) -> None:
                part = rule._replace(draws=rule.draws[start:stop])
                kernels.linear.rounds.decide_many(part, seen, some[start : stop + 1], block, scores, own[start:stop])

            own[:] = 0
            share_out(choose, some, self.n_features * (2 if self._projects else self.n_features))
            for done in np.flatnonzero(own < 0)[:1].tolist():
                raise self._no_arm(int(own[done]), X[some[done] : some[done + 1]], t)
        return arms

    def _bind(self, X: FloatArray) -> RidgeCatalogue | None:
        if self._projects:
            return None
        held: RidgeCatalogue | None = self.model.bind(X, needs_root=self.needs_root)
        return held

    def _pull(self, X: FloatArray, held: RidgeCatalogue | None, arm: int, reward: Any) -> None:
        r = as_reward(reward)
        if abs(r) > LARGEST_REWARD:
            raise InvalidInputError(f"{LIMITS} Got a reward of {r:g}.")
        if held is None:
            self.model.observe(X[arm], r)
        else:
            self.model.pull(held, arm, r)

    def _play(self, contexts: FloatArray, rewards: FloatArray) -> IntArray:
        before, rng = self.model.__getstate__(), None if self._rng is None else twin_of(self._rng)
        try:
            return self._play_parts(contexts, None, rewards)
        except InvalidInputError:
            self.model.__setstate__(before)
            self._rng = rng
            require_contexts(contexts)  # says where in the whole block
            raise

    def _play_held(self, X: FloatArray, held: RidgeCatalogue | None, rewards: FloatArray) -> IntArray:
        return self._play(X[None], rewards) if held is None else self._play_parts(X[None], held, rewards)

    def _play_parts(self, contexts: FloatArray, held: RidgeCatalogue | None, rewards: FloatArray) -> IntArray:
        """Play a block, cut where the model computes something anew or where draws would take too much memory."""
        most = MOST_DRAWS // max(1, self._width)
        model, arms, start = self.model, np.empty(len(rewards), dtype=np.int64), 0
        every = np.broadcast_to(contexts, (len(rewards), *contexts.shape[1:]))
        while start < len(rewards):
            stop = start + max(1, min(most, model.rounds_alike(every[start:])))
            table = self._coefficients(self.t, stop - start)
            part, bound = arms[start:stop], self.formula
            if held is None and self._is_bound and isinstance(bound, BoundFormula):
                rule: Rule | Bound = bound.bound(table, contexts.shape[1])
            else:
                rule = self._rule(table, self._drawn(stop - start))
            if held is None:
                now = contexts[start:stop] if len(contexts) == len(rewards) else contexts
                done = model.play(rule, now, rewards[start:stop], part)
            else:
                done = model.play_held(rule, held, rewards[start:stop], part)
            if done < stop - start:
                raise self._no_arm(int(part[done]), every[start + done], self.t)
            start = stop
        return arms
