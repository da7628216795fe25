"""Simulations on Dask and Ray: one queue of tasks, packets that last about a second, data sent once to each worker."""
