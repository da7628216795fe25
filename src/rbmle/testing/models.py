"""Checks of models: anything with observe, observe_many, predict, merge, state and restore. Each takes a `make()`."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from rbmle.errors import NotMergeableError
from rbmle.testing.tools import (
    bad_observations,
    coin_rewards,
    expect,
    expect_refused,
    same_state,
    spoilt,
    sums_of,
    unit_contexts,
)
from rbmle.types import FloatArray

Make = Callable[[], Any]
ROWS = 40


def check_model(make: Make) -> None:
    """Check the models that `make()` gives; the first fault raises CheckFailed."""
    for check in MODEL_CHECKS:
        check(make)


def taught(make: Make, seed: int = 0, rows: int = ROWS) -> Any:
    """A model after some rewards."""
    model = make()
    model.observe_many(unit_contexts(seed, rows, model.n_features), coin_rewards(seed, rows))
    return model


def model_batches_equal_single_ones(make: Make) -> None:
    """`observe_many` ends where calls of `observe` do."""
    one, batch = make(), taught(make)
    for x, reward in zip(unit_contexts(0, ROWS, one.n_features), coin_rewards(0, ROWS), strict=True):
        one.observe(x, reward)
    for name, array in one.state().items():
        expect(np.allclose(array, batch.state()[name], rtol=1e-8, atol=1e-10), f"{name} differs after a batch")
    expect(one.n == batch.n == ROWS, f"n is {one.n} and {batch.n} after {ROWS} rewards")


def model_states_are_copies(make: Make) -> None:
    """State out, state in, and deep copies share no array with the model; snapshot, learn, restore gives what was."""
    model, twin = taught(make), make()
    x, kept = unit_contexts(1, model.n_features), model.state()
    twin.restore(kept)
    expect(same_state(twin.state(), model.state()), "restore lost something")
    twin.observe(x, 1.0)
    expect(same_state(kept, model.state()), "a restored model shares arrays with the original")
    double = copy.deepcopy(model)
    expect(same_state(double.state(), kept) and double.n == model.n, "a deep copy lost something")
    double.observe(x, 1.0)
    expect(same_state(kept, model.state()), "a deep copy shares arrays with the original")
    snapshot = {name: np.array(array) for name, array in kept.items()}
    model.observe(x, 1.0)
    expect(same_state(snapshot, kept), "a state that was handed out changes with what is learnt later")
    model.restore(kept)
    for array in kept.values():
        array[...] = -1.0
    for array in model.state().values():
        array[...] = -1.0
    expect(same_state(snapshot, model.state()), "snapshot, observe, restore does not give what was")


def model_parameters_stay(make: Make) -> None:
    """What a model was made with, its count and its version cannot be assigned."""
    model = taught(make)
    for name in ("n", "n_features", "regularization", "version"):
        if hasattr(model, name):
            try:
                setattr(model, name, getattr(model, name))
            except (AttributeError, ValueError):
                continue
            expect(False, f"{name} of a model can be assigned from outside")


def model_merging_adds_up(make: Make) -> None:
    """Merging counts all, changes nothing of the other model, and adds up where all that is kept are sums; or it is
    refused.
    """
    whole, first, second = taught(make, rows=ROWS), make(), make()
    X, r = unit_contexts(0, ROWS, whole.n_features), coin_rewards(0, ROWS)
    first.observe_many(X[:15], r[:15])
    second.observe_many(X[15:], r[15:])
    before = second.state()
    try:
        first.merge(second)
    except NotMergeableError:
        expect(same_state(before, second.state()), "a refused merge changed the other model")
        expect(first.n == 15, "a refused merge changed the model")
        return
    expect(first.n == whole.n, "merge lost count")
    expect(same_state(before, second.state()), "merge changed the other model")
    if "V" in before and "feature_scale" not in before:
        expect(np.allclose(first.state()["V"], whole.state()["V"], rtol=1e-10), "V does not add up")
        expect(np.allclose(first.state()["b"], whole.state()["b"], atol=1e-10), "b does not add up")


def model_batches_are_all_or_none(make: Make) -> None:
    """A batch of which one reward is refused teaches nothing; nor does any bad observation."""
    model = taught(make)
    X, r = unit_contexts(2, 10, model.n_features), coin_rewards(2, 10)
    for what, (contexts, rewards) in {
        "a NaN reward": (X, spoilt(r, np.nan)),
        "an infinite reward": (X, spoilt(r, np.inf)),
        "a NaN context": (spoilt(X, np.nan), r),
        "a context too large to square": (spoilt(X, 1e200), r),
        "a reward too few": (X, r[1:]),
        "a feature too few": (X[:, 1:], r),
    }.items():
        expect_refused(f"observe_many with {what}", lambda c=contexts, y=rewards: model.observe_many(c, y), model.state)  # type: ignore[misc]
    for what, (context, reward) in bad_observations(model.n_features).items():
        expect_refused(f"observe with {what}", lambda x=context, y=reward: model.observe(x, y), model.state)  # type: ignore[misc]


def model_inverses_are_inverses(make: Make) -> None:
    """V @ V_inv = I at the start and after any updates, so for every pair of a matrix and its inverse."""
    for rows in (0, 1, 7, 500):
        model = taught(make, rows=rows) if rows else make()
        for name in ("V", "H"):
            matrix, inverse = getattr(model, name, None), getattr(model, f"{name}_inv", None)
            if matrix is not None and inverse is not None:
                wrong = float(np.abs(matrix @ inverse - np.eye(len(matrix))).max())
                expect(wrong < 1e-7, f"{name} @ {name}_inv is off by {wrong:.1e} after {rows} rewards")


def model_predictions_are_numbers(make: Make) -> None:
    """`predict` gives finite means and variances above 0, of a ridge model smaller than before."""
    if not hasattr(make(), "predict"):
        return
    before, after = make(), taught(make)
    X = unit_contexts(3, 6, before.n_features)
    state = after.state()
    (_, prior), (mean, variance) = before.predict(X), after.predict(X)
    expect(mean.shape == variance.shape == (6,), "predict must give a mean and a variance per context")
    expect(bool(np.isfinite(mean).all() and (variance > 0.0).all()), f"predictions are {mean} and {variance}")
    fixed = "V" in state and "feature_scale" not in state
    expect(not fixed or bool((variance <= prior).all()), "learning made variances larger")
    expect(same_state(sums_of(state), sums_of(after.state())), "predict changed the state")


def model_nonsense_is_not_restored(make: Make) -> None:
    """A state with a name missing, a wrong shape or impossible numbers is refused, and the model is as it was."""
    model, good = make(), taught(make).state()
    model.observe(unit_contexts(4, model.n_features), 1.0)
    for what, state in nonsense(good).items():
        expect_refused(f"restoring {what}", lambda s=state: model.restore(s), model.state)  # type: ignore[misc]
    n = model.n
    model.restore(good)
    expect(model.n == ROWS != n, "a good state was not restored")


def nonsense(good: dict[str, FloatArray]) -> dict[str, Any]:
    """States that no model can have, by what is wrong with them."""
    found: dict[str, Any] = {"nothing": {}, "None": None, "a list": [1.0]}
    for count in (-1.0, 2.5, 1e300):
        found[f"n = {count}"] = good | {"n": np.full_like(good["n"], count)}
    for name, array in good.items():
        rest = {key: value for key, value in good.items() if key != name}
        found[f"a state without {name}"] = rest
        found[f"{name} with an axis too many"] = rest | {name: array[..., None]}
        found[f"{name} as text"] = rest | {name: "nonsense"}
        found[f"{name} as a ragged list"] = rest | {name: [[0.0], [0.0, 0.0]]}
        if array.size:
            found[f"{name} with NaN"] = rest | {name: spoilt(array, np.nan)}
            found[f"{name} with infinity"] = rest | {name: spoilt(array, np.inf)}
        if array.ndim and len(array) > 1:
            found[f"{name} one too short"] = rest | {name: array[:-1]}
        if name in ("V", "V_inv", "H", "H_inv", "counts", "precision"):
            found[f"{name} negated"] = rest | {name: -array}
        if array.ndim == 2 and len(array) == array.shape[1] > 1 and name != "contexts":
            skew = array.copy()
            skew[0, 1] += np.abs(array).max()
            found[f"{name} not symmetric"] = rest | {name: skew}
    return found


MODEL_CHECKS: tuple[Callable[[Make], None], ...] = (
    model_batches_equal_single_ones,
    model_states_are_copies,
    model_parameters_stay,
    model_merging_adds_up,
    model_batches_are_all_or_none,
    model_inverses_are_inverses,
    model_predictions_are_numbers,
    model_nonsense_is_not_restored,
)
