"""Logs of decisions: what was known, which arm was served with which chance, and what it earned.

`rbmle.logs.columns` says what a row holds.

>>> log = Log.read({"arm": [0, 1], "probability": [0.5, 0.5], "reward": [1.0, 0.0]}, n_arms=2)
>>> [batch.reward.tolist() for batch in log]
[[1.0, 0.0]]
"""

from rbmle.logs.batch import Batch
from rbmle.logs.log import Log

__all__ = ["Batch", "Log"]
