"""Every public method says what kind it is, where it comes from, what its theory asks for and what is tuned."""

from dataclasses import fields

import pytest

from rbmle import LinUCB, Policy
from rbmle.policies.about import KINDS, Facts, Provenance, Tuning, half_decades, missing_of, provenance_of

OURS = {name: cls for name, cls in Policy.registry.items() if cls.__module__.startswith("rbmle.policies.")}
FACTS = Facts(n_features=4, n_arms=5, horizon=100, noise=0.5, norm_bound=2.0)


@pytest.mark.parametrize("name", OURS)
def test_a_method_says_where_it_comes_from(name):
    assert not missing_of(OURS[name])


@pytest.mark.parametrize("name", OURS)
def test_theory_and_grid_are_arguments_of_the_method(name):
    cls = OURS[name]
    facts = FACTS if "gaussian" in cls.rewards else Facts(4, 5, 100, family="logistic", noise=0.5)
    given = facts.required(cls)
    theory = cls.theory(facts)
    if theory is not None:
        assert theory.items() <= cls(**{**given, **theory}).params.items()
    if cls.tuning is not None:
        assert list(cls.tuning.values) == sorted(set(cls.tuning.values))
        assert cls.tuning.parameter in {each.name for each in fields(cls)}
        made = [cls(**{**given, **cls.tuning.argument(value)}) for value in cls.tuning.values]
        assert len({repr(policy.params) for policy in made}) == len(made)
        if cls.tuning.default is not None:
            default = cls.tuning.argument(cls.tuning.default)[cls.tuning.parameter]
            assert default == getattr(cls(**given), cls.tuning.parameter)


def test_only_what_was_read_is_by_its_authors():
    assert OURS["LinRBMLE"].provenance.trust == "by its authors"
    assert OURS["LinUCB"].provenance.trust.startswith("by a secondary source")


def test_a_class_that_says_nothing_is_told_what_to_say():
    class Unknown(LinUCB):
        title = ""

    assert provenance_of(Unknown) is None  # that of LinUCB is LinUCB's
    assert "Unknown must say where it comes from: give the class `provenance = Provenance(" in missing_of(Unknown)
    Unknown.provenance = Provenance("nobody", "", "nothing", "nothing")
    assert missing_of(Unknown) == "Unknown.provenance must say something for read."
    Unknown.kind = "odd"
    assert missing_of(Unknown).startswith(f"Unknown.kind must be one of {KINDS[0]!r}")


def test_linucb_by_its_theorem():
    # Chu et al. 2011, rewards in [0, 1]: 1 + √(½ ln(2TK/δ)) with T = 1000, K = 10, δ = 0.1: ln 200000 = 12.2061
    facts = Facts(n_features=3, n_arms=10, horizon=1000, noise=0.5, norm_bound=1.0, delta=0.1)
    assert LinUCB.theory(facts)["alpha"] == pytest.approx(1.0 + (12.206073 / 2) ** 0.5, rel=1e-6)


def test_half_decades():
    assert half_decades(0.03, 3.0) == (0.03, 0.1, 0.3, 1.0, 3.0)
    assert Tuning("alpha", (1.0,)).label == "alpha"
