"""The shipped checks pass for every policy found, and each one fails for a policy with the fault it looks for."""

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pytest

from rbmle import LinTS, LinUCB, policies
from rbmle.errors import InvalidInputError
from rbmle.params import Real
from rbmle.policies import Policy
from rbmle.policies.catalogue import Catalogue
from rbmle.problems import LinearProblem
from rbmle.problems.base import Problem
from rbmle.testing import POLICY_CHECKS, CheckFailed, check_policy, check_problem, saving, standard_policies

OURS = {
    name: policy
    for name, policy in standard_policies().items()
    if type(policy).__module__.startswith("rbmle.policies.")
}
CHECKS = {check.__name__: check for check in POLICY_CHECKS}


def test_discovery_finds_every_public_policy():
    public = {name for name in policies.__all__ if isinstance(getattr(policies, name), type)}
    assert {"LinRBMLE", "VIDS", "Uniform"} <= set(OURS)
    assert {type(policy).__name__ for policy in OURS.values()} <= public


@pytest.mark.parametrize("check", POLICY_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", OURS)
def test_every_policy_passes(name, check):
    check(OURS[name].copy())


@pytest.mark.parametrize("name", OURS)
def test_every_policy_passes_with_many_features(name):
    check_policy(standard_policies(14)[name])


@dataclass
class PlainDataclass(LinUCB):
    """A user's policy, by a plain @dataclass, that sets a field of its own while it is built."""

    title = ""

    boldness: Annotated[float, Real(0.0)] = 2.0

    def __post_init__(self):
        super().__post_init__()
        self.boldness = float(self.boldness)


def test_plain_dataclasses_pass():
    policy = PlainDataclass(n_features=3, alpha=0.5, boldness=3)
    assert policy.params["boldness"] == 3.0
    for name, check in CHECKS.items():
        if name != "files_go_on_bit_for_bit":  # without a title it is in no registry
            check(policy.copy())


class Faulty(LinUCB):
    """Base of the faulty ones: without a title, so that it is not registered."""

    title = ""


class FaultySampler(LinTS):
    """The same of those that sample."""

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


class Thaws(Faulty):
    __setattr__ = object.__setattr__


class ThawsByDeleting(Faulty):
    __delattr__ = object.__delattr__


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


class DrawsBeforeItLooks(FaultySampler):
    def choose(self, contexts, *, t=None):
        self.rng.random()
        return super().choose(contexts, t=t)


class IgnoresSeed(FaultySampler):
    def reseed(self, seed, *path):
        super().reseed(0)


class DrawsForMany(FaultySampler):
    def choose_many(self, contexts, *, t=None):
        self.rng.random()
        return super().choose_many(contexts, t=t)


class ClaimsWrongChances(Faulty):
    def _chances_many(self, X, offsets, t, samples):
        sizes = np.diff(offsets)
        return np.repeat(1.0 / sizes, sizes)


class TellsAnotherProbability(FaultySampler):
    def decide(self, contexts, **more):
        return replace(super().decide(contexts, **more), probability=0.5)


class ForgetsTheFloor(FaultySampler):
    def decide(self, contexts, *, floor=0.0, **more):
        return super().decide(contexts, **more)


class ServesTheLikeliest(FaultySampler):
    def decide_many(self, contexts, **more):
        told = super().decide_many(contexts, **more)
        arms = told.probabilities.reshape(len(told), -1).argmax(axis=1)
        return replace(told, arm=arms, probability=told.probabilities[told.offsets[:-1] + arms])


class EstimatesItsChances(FaultySampler):
    """Plays one draw and estimates the chances from others: now and then the arm has none."""

    def decide_many(self, contexts, **more):
        told, arms = super().decide_many(contexts, **more), self.choose_many(contexts)
        return replace(told, arm=arms, probability=told.probabilities[told.offsets[:-1] + arms])


class LosesBatches(Faulty):
    def update_many(self, contexts, rewards):
        super().update_many(contexts[1:], rewards[1:])


class PlaysOtherwise(Faulty):
    def play(self, contexts, rewards):
        return super().play(contexts, rewards)[::-1]


class FixesOtherArms(Faulty):
    def fix_arms(self, contexts):
        return super().fix_arms(np.asarray(contexts)[::-1].copy())


class MergesNothing(Faulty):
    def merge(self, other):
        super().merge(other)
        self.model.restore({**LinUCB(n_features=self.n_features).state(), "n": np.array([float(self.model.n)])})


class SaysNothingOfRewards(Faulty):
    def __repr__(self):
        return "SaysNothingOfRewards()"


class LearnsWithoutCounting(Faulty):
    def play(self, contexts, rewards):
        if np.isfinite(rewards).all():
            return super().play(contexts, rewards)
        n = self.model.n
        super().play(contexts[:5], rewards[:5])
        self.model._n = n
        raise InvalidInputError("half way")


class LosesLargeRows(Faulty):
    def update_many(self, contexts, rewards):
        small = np.abs(contexts).max(axis=1) < 1e6
        super().update_many(contexts[small], rewards[small])


class HandsOutItsArrays(Faulty):
    def state(self):
        return {**super().state(), "V": self.model._V}


class DrawsWhenShown(FaultySampler):
    def __repr__(self):
        self.rng.random()
        return super().__repr__()


class SharesState(Faulty):
    def copy(self):
        twin = super().copy()
        twin.model = self.model
        return twin


class SharesCatalogues(Faulty):
    class Shared(Catalogue):
        def __deepcopy__(self, memo):
            return self

    def fix_arms(self, contexts):
        return self.Shared(self, contexts)


class AcceptsNaN(Faulty):
    def choose(self, contexts):
        return super().choose(np.nan_to_num(contexts))


class IgnoresRounds(Faulty):
    def choose(self, contexts, *, t=None):
        return super().choose(contexts)


class CutsBlocks(Faulty):
    def play(self, contexts, rewards):
        if np.ndim(contexts) == np.ndim(rewards) + 1 == 3:
            n = min(len(contexts), len(rewards))
            contexts, rewards = contexts[:n], rewards[:n]
        return super().play(contexts, rewards)


class DrawsWhenLooking(FaultySampler):
    def scores(self, contexts, *, t=None):
        self.rng.random()
        return super().scores(contexts, t=t)


FAULTS = [
    ("parameters_read_back", ForgetsParameters),
    ("parameters_are_checked", TakesAnything),
    ("parameters_are_frozen", Thaws),
    ("parameters_are_frozen", ThawsByDeleting),
    ("choice_is_an_arm", ChoosesNoArm),
    ("choosing_changes_nothing", LearnsByChoosing),
    ("best_score_is_played", PlaysTheWorst),
    ("best_score_is_played", DrawsBeforeItLooks),
    ("seeds_matter", IgnoresSeed),
    ("many_choices_equal_single_ones", DrawsForMany),
    ("probabilities_are_chances", ClaimsWrongChances),
    ("decisions_say_what_they_are", TellsAnotherProbability),
    ("decisions_say_what_they_are", ForgetsTheFloor),
    ("decisions_are_served_as_told", ServesTheLikeliest),
    ("decisions_are_served_as_told", EstimatesItsChances),
    ("batches_equal_single_updates", LosesBatches),
    ("compiled_rounds_agree", PlaysOtherwise),
    ("fixed_arms_agree", FixesOtherArms),
    ("merging_adds_up", MergesNothing),
    ("counts_are_told", SaysNothingOfRewards),
    ("failures_leave_a_true_count", LearnsWithoutCounting),
    ("hard_data_is_learnt", LosesLargeRows),
    ("states_are_copies", HandsOutItsArrays),
    ("reading_changes_nothing", DrawsWhenShown),
    ("copies_are_independent", SharesState),
    ("catalogues_are_copied_with_their_policy", SharesCatalogues),
    ("bad_input_is_refused", AcceptsNaN),
    ("bad_input_is_refused", DrawsBeforeItLooks),
    ("bad_rounds_are_refused", IgnoresRounds),
    ("bad_blocks_are_refused", CutsBlocks),
    ("looking_draws_nothing", DrawsWhenLooking),
]


@pytest.mark.parametrize(("name", "cls"), FAULTS, ids=lambda each: getattr(each, "__name__", each))
def test_each_check_finds_its_fault(name, cls):
    arguments = {"alpha": 0.5} if issubclass(cls, LinUCB) else {}
    # One that forgets its parameters cannot even be copied.
    with pytest.raises((CheckFailed, TypeError) if cls is ForgetsParameters else CheckFailed):
        CHECKS[name](cls(n_features=3, **arguments))


def test_the_check_of_files_finds_a_lost_generator(monkeypatch):
    monkeypatch.setattr(saving, "load", lambda path: LinUCB(n_features=3))
    with pytest.raises(CheckFailed):
        saving.files_go_on_bit_for_bit(LinUCB(n_features=3, alpha=0.5))


def test_every_check_has_a_fault_that_shows_it_can_fail():
    assert set(CHECKS) == {name for name, _ in FAULTS} | {"files_go_on_bit_for_bit"}


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


def test_unregistered_policies_stay_out():
    assert not any(name in Policy.registry for name in ("Faulty", "ChoosesNoArm"))
