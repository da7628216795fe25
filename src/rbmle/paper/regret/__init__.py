"""Cumulative regret: Figures 1 and 3, Tables 1, 3 to 5 and 7 to 10, and where the published baselines differ."""
