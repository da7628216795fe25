"""Data sets that come with scikit-learn."""

import numpy as np

from rbmle.datasets.base import Dataset
from rbmle.errors import RbmleError

UCI = "UCI Machine Learning Repository, shipped with scikit-learn"
TERMS = "CC BY 4.0"
SETS = {
    "breast_cancer": "Breast Cancer Wisconsin (Diagnostic)",
    "digits": "Optical Recognition of Handwritten Digits, its test part",
    "iris": "Iris",
    "wine": "Wine",
}

CHECKSUMS = {
    "breast_cancer": "db533b74dd764df1e26fd9975c26efc7566ae3c5484ff8ecd1f685cc52ad3999",
    "digits": "dccb522db70cf182cf1324e2f76cf7bfb61543fc339d27154b17fc0f1694c86c",
    "iris": "17b93ca1230a7f9175b0aa9d5dac1d5b5b3b544a6b2ae89fe3026c978b609123",
    "wine": "a21abe89d5361013dc086cac6ad9af6c095ff3afbdfc2bce8efbf4b030fe5728",
}


def load_bundled(name: str) -> Dataset:
    """One of SETS, without a network."""
    try:
        import sklearn.datasets
    except ModuleNotFoundError as missing:
        raise RbmleError(f"The data set {name!r} comes with scikit-learn: pip install scikit-learn.") from missing
    found = getattr(sklearn.datasets, f"load_{name}")()
    labels = [each if isinstance(each, str) else int(each) for each in found.target_names.tolist()]
    return Dataset(
        name,
        np.asarray(found.data, dtype=np.float64),
        np.asarray(found.target, dtype=np.int64),
        tuple(labels),
        f"{SETS[name]}, {UCI}",
        TERMS,
    )
