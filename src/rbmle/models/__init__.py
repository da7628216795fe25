"""What is learnt: models observe (context, reward) pairs and predict."""

from rbmle.models.ridge import RidgeModel

__all__ = ["RidgeModel"]
