"""The large functions of generalized linear models that compiled code calls by address, each compiled once."""

import functools
from typing import Any

import numpy as np

from rbmle.kernels.glm_choose import (
    CONTEND_SIGNATURE,
    LOOK_SIGNATURE,
    START_SIGNATURE,
    contend_body,
    look_body,
    start_body,
)
from rbmle.kernels.glm_link import LINK_SIGNATURE, link_body, machine_code
from rbmle.kernels.glm_newton import EVALUATE_SIGNATURE, MAXIMISE_SIGNATURE, evaluate_body, maximise_body
from rbmle.types import IntArray


@functools.cache
def shared_code() -> tuple[Any, ...]:
    """The machine code, in the order of its places in `functions` of kernels.glm_link; kept alive here."""
    return (
        machine_code(LINK_SIGNATURE, link_body),
        machine_code(EVALUATE_SIGNATURE, evaluate_body),
        machine_code(MAXIMISE_SIGNATURE, maximise_body),
        machine_code(LOOK_SIGNATURE, look_body),
        machine_code(CONTEND_SIGNATURE, contend_body),
        machine_code(START_SIGNATURE, start_body),
    )


def addresses(*user: int) -> IntArray:
    """The array `functions` of kernels.glm_link, with the addresses of μ, μ' and b of a user's family if there are."""
    return np.array([*(user or (0, 0, 0)), *(code.address for code in shared_code())], dtype=np.int64)
