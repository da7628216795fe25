import functools
import json
import math

import numpy as np
import pytest

from rbmle import families, plain
from rbmle.errors import InvalidInputError, InvalidParameterError, StateFileError
from rbmle.families import Custom, Extended, Family, Gaussian, Logistic, Poisson
from rbmle.models.glm import GLMModel

PLAIN: list[Family] = [Gaussian(), Logistic(), Poisson()]
ALL = [*PLAIN, *(family.extended(limit) for family in PLAIN for limit in (0.7, 3.0))]


@pytest.mark.parametrize("family", ALL, ids=repr)
def test_mean_is_the_derivative_of_b_and_the_score_that_of_the_likelihood(family):
    z, h = np.linspace(-6.0, 6.0, 61), 1e-5
    assert np.allclose((family.b(z + h) - family.b(z - h)) / (2 * h), family.mean(z), rtol=1e-6, atol=1e-6)
    assert np.allclose((family.mean(z + h) - family.mean(z - h)) / (2 * h), family.derivative(z), rtol=1e-4, atol=1e-4)
    score = (family.log_likelihood(z + h, 2.0) - family.log_likelihood(z - h, 2.0)) / (2 * h)
    assert np.allclose(score, 2.0 - family.mean(z), rtol=1e-6, atol=1e-6)


def test_closed_forms():
    assert Logistic().mean(math.log(3.0)) == pytest.approx(0.75)
    assert Logistic().b(0.0) == pytest.approx(math.log(2.0))
    assert Poisson().mean(2.0) == Poisson().b(2.0) == pytest.approx(math.exp(2.0))
    assert Gaussian().b(3.0) == 4.5
    assert isinstance(Logistic().mean(0.3), float)


def test_extreme_scores_do_not_overflow():
    assert Logistic().mean(np.array([-1e6, 1e6])).tolist() == [0.0, 1.0]
    assert Logistic().b(np.array([-1e6, 1e6])).tolist() == [0.0, 1e6]
    assert Logistic().derivative(800.0) == 0.0
    assert Poisson().mean(1e4) == math.inf
    assert np.isfinite(Poisson().extended(3.0).b(1e6))


@pytest.mark.parametrize("family", ALL, ids=repr)
def test_constants_bound_the_link(family):
    z = np.linspace(-8.0, 8.0, 4001)
    slopes = family.derivative(z)
    assert slopes.min() >= family.kappa - 1e-12
    assert slopes.max() <= family.lipschitz + 1e-12
    steepness = np.abs(np.diff(np.log(slopes)) / np.diff(z))
    assert steepness.max() <= family.self_concordance + 1e-9


def test_extension_is_the_tangent():
    family = Logistic().extended(1.0)
    inside = np.linspace(-1.0, 1.0, 11)
    assert np.array_equal(family.mean(inside), Logistic().mean(inside))
    slope = Logistic().derivative(1.0)
    assert family.mean(4.0) == pytest.approx(Logistic().mean(1.0) + 3.0 * slope)
    assert family.kappa == pytest.approx(slope)
    assert family.lipschitz == 0.25
    with pytest.raises(InvalidParameterError, match="plain family"):
        family.extended(2.0)
    with pytest.raises(InvalidParameterError, match="limit"):
        Logistic().extended(0.0)


@pytest.mark.parametrize(
    ("family", "good", "bad"),
    [
        (Logistic(), [0.0, 1.0], [0.5, -1.0, 2.0, np.nan]),
        (Logistic(fractions=True), [0.0, 0.5, 1.0], [-0.1, 1.1, np.nan]),
        (Poisson(), [0.0, 3.0], [-1.0, 0.5, np.inf]),
        (Gaussian(), [-1.5, 1e9], [np.inf, np.nan]),
        (Poisson().extended(2.0), [4.0], [0.5]),
    ],
    ids=repr,
)
def test_support(family, good, bad):
    family.require_support(np.array(good))
    for reward in bad:
        with pytest.raises(InvalidInputError, match="reward must be"):
            family.require_support(np.float64(reward))


@pytest.mark.parametrize("family", [*PLAIN, Logistic().extended(0.5)], ids=repr)
def test_samples_have_the_mean_and_are_supported(family):
    rng = np.random.default_rng(1)
    z = np.repeat([-0.4, 0.2, 0.45], 40_000)
    rewards = family.sample(rng, z)
    family.require_support(rewards)
    means = rewards.reshape(3, -1).mean(axis=1)
    assert np.abs(means - family.mean(np.array([-0.4, 0.2, 0.45]))).max() < 0.02
    assert isinstance(family.sample(rng, 0.1), float)


def test_poisson_means_beyond_numpy_are_refused():
    with pytest.raises(InvalidInputError, match="9e18"):
        Poisson().sample(np.random.default_rng(0), 100.0)


def test_names_and_equality():
    assert families.get("logistic") == Logistic() != Logistic(fractions=True)
    assert families.get(Poisson()) == Poisson()
    with pytest.raises(InvalidParameterError, match="'gaussian', 'logistic', 'poisson'"):
        families.get("gamma")
    with pytest.raises(InvalidParameterError, match="fractions"):
        Logistic(fractions=3)


@pytest.mark.parametrize("family", ["poisson", *ALL, Logistic(fractions=True)], ids=repr)
def test_plain_data_and_back(family):
    data = json.loads(json.dumps(plain.to_plain(family)))
    assert plain.from_plain(data) == family


def test_unknown_plain_data_is_refused():
    with pytest.raises(StateFileError, match="Unknown family"):
        plain.from_plain({"family": "os.system"})
    with pytest.raises(InvalidParameterError, match="family must be one of"):
        plain.from_plain({"family": "rbmle.Extended", "arguments": {"base": "nothing of this name", "limit": 1.0}})


def softplus_square() -> Custom:
    return Custom(name="test identity", mu=lambda z: z, dmu=lambda z: 1.0, potential=lambda z: 0.5 * z * z)


def test_a_family_of_ones_own():
    family = softplus_square()
    assert family.mean(np.array([[1.0, 2.0]])).tolist() == [[1.0, 2.0]]
    assert (family.derivative(3.0), family.b(4.0), family.self_concordance) == (1.0, 8.0, None)
    assert repr(family) == "Custom('test identity')"
    with pytest.raises(InvalidInputError, match="no sampler"):
        family.sample(np.random.default_rng(0), 1.0)
    extended = family.extended(2.0)
    assert (extended.kappa, extended.lipschitz) == (1.0, 1.0)
    counts = Custom(name="counts", mu=math.exp, dmu=math.exp, potential=math.exp, low=0.0, integers=True)
    with pytest.raises(InvalidInputError, match="a whole number from 0 to inf"):
        counts.require_support(np.float64(0.5))
    drawn = Custom(name="drawn", mu=math.exp, dmu=math.exp, potential=math.exp, sampler=lambda rng, mean: mean)
    assert drawn.sample(np.random.default_rng(0), 0.0) == 1.0


def test_a_family_of_ones_own_must_be_registered_to_be_saved():
    family = softplus_square()
    with pytest.raises(StateFileError, match="register"):
        plain.to_plain(family)
    families.register(family)
    assert plain.from_plain(plain.to_plain(family)) == family.name
    assert families.get(family.name) == family
    assert isinstance(plain.from_plain(plain.to_plain(family.extended(1.0))), Extended)
    with pytest.raises(InvalidParameterError, match="built-in"):
        families.register(Custom(name="logistic", mu=math.exp, dmu=math.exp, potential=math.exp))


def imports(z: float) -> float:
    import decimal  # numba knows no import in a function

    return float(decimal.Decimal(z))


class Called:
    """A function with parameters, which numba cannot compile."""

    def __call__(self, z: float) -> float:
        return 1.0 * z


@pytest.mark.parametrize(
    "mu", [imports, Called(), functools.partial(pow, exp=1), np.positive], ids=lambda f: type(f).__name__
)
def test_a_function_that_numba_cannot_compile_works_at_pythons_speed(mu):
    family = Custom(name="slow", mu=mu, dmu=lambda z: 1.0, potential=lambda z: 0.5 * z * z)
    model = GLMModel(n_features=1, family=family)
    model.observe([1.0], 0.25)
    assert model.theta_hat[0] == pytest.approx(0.125)
