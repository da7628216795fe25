"""Our methods and those of other libraries on real data: reward, time, paired differences, mean ranks.

>>> from rbmle.studies.real import SETS
>>> sorted(key for key, each in SETS.items() if each.choices)
['electricity', 'swissmetro', 'travel']
"""

from rbmle.studies.real.entrants import Entrant, entrants
from rbmle.studies.real.run import RealData, real_data
from rbmle.studies.real.sets import SETS, RealSet

__all__ = ["SETS", "Entrant", "RealData", "RealSet", "entrants", "real_data"]
