"""Real data as bandits: what installable packages ship, files that you have, arrays of your own.

>>> digits = load("digits")
>>> digits
Dataset('digits', 1797 rows, 64 columns, 10 classes)
>>> digits.as_problem(encoding="disjoint").n_features
640
>>> digits.as_log("uniform", n=100)
Log('digits': 10 arms, 640 features, columns contexts, arm, probabilities, reward)

There are sets of classes (`Dataset`), of choices among alternatives (`Choices`), and of decisions that were really
taken (`Logged`). Nothing is fetched. Arrays of your own need none: `rbmle.problems.ClassificationProblem.from_arrays`.
"""

from os import PathLike

from rbmle.datasets import bundled, local, packaged
from rbmle.datasets.base import Choices, Dataset, Logged
from rbmle.datasets.packages import require_checksum
from rbmle.datasets.readers import read_arff, read_csv
from rbmle.datasets.recording import record
from rbmle.errors import InvalidParameterError

__all__ = ["Choices", "Dataset", "Logged", "load", "load_classes", "names", "read_arff", "read_csv", "record"]


def names() -> tuple[str, ...]:
    """What `load` knows: the sets of scikit-learn, of other packages, then those that are read from a folder."""
    return (*bundled.SETS, *packaged.SETS, *local.SETS)


def load(name: str, folder: str | PathLike[str] | None = None, *, verify: bool = True) -> Dataset | Choices | Logged:
    """A data set by its name.

    folder: where the files of the UCI sets are (magic04.data, mushroom.arff, shuttle.trn and shuttle.tst); by default
        what the environment variable RBMLE_DATA says. The sets of packages need none.
    verify: refuse a set of a package whose numbers are not those that rbmle knows, by a checksum.
    """
    if name in bundled.SETS:
        found: Dataset | Choices | Logged = bundled.load_bundled(name)
        require_checksum(found, bundled.CHECKSUMS.get(name) if verify else None)
        return found
    if name in packaged.SETS:
        make, known = packaged.SETS[name]
        found = make()
        require_checksum(found, known if verify else None)
        return found
    if name in local.SETS:
        return local.load_local(name, folder)
    raise InvalidParameterError(
        f"The 'name' parameter of load must be one of {', '.join(map(repr, names()))}. Got {name!r} instead."
    )


def load_classes(name: str, folder: str | PathLike[str] | None = None) -> Dataset:
    """A set of classes by its name; others are refused."""
    found = load(name, folder)
    if not isinstance(found, Dataset):
        raise InvalidParameterError(f"The data set {name!r} must be one of classes. Got {found!r}.")
    return found
