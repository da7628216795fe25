"""The three generalized linear methods under the paper's names: as published, and by their authors."""

from rbmle.paper.published.glm_rbmle import PublishedGLMRBMLE
from rbmle.paper.published.laplace_ts import PublishedLaplaceTS
from rbmle.policies import GLMRBMLE, UCBGLM, LaplaceTS, Policy


def published_glm_policies(n_features: int, n_arms: int, horizon: int) -> dict[str, Policy]:
    """The three methods under the paper's column names, as the published tables need them.

    The published UCB-GLM took whatever its root finder ended with where no maximum-likelihood estimate exists, far out
    on a ray. A ridge of 1e-14 stands in for that; means move by less than 3 % for any value from 1e-12 to 1e-14.
    """
    d = n_features
    return {
        "GLM-RBMLE": PublishedGLMRBMLE(n_features=d),
        "UCB-GLM": UCBGLM(
            n_features=d,
            tau=n_arms,
            horizon=horizon,
            sigma=1.0,
            kappa=0.1,
            delta=0.1,
            regularization=1.0,
            fallback=1e-14,
        ),
        "Laplace-TS": PublishedLaplaceTS(n_features=d),
    }


def authors_glm_policies(n_features: int, n_arms: int, horizon: int) -> dict[str, Policy]:
    """The same three by their authors' definitions, with the settings of the paper; rewards of 0 and 1 have σ = ½."""
    d = n_features
    return {
        "GLM-RBMLE": GLMRBMLE(n_features=d),
        "UCB-GLM": UCBGLM(n_features=d, tau=n_arms, horizon=horizon, sigma=0.5, kappa=0.1, delta=0.1),
        "Laplace-TS": LaplaceTS(n_features=d),
    }
