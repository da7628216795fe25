"""Tables and figures of finished results. Nothing here runs a policy."""

from rbmle.report.figures import regret_figure, save_figure
from rbmle.report.tables import statistics_table

__all__ = ["regret_figure", "save_figure", "statistics_table"]
