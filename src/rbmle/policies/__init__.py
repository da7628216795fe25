"""One file per method: the formula with its source, and the class."""

from rbmle.policies.acb import ACB
from rbmle.policies.augmented_glm_rbmle import AugmentedGLMRBMLE
from rbmle.policies.augmented_rbmle import AugmentedRBMLE
from rbmle.policies.base import Policy
from rbmle.policies.bayes_ucb import BayesUCB
from rbmle.policies.correlated_kg import CorrelatedKnowledgeGradient
from rbmle.policies.ecolog import ECOLog
from rbmle.policies.emk import EMK
from rbmle.policies.ensemble_sampling import EnsembleSampling
from rbmle.policies.epsilon_greedy import EpsilonGreedy
from rbmle.policies.epsilon_greedy_glm import EpsilonGreedyGLM
from rbmle.policies.evill import EVILL
from rbmle.policies.fast_cb import FastCB, FastCBGLM
from rbmle.policies.glm_fpl import GLMFPL
from rbmle.policies.glm_rbmle import GLMRBMLE
from rbmle.policies.glm_tsl import GLMTSL
from rbmle.policies.gpucb import GPUCB, GPUCBTuned
from rbmle.policies.greedy import Greedy
from rbmle.policies.ids import IDS
from rbmle.policies.kg_star import KGStar
from rbmle.policies.knowledge_gradient import KnowledgeGradient
from rbmle.policies.laplace_ts import LaplaceTS
from rbmle.policies.lin_phe import LinPHE
from rbmle.policies.lin_rbmle import LinRBMLE
from rbmle.policies.lin_ts import LinTS
from rbmle.policies.linear import LinearPolicy, formula
from rbmle.policies.linucb import LinUCB
from rbmle.policies.ofuglb import OFUGLB
from rbmle.policies.ofuglb_e import OFUGLBe
from rbmle.policies.oful import OFUL
from rbmle.policies.rand_lin_ucb import RandLinUCB
from rbmle.policies.softmax_rbmle import SoftmaxRBMLE
from rbmle.policies.square_cb import SquareCB, SquareCBGLM
from rbmle.policies.storage import load
from rbmle.policies.ucb_glm import UCBGLM
from rbmle.policies.uniform import Uniform
from rbmle.policies.vids import VIDS

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
    "LinearPolicy",
    "OFUGLBe",
    "Policy",
    "RandLinUCB",
    "SoftmaxRBMLE",
    "SquareCB",
    "SquareCBGLM",
    "Uniform",
    "formula",
    "load",
]
