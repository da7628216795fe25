"""The shipped checks pass for every policy found, and each one fails for a policy with the fault it looks for."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from rbmle import LinTS, LinUCB, policies
from rbmle.policies import Policy
from rbmle.problems import LinearProblem
from rbmle.problems.base import Problem
from rbmle.testing import POLICY_CHECKS, CheckFailed, check_model, check_policy, check_problem, standard_policies
from rbmle.testing import policies as checks

OURS = {
    name: policy
    for name, policy in standard_policies().items()
    if type(policy).__module__.startswith("rbmle.policies.")
}


def test_discovery_finds_every_public_policy():
    public = {name for name in policies.__all__ if isinstance(getattr(policies, name), type)}
    assert {"LinRBMLE", "VIDS", "Uniform"} <= set(OURS) <= public


@pytest.mark.parametrize("check", POLICY_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", OURS)
def test_every_policy_passes(name, check):
    check(OURS[name].copy())


@pytest.mark.parametrize("name", OURS)
def test_every_policy_passes_with_many_features(name):
    check_policy(standard_policies(14)[name])


class Faulty(LinUCB):
    """Base of the faulty ones: without a title, so that it is not registered."""

    title = ""


class ForgetsParameters(Faulty):
    @property
    def params(self):
        return {"n_features": self.n_features}


class TakesAnything(Faulty):
    def __post_init__(self):
        keep, self.alpha = self.alpha, 1.0
        super().__post_init__()
        self.alpha = keep


class ChoosesNoArm(Faulty):
    def choose(self, contexts):
        return super().choose(contexts) + 1


class LearnsByChoosing(Faulty):
    def choose(self, contexts):
        arm = super().choose(contexts)
        self.model.observe(np.asarray(contexts)[arm], 0.0)
        return arm


class PlaysTheWorst(Faulty):
    def choose(self, contexts):
        return int(np.argmin(self.scores(contexts)))


class IgnoresSeed(LinTS):
    title = ""

    def reseed(self, seed, *path):
        super().reseed(0)


class LosesBatches(Faulty):
    def update_many(self, contexts, rewards):
        super().update_many(contexts[1:], rewards[1:])


class PlaysOtherwise(Faulty):
    def play(self, contexts, rewards):
        return super().play(contexts, rewards)[::-1]


class FixesOtherArms(Faulty):
    def fix_arms(self, contexts):
        return super().fix_arms(np.asarray(contexts)[::-1].copy())


class SharesState(Faulty):
    def copy(self):
        twin = super().copy()
        twin.model = self.model
        return twin


class MergesNothing(Faulty):
    def merge(self, other):
        super().merge(other)
        self.model.restore({**LinUCB(n_features=self.n_features).state(), "n": np.array([float(self.model.n)])})


class ClaimsWrongChances(Faulty):
    def probabilities(self, contexts):
        return np.full(len(contexts), 1.0 / len(contexts))


class AcceptsNaN(Faulty):
    def choose(self, contexts):
        return super().choose(np.nan_to_num(contexts))


FAULTS = {
    "parameters_read_back": ForgetsParameters,
    "parameters_are_checked": TakesAnything,
    "choice_is_an_arm": ChoosesNoArm,
    "choosing_changes_nothing": LearnsByChoosing,
    "best_score_is_played": PlaysTheWorst,
    "seeds_matter": IgnoresSeed,
    "batches_equal_single_updates": LosesBatches,
    "compiled_rounds_agree": PlaysOtherwise,
    "fixed_arms_agree": FixesOtherArms,
    "copies_are_independent": SharesState,
    "merging_adds_up": MergesNothing,
    "probabilities_are_chances": ClaimsWrongChances,
    "bad_input_is_refused": AcceptsNaN,
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_check_finds_its_fault(name):
    arguments = {"alpha": 0.5} if issubclass(FAULTS[name], LinUCB) else {}
    with pytest.raises((CheckFailed, TypeError)):
        getattr(checks, name)(FAULTS[name](n_features=3, **arguments))


def test_the_check_of_files_finds_a_lost_generator(monkeypatch):
    monkeypatch.setattr(checks, "load", lambda path: LinUCB(n_features=3))
    with pytest.raises(CheckFailed):
        checks.files_go_on_bit_for_bit(LinUCB(n_features=3, alpha=0.5))


def test_every_check_has_a_fault_that_shows_it_can_fail():
    assert {check.__name__ for check in POLICY_CHECKS} == set(FAULTS) | {"files_go_on_bit_for_bit"}


@dataclass
class FaultyProblem(Problem):
    inner: LinearProblem
    fault: str

    def __post_init__(self):
        self.n_arms, self.n_features, self.static = self.inner.n_arms, self.inner.n_features, self.inner.static

    @property
    def params(self):
        return self.inner.params

    def rounds(self, seed, trial, start, stop):
        if self.fault == "cut":
            return self.inner.rounds(seed + start, trial, start, stop)
        if self.fault == "trials":
            return self.inner.rounds(seed, 0, start, stop)
        rounds = self.inner.rounds(seed, trial, start, stop)
        return replace(rounds, rewards=rounds.rewards * np.nan) if self.fault == "nan" else rounds


@pytest.mark.parametrize("static", [True, False])
def test_problems(static):
    problem = LinearProblem((0.1, -0.5), n_arms=3, static=static)
    check_problem(problem)
    check_problem(FaultyProblem(problem, "none"))
    for fault in ("cut", "trials", "nan"):
        with pytest.raises(CheckFailed):
            check_problem(FaultyProblem(problem, fault))


def test_models_with_a_fault_are_found():
    class Forgets(policies.linear.RidgeModel):
        def observe_many(self, contexts, rewards):
            super().observe_many(contexts[1:], rewards[1:])

    with pytest.raises(CheckFailed, match="after a batch"):
        check_model(lambda: Forgets(n_features=2))


def test_unregistered_policies_stay_out():
    assert not any(name in Policy.registry for name in ("Faulty", "ChoosesNoArm"))
