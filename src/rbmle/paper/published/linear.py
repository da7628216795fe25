"""The nine linear methods under the paper's names: as the published tables were made, and by their authors."""

from rbmle.paper.published.bayes_ucb import PublishedBayesUCB
from rbmle.paper.published.kg_star import PublishedKGStar
from rbmle.paper.published.knowledge_gradient import PublishedKnowledgeGradient
from rbmle.paper.published.vids import PublishedVIDS
from rbmle.policies import (
    GPUCB,
    VIDS,
    BayesUCB,
    GPUCBTuned,
    KGStar,
    KnowledgeGradient,
    LinRBMLE,
    LinTS,
    LinUCB,
    Policy,
)


def published_policies(n_features: int, horizon: int) -> dict[str, Policy]:
    """The nine linear methods under the paper's column names, as the published tables need them."""
    d = n_features
    return {
        "RBMLE": LinRBMLE(n_features=d),
        "LinUCB": LinUCB(n_features=d, alpha=1.0),
        "BUCB": PublishedBayesUCB(n_features=d, c=0.0, horizon=horizon),
        "GPUCB": GPUCB(n_features=d, delta=1e-5),
        "GPUCBT": GPUCBTuned(n_features=d, c=0.9),
        "KG": PublishedKnowledgeGradient(n_features=d, horizon=horizon),
        "KG*": PublishedKGStar(n_features=d, horizon=horizon),
        "LinTS": LinTS(n_features=d, scale=None, delta=0.5, epsilon=1.0),
        "VIDS": PublishedVIDS(n_features=d, samples=10_000, grid=1000),
    }


def authors_policies(n_features: int, horizon: int) -> dict[str, Policy]:
    """The same nine by their own authors' definitions, with the settings of the paper."""
    d = n_features
    return {
        "RBMLE": LinRBMLE(n_features=d),
        "LinUCB": LinUCB(n_features=d, alpha=1.0),
        "BUCB": BayesUCB(n_features=d, c=0.0, horizon=horizon),
        "GPUCB": GPUCB(n_features=d, delta=1e-5),
        "GPUCBT": GPUCBTuned(n_features=d, c=0.9),
        "KG": KnowledgeGradient(n_features=d, horizon=horizon),
        "KG*": KGStar(n_features=d, horizon=horizon),
        "LinTS": LinTS(n_features=d, scale=None, delta=0.5, epsilon=0.9),
        "VIDS": VIDS(n_features=d, samples=10_000),
    }
