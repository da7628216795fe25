"""rbmle: contextual bandits by reward-biased maximum likelihood, with baselines, a simulator and the paper's tables."""

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

__version__ = "0.1.0"

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
]
