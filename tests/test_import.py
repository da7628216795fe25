"""Importing is quick: numba and the plotting libraries come when first needed."""

import subprocess
import sys


def test_import_loads_nothing_heavy():
    heavy = ["numba", "matplotlib", "pandas", "jinja2", "typer"]
    code = f"import rbmle, sys; print([m for m in {heavy} if m in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_unknown_kernels_are_attribute_errors():
    from rbmle import kernels

    assert not hasattr(kernels, "unheard")
