"""All checks of policies in one place. Each takes a fresh policy and raises CheckFailed with what is wrong."""

from collections.abc import Callable

from rbmle.policies.base import Policy
from rbmle.testing import choices, decisions, hostile, learning, ownership, parameters, refusals, saving
from rbmle.testing.rounds import ARMS

Check = Callable[[Policy], None]

# Settings that make every policy quick enough to be checked and its required parameters known.
STANDARD = {"horizon": 200, "samples": 200, "n_arms": ARMS}

POLICY_CHECKS: tuple[Check, ...] = (
    parameters.parameters_read_back,
    parameters.parameters_are_checked,
    parameters.parameters_are_frozen,
    choices.choice_is_an_arm,
    choices.choosing_changes_nothing,
    choices.best_score_is_played,
    choices.seeds_matter,
    choices.many_choices_equal_single_ones,
    decisions.probabilities_are_chances,
    decisions.decisions_say_what_they_are,
    decisions.decisions_are_served_as_told,
    learning.batches_equal_single_updates,
    learning.compiled_rounds_agree,
    learning.fixed_arms_agree,
    learning.merging_adds_up,
    learning.counts_are_told,
    learning.failures_leave_a_true_count,
    learning.hard_data_is_learnt,
    ownership.states_are_copies,
    ownership.reading_changes_nothing,
    ownership.copies_are_independent,
    ownership.catalogues_are_copied_with_their_policy,
    saving.files_go_on_bit_for_bit,
    refusals.bad_input_is_refused,
    refusals.bad_rounds_are_refused,
    refusals.bad_blocks_are_refused,
    refusals.looking_draws_nothing,
)

# In processes of their own, some seconds each: not part of `check_policy`.
HOSTILE_CHECKS: tuple[Check, ...] = (
    hostile.names_are_not_shadowed,
    hostile.saves_are_never_torn,
    hostile.threads_lose_nothing,
    hostile.wrong_numbers_are_refused,
)


def standard_policies(n_features: int = 3) -> dict[str, Policy]:
    """One instance of every policy known here, your own imported ones included, and one of each of its variants."""
    found = {}
    for name, cls in sorted(Policy.registry.items()):
        known = {key: value for key, value in STANDARD.items() if key in cls.__dataclass_fields__}
        for label, settings in {name: {}, **cls.variants}.items():
            found[label] = cls(n_features=n_features, **{**known, **settings})
    return found


def check_policy(policy: Policy) -> None:
    """Run every check on copies of a policy; the first fault raises CheckFailed."""
    for check in POLICY_CHECKS:
        check(policy.copy())
