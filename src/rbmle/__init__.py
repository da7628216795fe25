"""rbmle: contextual bandits by reward-biased maximum likelihood, with baselines, a simulator and the paper's tables."""

from rbmle.policies import (
    GPUCB,
    IDS,
    VIDS,
    BayesUCB,
    EpsilonGreedy,
    GPUCBTuned,
    KGStar,
    KnowledgeGradient,
    LinRBMLE,
    LinTS,
    LinUCB,
    Policy,
    Uniform,
    load,
)

__version__ = "0.1.0"

__all__ = [
    "GPUCB",
    "IDS",
    "VIDS",
    "BayesUCB",
    "EpsilonGreedy",
    "GPUCBTuned",
    "KGStar",
    "KnowledgeGradient",
    "LinRBMLE",
    "LinTS",
    "LinUCB",
    "Policy",
    "Uniform",
    "load",
]
