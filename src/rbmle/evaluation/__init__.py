"""What a policy would have earned on a log that another one wrote, with honest uncertainty.

`evaluate` answers for one policy. Estimators are functions over arrays (`rbmle.evaluation.estimators`), and all of them
are sums: `partition_sums` and `merge` are what it takes to have a log on many machines.
"""

from rbmle.evaluation.diagnostics import Diagnostics
from rbmle.evaluation.evaluate import evaluate
from rbmle.evaluation.evaluation import Evaluation
from rbmle.evaluation.finishing import Estimate
from rbmle.evaluation.fitting import fit
from rbmle.evaluation.kinds import Interval
from rbmle.evaluation.options import Options
from rbmle.evaluation.selecting import select
from rbmle.evaluation.selection import Selection
from rbmle.evaluation.tasks import Partition, merge, partition_sums, partitions
from rbmle.evaluation.verdict import Verdict

__all__ = [
    "Diagnostics",
    "Estimate",
    "Evaluation",
    "Interval",
    "Options",
    "Partition",
    "Selection",
    "Verdict",
    "evaluate",
    "fit",
    "merge",
    "partition_sums",
    "partitions",
    "select",
]
