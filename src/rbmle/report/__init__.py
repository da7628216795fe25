"""Tables, figures and whole reports of finished results. Nothing here runs a policy.

>>> from rbmle.report import Report, Section, Table
>>> table = Table(caption="Final regret", columns=["policy", "mean"], rows=[["LinRBMLE", "186.2"]], name="regret")
>>> report = Report(title="A study", sections=[Section("Regret", ["One policy, so far.", table])])
>>> print(markdown(report))
# A study
<BLANKLINE>
## Regret
<BLANKLINE>
One policy, so far.
<BLANKLINE>
Final regret
<BLANKLINE>
| policy | mean |
| :-- | --: |
| LinRBMLE | 186.2 |
<BLANKLINE>
"""

from rbmle.report.agent import agent_report
from rbmle.report.comparison import ComparedCell, Comparison, bootstrap_errors, compare_cells
from rbmle.report.document import (
    Block,
    Bullets,
    Cell,
    Facts,
    Figure,
    Highlights,
    Panels,
    Report,
    Section,
    Table,
)
from rbmle.report.evaluation import evaluation_report, selection_report
from rbmle.report.figures import new_figure, regret_figure, save_figure
from rbmle.report.latex import latex
from rbmle.report.markdown import markdown
from rbmle.report.page import html
from rbmle.report.plots import bias_sweep, bound_over_regret, compact, sensitivity, time_against_regret
from rbmle.report.policy import policy_report
from rbmle.report.study import report_for, settings_section
from rbmle.report.tables import statistics_table
from rbmle.report.write import write

__all__ = [
    "Block",
    "Bullets",
    "Cell",
    "ComparedCell",
    "Comparison",
    "Facts",
    "Figure",
    "Highlights",
    "Panels",
    "Report",
    "Section",
    "Table",
    "agent_report",
    "bias_sweep",
    "bootstrap_errors",
    "bound_over_regret",
    "compact",
    "compare_cells",
    "evaluation_report",
    "html",
    "latex",
    "markdown",
    "new_figure",
    "policy_report",
    "regret_figure",
    "report_for",
    "save_figure",
    "selection_report",
    "sensitivity",
    "settings_section",
    "statistics_table",
    "time_against_regret",
    "write",
]
