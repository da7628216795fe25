"""One file per method: the formula with its source, and the class."""

from rbmle.policies.base import Policy
from rbmle.policies.bayes_ucb import BayesUCB
from rbmle.policies.correlated_kg import CorrelatedKnowledgeGradient
from rbmle.policies.epsilon_greedy import EpsilonGreedy
from rbmle.policies.epsilon_greedy_glm import EpsilonGreedyGLM
from rbmle.policies.glm_rbmle import GLMRBMLE
from rbmle.policies.gpucb import GPUCB, GPUCBTuned
from rbmle.policies.ids import IDS
from rbmle.policies.kg_star import KGStar
from rbmle.policies.knowledge_gradient import KnowledgeGradient
from rbmle.policies.laplace_ts import LaplaceTS
from rbmle.policies.lin_rbmle import LinRBMLE
from rbmle.policies.lin_ts import LinTS
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.policies.linucb import LinUCB
from rbmle.policies.storage import load
from rbmle.policies.ucb_glm import UCBGLM
from rbmle.policies.uniform import Uniform
from rbmle.policies.vids import VIDS

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
    "LinearPolicy",
    "Policy",
    "Uniform",
    "formula",
    "load",
]
