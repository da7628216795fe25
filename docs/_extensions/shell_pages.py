"""The reference's list of packages, and the page of the shell's commands, from their own help."""

from pathlib import Path
from typing import Any

import typer
from public import modules

from rbmle.cli import app

LIST = """# Reference

Everything here comes from the docstrings of the code. Public is what these pages name; what begins with an underscore,
and the packages that are not here, may change without a word.

```python
import rbmle

print(rbmle.__version__, len(rbmle.__all__), "names")
```

```{{toctree}}
{names}
shell
```
"""


def write_shell(folder: Path) -> None:
    """Two pages."""
    (folder / "index.md").write_text(LIST.format(names="\n".join(modules())), encoding="utf-8")
    (folder / "shell.md").write_text(page(), encoding="utf-8")


def page() -> str:
    """Every verb with its options."""
    group = typer.main.get_command(app)
    parts = [
        "# The shell",
        "`rbmle --help` and `rbmle VERB --help` say the same; `rbmle --install-completion` completes names of methods.",
        "```sh\nrbmle compare --varying --methods LinRBMLE,LinUCB,LinTS --figure regret.pdf\n```",
    ]
    for name in sorted(group.commands):  # type: ignore[attr-defined]
        command = group.commands[name]  # type: ignore[attr-defined]
        parts += [f"## rbmle {name}", (command.help or "").split("**Examples**")[0].strip(), options(command)]
    return "\n\n".join(parts) + "\n"


def options(command: Any) -> str:
    """A row for each argument and option."""
    lines = ["| option | what it does |", "|---|---|"]
    for each in command.params:
        label = ", ".join(each.opts) if each.param_type_name == "option" else each.name.upper()
        told = (getattr(each, "help", None) or "").replace("|", "\\|").replace("\n", " ")
        lines.append(f"| `{label}` | {told} |")
    return "\n".join(lines)
