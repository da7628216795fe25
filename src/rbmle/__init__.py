"""rbmle: contextual bandits by reward-biased maximum likelihood, with baselines, a simulator and the paper's tables."""

from importlib import import_module
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


# Public packages and modules; each is loaded when it is first asked for.
_PARTS = (
    "adapters", "datasets", "errors", "evaluation", "families", "features", "logs", "models", "online", "paper",
    "params", "policies", "problems", "report", "schedules", "simulation", "studies", "testing", "theory", "types",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    """`sweep` from the simulator, and public packages, which are loaded when they are first asked for."""
    if name == "sweep":
        from rbmle.simulation.sweep import sweep

        return sweep
    if name in _PARTS:
        return import_module(f"rbmle.{name}")
    raise AttributeError(f"module 'rbmle' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What is public: what completion and `dir` show."""
    return sorted({*__all__, *_PARTS, *(name for name in globals() if name.startswith("__"))})
