"""Compiled functions over logged decisions: keys of ids, and sums over rows."""

from typing import TYPE_CHECKING

from rbmle.kernels import loads_when_used

if TYPE_CHECKING:
    from rbmle.kernels.logs import keys, multipliers, predict, ridge, sequence, sums

__all__ = ["keys", "multipliers", "predict", "ridge", "sequence", "sums"]

__getattr__ = loads_when_used(__name__)
