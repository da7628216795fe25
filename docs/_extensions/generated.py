"""Pages that are made from the code, written before Sphinx reads: `methods/` and `reference/`. None is kept in git."""

import shutil
from pathlib import Path

from sphinx.application import Sphinx


def write_pages(app: Sphinx) -> None:
    """Both folders, anew."""
    from method_pages import write_methods
    from reference_pages import write_reference
    from shell_pages import write_shell

    for name, write in (("methods", write_methods), ("reference", write_reference)):
        folder = Path(app.srcdir) / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        write(folder)
    write_shell(Path(app.srcdir) / "reference")


def setup(app: Sphinx) -> dict[str, bool]:
    """Before anything is read."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
