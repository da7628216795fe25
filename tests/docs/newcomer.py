"""Runs the code of a page as a newcomer would, cell by cell, and demands a picture where one is promised.

Reads [[code, whether it shows a figure], …] as JSON; needs nothing but what is installed where it runs.
"""

import ast
import json
import linecache
import sys

import __main__


def run(number, code, shows_figure):
    """One cell: its last expression is what a notebook would show."""
    name = f"<cell {number}>"
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    tree = ast.parse(code)
    shown = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), vars(__main__))
    value = None if shown is None else eval(compile(shown, name, "eval"), vars(__main__))
    if shows_figure:
        picture = value._repr_png_()
        if picture[:4] != b"\x89PNG" or len(picture) < 8000:
            raise SystemExit(f"cell {number} promised a figure and gave {value!r}")


figures = 0
for number, (code, shows_figure) in enumerate(json.load(sys.stdin), start=1):
    run(number, code, shows_figure)
    figures += shows_figure
import rbmle  # noqa: E402

print(f"{figures} figures, rbmle from {rbmle.__file__}")
