"""The large functions of generalized linear models that compiled code calls by address, each compiled once.

There are two sets, and each is complete or does not exist: `link_functions` for all, in a `Link`; `rule_functions` for
decisions of GLM-RBMLE, in a `Rule`, which no kernel that decides can be called without.
"""

import functools
import math
from typing import Any

import numpy as np

from rbmle.kernels.address import machine_code
from rbmle.kernels.glm.choose import CONTEND_SIGNATURE, contend_body
from rbmle.kernels.glm.link import LINK_SIGNATURE, SCALAR, link_body
from rbmle.kernels.glm.newton import EVALUATE_SIGNATURE, MAXIMISE_SIGNATURE, evaluate_body, maximise_body
from rbmle.kernels.glm.prune.look import LOOK_SIGNATURE, look_body
from rbmle.kernels.glm.prune.narrow import NARROW_SIGNATURE, narrow_body
from rbmle.kernels.glm.prune.together import together_body
from rbmle.kernels.glm.start import START_SIGNATURE, start_body
from rbmle.types import IntArray


def no_number(z: float) -> float:
    """Stands where a built-in family has no function of a user's."""
    return math.nan


@functools.cache
def estimating() -> tuple[Any, ...]:
    """What every generalized linear model needs, in the order of MU … MAXIMISE of kernels.glm.link."""
    nothing = machine_code(SCALAR, no_number)
    return (
        nothing,
        nothing,
        nothing,
        machine_code(LINK_SIGNATURE, link_body),
        machine_code(EVALUATE_SIGNATURE, evaluate_body),
        machine_code(MAXIMISE_SIGNATURE, maximise_body),
    )


@functools.cache
def deciding() -> tuple[Any, ...]:
    """What the decisions of GLM-RBMLE need besides, in the order of LOOK … TOGETHER of kernels.glm.link."""
    return (
        machine_code(LOOK_SIGNATURE, look_body),
        machine_code(CONTEND_SIGNATURE, contend_body),
        machine_code(START_SIGNATURE, start_body),
        machine_code(NARROW_SIGNATURE, narrow_body),
        machine_code(NARROW_SIGNATURE, together_body),
    )


def link_functions(*user: int) -> IntArray:
    """The functions of a `Link`, with the addresses of μ, μ' and b of a user's family if there are."""
    known = [code.address for code in estimating()]
    return np.array([*user, *known[len(user) :]], dtype=np.int64)


@functools.cache
def rule_functions() -> IntArray:
    """The functions of a `Rule`, compiled only for those who decide."""
    return np.array([code.address for code in deciding()], dtype=np.int64)
