"""rbmle: contextual bandits by reward-biased maximum likelihood, with baselines, a simulator and the paper's tables."""

from typing import TYPE_CHECKING, Any

from rbmle.policies import (
    GLMRBMLE,
    GPUCB,
    IDS,
    UCBGLM,
    VIDS,
    BayesUCB,
    CorrelatedKnowledgeGradient,
    EpsilonGreedy,
    EpsilonGreedyGLM,
    GPUCBTuned,
    KGStar,
    KnowledgeGradient,
    LaplaceTS,
    LinRBMLE,
    LinTS,
    LinUCB,
    Policy,
    Uniform,
    load,
)

if TYPE_CHECKING:
    from rbmle.simulation.sweep import sweep

__version__ = "0.2.0"

__all__ = [
    "GLMRBMLE",
    "GPUCB",
    "IDS",
    "UCBGLM",
    "VIDS",
    "BayesUCB",
    "CorrelatedKnowledgeGradient",
    "EpsilonGreedy",
    "EpsilonGreedyGLM",
    "GPUCBTuned",
    "KGStar",
    "KnowledgeGradient",
    "LaplaceTS",
    "LinRBMLE",
    "LinTS",
    "LinUCB",
    "Policy",
    "Uniform",
    "load",
    "sweep",
]


def __getattr__(name: str) -> Any:
    """`sweep` from the simulator, which is loaded when it is first asked for."""
    if name != "sweep":
        raise AttributeError(f"module 'rbmle' has no attribute {name!r}")
    from rbmle.simulation.sweep import sweep

    return sweep
