"""Data sets: those of scikit-learn, those of a folder, and the readers on small files written here."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from rbmle import LinRBMLE, datasets
from rbmle.datasets import packaged, read_arff, read_csv
from rbmle.errors import InvalidInputError, InvalidParameterError, MissingFileError, RbmleError
from rbmle.simulation import simulate
from rbmle.testing import check_problem

FOLDER = Path(os.environ.get("RBMLE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
BUNDLED = {"digits": (1797, 64, 10), "wine": (178, 13, 3), "breast_cancer": (569, 30, 2), "iris": (150, 4, 3)}
LOCAL = {"mushroom": (8124, 22, 2), "magic": (19_020, 10, 2), "shuttle": (58_000, 9, 7)}


def test_names() -> None:
    assert set(datasets.names()) == set(BUNDLED) | set(LOCAL) | set(packaged.SETS)


@pytest.mark.parametrize("name", BUNDLED)
def test_sets_of_scikit_learn(name: str) -> None:
    found = datasets.load(name)
    assert (found.n_rows, found.n_columns, found.n_classes) == BUNDLED[name]
    assert sorted(set(found.y.tolist())) == list(range(found.n_classes))
    assert found.licence
    assert "scikit-learn" in found.source
    check_problem(found.problem(normalize=True), horizon=30)
    check_problem(found.problem(encoding="embedded", embedding=2), horizon=30)


def test_names_of_classes_reach_the_problem() -> None:
    assert datasets.load("iris").problem().classes == ("setosa", "versicolor", "virginica")
    assert datasets.load("digits").problem().classes == tuple(range(10))


def test_a_method_learns_on_wine() -> None:
    """A linear method with features in their own units makes far fewer mistakes than the most frequent class."""
    problem = datasets.load("wine").problem()
    policy = LinRBMLE(n_features=problem.n_features, bias="auto")
    wrong = simulate({"rbmle": policy}, problem, horizon=178, trials=3, n_jobs=1).final_regret("rbmle")
    assert wrong.mean() < 0.5 * (178 - 71)


@pytest.mark.parametrize("name", LOCAL)
def test_sets_of_a_folder(name: str) -> None:
    if not FOLDER.is_dir():
        pytest.skip(f"there is no folder {FOLDER}: set RBMLE_DATA")
    found = datasets.load(name, FOLDER)
    assert (found.n_rows, found.n_columns, found.n_classes) == LOCAL[name]
    assert int(np.isnan(found.X).sum()) == (2480 if name == "mushroom" else 0)
    if name == "mushroom":  # edible and poisonous, as the file's own header counts them
        assert np.bincount(found.y).tolist() == [4208, 3916]
    if name == "shuttle":  # as the repository counts them, both files together
        assert sorted(np.bincount(found.y).tolist()) == sorted([45586, 50, 171, 8903, 3267, 10, 13])


def test_a_folder_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RBMLE_DATA", raising=False)
    with pytest.raises(MissingFileError, match=r"mushroom\.arff .* say where with folder=…, or set .* RBMLE_DATA"):
        datasets.load("mushroom")
    with pytest.raises(MissingFileError, match=r"There is no shuttle\.trn in"):
        datasets.load("shuttle", tmp_path)
    (tmp_path / "magic04.data").write_text("1.0,2.0,g\n3.0,4.0,h\n")
    monkeypatch.setenv("RBMLE_DATA", str(tmp_path))
    assert datasets.load("magic").n_rows == 2


def test_unknown_name_and_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidParameterError, match="'name' parameter of load must be one of 'breast_cancer'"):
        datasets.load("adult")
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(RbmleError, match="'wine' comes with scikit-learn: pip install scikit-learn"):
        datasets.load("wine")


ARFF = r"""% a comment
@RELATION t

@attribute 'cap shape' {bell, 'con, ical', "it\"s"}
@attribute weight NUMERIC
@attribute size real % a comment
@attribute class {no, yes}
@DATA
bell, 1.5, 2, yes

'con, ical',?,-3e2,no
% another
"it\"s", 2, ?, yes
"""


def test_arff(tmp_path: Path) -> None:
    (tmp_path / "small.arff").write_text(ARFF)
    found = read_arff(tmp_path / "small.arff")
    np.testing.assert_array_equal(found.X, [[0.0, 1.5, 2.0], [1.0, np.nan, -300.0], [2.0, 2.0, np.nan]])
    assert (found.name, found.y.tolist(), found.classes) == ("small", [1, 0, 1], ("no", "yes"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("bell, 1.5, 2, yes", "bell, 1.5, 2"), "line 9 must hold 4 values. Got 3"),
        (("'con, ical',?", "'con, ical,?"), "line 11 must hold 4 values. Got 5"),
        (("bell, 1.5, 2, yes", "bell, 1.5, 2,"), "every row must have a class. Got none in row 0"),
        (("bell, 1.5", "cone, 1.5"), "nominal attribute must hold one of .* Got 'cone'"),
        (("bell, 1.5", "bell, heavy"), "numeric attribute must hold numbers. Got 'heavy'"),
        (("bell, 1.5, 2, yes", "bell, 1.5, 2, ?"), "every row must have a class. Got none in row 0"),
        (("bell, 1.5, 2, yes", "{0 bell}"), "rows must be dense"),
        (("weight NUMERIC", "weight string"), "attributes must be numeric or lists in braces"),
        (("class {no, yes}", "class real"), "last attribute must be nominal"),
        (("@DATA", "%"), "hold rows after @data"),
    ],
)
def test_bad_arff(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    path = tmp_path / "bad.arff"
    assert change[0] in ARFF
    path.write_text(ARFF.replace(*change))
    with pytest.raises(InvalidInputError, match=words):
        read_arff(path)


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "small.csv"
    path.write_text('size,colour,class\n1.5,red,10\n,"blue",9\n2,?,10\n')
    found = read_csv(path)
    np.testing.assert_array_equal(found.X, [[1.5, 1.0], [np.nan, 0.0], [2.0, np.nan]])
    assert (found.y.tolist(), found.classes) == ([1, 0, 1], ("9", "10"))
    assert read_csv([path, path]).y.tolist() == [1, 0, 1, 1, 0, 1]


def test_csv_without_a_header_and_with_the_class_in_front(tmp_path: Path) -> None:
    path = tmp_path / "small.csv"
    path.write_text("a,1,2\nb,3,4\n")
    found = read_csv(path, target=0)
    np.testing.assert_array_equal(found.X, [[1.0, 2.0], [3.0, 4.0]])
    assert found.classes == ("a", "b")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "at least one row"),
        ("1,2,a\n3,b\n", "every row must hold 3 values"),
        ("1\n2\n", "every row must hold 2 values"),
        ("1,2,a\n3,4,\n", "every row must have a class"),
    ],
)
def test_bad_csv(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InvalidInputError, match=words):
        read_csv(path)


def test_unreadable_files(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInputError, match="text in UTF-8"):
        read_csv(tmp_path / "bad.csv")
    with pytest.raises(MissingFileError):
        read_csv(tmp_path / "none.csv")
    with pytest.raises(InvalidInputError, match="target must be the number of one of 2 columns"):
        (tmp_path / "good.csv").write_text("1,a\n2,b\n")
        read_csv(tmp_path / "good.csv", target=2)
