"""Importing is quick: numba and the plotting libraries come when first needed."""

import subprocess
import sys

from tests.docs.pages import extension

import rbmle


def test_import_loads_nothing_heavy():
    heavy = ["numba", "matplotlib", "pandas", "jinja2", "typer"]
    code = f"import rbmle, sys; print([m for m in {heavy} if m in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_public_packages_are_there_when_they_are_asked_for():
    code = "import rbmle, sys; print('rbmle.online' in sys.modules, rbmle.online.Agent, rbmle.simulation.simulate)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.startswith("False <class 'rbmle.online.agent.Agent'> <function simulate")
    assert not hasattr(rbmle, "unheard")


def test_dir_shows_what_is_documented_and_nothing_else():
    public = extension("public")
    packages = {name.removeprefix("rbmle.") for name in public.modules() if name.count(".") == 1}
    shown = {name for name in dir(rbmle) if not name.startswith("__")}
    assert shown == {*rbmle.__all__, *packages}


def test_unknown_kernels_are_attribute_errors():
    from rbmle import kernels

    assert not hasattr(kernels, "unheard")
