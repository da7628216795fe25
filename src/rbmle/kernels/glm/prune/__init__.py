"""Bounds on the index of an arm, so that most arms need no solve."""

from typing import TYPE_CHECKING

from rbmle.kernels import loads_when_used

if TYPE_CHECKING:
    from rbmle.kernels.glm.prune import bounds, closer, look, narrow, tensors, together

__all__ = ["bounds", "closer", "look", "narrow", "tensors", "together"]

__getattr__ = loads_when_used(__name__)
