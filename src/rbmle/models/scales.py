"""The scales of features, learnt from the contexts that were observed: sums alone, so that they can be merged.

    counts     (d,)  how many observed contexts had x_i ≠ 0
    squares    (d,)  Σ x_i²
    scale      (d,)  S_i, by which x_i is divided; 0 while the feature was never seen

A feature's size is its root mean square where it is not 0, s_i² = Σ x_i²/counts_i, and S_i = s_i √m with
m = Σ counts/n, the mean square norm of the contexts x/s: divided by S, contexts have a mean square norm of 1, whatever
their units and however many features they have. A one-hot feature keeps its size, however rare it is.

S is renewed at n = 1, 2, 4, 8, …, from the sums; in between it stays, but for a feature met for the first time, which
takes its own value as its size (S_i = |x_i| √m): an arm of features never seen is as unknown as any new arm, in any
unit. Multiplying a feature by a power of two multiplies S_i by it, to the bit: x/S stays the same.
"""

from collections.abc import Mapping

import numpy as np

from rbmle.types import FloatArray

# While features are missing, so many rounds are looked at ahead for their first sight.
LOOK_AHEAD = 64
# Arrays (d,) of a state.
SHAPES = ("feature_counts", "feature_squares", "feature_scale")


def root_of_present(X: FloatArray) -> FloatArray:
    """√ of how many features each context of X (…, d) has, shape (…, 1); at least 1."""
    present: FloatArray = (X != 0.0).sum(axis=-1, keepdims=True).astype(np.float64)
    return np.sqrt(np.maximum(present, 1.0))


class Scales:
    """What contexts are divided by."""

    def __init__(self, n_features: int) -> None:
        self.counts, self.squares = np.zeros(n_features), np.zeros(n_features)
        self.scale = np.zeros(n_features)
        self.norm = 1.0  # √m, of the last renewal
        self._look()

    def _look(self) -> None:
        """Note which features were never seen."""
        self._unseen = np.flatnonzero(self.scale == 0.0)
        self._divisor = np.where(self.scale > 0.0, self.scale, 1.0)

    def apply(self, X: FloatArray) -> FloatArray:
        """Contexts (…, d) divided by their scales; what was never seen by its own size."""
        if not (len(self._unseen) and X[..., self._unseen].any()):
            divided: FloatArray = X / self._divisor
            return divided
        norm = np.full(1, self.norm) if self.scale.any() else root_of_present(X)
        # Not x/(|x|·norm), which is the same but for the last bit: arms that are all new must tie.
        return np.divide(X, self.scale, out=np.sign(X) / norm, where=self.scale > 0.0)

    def rounds_alike(self, contexts: FloatArray) -> int:
        """How many rounds of contexts (B, K, d) can be played before a feature may be seen for the first time, that
        round included; at least 1."""
        if not len(self._unseen):
            return len(contexts)
        near = contexts[:LOOK_AHEAD]
        new = near[:, :, self._unseen].any(axis=(1, 2))
        return int(np.argmax(new)) + 1 if new.any() else len(near)

    def learn(self, X: FloatArray) -> bool:
        """Count contexts (n, d); whether a feature was met for the first time."""
        # One by one, from left to right: the same sums to the bit, however the observations come in blocks.
        for x in X:
            self.counts += x != 0.0
            self.squares += x * x
        if not (len(self._unseen) and X[:, self._unseen].any()):
            return False
        if not self.scale.any():
            self.norm = float(root_of_present(X[0])[0])
        new = (self.scale == 0.0) & (self.squares > 0.0)
        first = np.abs(X)[np.argmax(X != 0.0, axis=0), np.arange(X.shape[1])]
        self.scale[new] = first[new] * self.norm
        self._look()
        return True

    def renew(self, n: int) -> None:
        """Take S from the sums of n observations."""
        self.norm = float(np.sqrt(max(self.counts.sum(), 1.0) / n))
        seen = self.scale > 0.0
        self.scale = np.zeros(len(seen))
        self.scale[seen] = np.sqrt(self.squares[seen] / self.counts[seen]) * self.norm
        self._look()

    def since(self, old: FloatArray) -> FloatArray:
        """By what contexts scaled with an `old` scale are to be multiplied now."""
        return np.divide(old, self.scale, out=np.ones(len(old)), where=(old > 0.0) & (self.scale > 0.0))

    def add(self, other: "Scales") -> None:
        """Add the sums of another; where only the other has seen a feature, its scale is taken over."""
        self.counts, self.squares = self.counts + other.counts, self.squares + other.squares
        self.scale = np.where(self.scale > 0.0, self.scale, other.scale)
        self._look()

    def state(self) -> dict[str, FloatArray]:
        """Everything, as plain arrays."""
        names = ("counts", "squares", "scale")
        return {f"feature_{name}": getattr(self, name).copy() for name in names} | {
            "feature_norm": np.array([self.norm])
        }

    def restore(self, state: Mapping[str, FloatArray]) -> None:
        """Take over what `state` gave."""
        for name in ("counts", "squares", "scale"):
            setattr(self, name, np.array(state[f"feature_{name}"], dtype=np.float64))
        self.norm = float(state["feature_norm"][0])
        self._look()
