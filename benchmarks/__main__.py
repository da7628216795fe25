"""All benchmarks: `python -m benchmarks`, or one of them: `python -m benchmarks.linear`, `python -m benchmarks.glm`."""

from benchmarks import catalogues, glm, linear

linear.main()
catalogues.main()
glm.main()
