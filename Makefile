# Two commands do everything on a fresh machine: `make demo` and `make test`. Both make their own .venv and need only
# python3 (3.11 or newer) with its headers, make, a C++20 compiler, and a package registry that pip can reach.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
BENCH := .venv-bench/bin
CORE := $(shell find src/core -name '*.?pp')
JOBS := $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
CMAKE = PATH="$(CURDIR)/$(BIN):$$PATH" cmake
CPP_TESTS = -G Ninja -S . -DVERIDAG_MODULE=OFF -DVERIDAG_TESTS=ON

.PHONY: help demo test test-slow docs lint types imports cpp-tests pytest sanitize bench stub clean

help:
	@echo "make demo       set up, sample ALARM, and report which learner to trust     (2 minutes the first time, then half a minute)"
	@echo "make test       set up; lint, types, import rules, C++ tests, Python tests  (9 minutes the first time)"
	@echo "make test-slow  the slow tests, and the core's tests under sanitizers       (15 minutes)"
	@echo "make docs       build the documentation site into build/docs, strictly      (half a minute)"
	@echo "make lint       ruff, mypy and import-linter alone"
	@echo "make sanitize   the core's tests with address and undefined-behaviour sanitizers"
	@echo "make bench      all benchmarks, with the peers in a .venv-bench of their own (several minutes)"
	@echo "make stub       write src/veridag/_core.pyi anew from the compiled core"
	@echo "make clean      remove everything that was built"

$(READY): pyproject.toml CMakeLists.txt $(CORE)
	@echo "== Setting up .venv: installs veridag with its test tools and compiles the core (1 to 3 minutes)"
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@

demo: $(READY)
	@echo "== Demo: samples ALARM, learns it back, and compares learners on the sample (half a minute)"
	mkdir -p demo
	$(BIN)/veridag sample alarm -n 5000 --seed 1 -o demo/alarm.csv
	$(BIN)/veridag learn demo/alarm.csv --truth alarm -o demo/learned.json --draw demo/learned.svg
	$(BIN)/veridag report demo/alarm.csv --truth alarm --jobs $(JOBS) -o demo/report.html
	@echo "== Done. Open demo/report.html in a browser."

test: lint cpp-tests pytest
	@echo "== All tests passed."

lint: $(READY)
	@echo "== Lint, types and import rules (20 seconds)"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

cpp-tests: $(READY)
	@echo "== C++ unit tests (30 seconds the first time)"
	$(CMAKE) $(CPP_TESTS) -B build/cpp > /dev/null
	$(CMAKE) --build build/cpp --target core_tests > /dev/null
	build/cpp/core_tests

pytest: $(READY)
	@echo "== Python tests (5 minutes on two cores)"
	$(BIN)/pytest -n $(JOBS) -m "not slow" --cov --cov-report=term

test-slow: $(READY) sanitize
	@echo "== Slow Python tests"
	$(BIN)/pytest -n $(JOBS) -m slow

docs: $(READY)
	@echo "== Documentation site into build/docs; any warning fails it (half a minute)"
	rm -rf build/docs
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --fresh-env --jobs $(JOBS) docs build/docs
	@echo "== Done. Open build/docs/index.html in a browser."

sanitize: $(READY)
	@echo "== C++ unit tests with address and undefined-behaviour sanitizers (7 minutes the first time)"
	$(CMAKE) $(CPP_TESTS) -DVERIDAG_SANITIZE=ON -B build/sanitize > /dev/null
	$(CMAKE) --build build/sanitize --target core_tests > /dev/null
	build/sanitize/core_tests

bench:
	@echo "== Benchmarks against peers from the package registry, in .venv-bench"
	test -x $(BENCH)/python || $(PYTHON) -m venv .venv-bench
	$(BENCH)/python -m pip install --quiet --disable-pip-version-check '.[bench]'
	for script in benchmarks/*.py; do echo "-- $$script"; $(BENCH)/python $$script; done

stub: $(READY)
	$(BIN)/python -m nanobind.stubgen -m veridag._core -o src/veridag/_core.pyi

clean:
	rm -rf .venv .venv-bench build dist demo .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
