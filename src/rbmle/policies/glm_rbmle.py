"""GLM-RBMLE: reward-biased maximum likelihood for generalized linear bandits, the paper's second method."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

import numpy as np

from rbmle import kernels
from rbmle.models.glm import GLMModel
from rbmle.models.glm_points import GLMPoints
from rbmle.models.scaled_glm import ScaledGLM
from rbmle.params import FunctionOfRound, Optional, Real, ScheduleLike
from rbmle.policies.about import Facts, Provenance, Tuning, half_decades
from rbmle.policies.glm import RegularizedGLM
from rbmle.schedules import OnePlusLog, Sqrt, evaluate
from rbmle.types import ArrayLike, FloatArray, IntArray

# Rounds with arms that stay which are played at once.
LONG_BLOCK = 65_536


@dataclass(kw_only=True, eq=False)
class GLMRBMLE(RegularizedGLM):
    """For every arm a, θ̄_a maximises ℓ(θ) − ½λ‖θ‖² + α(t) θᵀx_a; play the arm of the largest
    ℓ(θ̄_a) + η(t) α(t) θ̄_aᵀx_a − ½λ‖θ̄_a‖².

    The arm played is exactly that of the index solved for every arm, but most arms are excluded by certified bounds
    (kernels.glm.prune) and need no solve: `arms_solved` says how many of the last decision did.
    `scores` solves all.

    bias, boost: α(t) and η(t); √t and 1 + log t in the paper, for contexts of size 1. bias="auto" is for data in units
        of their own: features are divided by sizes that are learnt, as in `LinRBMLE`, and α(t) = ½ √(t κ̂/d_eff), κ̂ the
        mean information of a reward, d_eff = d − λ tr H⁻¹, all renewed at n = 1, 2, 4, 8, … rewards (see ScaledGLM).
        Blocks of rounds and arms that stay then go decision by decision.
    regularization: λ. 1 unless said otherwise; with "auto" 0.03.
    memory: "online" keeps a bounded part of the history; the index is then ηα m + (η−½)α² v, m and v mean and variance
        of the score x_aᵀθ, in O(K d²) a decision, whatever t.

    >>> policy = GLMRBMLE(n_features=2)
    >>> policy.update([1.0, 0.0], 1.0)
    >>> policy.scores([[1.0, 0.0], [0.0, 1.0]]).round(4)
    array([2.3521, 1.7933])
    """

    title = "reward-biased maximum likelihood, generalized linear"
    notation = "ℓ(θ̄) + η(t) α(t) θ̄ᵀx − ½ λ‖θ̄‖²"
    source = "Hung, Hsieh, Liu & Kumar 2021, Algorithm 2"
    kind = "generalized linear: reward-biased"
    seconds = 5e-5
    provenance = Provenance(
        defined_by="Hung, Hsieh, Liu & Kumar 2021, Algorithm 2",
        read="the paper's text and appendix",
        changed="nothing by default: arms that certified bounds exclude are not solved, the arm is the same; "
        "bias='auto' is ours",
        tested_against="SciPy's optimisers, arm by arm; as published (in rbmle.paper) all printed cells",
        primary=True,
    )
    tuning = Tuning("bias", half_decades(0.003, 3.0), 1.0, Sqrt, "c of α(t) = c √t")

    regularization: Annotated[float, Optional(Real(0.0, open_low=True))] = cast(float, None)
    bias: Annotated[ScheduleLike | Literal["auto"], FunctionOfRound(auto=True)] = Sqrt()
    boost: Annotated[ScheduleLike, FunctionOfRound()] = OnePlusLog()

    @classmethod
    def theory(cls, facts: Facts) -> dict[str, Any]:
        """α(t) = √t, η(t) = 1 + log t and λ = 1, for which Theorem 3 is stated: the defaults."""
        return {}

    def __post_init__(self) -> None:
        self._require_not("bias", "auto")
        if cast(float | None, self.regularization) is None:
            self.regularization = 0.03 if isinstance(self.bias, str) else 1.0
        super().__post_init__()
        self.arms_solved = 0
        self._middle = np.zeros(self.n_features)  # near θ̂, from where all arms are bounded

    def coefficients(self, rounds: "FloatArray") -> "FloatArray":
        """α(t) and η(t)."""
        if isinstance(self.bias, str):
            alpha = self.model.bias_factor * np.sqrt(rounds)
        else:
            alpha = evaluate(self.bias, rounds, "bias")
        return np.column_stack([alpha, evaluate(self.boost, rounds, "boost")])

    def new_model(self) -> GLMModel:
        """A model of the family that has seen nothing; one that learns scales where the bias asks for it."""
        if not isinstance(self.bias, str):
            return super().new_model()
        settings = {name: getattr(self, name) for name in ("n_features", "family", "regularization", "memory")}
        return ScaledGLM(**settings)

    @property
    def merge_is_exact(self) -> bool:
        """With exact memory and a bias that is given; with "auto" scales are renewed at other times."""
        return super().merge_is_exact and not isinstance(self.bias, str)

    def _seen(self, X: FloatArray) -> FloatArray:
        """Contexts as kernels are to see them."""
        scaled: FloatArray = self.model.scaled(X) if isinstance(self.bias, str) else X
        return scaled

    def _weights(self, t: int) -> list[float]:
        """α(t) and η(t), with "auto" by what is known now."""
        row = self._numbers.block(t, 1)[0] if isinstance(self.bias, str) else self._numbers.at(t)
        return list(row.tolist())

    @property
    def concordance(self) -> float:
        """The family's constant for the bounds; -1 where there are none and every arm is solved."""
        known = self.model.family.self_concordance
        return -1.0 if known is None else float(known)

    def _rule(self, n_arms: int, alpha: float = 0.0, eta: float = 1.0) -> tuple[float, float, float, IntArray]:
        """The `Rule` of kernels.glm.named, with all that decisions call by address."""
        return alpha, eta, self.concordance, kernels.glm.code.rule_functions(n_arms, self.n_features)

    def _choose(self, X: FloatArray, held: GLMPoints | None, t: int) -> int:
        self._warn_if_slow()
        if self.memory == "online":
            return int(np.argmax(self._scores(X, held, t)))
        alpha, eta = self._weights(t)
        rule, problem = self._rule(len(X), alpha, eta), self.model.problem()
        if held is None:
            arm, self.arms_solved = kernels.glm.choose.choose(problem, rule, self._middle, self._seen(X))
        else:
            arm, self.arms_solved = held.choose(self.model, rule, self._middle)
        if arm < 0:
            raise self._unsolved()
        return int(arm)

    def _scores(self, X: FloatArray, held: GLMPoints | None, t: int) -> FloatArray:
        if self.memory == "exact":
            return self._solve(X, t)[0]
        scores, self.arms_solved = np.empty(len(X)), 0
        (estimate, H_inv), (alpha, eta) = self.model.curvature(), self._weights(t)
        kernels.glm.rounds.online_scores(estimate, H_inv, alpha, eta, self._seen(X), scores)
        return scores

    def solve(self, contexts: "ArrayLike") -> "tuple[FloatArray, FloatArray]":
        """The index (K,) and θ̄ (K, d) of every arm, each solved in full: a function of what was learnt alone.

        With bias="auto" θ̄ is that of scaled contexts.
        """
        X = self._arms(contexts)
        with self.lock:
            return self._solve(X, self.t)

    def _solve(self, X: FloatArray, t: int, surrogate: bool = False) -> tuple[FloatArray, FloatArray]:
        model, Z, (alpha, eta) = self.model, self._seen(X), self._weights(t)
        if self.memory == "online":
            estimate, H_inv = model.curvature()
            return self._scores(X, None, t), estimate + alpha * Z @ H_inv
        scores, theta, self.arms_solved = np.empty(len(X)), np.empty(X.shape), len(X)
        index = alpha, eta, model.squares, surrogate
        if not kernels.glm.index.solve_all(model.problem(), index, Z, scores, theta, model.scratch()):
            raise self._unsolved()
        return scores, theta

    def _bind(self, X: FloatArray) -> GLMPoints | None:
        keeps = self.memory == "exact" and not isinstance(self.bias, str) and self.forgetting is None
        return GLMPoints(X) if keeps else None

    def _pull(self, X: FloatArray, held: GLMPoints | None, arm: int, reward: Any) -> None:
        if held is None:
            self.model.observe(X[arm], reward)
        else:
            held.pull(self.model, self.concordance, arm, reward)

    def _play_some(self, contexts: FloatArray, rewards: FloatArray, arms: IntArray) -> int:
        if isinstance(self.bias, str):
            return self._play_singly(contexts, rewards, arms)
        model, rounds = self.model, self._rounds(rewards, arms)
        if len(contexts) < len(rewards) and self.memory == "exact":  # arms that stay, but nothing is kept of them
            contexts = np.repeat(contexts, len(rewards), axis=0)
        if self.memory == "online":
            return int(model.play(kernels.glm.rounds.play_online, 0, contexts, *rounds[:3]))
        rule = self._rule(contexts.shape[1])
        done = model.play(
            kernels.glm.rounds.play, len(rewards), model.regularization, rule, self._middle, contexts, rounds
        )
        return self._noted(done, rounds)

    def _play_held(self, X: FloatArray, held: GLMPoints | None, rewards: FloatArray) -> IntArray:
        if held is None:
            return self._play(X[None], rewards)
        arms, model = np.empty(len(rewards), dtype=np.int64), self.model
        model.family.require_support(rewards.ravel(), "rewards")
        for start in range(0, len(rewards), LONG_BLOCK):
            part = slice(start, min(start + LONG_BLOCK, len(rewards)))
            rounds = self._rounds(rewards[part], arms[part])
            done = held.play(model, self._rule(len(X)), self._middle, rounds)
            if self._noted(done, rounds) < part.stop - start:
                raise self._unsolved()
        return arms

    def _rounds(self, rewards: FloatArray, arms: IntArray) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
        """The `Rounds` of kernels.glm.named."""
        weights = np.ascontiguousarray(self._numbers.block(self.t, len(rewards)).T)
        return rewards, weights, arms, np.zeros(len(rewards), dtype=np.int64)

    def _noted(self, done: int, rounds: tuple[FloatArray, FloatArray, IntArray, IntArray]) -> int:
        """How many rounds were played; notes how many arms the last one solved."""
        if done:
            self.arms_solved = int(rounds[3][done - 1])
        return done
