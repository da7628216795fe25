"""The comparison of all methods over many settings: as theory says, by default, and tuned on other seeds.

>>> from rbmle.studies import SETTINGS
>>> [key for key, setting in SETTINGS.items() if setting.family == "logistic"]
['logistic', 'logistic-steep']
"""

from rbmle.studies.plan import FULL, QUICK, Plan
from rbmle.studies.run import Study, study
from rbmle.studies.settings import SETTINGS, Setting

__all__ = ["FULL", "QUICK", "SETTINGS", "Plan", "Setting", "Study", "study"]
