"""A sweep over the bias α(t) = c·t^p."""
