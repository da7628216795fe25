"""Models of the reward, for the direct method and doubly robust estimates.

Each row is predicted by a model that has not seen it (cross-fitting): otherwise the model's errors and the row's own
chance would go together.
"""
