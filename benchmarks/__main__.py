"""Benchmarks: `python -m benchmarks` for all, or with the names of some, such as `python -m benchmarks agent`."""

import sys

from benchmarks import agent, catalogues, confidence, glm, linear

ALL = {
    "linear": linear.main,
    "catalogues": catalogues.main,
    "glm": glm.main,
    "confidence": confidence.main,
    "agent": agent.main,
}

names = sys.argv[1:] or list(ALL)
unknown = [name for name in names if name not in ALL]
if unknown:
    sys.exit(f"benchmarks must be among {', '.join(ALL)}. Got {', '.join(unknown)}.")
for name in names:
    ALL[name]()
