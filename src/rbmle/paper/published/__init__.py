"""Methods as the published tables were made, where that is not what their authors define: for comparison alone."""

from rbmle.paper.published.bayes_ucb import PublishedBayesUCB
from rbmle.paper.published.glm import authors_glm_policies, published_glm_policies
from rbmle.paper.published.glm_rbmle import PublishedGLMRBMLE
from rbmle.paper.published.kg_star import PublishedKGStar
from rbmle.paper.published.knowledge_gradient import PublishedKnowledgeGradient
from rbmle.paper.published.laplace_ts import PublishedLaplaceTS
from rbmle.paper.published.linear import authors_policies, published_policies
from rbmle.paper.published.vids import PublishedVIDS

__all__ = [
    "PublishedBayesUCB",
    "PublishedGLMRBMLE",
    "PublishedKGStar",
    "PublishedKnowledgeGradient",
    "PublishedLaplaceTS",
    "PublishedVIDS",
    "authors_glm_policies",
    "authors_policies",
    "published_glm_policies",
    "published_policies",
]
