"""A method's formula, one line of text beside its class, as TeX: the formula is written once, and typeset from there.

>>> tex("m + ½ α(t) v")
'm + \\\\tfrac{1}{2} \\\\alpha (t) v'
"""

import re
import unicodedata

ACCENTS = {"\u0302": r"\hat", "\u0303": r"\tilde", "\u0304": r"\bar", "\u0307": r"\dot"}
UPPER = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀⁿ", [*"0123456789-+", r"\mathsf{T}", "n"], strict=True))
LOWER = dict(zip("₀₁₂₃₄₅₆₇₈₉ₜₐₛ", [*"0123456789tas"], strict=True))
SIGNS = {
    "−": "-", "·": r"\cdot ", "×": r"\times ", "∝": r"\propto ", "≤": r"\le ", "≥": r"\ge ", "~": r"\sim ",
    "Σ": r"\sum ", "‖": r"\Vert ", "|": r"\vert ", "½": r"\tfrac{1}{2} ", "⌈": r"\lceil ", "⌉": r"\rceil ",
    "∞": r"\infty ", "ℓ": r"\ell ", "∈": r"\in ", "…": r"\dots ", ":": r"\;:\; ", "→": r"\to ", "⊗": r"\otimes ",
    "≈": r"\approx ",
}  # fmt: skip
GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau",
    "φ": "varphi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda",
    "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
FUNCTIONS = {"log", "exp", "max", "min", "det"}
SHORT_WORDS = {"or", "of", "on", "is", "in", "if"}


def rows(notation: str) -> list[str]:
    """The parts of a formula, which two spaces tell apart, each as TeX."""
    return [tex(part) for part in re.split(r",\s{2,}", notation)]


def tex(notation: str) -> str:
    """One part as TeX."""
    return re.sub(r" {2,}", " ", Reader(unicodedata.normalize("NFD", notation)).read()).strip()


class Reader:
    """Goes through the text once, from left to right."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def read(self, end: str = "") -> str:
        """Everything up to `end`."""
        found = []
        while self.at < len(self.text) and not (end and self.text[self.at] == end):
            found.append(self.atom())
        self.at += bool(end)
        return "".join(found)

    def atom(self) -> str:
        """A letter with its accent, a word, a root, a script, a sign."""
        words = re.compile(r"[A-Za-z]{2,}(?:[ ]+[A-Za-z]{2,})*").match(self.text, self.at)
        if words and (word := self.word(words[0])):
            return word
        letter = self.text[self.at]
        self.at += 1
        if letter == "√":
            return rf"\sqrt{{{self.argument()}}}"
        if letter in "_^":
            return f"{letter}{{{self.argument()}}}"
        for mark, scripts in (("^", UPPER), ("_", LOWER)):
            if letter in scripts:
                shown = scripts[letter]
                while self.at < len(self.text) and self.text[self.at] in scripts:
                    shown += scripts[self.text[self.at]]
                    self.at += 1
                return f"{mark}{{{shown}}}"
        if letter in SIGNS:
            return SIGNS[letter]
        shown = f"\\{GREEK[letter]} " if letter in GREEK else letter
        if self.at < len(self.text) and self.text[self.at] in ACCENTS:
            self.at += 1
            return f"{ACCENTS[self.text[self.at - 1]]}{{{shown.strip()}}}"
        return shown

    def word(self, words: str) -> str:
        """A function's name, or words of a sentence; nothing where letters are factors."""
        first = words.split()[0]
        if first in FUNCTIONS:
            self.at += len(first)
            return f"\\{first} "
        if first in ("argmax", "argmin"):
            self.at += len(first)
            return rf"\arg\{first[3:]} "
        if len(first) == 2 and first not in SHORT_WORDS:
            return ""
        sentence = []
        for each in words.split():
            if each in FUNCTIONS:
                break
            sentence.append(each)
        text = re.compile(r"[ ]+".join(sentence)).match(self.text, self.at)
        assert text is not None  # noqa: S101
        self.at = text.end()
        return rf"\text{{ {' '.join(sentence)} }}"

    def argument(self) -> str:
        """What a root or a script is of: a bracket's content, a word, or one letter with its accent and scripts."""
        if self.text[self.at] in "({":
            end = ")" if self.text[self.at] == "(" else "}"
            self.at += 1
            return self.balanced(end)
        word = re.compile(r"[A-Za-z]{2,}").match(self.text, self.at)
        if word and self.text[self.at - 1] == "_":
            self.at = word.end()
            return rf"\text{{{word[0]}}}"
        return self.atom().strip()

    def balanced(self, end: str) -> str:
        """Up to the bracket that closes this one."""
        found, depth = [], 0
        while self.at < len(self.text):
            letter = self.text[self.at]
            if letter == end and depth == 0:
                break
            depth += {"(": 1, ")": -1}.get(letter, 0) if end == ")" else 0
            found.append(self.atom())
        self.at += 1
        return "".join(found)
