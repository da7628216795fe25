"""scikit-learn: a bandit as a classifier."""

from typing import Any, Self

import numpy as np

from rbmle import params
from rbmle.adapters.arms import Pattern, learner_of
from rbmle.adapters.libraries import library
from rbmle.errors import InvalidInputError
from rbmle.inputs import as_rewards
from rbmle.params import Flag, OneOf
from rbmle.policies import LinRBMLE
from rbmle.policies.base import Policy
from rbmle.problems.classification import arm_vectors
from rbmle.types import FloatArray, IntArray

try:
    from sklearn.base import BaseEstimator as _BaseEstimator
    from sklearn.base import ClassifierMixin as _ClassifierMixin
except ModuleNotFoundError:  # making a BanditClassifier says so
    _BaseEstimator = _ClassifierMixin = object

# Numbers of contexts that are made at once.
AT_ONCE = 2**22


class BanditClassifier(_ClassifierMixin, _BaseEstimator):  # type: ignore[misc]
    """A bandit as a classifier: an arm is a class, and all it is ever told is whether its own answer was right.

    `fit(X, y)` goes through the rows in their order. For each the policy chooses a class, exploring as it does, and
    learns 1 if that is the label and 0 if not: a wrong answer does not tell which one would have been right. So its
    accuracy is that of a bandit, below that of a classifier shown every label, and the order of the rows matters.
    `fit(X, y, rewards=r)` learns from decisions that were taken already, by whomever: y are the classes that were
    chosen, r what they paid, of any size.

    `predict` answers with the class of the largest estimated reward: it does not explore. For decisions that do, ask
    the policy: `model.policy_.decide(model.contexts(X)[0])`.

    policy:        its class, or a function of n_features such as `functools.partial(LinUCB, alpha=0.5)`, or a policy of
                   as many features as `contexts` has (it stays as it is; a copy learns). None: LinRBMLE(bias="auto").
    encoding:      what classes have in common: "disjoint" nothing, "shared" a part, as in `ClassificationProblem`.
    fit_intercept: whether a row begins with a 1.
    random_state:  the seed of the policy's random numbers; None leaves the policy's own.

    After `fit`: `policy_`, `classes_`, `n_features_in_`, `n_rounds_`, and `online_accuracy_`, the share of right
    answers while it learnt (the mean reward, where rewards were given).

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> model = BanditClassifier().fit(X, np.where(X[:, 0] > 0, "right", "left"))
    >>> model.predict([[3.0, 0.0], [-3.0, 0.0]])
    array(['right', 'left'], dtype='<U5')
    >>> model.score(X, np.where(X[:, 0] > 0, "right", "left")) > 0.95
    True
    """

    def __init__(
        self,
        policy: "Pattern | None" = None,
        *,
        encoding: str = "disjoint",
        fit_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        self.policy = policy
        self.encoding = encoding
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X: Any, y: Any, rewards: Any = None) -> Self:
        """Forget everything, then learn from the rows in their order."""
        for name in ("policy_", "classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                delattr(self, name)
        return self.partial_fit(X, y, rewards=rewards)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, rewards: Any = None) -> Self:
        """Go on learning.

        classes: all that will ever occur, in the first call; by default those that occur in it.
        """
        validation = library("sklearn.utils.validation", "sklearn")
        multiclass = library("sklearn.utils.multiclass", "sklearn")
        first = not hasattr(self, "policy_")
        X, y = validation.validate_data(self, X, y, reset=first)
        multiclass.check_classification_targets(y)
        paid = None if rewards is None else as_rewards(rewards, len(y))
        if first:
            self._start(y if classes is None else classes)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise InvalidInputError(f"classes must be those of the first call, {self.classes_}. Got {classes}.")
        arms = self._arms(y)
        total = 0.0
        for start in range(0, len(X), self._rows_at_once):
            rows = slice(start, start + self._rows_at_once)
            total += self._learn(self._encoded(X[rows]), arms[rows], None if paid is None else paid[rows])
        self._total += total
        self.n_rounds_ += len(X)
        self.online_accuracy_ = self._total / self.n_rounds_
        return self

    def predict(self, X: Any) -> Any:
        """The class of the largest estimated reward for each row; of equals the first."""
        best = np.argmax(self.expected_rewards(X), axis=1)
        return self.classes_[best]

    def expected_rewards(self, X: Any) -> FloatArray:
        """The estimated reward of every class for each row: (n, K)."""
        table = self._rows(X)
        parts = []
        for start in range(0, len(table), self._rows_at_once):
            Z = self._encoded(table[start : start + self._rows_at_once])
            mean, _ = self.policy_.model.predict(Z.reshape(-1, Z.shape[2]))
            parts.append(np.reshape(mean, Z.shape[:2]))
        return np.concatenate(parts)

    def contexts(self, X: Any) -> FloatArray:
        """The contexts of every class for each row, (n, K, d), as the policy sees them."""
        return self._encoded(self._rows(X))

    def _start(self, labels: Any) -> None:
        params.require(self, "encoding", self.encoding, OneOf("disjoint", "shared"))
        params.require(self, "fit_intercept", self.fit_intercept, Flag())
        self.classes_ = np.unique(labels)
        if len(self.classes_) < 2:
            raise InvalidInputError(
                f"y must hold at least 2 classes, or nothing is to choose. Got 1 class, {labels[0]}."
            )
        self._vectors = arm_vectors(type(self).__name__, self.encoding, None, len(self.classes_))
        d = self._vectors.shape[1] * (self.n_features_in_ + bool(self.fit_intercept))
        policy = LinRBMLE(n_features=d, bias="auto") if self.policy is None else learner_of(self.policy, d)
        if not hasattr(policy.model, "predict"):
            raise InvalidInputError(f"policy must estimate rewards for predict. Got {policy!r}, which does not.")
        if self.random_state is not None:
            random = library("sklearn.utils", "sklearn").check_random_state(self.random_state)
            policy.reseed(int(random.randint(2**31 - 1)))
        self.policy_: Policy = policy
        self.n_rounds_, self._total = 0, 0.0

    @property
    def _rows_at_once(self) -> int:
        return max(1, AT_ONCE // (len(self.classes_) * self.policy_.n_features))

    def _learn(self, contexts: FloatArray, arms: IntArray, paid: "FloatArray | None") -> float:
        """What was earned in these rows."""
        rows = np.arange(len(arms))
        if paid is not None:
            self.policy_.update_many(contexts[rows, arms], paid)
            return float(paid.sum())
        right = np.zeros(contexts.shape[:2])
        right[rows, arms] = 1.0
        return float(right[rows, self.policy_.play(contexts, right)].sum())

    def _arms(self, y: Any) -> IntArray:
        places = np.searchsorted(self.classes_, y)
        known = self.classes_[np.minimum(places, len(self.classes_) - 1)] == y
        if not np.all(known):
            odd = y[int(np.argmin(known))]
            raise InvalidInputError(f"y must hold the classes of the first call, {self.classes_}. Got {odd!r}.")
        arms: IntArray = places.astype(np.int64)
        return arms

    def _rows(self, X: Any) -> FloatArray:
        validation = library("sklearn.utils.validation", "sklearn")
        validation.check_is_fitted(self, "policy_")
        table: FloatArray = validation.validate_data(self, X, reset=False)
        return table

    def _encoded(self, table: FloatArray) -> FloatArray:
        rows = np.asarray(table, dtype=np.float64)
        if self.fit_intercept:
            rows = np.column_stack([np.ones(len(rows)), rows])
        contexts = np.einsum("km,nd->nkmd", self._vectors, rows)
        return np.ascontiguousarray(contexts.reshape(len(rows), len(self._vectors), -1))
