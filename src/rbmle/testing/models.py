"""Checks of models: anything with observe, observe_many, merge, state and restore."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rbmle.testing.tools import bad_observations, coin_rewards, expect, expect_refused, same_state, unit_contexts


def check_model(make: Callable[[], Any]) -> None:
    """Check the models that `make()` gives: batch against single, merge, state in and out, bad input."""
    one, batch, twin = make(), make(), make()
    d = one.n_features
    X, r = unit_contexts(0, 40, d), coin_rewards(0, 40)
    for x, reward in zip(X, r, strict=True):
        one.observe(x, reward)
    batch.observe_many(X, r)
    for name, array in one.state().items():
        expect(np.allclose(array, batch.state()[name], rtol=1e-8, atol=1e-10), f"{name} differs after a batch")
    twin.restore(one.state())
    expect(same_state(twin.state(), one.state()), "restore lost something")
    twin.observe(X[0], r[0])
    expect(not same_state(twin.state(), one.state()), "a restored model shares arrays with the original")
    first, second = make(), make()
    first.observe_many(X[:15], r[:15])
    second.observe_many(X[15:], r[15:])
    first.merge(second)
    expect(first.n == one.n, "merge lost count")
    for what, (context, reward) in bad_observations(d).items():
        expect_refused(f"observe with {what}", lambda x=context, y=reward: one.observe(x, y), one.state)  # type: ignore[misc]
