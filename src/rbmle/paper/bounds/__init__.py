"""Theorems 2 and 3 over measured regret."""
