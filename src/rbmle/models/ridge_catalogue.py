"""What a ridge model keeps of arms that stay: each pull updates what is known of every arm directly."""

import numpy as np

from rbmle import kernels
from rbmle.types import FloatArray

# Up to this many arms, or twice as many as features, the (K, K) form is the fastest (measured).
FEW_ARMS = 32


class RidgeCatalogue:
    """Arrays of kernels.linear.catalogue for arms (K, d); the model alone writes them.

    seen     (K, d)  the contexts as kernels see them
    version  of the model that the arrays are up to date with
    """

    def __init__(self, contexts: FloatArray, needs_root: bool) -> None:
        K, d = contexts.shape
        self.contexts = self.seen = contexts
        known: dict[bytes, int] = {}
        # The first arm with the same context, −0 being 0: equal arms must tie to the last bit.
        self.first = np.array([known.setdefault(row.tobytes(), a) for a, row in enumerate(contexts + 0.0)])
        self.use_gram = not needs_root and max(FEW_ARMS, 2 * d) >= K
        self.rows = np.zeros((4, K))
        self.gram = np.empty((K, K) if self.use_gram else (0, 0))
        self.root = np.empty((K, 0) if self.use_gram else (K, d))
        self.volume = np.empty(3)
        self.scratch = np.empty(K)
        self.version = -1

    def derive(self, seen: FloatArray, block: FloatArray, fresh_from: float | None, version: int) -> None:
        """Everything anew from a model's block. `fresh_from`: its λ where it has learnt nothing yet."""
        X, d = seen, seen.shape[1]
        self.seen = X
        V_inv, theta = block[d * d : 2 * d * d].reshape(d, d), block[-3 - d : -3]
        mean, variance = self.rows[0], self.rows[1]
        kernels.linear.predict.predict(X, theta, V_inv, mean, variance)
        if self.use_gram:
            self.gram[:] = (X @ V_inv if fresh_from is None else X / fresh_from) @ X.T
            np.fill_diagonal(self.gram, variance)
            self.gram[:] = self.gram[np.ix_(self.first, self.first)]
        else:
            kernels.linear.ridge.root_of_arms(X, block, self.root)
        mean[:], variance[:] = mean[self.first], variance[self.first]
        self.rows[2:] = 0.0
        self.volume[:] = block[-3:]
        self.version = version

    def form(self) -> "kernels.linear.catalogue.Form":
        """The arrays as compiled loops take them."""
        return kernels.linear.catalogue.Form(self.rows, self.gram, self.root, self.volume)
