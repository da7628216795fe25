"""Settings of the documentation. `make docs` builds it; what is generated from classes is made anew in every build."""

import atexit
import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_extensions"))

import rbmle  # noqa: E402

# Kernels that execute pages know nothing of the settings of whoever builds, and say nothing of how they are reached.
PROFILE = Path(tempfile.mkdtemp(prefix="rbmle-docs-"))
(PROFILE / "profile_default").mkdir()
(PROFILE / "profile_default" / "ipython_kernel_config.py").write_text(
    "c.IPKernelApp.log_level = 'ERROR'\nc.HistoryManager.enabled = False\n", encoding="utf-8"
)
os.environ["IPYTHONDIR"] = str(PROFILE)
atexit.register(shutil.rmtree, PROFILE, ignore_errors=True)

project = "rbmle"
author = "rbmle contributors"
project_copyright = author
version = release = rbmle.__version__

extensions = ["sphinx.ext.autodoc", "myst_nb", "mathml", "house_style", "generated", "picture_sizes"]
exclude_patterns = ["_build", "_extensions", "**.ipynb_checkpoints"]
default_role = "literal"
nitpicky = True
# Types in signatures are words, not links. Pages link with {py:obj}, which stays checked.
nitpick_ignore_regex = [(r"py:class", r".*"), (r"py:data", r".*")]
# A page that others link to and that is not written yet; nothing is forgiven once it is.
suppress_warnings = [] if (HERE / "evaluation.md").exists() else ["myst.xref_missing"]
# Adapters are classes over other libraries; where one is not installed a stand-in is enough to read the docstring.
PEERS = ("bayesianbandits", "coba", "contextualbandits", "mabwiser", "obp", "river", "sklearn", "vowpalwabbit")
autodoc_mock_imports = [name for name in PEERS if importlib.util.find_spec(name) is None]

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence", "attrs_inline", "attrs_block"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 900  # the first page may have to compile, on a machine that does other things
nb_execution_show_tb = True
nb_output_stderr = "remove"
nb_merge_streams = True
nb_mime_priority_overrides = [("html", "image/svg+xml", 5)]

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"
maximum_signature_line_length = 88

html_theme = "pydata_sphinx_theme"
html_title = f"rbmle {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/mark.svg"
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "rbmle"},
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"index": []}
