"""Intervals for the value of a policy from a log, as functions of sums. `kinds` says what each of them needs."""
