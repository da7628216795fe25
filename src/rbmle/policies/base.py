"""What every policy offers, whatever it has learnt from: decide, score, learn, save, copy, merge.

A method supplies its model and a few hooks that take checked input: `_scores` and, where it has better ways, `_choose`,
`_chances`, `_play` and those with `held` for arms that stay. All public methods, checks and locks are here.
"""

import copy
import itertools
import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np

from rbmle import kernels, params
from rbmle.errors import InvalidInputError, InvalidParameterError, RbmleError, describe
from rbmle.inputs import as_batch, as_block, as_contexts, as_count, as_round, as_share, require_contexts
from rbmle.params import Integer
from rbmle.plain import Registry
from rbmle.policies.about import Described
from rbmle.policies.columns import Named
from rbmle.policies.decision import Asked, Decision, Decisions, served, served_many
from rbmle.policies.drawing import Drawing
from rbmle.random import fresh_seed, twin_of
from rbmle.types import ArrayLike, FloatArray, IntArray, Number, Sets

if TYPE_CHECKING:
    from rbmle.policies.catalogue import Catalogue


@dataclass(kw_only=True, eq=False)
class Policy(params.Frozen, Described, Named, Drawing, ABC):
    """A policy: what it has learnt, and a rule that turns this into an arm.

    `t` is one plus the number of rewards observed, so that choosing changes nothing but the policy's own generator:
    a decision can be asked for again, and rewards may arrive late and in any order.

    A policy belongs to one thread at a time. Its methods wait for each other, so that a second thread that saves it
    gets a snapshot and nothing is lost, but two threads that learn do so in an order that nobody knows.

    n_features: how many numbers the context of an arm has.
    """

    registry: ClassVar[Registry["Policy"]] = Registry("policy")
    samples_by_default: ClassVar[int] = 1000

    n_features: Annotated[int, Integer(1)]

    _kernels_look = False  # whether compiled rounds find contexts that are no numbers, and `_play` takes all back then

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if "__repr__" not in cls.__dict__:  # or @dataclass would write one that says nothing of what was learnt
            cls.__repr__ = Policy.__repr__  # type: ignore[method-assign]
        Policy.registry.add(cls, listed=bool(cls.title))  # abstract layers in between have none

    def __post_init__(self) -> None:
        params.check(self)
        if getattr(self, "seed", 0) is None:
            object.__setattr__(self, "seed", fresh_seed())  # recorded: it reads back, and files have it
        self.lock = threading.RLock()
        self.reseed(getattr(self, "seed", 0))
        self.model: Any = self._model_that_fits()
        if self.model.n_features != self.n_features:
            raise InvalidInputError(
                f"{type(self).__name__}.new_model must give one of n_features={self.n_features}. Got {self.model!r}."
            )

    def _model_that_fits(self) -> Any:
        try:
            return self.new_model()
        except RbmleError:
            raise
        except (MemoryError, ValueError) as reason:  # NumPy says either of arrays that are too large
            raise InvalidParameterError(
                f"A model of n_features={describe(self.n_features)} does not fit into memory: {reason}"
            ) from reason

    @abstractmethod
    def new_model(self) -> Any:
        """A model that has seen nothing."""

    # What a method is made of. X: contexts (K, d), finite. held: what the model keeps of arms that stay, or None.

    def _arms(self, contexts: Any) -> FloatArray:
        """The arms of a decision, checked."""
        X = as_contexts(contexts, self.n_features)
        require_contexts(X)
        if X is not contexts:
            self._know(contexts)  # last: a refused call notes no names of columns
        return X

    def _sets(self, contexts: Any) -> tuple[FloatArray, IntArray]:
        """The arms of many decisions, checked: see `as_batch`."""
        X, offsets = as_batch(contexts, self.n_features, kernels.border.all_within)
        self._know(*(contexts if isinstance(contexts, list | tuple) else ()))
        return X, offsets

    @abstractmethod
    def _scores(self, X: FloatArray, held: Any, t: int) -> FloatArray:
        """The index of every arm; a method that draws samples draws them here."""

    def _choose(self, X: FloatArray, held: Any, t: int) -> int:
        return int(np.argmax(self._scores(X, held, t)))

    def _chances(self, X: FloatArray, held: Any, t: int, samples: int) -> FloatArray:
        """The chance of every arm: exact, or its share in `samples` draws of the policy's generator."""
        return one_hot(self._choose(X, held, t), len(X))

    def _choose_many(self, X: FloatArray, offsets: IntArray, t: int) -> IntArray:
        """An arm for each set of arms X[offsets[i]:offsets[i+1]]."""
        sets = itertools.pairwise(offsets)
        return np.array([self._choose(X[start:stop], None, t) for start, stop in sets], dtype=np.int64)

    def _chances_many(self, X: FloatArray, offsets: IntArray, t: int, samples: int) -> FloatArray:
        """The chances of the arms of every set, one after the other."""
        sets = itertools.pairwise(offsets)
        return np.concatenate([self._chances(X[start:stop], None, t, samples) for start, stop in sets])

    @abstractmethod
    def _play(self, contexts: FloatArray, rewards: FloatArray) -> IntArray:
        """Choose and learn for a block of rounds: contexts (B, K, d), rewards (B, K) of all arms."""

    def _play_singly(self, contexts: FloatArray, rewards: FloatArray, arms: IntArray) -> int:
        """Round by round, for methods without a compiled loop: contexts (B, K, d), or (1, K, d) for arms that stay."""
        for t in range(len(rewards)):
            X = contexts[t % len(contexts)]
            arms[t] = self._choose(X, None, self.t)
            self.model.observe(X[arms[t]], rewards[t, arms[t]])
        return len(rewards)

    def _bind(self, X: FloatArray) -> Any:
        """What the model keeps of arms that stay; None where the general path is as good."""
        return None

    def _pull(self, X: FloatArray, held: Any, arm: int, reward: Any) -> None:
        """Learn that an arm of those that stay gave a reward."""
        self.model.observe(X[arm], reward)

    def _play_held(self, X: FloatArray, held: Any, rewards: FloatArray) -> IntArray:
        """Choose and learn for a block of rounds with arms that stay."""
        return self._play(X[None], rewards)

    # What everybody may call.

    @property
    def params(self) -> dict[str, Any]:
        """Every constructor argument by name, as given."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def n_observed(self) -> int:
        """How many rewards have been learnt."""
        return int(self.model.n)

    @property
    def t(self) -> int:
        """The round: one plus the number of rewards observed."""
        return int(self.model.n) + 1

    @property
    def merge_is_exact(self) -> bool:
        """Whether merging two policies gives what one would know that had learnt everything, up to rounding."""
        return True

    def choose(self, contexts: "ArrayLike", *, t: int | None = None) -> int:
        """The arm to play for contexts of shape (K, d); K may change from call to call. Ties: the lowest number.

        t: the round, where you count them yourself.
        """
        if t is not None:
            t = as_round(t)
        X = self._arms(contexts)
        with self.lock:
            return self._choose(X, None, t or self.model.n + 1)

    def scores(self, contexts: "ArrayLike", *, t: int | None = None) -> "FloatArray":
        """The index of every arm, shape (K,), as the next `choose` will see them: asking leaves the generator alone."""
        now = None if t is None else as_round(t)
        X = self._arms(contexts)
        with self.lock, self._looking_ahead():
            return self._scores(X, None, now or self.t)

    def decide(
        self, contexts: "ArrayLike", *, t: int | None = None, samples: int | None = None, floor: float = 0.0
    ) -> Decision:
        """An arm with the probability that it is served with, exactly; to be logged with the decision.

        A method with a closed form (ε-greedy, uniform) has that. One that samples takes `samples` draws (1000 unless
        it says otherwise), counts the share of each arm and serves an arm drawn from those shares: the arm follows the
        method's own law, and the share is the very chance it was served with. A deterministic method has 1.

        floor: the share of decisions that go to any arm, all alike, so that a log supports every arm.

        >>> from rbmle import LinTS
        >>> decision = LinTS(n_features=2).decide([[1.0, 0.0], [0.0, 1.0]], floor=0.1)
        >>> bool(decision.probability == decision.probabilities[decision.arm] >= 0.05)
        True
        """
        how = self._asked(t, samples, floor)
        return self._decide(self._arms(contexts), None, how)

    def probabilities(self, contexts: "ArrayLike", *, t: int | None = None, samples: int | None = None) -> "FloatArray":
        """The chance of each arm, shape (K,), as the next `decide` will see them; the generator is left alone."""
        how = self._asked(t, samples)
        return self._probabilities(self._arms(contexts), None, how)

    def _decide(self, X: FloatArray, held: Any, how: Asked) -> Decision:
        t, samples, floor = how
        with self.lock:
            now = t or self.t
            return served(self.rng, self._chances(X, held, now, samples), floor, now)

    def _probabilities(self, X: FloatArray, held: Any, how: Asked) -> FloatArray:
        t, samples, _ = how
        with self.lock, self._looking_ahead():
            return self._chances(X, held, t or self.t, samples)

    def _asked(self, t: int | None, samples: int | None, floor: float = 0.0) -> Asked:
        count = self.samples_by_default if samples is None else as_count(samples)
        return None if t is None else as_round(t), count, as_share(floor)

    def choose_many(self, contexts: "Sets", *, t: int | None = None) -> "IntArray":
        """An arm for each of N sets of contexts: an array (N, K, d), or a list of arrays (K, d) with K of their own.

        The same arms, to the bit and to the draw, as `choose` for one set after the other.
        """
        now = None if t is None else as_round(t)
        X, offsets = self._sets(contexts)
        with self.lock:
            return self._choose_many(X, offsets, now or self.t)

    def decide_many(
        self, contexts: "Sets", *, t: int | None = None, samples: int | None = None, floor: float = 0.0
    ) -> Decisions:
        """`decide` for each of N sets of contexts, as in `choose_many`."""
        t, count, share = self._asked(t, samples, floor)
        X, offsets = self._sets(contexts)
        with self.lock:
            now = t or self.t
            return served_many(self.rng, self._chances_many(X, offsets, now, count), offsets, share, now)

    def probabilities_many(self, contexts: "Sets", *, t: int | None = None, samples: int | None = None) -> "FloatArray":
        """`probabilities` for each of N sets of contexts, as in `choose_many`: one set after the other, (ΣK,)."""
        t, count, _ = self._asked(t, samples)
        X, offsets = self._sets(contexts)
        with self.lock, self._looking_ahead():
            return self._chances_many(X, offsets, t or self.t, count)

    def update(self, context: "ArrayLike", reward: "Number") -> None:
        """Learn that an arm with `context` (d,) gave `reward`: now, or tomorrow, in any order."""
        with self.lock:
            if type(context) is np.ndarray:
                self.model.observe(context, reward)
            else:
                names = self._names_with(context, self._feature_names)
                self.model.observe(context, reward)
                self._feature_names = names

    def update_many(self, contexts: "ArrayLike", rewards: "ArrayLike") -> None:
        """Learn n rewards at once: all, or none if one is refused."""
        with self.lock:
            names = self._names_with(contexts, self._feature_names)
            self.model.observe_many(contexts, rewards)
            self._feature_names = names

    def fix_arms(self, contexts: "ArrayLike") -> "Catalogue":
        """Bind the policy to arms (K, d) that stay: decisions then cost less and agree with `choose`."""
        from rbmle.policies.catalogue import Catalogue

        catalogue = Catalogue(self, contexts)
        self._know(contexts)
        return catalogue

    def play(self, contexts: "ArrayLike", rewards: "ArrayLike") -> "IntArray":
        """Choose and learn for a block of rounds, compiled: contexts (B, K, d), rewards (B, K) of all arms.

        Contexts (1, K, d) are arms that stay. Bad input changes nothing; where a round fails otherwise, those before it
        are learnt and counted.
        """
        X, r = as_block(contexts, rewards, self.n_features, kernels.border.all_within, trust=self._kernels_look)
        with self.lock:
            return self._play_held(X[0], self._bind(X[0]), r) if len(X) < len(r) else self._play(X, r)

    def state(self) -> "dict[str, FloatArray]":
        """All that is learnt, as plain arrays: copies."""
        with self.lock:
            return dict(self.model.state())

    def restore(self, state: "dict[str, FloatArray]") -> None:
        """Take over a state that `state` gave."""
        with self.lock:
            self.model.restore(state)

    def copy(self) -> Self:
        """An independent policy with the same parameters, state and generator."""
        twin = type(self)(**self.params)
        with self.lock:
            twin.model, twin._feature_names = copy.deepcopy(self.model), self._feature_names
            twin.origin, twin._rng = self.origin, None if self._rng is None else twin_of(self._rng)
        return twin

    def merge(self, other: "Policy") -> None:
        """Learn all that another policy of the same kind has learnt. What both have seen counts twice."""
        if other is self:
            raise InvalidInputError("merge needs another policy. Got the policy itself.")
        if type(other) is not type(self):
            raise InvalidInputError(f"merge needs a {type(self).__name__}. Got a {type(other).__name__}.")
        mine, theirs = self.params, other.params
        for name in mine:
            if name != "seed" and mine[name] != theirs[name]:
                raise InvalidInputError(f"merge needs the same {name}. Got {mine[name]!r} and {theirs[name]!r}.")
        names = self._common_names(other)
        with other.lock:  # one lock at a time: two policies that merge each other must not wait for ever
            learnt = copy.deepcopy(other.model)
        with self.lock:
            self.model.merge(learnt)
            self._feature_names = names

    def save(self, path: str | PathLike[str]) -> None:
        """Write parameters, state and generator to one file of plain arrays and JSON; `rbmle.load` reads it."""
        from rbmle.policies.storage import save

        save(self, path)

    def __getstate__(self) -> dict[str, Any]:
        with self.lock:  # copied here, for whoever asked reads on without the lock
            values = {name: value for name, value in vars(self).items() if name != "lock"}
            return values | {
                "model": copy.deepcopy(self.model),
                "_rng": None if self._rng is None else twin_of(self._rng),
            }

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values, lock=threading.RLock())

    def __repr__(self) -> str:
        quiet = {each.name for each in fields(self) if each.metadata.get("quiet")}  # not told where it is None
        told = ", ".join(f"{k}={v!r}" for k, v in self.params.items() if v is not None or k not in quiet)
        n = self.n_observed
        return f"{type(self).__name__}({told})" + (f" after {n} reward{'s' * (n != 1)}" if n else "")


def one_hot(arm: int, n_arms: int) -> FloatArray:
    """All the chance on one arm."""
    chances = np.zeros(n_arms)
    chances[arm] = 1.0
    return chances
