"""What docs/evaluation.md shows runs, from top to bottom, and says what it says."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from rbmle.evaluation.kinds import KINDS
from rbmle.evaluation.names import ESTIMATORS

GUIDE = Path(__file__).parents[2] / "docs" / "evaluation.md"


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The names that its examples leave behind."""
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)
    names = {"__name__": "guide"}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("guide"))
        # The other formats take most of the time.
        patch.setattr(import_module("rbmle.report.write"), "FIGURE_ENDINGS", ("svg",))
        for block in blocks:
            exec(compile(block, str(GUIDE), "exec"), names)
    return names


def test_the_examples_run(shown):
    true = float((shown["likes"][3000:].max(axis=1)).mean())  # no policy earns more
    assert shown["found"].verdict.grade == "answers"
    assert shown["found"].difference("dr").low > 0.0 and shown["found"].interval("dr").low < true
    assert shown["kept"].usable is not None and sum(len(batch) for batch in shown["kept"]) == 5999
    assert set(shown["models"]) == {"ridge", "logistic", "Ridge()"}
    assert shown["page"].name == "report.html"


def test_what_it_says_of_them_is_so(shown):
    from rbmle.evaluation import evaluate

    poor = evaluate(shown["poor"], shown["others"], estimators=("ips", "snips"))
    assert poor.verdict.grade == "cannot answer" and "of the weight" in str(poor.verdict)
    widths = {kind: high - low for kind in ("asymptotic", "cressie-read", "sequence")
              for low, high in [shown["watched"].interval("ips", kind)]}  # fmt: skip
    assert widths["cressie-read"] < widths["asymptotic"] < widths["sequence"]
    smallest = shown["log"].scanned.probability
    assert 0.3 * smallest * 6000 < shown["learning"].n < 3 * smallest * 6000
    # By now the target's own value is known: the interval holds it.
    choose = shown["policy"].probabilities_many(shown["contexts"][3000:]).reshape(3000, -1)
    assert float((choose * shown["likes"][3000:]).sum(axis=1).mean()) in shown["found"].interval("dr")


def test_every_estimator_and_interval_is_explained():
    text = GUIDE.read_text(encoding="utf-8")
    assert [name for name in (*ESTIMATORS, *KINDS) if f"`{name}`" not in text] == []
