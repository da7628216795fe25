"""Laws of contexts: moments and distributions by their textbook formulas, any cut, one wording for bad parameters."""

import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from rbmle.errors import InvalidParameterError
from rbmle.plain import Registry
from rbmle.problems import (
    Ball,
    BoundedReward,
    Box,
    ContextLaw,
    CorrelatedArms,
    Given,
    GLMProblem,
    LinearProblem,
    Normal,
    Scaled,
    Sparse,
    Sphere,
)
from rbmle.problems.contexts import NAMED, as_contexts
from rbmle.problems.in_place import in_place
from rbmle.random import generator
from rbmle.testing import check_problem

THETA = (0.3, -0.5, 0.2)
D, K = 3, 4
ARMS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 1.0))
LAWS = [
    *(Sphere(length=2.0), Ball(size=0.5), Box(half_width=2.0), Box(longest=1.0), Normal(scale=3.0, correlation=0.7)),
    *(CorrelatedArms(correlation=0.8), Sparse(nonzero=2), Scaled(Ball(), scales=(1.0, 10.0, 0.1)), Given(ARMS)),
]


Drawn = Callable[..., np.ndarray]


@pytest.fixture(params=["in place", "by a generator"])
def drawn(request: pytest.FixtureRequest) -> Drawn:
    """Contexts of a law, drawn both ways."""

    def draw(law: ContextLaw, rounds: int = 20_000, n_arms: int = K, n_features: int = D) -> np.ndarray:
        numbers = in_place(1, 0, 0, rounds) if request.param == "in place" else np.random.default_rng(1)
        return law.draw(numbers, rounds, n_arms, n_features)

    return draw


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
@pytest.mark.parametrize("static", [True, False])
def test_every_law_passes_the_shipped_checks(law: ContextLaw, static: bool) -> None:
    check_problem(LinearProblem(THETA, K, static=static, contexts=law), horizon=40)
    check_problem(GLMProblem(THETA, K, static=static, contexts=law), horizon=40)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_radius_is_reached_and_not_passed(law: ContextLaw, drawn: Drawn) -> None:
    lengths = np.linalg.norm(drawn(law), axis=2)
    radius = law.radius(D)
    if math.isfinite(radius):
        assert lengths.max() <= radius * (1 + 1e-12)
        assert lengths.max() > 0.8 * radius
    else:
        assert lengths.max() > 3 * lengths.mean() / 2


# The variance of each feature: E x_i², all of mean 0.
VARIANCES: list[tuple[ContextLaw, list[float]]] = [
    (Sphere(length=2.0), [4 / 3] * 3),
    (Ball(size=2.0), [4 / 5] * 3),  # r² / (d + 2)
    (Box(half_width=2.0), [4 / 3] * 3),
    (Normal(scale=3.0, correlation=0.7), [9.0] * 3),
    (CorrelatedArms(correlation=0.8), [1 / 3] * 3),
    (Sparse(nonzero=2), [1 / 3] * 3),
    (Scaled(Ball(), scales=(1.0, 10.0, 0.1)), [1 / 5, 100 / 5, 0.01 / 5]),
    (Scaled(Sphere(), scales=(3.0,)), [3.0] * 3),
]


@pytest.mark.parametrize(("law", "variances"), VARIANCES, ids=lambda value: getattr(value, "name", ""))
def test_means_and_variances(law: ContextLaw, variances: list[float], drawn: Drawn) -> None:
    x = drawn(law, n_arms=1)[:, 0]
    np.testing.assert_allclose(x.var(axis=0), variances, rtol=0.05)
    assert (np.abs(x.mean(axis=0)) < 5 * np.sqrt(np.array(variances) / len(x))).all()


def test_ball_is_even(drawn: Drawn) -> None:
    lengths = np.linalg.norm(drawn(Ball(size=2.0), rounds=5000), axis=2).ravel() / 2.0
    assert stats.kstest(lengths**D, "uniform").pvalue > 1e-3


def test_neighbouring_features_are_correlated(drawn: Drawn) -> None:
    x = drawn(Normal(correlation=-0.6), n_arms=1)[:, 0]
    expected = [[(-0.6) ** abs(i - j) for j in range(D)] for i in range(D)]
    np.testing.assert_allclose(np.corrcoef(x.T), expected, atol=0.03)


def test_arms_of_a_round_are_correlated_and_rounds_are_not(drawn: Drawn) -> None:
    law = CorrelatedArms(correlation=0.8)
    x = drawn(law, n_features=40)  # with many features norms hardly scatter, and the cosine is close to ρ
    cosines = np.einsum("bd,bd->b", x[:, 0], x[:, 1])
    assert cosines.mean() == pytest.approx(0.8, abs=0.02)
    assert abs(np.einsum("bd,bd->b", x[:-1, 0], x[1:, 0]).mean()) < 0.01
    np.testing.assert_allclose(np.linalg.norm(drawn(law), axis=2), 1.0)


def test_sparse_features_are_each_as_frequent(drawn: Drawn) -> None:
    x = drawn(Sparse(nonzero=2), rounds=3000, n_arms=1, n_features=5)[:, 0]
    assert ((x != 0).sum(axis=1) == 2).all()
    assert stats.chisquare((x != 0).sum(axis=0)).pvalue > 1e-3
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), 1.0)


def test_given_arms_are_the_same_everywhere() -> None:
    problem = LinearProblem(THETA, K, contexts=Given(ARMS))
    assert np.array_equal(problem.rounds(0, 0, 0, 2).contexts, [ARMS])
    assert np.array_equal(problem.rounds(5, 3, 7, 9).contexts, [ARMS])
    assert not np.array_equal(problem.rounds(0, 0, 0, 2).rewards, problem.rounds(0, 1, 0, 2).rewards)


def test_paths_of_glm_problems_are_those_of_version_0_1() -> None:
    """N(0, I) over its norm and then the rewards, by the generator of (seed, trial, chunk)."""
    problem = GLMProblem(THETA, K, static=False, contexts="sphere")
    rng = generator(3, 1, 1)
    contexts = rng.standard_normal((1024, K, D))
    contexts /= np.sqrt(np.einsum("bkd,bkd->bk", contexts, contexts))[:, :, None]
    rewards = rng.random((1024, K)) < 1.0 / (1.0 + np.exp(-(contexts @ np.array(THETA))))
    block = problem.rounds(3, 1, 1024, 2048)
    assert np.array_equal(block.contexts, contexts)
    assert np.array_equal(block.rewards, rewards)


def test_laws_of_others_are_drawn_by_a_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    """They may ask it for anything, and their rounds come in chunks."""
    monkeypatch.setattr(ContextLaw, "registry", Registry("a law of a test", called=lambda cls: str(cls.name)))

    class Skewed(ContextLaw):
        name = "skewed"

        def draw(self, rng: np.random.Generator, rounds: int, n_arms: int, n_features: int) -> np.ndarray:
            return rng.gamma(2.0, size=(rounds, n_arms, n_features))

        def radius(self, n_features: int) -> float:
            return math.inf

        @property
        def params(self) -> dict[str, object]:
            return {"name": self.name}

    for law in (Skewed(), Scaled(Skewed(), scales=(2.0,))):
        check_problem(LinearProblem(THETA, K, static=False, contexts=law))


def test_names_params_and_copies() -> None:
    for name in NAMED:
        law = as_contexts(name)
        assert law.params["name"] == name
        assert pickle.loads(pickle.dumps(law)) == law
    problem = LinearProblem(THETA, K, contexts=Scaled("ball", scales=(2.0,)))
    assert problem.params["contexts"] == {
        "name": "scaled",
        "contexts": {"name": "ball", "size": 1.0},
        "scales": [2.0],
    }
    assert "contexts=Scaled(contexts=Ball(size=1.0), scales=(2.0,))" in repr(problem)
    assert "contexts" not in LinearProblem(THETA, K).params
    assert "contexts=Box(" in repr(GLMProblem(THETA, K, contexts="box"))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: as_contexts("cube"), "'contexts' parameter of problem must be one of 'sphere', 'ball'"),
        (lambda: LinearProblem(THETA, K, contexts=None), "'contexts' parameter of LinearProblem"),  # type: ignore[arg-type]
        (lambda: Sphere(length=0.0), "'length' parameter of Sphere"),
        (lambda: Ball(size=math.inf), "'size' parameter of Ball"),
        (lambda: Box(longest=-1.0), "'longest' parameter of Box"),
        (lambda: Normal(correlation=1.0), "'correlation' parameter of Normal"),
        (lambda: CorrelatedArms(correlation=-0.1), "'correlation' parameter of CorrelatedArms"),
        (lambda: Sparse(nonzero=0), "'nonzero' parameter of Sparse"),
        (lambda: Scaled(Ball(), scales=()), "'scales' parameter of Scaled"),
        (lambda: Scaled("cube", scales=(1.0,)), "'contexts' parameter of Scaled"),  # type: ignore[arg-type]
        (lambda: Given(((1.0,), (1.0, 2.0))), "'arms' parameter of Given must be rows of finite numbers"),
        (lambda: LinearProblem(THETA, K, contexts=Sparse(4)), "'contexts' .* must be a law with at most 3 features"),
        (lambda: LinearProblem(THETA, K, contexts=Scaled(Ball(), (1.0, 2.0))), "1 scale or one for each of 3 features"),
        (lambda: LinearProblem(THETA, K, contexts=Scaled(Sparse(4), (1.0,))), "at most 3 features"),
        (lambda: LinearProblem(THETA, 3, contexts=Given(ARMS)), r"with arms of shape \(3, 3\), not \(4, 3\)"),
        (lambda: LinearProblem(THETA, K, noise="bounded", contexts=Ball(size=2.0)), "norm of at most 0.5 .* up to 2,"),
        (lambda: LinearProblem(THETA, K, noise=BoundedReward(), contexts="normal"), "contexts of norm up to inf"),
        (lambda: GLMProblem(THETA, K, "poisson", contexts=Sphere(length=1e4)), "parameter of GLMProblem"),
    ],
)
def test_bad_parameters(make: Callable[[], object], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        make()
