"""Side by side with plain NumPy, SciPy and peers; every benchmark prints ratios measured in one run."""
