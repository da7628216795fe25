"""Rounds × policies × trials → Results: the one loop, parallel over trials."""

from rbmle.simulation.engine import simulate
from rbmle.simulation.results import Results
from rbmle.simulation.trial import run_trial

__all__ = ["Results", "run_trial", "simulate"]
