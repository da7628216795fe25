"""A table of a report as LaTeX, with the rules of booktabs."""

import re

from rbmle.report.document import Cell, Mark, Table
from rbmle.report.inline import spans
from rbmle.report.templating import environment

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: "\\" + sign for sign in "&%$#_{}"},
}
# What a plain LaTeX with UTF-8 does not know by itself: letters and signs of the field, in mathematics mode.
_SIGNS = {
    "α": r"\alpha", "β": r"\beta", "δ": r"\delta", "Δ": r"\Delta", "η": r"\eta", "θ": r"\theta", "κ": r"\kappa",
    "λ": r"\lambda", "μ": r"\mu", "ρ": r"\rho", "σ": r"\sigma", "Σ": r"\Sigma", "τ": r"\tau", "χ": r"\chi",
    "φ": r"\varphi", "Φ": r"\Phi", "√": r"\surd", "≈": r"\approx", "≠": r"\neq", "≤": r"\leq", "≥": r"\geq",
    "×": r"\times", "·": r"\cdot", "±": r"\pm", "−": "-", "∞": r"\infty", "ℓ": r"\ell", "∈": r"\in", "∅": r"\emptyset",
    "₀": "_0", "₁": "_1", "₂": "_2", "₃": "_3", "²": "^2", "³": "^3", "⁴": "^4", "⁻": "^-", "¹": "^1", "½": r"\frac12",
    "→": r"\to", "µ": r"\mu", "…": r"\ldots", "‖": r"\Vert", "✓": r"\surd",
}  # fmt: skip
_MARKS: dict[Mark, str] = {"exact": "$^{=}$", "close": r"$^{\approx}$", "differs": r"$^{\neq}$", "missing": ""}
_FRAMES = {"text": "{}", "code": r"\texttt{{{}}}", "strong": r"\textbf{{{}}}", "em": r"\emph{{{}}}"}


def latex(table: Table) -> str:
    """Return a table environment: caption, booktabs rules, a label. Marks become superscripts, notes lines below."""
    engine = environment("tex").overlay()
    engine.filters["inline"] = inline
    engine.filters["cell"] = cell
    return engine.get_template("table.tex").render(table=table)


def escape(text: str) -> str:
    """Write any text so that LaTeX prints it.

    >>> escape("50 % of α(t) = √t")
    '50 \\\\% of $\\\\alpha$(t) = $\\\\surd$t'
    """
    signs = "".join(map(re.escape, _SIGNS))
    parts = re.split(f"([{signs}]+)", text)
    return "".join(_mathematics(part) if i % 2 else _plain(part) for i, part in enumerate(parts))


def inline(text: str) -> str:
    """Keep our own markup, escape all else."""
    return "".join(_FRAMES[span.kind].format(escape(span.text)) for span in spans(text))


def cell(value: Cell) -> str:
    """Write a cell: its text with the mark, and the notes in small letters below."""
    text = inline(value.text)
    if value.mark == "best":
        text = rf"\textbf{{{text}}}"
    text += _MARKS.get(value.mark, "")
    lines = [text, *(rf"{{\tiny {inline(note)}}}" for note in value.notes)]
    return r"\shortstack[r]{" + r"\\".join(lines) + "}" if value.notes else text


def _plain(text: str) -> str:
    return "".join(_ESCAPES.get(letter, letter) for letter in text)


def _mathematics(text: str) -> str:
    # An empty group keeps "_0" or "^2" legal where nothing stands before it.
    return "$" + " ".join(("{}" if _SIGNS[sign][0] in "_^" else "") + _SIGNS[sign] for sign in text) + "$"
