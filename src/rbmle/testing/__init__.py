"""Checks shipped for users: run them on any policy, problem or model, ours or your own.

>>> from rbmle import LinUCB
>>> from rbmle.testing import check_policy
>>> check_policy(LinUCB(n_features=3))
"""

from rbmle.testing.journals import JournalChecks
from rbmle.testing.models import MODEL_CHECKS, check_model
from rbmle.testing.policies import HOSTILE_CHECKS, POLICY_CHECKS, check_policy, standard_policies
from rbmle.testing.problems import check_problem
from rbmle.testing.subprocesses import Outcome, run_in_subprocess
from rbmle.testing.tools import CheckFailed

__all__ = [
    "HOSTILE_CHECKS",
    "MODEL_CHECKS",
    "POLICY_CHECKS",
    "CheckFailed",
    "JournalChecks",
    "Outcome",
    "check_model",
    "check_policy",
    "check_problem",
    "run_in_subprocess",
    "standard_policies",
]
