"""Policies of other libraries, made as their own documents make them; `value` is what is tuned, None: as it comes.

All of them keep a model for each arm and are shown one context; of choices, where every arm has a context of its own,
they see those of all arms, one after the other. coba and Vowpal Wabbit can see the arms' own.
"""

from functools import partial
from typing import Any

from rbmle.adapters import FromBayesianBandits, FromCoba, FromContextualBandits, FromMABWiser, FromRiver, FromVW
from rbmle.adapters.libraries import library
from rbmle.adapters.participant import Sees
from rbmle.types import FloatArray

GREATEST_SEED = 2**31 - 1


def everything(columns: int, contexts: FloatArray) -> FloatArray:
    """The contexts of all arms in one row, without what is the same in every round, and a 1."""
    import numpy as np

    return np.append(contexts[:, :columns].ravel(), 1.0)


def shown(columns: int) -> Sees:
    """What a library with one context sees."""
    return "blocks" if columns == 0 else partial(everything, columns)


def mabwiser_linucb(arms: int, columns: int, value: float | None, seed: int) -> Any:
    """LearningPolicy.LinUCB."""
    return _mabwiser("LinUCB", arms, columns, value, seed)


def mabwiser_lints(arms: int, columns: int, value: float | None, seed: int) -> Any:
    """LearningPolicy.LinTS."""
    return _mabwiser("LinTS", arms, columns, value, seed)


def _mabwiser(policy: str, arms: int, columns: int, value: float | None, seed: int) -> Any:
    theirs = library("mabwiser.mab", "mabwiser")
    options = {} if value is None else {"alpha": value}
    made = getattr(theirs.LearningPolicy, policy)(**options)
    return FromMABWiser(theirs.MAB(list(range(arms)), made, seed=seed % GREATEST_SEED), shown(columns))


def river_linucb(arms: int, columns: int, value: float | None, seed: int) -> Any:
    """LinUCBDisjoint; its alpha is another thing than a width, and stays as it comes."""
    return FromRiver(library("river.bandit", "river").LinUCBDisjoint(seed=seed % GREATEST_SEED), shown(columns))


def coba_linucb(arms: int, columns: int, value: float | None, seed: int) -> Any:
    """LinUCBLearner, which sees the arms' own contexts."""
    options = {} if value is None else {"alpha": value}
    return FromCoba(library("coba", "coba").LinUCBLearner(**options, seed=seed % GREATEST_SEED), "arms", seed=seed)


def contextualbandits_linucb(arms: int, columns: int, value: float | None, seed: int) -> Any:
    """online.LinUCB."""
    options = {} if value is None else {"alpha": value}
    made = library("contextualbandits.online", "contextualbandits").LinUCB(
        arms, **options, random_state=seed % GREATEST_SEED
    )
    return FromContextualBandits(made, shown(columns))


def bayesian_ts(arms: int, columns: int, value: float | None, seed: int) -> Any:
    """Thompson sampling with NormalRegressor(alpha=1, beta=1); value v: draws v times as wide about the same means."""
    theirs, precision = library("bayesianbandits", "bayesianbandits"), 1.0 if value is None else value**-2.0
    each = [theirs.Arm(arm, learner=theirs.NormalRegressor(alpha=precision, beta=precision)) for arm in range(arms)]
    agent = theirs.ContextualAgent(each, theirs.ThompsonSampling(), random_seed=seed % GREATEST_SEED)
    return FromBayesianBandits(agent, shown(columns))


def vw_squarecb(arms: int, columns: int, value: float | None, seed: int) -> Any:
    """--squarecb."""
    return _vw("--squarecb" if value is None else f"--squarecb --gamma_scale {value:g}", columns, seed)


def vw_epsilon(arms: int, columns: int, value: float | None, seed: int) -> Any:
    """Its default, ε-greedy."""
    return _vw("" if value is None else f"--epsilon {value:g}", columns, seed)


def _vw(explorer: str, columns: int, seed: int) -> Any:
    arguments = f"--cb_explore_adf {explorer}".strip()
    return FromVW(arguments, "arms", seed=seed) if columns else FromVW(f"{arguments} -q sa", "blocks", seed=seed)
