"""The time of a decision: Figures 2 and 4, Tables 2, 6 and 11."""
