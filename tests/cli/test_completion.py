"""Completion by the shell: asked for as the shells' own scripts ask."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RBMLE = str(Path(sys.executable).with_name("rbmle"))


def asked(**variables):
    done = subprocess.run(
        [RBMLE], env={**os.environ, **variables}, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_verbs_options_and_methods_are_completed_in_bash():
    def completed(*words):
        return asked(_RBMLE_COMPLETE="complete_bash", COMP_WORDS=" ".join(words), COMP_CWORD=str(len(words) - 1))

    assert completed("rbmle", "co")[0] == "compare"
    assert "--horizon" in completed("rbmle", "compare", "--ho")
    assert completed("rbmle", "methods", "LinR") == ["LinRBMLE"]


@pytest.mark.parametrize(("shell", "word"), [("zsh", '"compare"'), ("fish", "compare")])
def test_other_shells_are_answered_too(shell, word):
    variables = {"_TYPER_COMPLETE_ARGS": "rbmle comp", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert word in "".join(asked(_RBMLE_COMPLETE=f"complete_{shell}", **variables))


def test_the_script_for_bash_completes_in_bash():
    """What `--show-completion` writes, sourced by a bash that is then asked to complete a line."""
    if shutil.which("bash") is None:
        pytest.skip("there is no bash on PATH")
    script = "\n".join(asked(_RBMLE_COMPLETE="source_bash"))
    line = """
        COMP_WORDS=(rbmle pa); COMP_CWORD=1
        function=$(complete -p rbmle | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        "$function" rbmle
        echo "got: ${COMPREPLY[*]}"
    """
    environment = {**os.environ, "PATH": f"{Path(RBMLE).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", script + line], env=environment, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.strip() == "got: paper", done.stdout + done.stderr
