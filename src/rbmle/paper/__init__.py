"""The experiments of the AAAI-21 paper: settings, prepared data, methods as published, printed numbers."""

from rbmle.paper.data import prepared
from rbmle.paper.experiments import glm_regret
from rbmle.paper.printed import printed_tables
from rbmle.paper.published.glm import authors_glm_policies, published_glm_policies
from rbmle.paper.published.linear import authors_policies, published_policies
from rbmle.paper.settings import GLM, LINEAR, Setting
from rbmle.paper.study import run

__all__ = [
    "GLM",
    "LINEAR",
    "Setting",
    "authors_glm_policies",
    "authors_policies",
    "glm_regret",
    "prepared",
    "printed_tables",
    "published_glm_policies",
    "published_policies",
    "run",
]
