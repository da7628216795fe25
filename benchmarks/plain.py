"""LinRBMLE in plain NumPy, the way one would write it in ten minutes: the yardstick of the linear benchmarks."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class PlainRBMLE:
    """Rank-one updates of the inverse; contexts come with every call."""

    def __init__(self, n_features: int) -> None:
        self.V_inv = np.eye(n_features)
        self.b = np.zeros(n_features)
        self.t = 1

    def choose(self, contexts: Floats) -> int:
        mean = contexts @ (self.V_inv @ self.b)
        variance = np.einsum("ki,ki->k", contexts @ self.V_inv, contexts)
        return int(np.argmax(mean + 0.5 * np.sqrt(self.t) * variance))

    def update(self, context: Floats, reward: float) -> None:
        u = self.V_inv @ context
        self.V_inv -= np.outer(u, u) / (1.0 + context @ u)
        self.b += reward * context
        self.t += 1


def play_plain(contexts: Floats, rewards: Floats) -> None:
    """Rounds of contexts (B, K, d), or of (1, K, d) again and again."""
    policy = PlainRBMLE(contexts.shape[2])
    for t, r in enumerate(rewards):
        X = contexts[t % len(contexts)]
        arm = policy.choose(X)
        policy.update(X[arm], r[arm])
