"""Laplace-TS: logistic Thompson sampling from an independent Gaussian approximation of the posterior."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from rbmle.families import Logistic
from rbmle.inputs import as_contexts, require_finite
from rbmle.models.laplace import LaplaceModel
from rbmle.models.laplace_published import PublishedLaplaceModel
from rbmle.params import Integer, OneOf, Real
from rbmle.policies.bound import plain
from rbmle.policies.modelled import ModelledPolicy
from rbmle.random import generator
from rbmle.types import FloatArray, IntArray

# Most random numbers held at once while a block of rounds is played.
MOST_DRAWS = 2**20
# Decisions simulated for the probabilities.
PROBABILITY_DRAWS = 10_000


@dataclass(kw_only=True, eq=False)
class LaplaceTS(ModelledPolicy[Any]):
    """Draw weights w from N(m_i, 1/q_i) and play the arm of the largest μ(wᵀx). Rewards are 0 and 1.

    A reward moves m to the minimiser of ½Σ q_i(w_i−m_i)² + log(1+e^{−y wᵀx}), y = 1 or −1, and adds x_i² p(1−p) to
    q_i, p = μ(mᵀx): O(d) memory and O(Kd) a decision, whatever t. The order of rewards matters: N ones and then
    N zeros for one context leave an estimated mean of 0.30, 0.15 and 0.08 for N = 100, 1000 and 10 000. `merge`
    multiplies the two posteriors and divides by the prior, an approximation of the same kind.

    regularization: λ, the precision q that all weights start with.
    definition: "authors" is the method; "published" is what the published tables were made with (six differences, see
        `rbmle.models.laplace_published`), for comparison with those tables alone.

    >>> policy = LaplaceTS(n_features=2, seed=1)
    >>> policy.update_many([[1.0, 0.0]] * 50, [1.0] * 50)
    >>> policy.probabilities([[1.0, 0.0], [-1.0, 0.0]]).round(2)
    array([1., 0.])
    """

    title = "Thompson sampling, logistic, independent weights"
    notation = "μ(wᵀx),  w_i ~ N(m_i, 1/q_i)"
    source = "Chapelle & Li 2011, Algorithm 3"

    regularization: Annotated[float, Real(0.0, open_low=True)] = 1.0
    definition: Annotated[str, OneOf("authors", "published")] = "authors"
    seed: Annotated[int, Integer(0)] = 0

    def new_model(self) -> Any:
        """The prior N(0, 1/λ) of every weight."""
        kind = LaplaceModel if self.definition == "authors" else PublishedLaplaceModel
        return kind(n_features=self.n_features, regularization=self.regularization)

    @property
    def merge_is_exact(self) -> bool:
        """No: posteriors are multiplied."""
        return False

    def choose(self, contexts: Any) -> int:
        """The arm to play for contexts of shape (K, d)."""
        return int(np.argmax(self.scores(contexts)))

    def scores(self, contexts: Any) -> FloatArray:
        """wᵀx of every arm for a fresh draw, shape (K,); μ grows with it."""
        X = as_contexts(contexts, self.n_features)
        require_finite(X, "contexts")
        scores: FloatArray = self.model.sample_scores(X, self.rng.standard_normal(self.model.n_draws(len(X))))
        return scores

    def probabilities(self, contexts: Any) -> FloatArray:
        """The share of each arm in 10 000 simulated decisions, which leave the policy's own generator alone."""
        X = as_contexts(contexts, self.n_features)
        require_finite(X, "contexts")
        normals = generator(0).standard_normal((PROBABILITY_DRAWS, self.model.n_draws(len(X))))
        shares: FloatArray = self.model.shares(X, normals)
        return shares

    def play(self, contexts: FloatArray, rewards: FloatArray) -> IntArray:
        """Choose and learn for a block of rounds, compiled: contexts (B, K, d), rewards (B, K) trusted to be 0 or 1."""
        arms = np.empty(len(rewards), dtype=np.int64)
        contexts, rewards = plain(contexts), plain(rewards)
        Logistic().require_support(rewards.ravel(), "rewards")
        width = self.model.n_draws(contexts.shape[1])
        size = max(1, MOST_DRAWS // width)
        for start in range(0, len(rewards), size):
            part = slice(start, min(start + size, len(rewards)))
            now = contexts[part] if len(contexts) > 1 else contexts
            normals = self.rng.standard_normal((part.stop - start, width))
            self.model.play(now, rewards[part], normals, arms[part])
        return arms
