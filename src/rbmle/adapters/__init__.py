"""Our policies in other libraries, and theirs in our simulator. Each needs its library: `pip install 'rbmle[coba]'`.

Ours in theirs:

    BanditClassifier  a scikit-learn classifier that learns from bandit feedback
    CobaLearner       a learner for experiments of coba
    OBPPolicy         an online policy for simulations of Open Bandit Pipeline
    RiverPolicy       a contextual policy for river

Theirs in ours, for `rbmle.simulation.simulate`:

    FromCoba, FromRiver, FromMABWiser, FromVW, FromContextualBandits, FromBayesianBandits

>>> import rbmle.adapters
>>> "CobaLearner" in dir(rbmle.adapters)
True
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rbmle.adapters.bayesianbandits import FromBayesianBandits
    from rbmle.adapters.coba import CobaLearner, FromCoba
    from rbmle.adapters.contextualbandits import FromContextualBandits
    from rbmle.adapters.mabwiser import FromMABWiser
    from rbmle.adapters.obp import OBPPolicy
    from rbmle.adapters.river import FromRiver, RiverPolicy
    from rbmle.adapters.sklearn import BanditClassifier
    from rbmle.adapters.vw import FromVW

__all__ = [
    "BanditClassifier",
    "CobaLearner",
    "FromBayesianBandits",
    "FromCoba",
    "FromContextualBandits",
    "FromMABWiser",
    "FromRiver",
    "FromVW",
    "OBPPolicy",
    "RiverPolicy",
]

_HOMES = {
    "BanditClassifier": "sklearn",
    "CobaLearner": "coba",
    "FromBayesianBandits": "bayesianbandits",
    "FromCoba": "coba",
    "FromContextualBandits": "contextualbandits",
    "FromMABWiser": "mabwiser",
    "FromRiver": "river",
    "FromVW": "vw",
    "OBPPolicy": "obp",
    "RiverPolicy": "river",
}


def __getattr__(name: str) -> Any:
    """An adapter, from its file: only then is its library loaded."""
    if name not in _HOMES:
        raise AttributeError(f"module 'rbmle.adapters' has no attribute {name!r}")
    return getattr(importlib.import_module(f"rbmle.adapters.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """All adapters, loaded or not."""
    return sorted({*globals(), *__all__})
