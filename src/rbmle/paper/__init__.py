"""The experiments of the AAAI-21 paper: settings, prepared data, methods as published, printed numbers."""

from rbmle.paper.data import prepared
from rbmle.paper.printed import printed_tables
from rbmle.paper.published import authors_policies, published_policies
from rbmle.paper.settings import GLM, LINEAR, Setting

__all__ = [
    "GLM",
    "LINEAR",
    "Setting",
    "authors_policies",
    "prepared",
    "printed_tables",
    "published_policies",
]
