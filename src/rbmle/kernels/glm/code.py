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
from rbmle.kernels.glm.prune.closer import CLOSER_SIGNATURE
from rbmle.kernels.glm.prune.look import LOOK_SIGNATURE, look_body
from rbmle.kernels.glm.prune.narrow import narrow_body, tensors_pay
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
def deciding(by_tensors: bool) -> tuple[Any, ...]:
    """What the decisions of GLM-RBMLE need besides, in the order of LOOK … CLOSER of kernels.glm.link."""
    return (
        *always_deciding(),
        machine_code(CLOSER_SIGNATURE, narrow_body if by_tensors else together_body),
    )


@functools.cache
def always_deciding() -> tuple[Any, ...]:
    """Those of them that do not hang on how many arms and features there are."""
    return (
        machine_code(LOOK_SIGNATURE, look_body),
        machine_code(CONTEND_SIGNATURE, contend_body),
        machine_code(START_SIGNATURE, start_body),
    )


def link_functions(*user: int) -> IntArray:
    """The functions of a `Link`, with the addresses of μ, μ' and b of a user's family if there are."""
    known = [code.address for code in estimating()]
    return np.array([*user, *known[len(user) :]], dtype=np.int64)


def rule_functions(n_arms: int, n_features: int) -> IntArray:
    """The functions of a `Rule` for so many arms and features, compiled only for those who decide."""
    return _addresses(tensors_pay(n_arms, n_features))


@functools.cache
def _addresses(by_tensors: bool) -> IntArray:
    return np.array([code.address for code in deciding(by_tensors)], dtype=np.int64)
