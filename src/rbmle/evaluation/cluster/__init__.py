"""Engines: parts of a log are read where Dask or Spark has its workers, and their sums merged here in their order."""
