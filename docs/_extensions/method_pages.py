"""A page for every method, from its class: formula, example with a figure, parameters, origin, cost."""

import contextlib
import io
import textwrap
from dataclasses import MISSING, fields
from pathlib import Path

from formulas import rows
from reference_pages import is_method, rst

from rbmle.cli.methods import words_of_theory
from rbmle.docstrings import meanings
from rbmle.params import constraints
from rbmle.policies import Policy
from rbmle.policies.about import KINDS, Described, provenance_of
from rbmle.simulation import Results

ROUNDS, TRIALS = 2000, 10
GLM_ROUNDS, GLM_TRIALS = 1000, 10  # a decision of theirs is an optimisation


def methods() -> dict[str, type[Policy]]:
    """All our methods, by kind and name."""
    found = {name: cls for name, cls in Policy.registry.items() if is_method(cls)}
    return dict(sorted(found.items(), key=lambda item: (KINDS.index(item[1].kind), item[0])))


def write_methods(folder: Path) -> None:
    """All pages, and the table of them."""
    for name, cls in methods().items():
        (folder / f"{name}.md").write_text(page(cls, folder), encoding="utf-8")
    (folder / "index.md").write_text(index(), encoding="utf-8")


def page(cls: type[Policy], folder: Path) -> str:
    """One method."""
    code = example(cls)
    shown, results = run(code, folder / f"{cls.__name__}.svg")
    return "\n\n".join([
        f"# {cls.__name__}",
        f"{cls.title[:1].upper()}{cls.title[1:]} ({cls.kind}).",
        *(f"$$\n{row}\n$$" for row in rows(cls.notation)),
        f"*Source:* {cls.source}.",
        "## An example, with a figure made by it",
        f"```python\n{code}\n```",
        f"```text\n{shown}\n```",
        f"![{alt(results)}]({cls.__name__}.svg)",
        "## Parameters",
        parameters(cls),
        "## Where it comes from",
        origin(cls),
        "## What it costs",
        cost(cls, results),
        "## In its own words",
        rst(f".. autoclass:: rbmle.{cls.__name__}"),
        "Every method has the same interface, {py:obj}`rbmle.Policy`. [All methods](index.md).",
    ]) + "\n"  # fmt: skip


def example(cls: type[Policy]) -> str:
    """A comparison with our own method and with no method at all, as one would type it."""
    logistic = "gaussian" not in cls.rewards
    ours = "GLMRBMLE" if logistic and not cls.fixed_arms else "LinRBMLE"
    names = list(dict.fromkeys([cls.__name__, ours, "Uniform"]))
    if cls.__name__ == ours:
        names.insert(1, "GLMTSL" if logistic else "LinUCB")
    rounds, trials = (GLM_ROUNDS, GLM_TRIALS) if logistic and not cls.fixed_arms else (ROUNDS, TRIALS)
    problem = 'GLMProblem([1.0, -0.8, 1.2], n_arms=10, family="logistic")' if logistic else (
        "LinearProblem([0.5, -0.4, 0.6, 0.2, -0.3], n_arms=10)")  # fmt: skip
    d = 3 if logistic else 5
    return textwrap.dedent(f"""\
        from rbmle import {", ".join(sorted(names))}
        from rbmle.problems import {problem.partition("(")[0]}
        from rbmle.simulation import simulate

        problem = {problem}
        policies = [
            {("," + chr(10) + " " * 12).join(call(Policy.registry[name], d, rounds) for name in names)},
        ]
        results = simulate(
            policies, problem, horizon={rounds}, trials={trials}, seed=1, progress=False
        )
        print(results.summary(("mean", "SE")))
        figure = results.plot()""")


def call(cls: type[Policy], d: int, horizon: int) -> str:
    """The constructor with what it must be told."""
    known = {"n_features": d, "n_arms": 10, "horizon": horizon, "family": "logistic"}
    needed = {"n_features", "n_arms", *(each.name for each in fields(cls) if each.default is MISSING)}
    given = [f"{each.name}={known[each.name]!r}" for each in fields(cls) if each.name in needed & known.keys()]
    return f"{cls.__name__}({', '.join(given)})"


def run(code: str, figure: Path) -> tuple[str, Results]:
    """What the example prints; its figure is written."""
    seen: dict[str, object] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, str(figure.with_suffix(".py")), "exec"), seen)
    results = seen["results"]
    assert isinstance(results, Results)  # noqa: S101
    results.plot(figure)
    return printed.getvalue().rstrip(), results


def alt(results: Results) -> str:
    """What the figure shows, in words and numbers."""
    ends = {name: float(sorted(results.final_regret(name))[results.trials // 2]) for name in results.policies}
    told = ", ".join(f"{name} {ends[name]:.0f}" for name in sorted(ends, key=ends.__getitem__))
    return (
        f"Curves of cumulative regret over {results.horizon} rounds, median of {results.trials} trials. "
        f"At the end: {told}."
    )


def parameters(cls: type[Policy]) -> str:
    """Names, meanings, defaults, constraints: as docstrings tell and the class checks them."""
    rules, told = constraints(cls), meanings(cls)
    lines = ["| parameter | what it is | default | must be |", "|---|---|---|---|"]
    for each in fields(cls):
        default = "required" if each.default is MISSING else f"`{each.default!r}`"
        lines.append(f"| `{each.name}` | {text(told[each.name])} | {default} | {text(str(rules.get(each.name, '')))} |")
    return "\n".join(lines) if len(lines) > 2 else "None."


def origin(cls: type[Policy]) -> str:
    """Provenance, theory and what people tune."""
    told = provenance_of(cls)
    found = {}
    if told is not None:
        found = {
            "defined by": told.defined_by, "as here": told.trust, "read for it": told.read,
            "changed": told.changed, "tested against": told.tested_against,
        }  # fmt: skip
    has_theory = cls.theory.__func__ is not Described.theory.__func__  # type: ignore[attr-defined]
    found["its theory asks for"] = words_of_theory(cls) if has_theory else "nothing, or it has no bound of regret"
    if cls.tuning is not None:
        found["people tune"] = f"{cls.tuning.label}: {', '.join(f'{value:g}' for value in cls.tuning.values)}"
    return "\n\n".join(f"{key}\n: {text(value)}" for key, value in found.items())


def cost(cls: type[Policy], results: Results) -> str:
    """Time of a decision with its update, beside others in the same run."""
    seconds = results.seconds_per_decision()
    own = seconds.pop(cls.__name__)
    told = " and ".join(f"{own / seconds[name]:.1f} times that of {name}" for name in seconds)
    slow = " It is left out of comparisons unless it is asked for." if cls.costly else ""
    return (
        f"In the example above a decision with its update took {1e6 * own:.2g} µs, {told}. Measured when this page was "
        f"made, side by side: the ratios mean something, the time is that of one machine.{slow}"
    )


def index() -> str:
    """The table of all methods, kind by kind."""
    parts = [
        "# Methods",
        f"Each of the {len(methods())} pages is made from the method's class: its formula, its parameters with what "
        "they must be, who defined it, what of that was read, what we changed, what it was tested against; and an "
        "example with its figure, run when this site was built. *m* and *v* are the mean and the variance of an arm's "
        "reward under the ridge estimate, *t* is the round (see the [glossary](../explanation/glossary.md)).",
        "The same in the shell: `rbmle methods`, and `rbmle methods LinRBMLE`. In Python:",
        "```python\nfrom rbmle import LinRBMLE\n\nprint(LinRBMLE.notation, LinRBMLE.source, sep=\"\\n\")\n```",
    ]  # fmt: skip
    for kind in KINDS:
        members = {name: cls for name, cls in methods().items() if cls.kind == kind}
        lines = ["| method | what it is | formula |", "|---|---|---|"]
        lines += [
            f"| [{name}]({name}.md) | {text(cls.title)} | ${rows(cls.notation)[0]}$ |" for name, cls in members.items()
        ]
        parts += [f"## {kind[:1].upper()}{kind[1:]}", "\n".join(lines)]
    names = "\n".join(methods())
    return "\n\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{names}\n```"]) + "\n"


def text(plain: str) -> str:
    """Plain text within Markdown."""
    for sign in "\\|*_<[]$":
        plain = plain.replace(sign, "\\" + sign)
    return plain
