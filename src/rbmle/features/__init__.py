"""From rows of columns to contexts: explicit, saved as plain data, checked by name.

>>> from rbmle.features import Features, Number
>>> features = Features(shared=[Number("age")], arm=[Number("price")], cross=[("age", "price")])
>>> features.encode({"agee": 30}, [{"price": 2.0}])
Traceback (most recent call last):
rbmle.errors.InvalidInputError: contexts must have the columns age. Missing: age. Unknown: agee. Did you mean age?
"""

from rbmle.features.columns import Category, Column, Hashed, Number
from rbmle.features.encoder import Features

__all__ = ["Category", "Column", "Features", "Hashed", "Number"]
