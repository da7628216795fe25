"""Checks shipped for users: run them on any policy, problem or model, ours or your own.

>>> from rbmle import LinUCB
>>> from rbmle.testing import check_policy
>>> check_policy(LinUCB(n_features=3))
"""

from rbmle.testing.models import check_model
from rbmle.testing.policies import POLICY_CHECKS, check_policy, standard_policies
from rbmle.testing.problems import check_problem
from rbmle.testing.tools import CheckFailed

__all__ = ["POLICY_CHECKS", "CheckFailed", "check_model", "check_policy", "check_problem", "standard_policies"]
