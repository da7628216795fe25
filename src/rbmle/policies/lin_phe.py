"""LinPHE: greedy on a history to which coin flips were added, as many as there are rewards."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from rbmle import kernels
from rbmle.errors import ConvergenceError
from rbmle.families.unit import UnitGaussian
from rbmle.models.glm import GLMModel
from rbmle.params import Integer, Optional, Real
from rbmle.policies.about import Provenance, Tuning, half_decades
from rbmle.policies.base import Policy, one_hot
from rbmle.random import generator
from rbmle.types import FloatArray, IntArray

# Rounds of a block for which room is made at once.
BLOCK = 1024


@dataclass(kw_only=True, eq=False)
class LinPHE(Policy):
    """Play the arm that is best for least squares on a perturbed history. Rewards lie in [0, 1].

        θ̃ = (λI + Σ_k (n_k + ⌈a n_k⌉) x_k x_kᵀ)⁻¹ Σ_k x_k (R_k + B_k),   B_k ~ Binomial(⌈a n_k⌉, ½)

    over the distinct contexts x_k with n_k rewards of sum R_k. Made for arms that stay: a decision costs O(m d²) for m
    distinct contexts, at most K of them, and a random bit per flip. With contexts that are ever new m = n and the cost
    grows with every reward; each then has ⌈a⌉ flips, so that a = ½ acts like 1.
    Measured among arms that stay, in simulated rounds: 1.2 µs with d = 10, K = 10 and 2.6 µs with d = 5, K = 100, 5 and
    2 times as much as LinRBMLE; a single decision and its reward some 26 µs, most of it for handing the generator over.

    As in its authors' experiments (the code of RandUCB was read, the paper was not) a = ½, λ = 1e-4, and d rounds come
    first that play one arm after the other: without rewards nothing is perturbed. They begin with arm 0, ours with an
    arm that depends on the seed; their ties are broken by 1e-6 U, ours by number. Tested against dense algebra, the
    closed form of the moments of θ̃, and their problems: see tests/reproductions/test_linear_suite.py.

    perturbation:   a, pseudo-rewards per reward.
    regularization: λ.
    initial_rounds: rounds t that play one arm after the other first; None for d. Take K where arms have nothing in
                    common.

    >>> policy = LinPHE(n_features=2)
    >>> policy.update_many([[1.0, 0.0]] * 50 + [[0.0, 1.0]] * 50, [1.0] * 50 + [0.0] * 50)
    >>> policy.probabilities([[1.0, 0.0], [0.0, 1.0]])
    array([1., 0.])
    """

    title = "greedy on a history perturbed by coin flips"
    notation = "xᵀθ̃,  θ̃ of rewards and ⌈a n⌉ coin flips for every context"
    source = "Kveton, Szepesvári, Ghavamzadeh & Boutilier 2019; code of Vaswani et al. 2020"
    kind = "linear: randomised"
    rewards = ("logistic",)
    fixed_arms = True
    provenance = Provenance(
        defined_by="Kveton, Szepesvári, Ghavamzadeh & Boutilier 2019",
        read="the code of Vaswani et al. 2020 (vaswanis/randucb); the paper was not",
        changed="the first rounds begin with an arm that depends on the seed, ties are broken by number",
        tested_against="dense algebra; the moments of θ̃ in closed form; the linear suite of RandUCB",
    )
    tuning = Tuning("perturbation", half_decades(0.03, 3.0), symbol="a")
    random = True

    perturbation: Annotated[float, Real(0.0, open_low=True)] = 0.5
    regularization: Annotated[float, Real(0.0, open_low=True)] = 1e-4
    initial_rounds: Annotated[int | None, Optional(Integer(0))] = None
    seed: Annotated[int | None, Optional(Integer(0))] = 0

    def new_model(self) -> GLMModel:
        """The history, identical contexts as one row."""
        return GLMModel(n_features=self.n_features, family=UnitGaussian(), regularization=self.regularization)

    def _initial_arm(self, t: int, n_arms: int) -> int:
        """The arm that a first round plays, or -1 later on."""
        first = self.n_features if self.initial_rounds is None else self.initial_rounds
        return (int(generator(*self.origin).integers(n_arms)) + t - 1) % n_arms if t <= first else -1

    def _run(self, kernel: Any, room: int, *arguments: Any) -> int:
        rule = float(self.perturbation), float(self.regularization)
        return int(self.model.play(kernel, room, rule, *arguments))

    def _scores(self, X: FloatArray, held: None, t: int) -> FloatArray:
        """x_aᵀθ̃ of every arm for a fresh draw, also in the first rounds."""
        scores = np.empty(len(X))
        if not self._run(kernels.linear.perturbed.scores, 0, X, self.rng, scores):
            raise self._unsolved()
        return scores

    def _choose(self, X: FloatArray, held: None, t: int) -> int:
        arm = self._initial_arm(t, len(X))
        return int(np.argmax(self._scores(X, held, t))) if arm < 0 else arm

    def _chances(self, X: FloatArray, held: None, t: int, samples: int) -> FloatArray:
        arm, counts = self._initial_arm(t, len(X)), np.zeros(len(X))
        if arm >= 0:
            return one_hot(arm, len(X))
        if not self._run(kernels.linear.perturbed.count, 0, X, self.rng, counts, samples):
            raise self._unsolved()
        return np.asarray(counts / samples)

    def _play(self, contexts: FloatArray, rewards: FloatArray) -> IntArray:
        (rounds, K), first = rewards.shape, self.t
        self.model.family.require_support(rewards.ravel(), "rewards")
        arms = np.full(rounds, -1, dtype=np.int64)
        for number in range(rounds):
            arms[number] = self._initial_arm(first + number, K)
            if arms[number] < 0:
                break
        for start in range(0, rounds, BLOCK):
            part = slice(start, min(start + BLOCK, rounds))
            now = contexts[part] if len(contexts) > 1 else contexts
            room = part.stop - start if len(contexts) > 1 else K
            block = now, rewards[part], self.rng, arms[part]
            if self._run(kernels.linear.perturbed.play, room, *block) < part.stop - start:
                raise self._unsolved()
        return arms

    def _unsolved(self) -> ConvergenceError:
        return ConvergenceError(
            f"A decision of {self!r} could not be computed in round {self.t}: features differ too much in size, or "
            "regularization is too small for them. Rescale the features."
        )
