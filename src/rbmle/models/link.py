"""Families as kernels know them."""

import functools
from typing import Any

import numpy as np

from rbmle import kernels
from rbmle.families import Custom, Extended, Family
from rbmle.types import IntArray

_kept_alive: list[Any] = []


@functools.cache
def link_of(family: Family) -> tuple[int, float, IntArray]:
    """(code, limit, functions): the `Link` of kernels.glm.named as a plain tuple, complete whenever it exists."""
    base, limit = (family.base, float(family.limit)) if isinstance(family, Extended) else (family, np.inf)
    user = []
    if isinstance(base, Custom):
        handles = [kernels.glm.link.compile_function(f) for f in (base.mu, base.dmu, base.potential)]
        _kept_alive.extend(handles)  # machine code lives as long as its handle
        user = [kernels.glm.link.address_of(handle) for handle in handles]
    return base.code, limit, kernels.glm.code.link_functions(*user)
