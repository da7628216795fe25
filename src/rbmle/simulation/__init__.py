"""Rounds × policies × trials → Results: the one loop, one store of finished trials, one progress display."""

from rbmle.simulation.engine import simulate
from rbmle.simulation.results import Results
from rbmle.simulation.sweep import sweep
from rbmle.simulation.trial import run_trial

__all__ = ["Results", "run_trial", "simulate", "sweep"]
