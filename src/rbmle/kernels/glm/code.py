"""The large functions of generalized linear models that compiled code calls by address, each compiled once."""

import functools
from typing import Any

import numpy as np

from rbmle.kernels.glm.choose import CONTEND_SIGNATURE, contend_body
from rbmle.kernels.glm.link import LINK_SIGNATURE, LOOK, START, link_body, machine_code
from rbmle.kernels.glm.newton import EVALUATE_SIGNATURE, MAXIMISE_SIGNATURE, evaluate_body, maximise_body
from rbmle.kernels.glm.prune.look import LOOK_SIGNATURE, look_body
from rbmle.kernels.glm.prune.narrow import NARROW_SIGNATURE, narrow_body
from rbmle.kernels.glm.start import START_SIGNATURE, start_body
from rbmle.types import IntArray


@functools.cache
def estimating() -> tuple[Any, ...]:
    """What every generalized linear model needs, in the order of the places in `functions` of kernels.glm.link."""
    return (
        machine_code(LINK_SIGNATURE, link_body),
        machine_code(EVALUATE_SIGNATURE, evaluate_body),
        machine_code(MAXIMISE_SIGNATURE, maximise_body),
    )


@functools.cache
def choosing() -> tuple[Any, ...]:
    """What the decisions of GLM-RBMLE need besides."""
    return (
        machine_code(LOOK_SIGNATURE, look_body),
        machine_code(CONTEND_SIGNATURE, contend_body),
        machine_code(START_SIGNATURE, start_body),
        machine_code(NARROW_SIGNATURE, narrow_body),
    )


def addresses(*user: int) -> IntArray:
    """The array `functions` of kernels.glm.link, with the addresses of μ, μ' and b of a user's family if there are."""
    known = [*(user or (0, 0, 0)), *(code.address for code in estimating())]
    return np.array([*known, 0, 0, 0, 0], dtype=np.int64)


def complete(functions: IntArray) -> None:
    """Add the addresses that decisions need, compiled only for those who decide."""
    if functions[START] == 0:
        functions[LOOK:] = [code.address for code in choosing()]
