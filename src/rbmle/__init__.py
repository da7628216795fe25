"""rbmle: contextual bandits by reward-biased maximum likelihood, with baselines, a simulator and the paper's tables."""

from typing import TYPE_CHECKING, Any

from rbmle.models.forgetting import Discount, Window
from rbmle.policies import (
    ACB,
    EMK,
    EVILL,
    GLMFPL,
    GLMRBMLE,
    GLMTSL,
    GPUCB,
    IDS,
    OFUGLB,
    OFUL,
    UCBGLM,
    VIDS,
    AugmentedGLMRBMLE,
    AugmentedRBMLE,
    BayesUCB,
    CorrelatedKnowledgeGradient,
    ECOLog,
    EnsembleSampling,
    EpsilonGreedy,
    EpsilonGreedyGLM,
    FastCB,
    FastCBGLM,
    GPUCBTuned,
    Greedy,
    KGStar,
    KnowledgeGradient,
    LaplaceTS,
    LinPHE,
    LinRBMLE,
    LinTS,
    LinUCB,
    OFUGLBe,
    Policy,
    RandLinUCB,
    SoftmaxRBMLE,
    SquareCB,
    SquareCBGLM,
    Uniform,
    load,
)

if TYPE_CHECKING:
    from rbmle.simulation.sweep import sweep

__version__ = "0.2.0"

__all__ = [
    "ACB",
    "EMK",
    "EVILL",
    "GLMFPL",
    "GLMRBMLE",
    "GLMTSL",
    "GPUCB",
    "IDS",
    "OFUGLB",
    "OFUL",
    "UCBGLM",
    "VIDS",
    "AugmentedGLMRBMLE",
    "AugmentedRBMLE",
    "BayesUCB",
    "CorrelatedKnowledgeGradient",
    "Discount",
    "ECOLog",
    "EnsembleSampling",
    "EpsilonGreedy",
    "EpsilonGreedyGLM",
    "FastCB",
    "FastCBGLM",
    "GPUCBTuned",
    "Greedy",
    "KGStar",
    "KnowledgeGradient",
    "LaplaceTS",
    "LinPHE",
    "LinRBMLE",
    "LinTS",
    "LinUCB",
    "OFUGLBe",
    "Policy",
    "RandLinUCB",
    "SoftmaxRBMLE",
    "SquareCB",
    "SquareCBGLM",
    "Uniform",
    "Window",
    "load",
    "sweep",
]


def __getattr__(name: str) -> Any:
    """`sweep` from the simulator, which is loaded when it is first asked for."""
    if name != "sweep":
        raise AttributeError(f"module 'rbmle' has no attribute {name!r}")
    from rbmle.simulation.sweep import sweep

    return sweep
