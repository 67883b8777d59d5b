# Two commands do everything on a fresh machine: `make demo` and `make test`. Both make their own .venv and need only
# python3 (3.11 or newer) with its headers, make, a C++20 compiler, and a package registry that pip can reach.
# A target installs what it needs and no more: the package alone, or with one of the lists of extras in pyproject.toml.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
# Most of what is installed is never imported: Python compiles the rest on first use.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
READY := .venv/.ready
BENCH := .venv-bench/bin
LOWEST := .venv-lowest/bin
LOWEST_PIP = $(UV) install --quiet --python $(LOWEST)/python
MINUTES ?= 60
EVERY ?= 1
ROUNDS ?= 1
# Where it is set, every run would compile all tests anew, which takes longer than many of them.
unexport PYTHONDONTWRITEBYTECODE
CORE := $(shell find src/core -name '*.?pp')
JOBS := $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
CMAKE = MAKEFLAGS= PATH="$(CURDIR)/$(BIN):$$PATH" cmake
# mypy uses one core, and so does the run of the C++ tests.
LINT_AND_CPP_TESTS = $(MAKE) --no-print-directory --jobs=2 AT_ONCE=yes lint cpp-tests
PYTEST = $(BIN)/pytest -q -n $(JOBS)
# The installation compiles here, with tools that stay in .venv, so that the C++ tests can link the same library.
BUILD := build/core
WITHOUT_PYTHON = -G Ninja -S . -DVERIDAG_MODULE=OFF
BUILD_TOOLS := cmake ninja nanobind scikit-build-core
CPP := $(CORE) $(shell find tests -name '*.?pp')

# The versions that are installed, with hashes: a file for each list. `make lock` writes them anew from pyproject.toml.
LOCKS := requirements
LOCKED := base
UV := $(BIN)/uv pip
# uv does not read pip's settings, so it is told the package registry that pip is configured for.
INDEX = UV_DEFAULT_INDEX="$${UV_DEFAULT_INDEX-$$($(BIN)/python -m pip config list | sed -n "s/^[^ ]*\.index-url='\(.*\)'$$/\1/p" | sed q)}"
COMPILE = $(INDEX) $(UV) compile --quiet --upgrade --universal --generate-hashes --no-header --no-annotate --python-version 3.11

# One target after the other, but for those that `make -j` is asked below to make at the same time.
ifndef AT_ONCE
.NOTPARALLEL:
endif
.PHONY: help lock demo check test test-slow fuzz docs examples lint tidy cpp-tests sanitize sanitize-threads bench trust-model stub clean mutants differential test-lowest

help:
	@echo "make demo       set up, sample ALARM, and report which learner to trust        (3 minutes the first time, then 40 seconds)"
	@echo "make check      what to run all day: lint, types, C++ tests, fast Python tests  (40 seconds)"
	@echo "make test       the same with all Python tests that are not marked slow         (5 minutes the first time, then 4)"
	@echo "make test-slow  everything, thoroughly: all tests with many examples, coverage, documentation, sanitizers, lowest versions (25 minutes)"
	@echo "make test-lowest  the fast tests with the lowest versions that pyproject.toml allows   (4 minutes the first time, then 2)"
	@echo "make fuzz MINUTES=60  random inputs for every reader and algorithm"
	@echo "make mutants    small mistakes in decisive lines, each of which a test must notice (EVERY=8: only every eighth)"
	@echo "make docs       build the documentation site into build/docs, strictly          (1 to 2 minutes)"
	@echo "make examples PAGES=docs/start.md  run the examples of pages and write the outputs that they show anew"
	@echo "make lint       ruff, mypy, import-linter, clang-format and the words of the documentation alone"
	@echo "make tidy       clang-tidy over the core                                         (1 minute)"
	@echo "make sanitize   the core's tests with address and undefined-behaviour sanitizers"
	@echo "make sanitize-threads  the core's tests, and all that works in threads from Python, with the thread sanitizer"
	@echo "make bench      all benchmarks, with the peers in a .venv-bench of their own    (several minutes)"
	@echo "make differential ROUNDS=1  random inputs for veridag and for pyAgrum, pgmpy and causal-learn (2 minutes a round)"
	@echo "make trust-model  fit the model of vd.assess to known networks anew             (20 to 30 minutes)"
	@echo "make lock       the newest versions of all packages into requirements/, which the targets above install"
	@echo "make stub       write src/veridag/_core.pyi anew from the compiled core"
	@echo "make clean      remove everything that was built"

$(READY): pyproject.toml CMakeLists.txt $(LOCKS)/build.txt $(LOCKS)/base.txt $(CORE)
	@echo "== Setting up .venv: installs veridag and compiles the core (1 to 3 minutes)"
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) --require-hashes --requirement $(LOCKS)/build.txt
	$(PIP) --no-deps --no-build-isolation --config-settings=build-dir=$(BUILD) --editable . & compiling=$$!; \
	$(PIP) --require-hashes --requirement $(LOCKS)/$(LOCKED).txt && installed=0 || installed=$$?; \
	wait $$compiling && exit $$installed
	touch $@

# One of the lists of extras, beside the package, which is there already.
$(READY)-%: $(READY) $(LOCKS)/%.txt
	@echo "== Adding the tools of veridag[$*] to .venv (half a minute)"
	$(PIP) --require-hashes --requirement $(LOCKS)/$*.txt
	touch $@

# The first time, they are installed while the core is compiled.
check test lint cpp-tests sanitize sanitize-threads stub examples: LOCKED := test

demo: $(READY)
	@echo "== Demo: samples ALARM, learns it back, and compares learners on the sample; then categories and measurements (45 seconds)"
	mkdir -p demo
	$(BIN)/veridag sample alarm -n 5000 --seed 1 -o demo/alarm.csv
	$(BIN)/veridag learn demo/alarm.csv --truth alarm -o demo/learned.json --draw demo/learned.svg
	$(BIN)/veridag report demo/alarm.csv --truth alarm --jobs $(JOBS) -o demo/report.html
	$(BIN)/veridag sample clinic -n 2000 --seed 1 -o demo/clinic.csv
	$(BIN)/veridag learn demo/clinic.csv --truth clinic -o demo/clinic.json --draw demo/clinic.svg
	@echo "== Done. Open demo/report.html in a browser."

check: $(READY)-test
	@$(LINT_AND_CPP_TESTS)
	@echo "== Fast Python tests: those marked neither medium nor slow, with few examples (half a minute on two cores)"
	$(PYTEST) --hypothesis-profile=check -m "not medium and not slow"

test: $(READY)-test
	@$(LINT_AND_CPP_TESTS)
	@echo "== Python tests: all that are not marked slow (2 minutes on two cores)"
	$(PYTEST) -m "not slow"
	@echo "== All tests passed. Before a change lands: make test-slow."

test-slow: $(READY)-test $(READY)-slow docs sanitize sanitize-threads tidy test-lowest
	@echo "== All Python tests, with many examples and coverage (10 minutes on two cores)"
	$(PYTEST) --hypothesis-profile=thorough --cov
	@$(MAKE) --no-print-directory mutants EVERY=8

# The core is compiled once more, with the lowest versions of its build tools. uv can install lowest versions, which pip
# cannot; it uses the package registry that pip is configured for. Old packages use what newer ones that they depend on have
# deprecated, which says nothing about veridag: the tests with the newest versions treat such warnings as errors.
test-lowest: $(READY)-slow
	@echo "== The lowest versions that pyproject.toml allows: compiles the core, fast Python tests and those of Dask (4 minutes the first time, then 2)"
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-lowest
	$(INDEX) $(LOWEST_PIP) --resolution lowest-direct --requirement pyproject.toml --extra test --extra cluster
	MAKEFLAGS= PATH="$(CURDIR)/$(LOWEST):$$PATH" $(LOWEST_PIP) --no-deps --no-build-isolation --config-settings=build-dir=build/lowest .
	$(LOWEST)/pytest -q -n $(JOBS) -W ignore::DeprecationWarning --hypothesis-profile=check -m "not medium and not slow" --ignore=tests/project
	$(LOWEST)/pytest -q -n $(JOBS) -W ignore::DeprecationWarning tests/study/test_cluster.py

fuzz: $(READY)-test
	@echo "== Random inputs for every reader and algorithm, for $(MINUTES) minutes"
	PYTHONPATH=tests $(BIN)/python -m fuzz.forever $(MINUTES)

mutants: cpp-tests
	@echo "== Mutants: every test that is named in tests/mutants must fail with its mutant"
	PATH="$(CURDIR)/$(BIN):$$PATH" PYTHONPATH=tests $(BIN)/python -m mutants.run --every $(EVERY) --jobs $(JOBS)

lint: $(READY)-test
	@echo "== Lint, types and import rules (20 seconds)"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(BIN)/python docs/_prose/lint_prose.py

tidy: $(READY)-slow
	@echo "== clang-tidy over the core (1 minute)"
	$(CMAKE) -S . -B build/tidy -G Ninja -DVERIDAG_MODULE=OFF -DVERIDAG_UNITY=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON > /dev/null
	printf '%s\n' $(filter-out src/core/bind/%,$(filter %.cpp,$(CORE))) | xargs -P $(JOBS) -n 2 $(BIN)/clang-tidy -p build/tidy --quiet

cpp-tests: $(READY)-test
	@echo "== C++ unit tests, with the library that the installation compiled (30 seconds the first time)"
	$(CMAKE) --build $(BUILD) --target core_tests > /dev/null
	$(BUILD)/core_tests
	$(BUILD)/core_tests --out-of-memory 20

docs: $(READY)-docs
	@echo "== Documentation site into build/docs; any warning fails it; it runs the code of the figures (1 to 2 minutes)"
	rm -rf build/docs
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --fresh-env --jobs $(JOBS) docs build/docs
	@echo "== Done. Open build/docs/index.html in a browser."

examples: $(READY)-test
	@echo "== Runs the pages that show an output, or those in PAGES, and writes the outputs anew"
	$(BIN)/python docs/_ext/examples.py $(PAGES)

sanitize: $(READY)-test
	@echo "== C++ unit tests with address and undefined-behaviour sanitizers (3 minutes the first time)"
	$(CMAKE) $(WITHOUT_PYTHON) -DVERIDAG_SANITIZE=address -B build/sanitize > /dev/null
	$(CMAKE) --build build/sanitize --target core_tests > /dev/null
	build/sanitize/core_tests
	build/sanitize/core_tests --out-of-memory 20

# Those tests of the core that use several threads, by their names: all of them would take ten times as long.
WITH_THREADS := thread stop interrupt caller bounds_save_work
# The interpreter has no sanitizer in it, so the library is loaded before it.
sanitize-threads: $(READY)-test
	@echo "== C++ unit tests with threads, and all that works in threads from Python, with the thread sanitizer (3 minutes the first time)"
	$(CMAKE) -G Ninja -S . -DVERIDAG_SANITIZE=thread -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python -B build/threads > /dev/null
	$(CMAKE) --build build/threads --target core_tests _core > /dev/null
	build/threads/core_tests $(WITH_THREADS)
	LD_PRELOAD=$$($${CXX:-c++} -print-file-name=libtsan.so) $(BIN)/python tests/races.py $(CURDIR)/build/threads/_core*.so

bench: .venv-bench/.ready
	@echo "== Benchmarks against peers from the package registry, in .venv-bench"
	for script in benchmarks/*.py; do echo "-- $$script"; $(BENCH)/python $$script; done

differential: .venv-bench/.ready
	@echo "== Random inputs for veridag and its peers, $(ROUNDS) times 2 minutes"
	PYTHONPATH=tests $(BENCH)/python -m peers.run $(ROUNDS)

.venv-bench/.ready: pyproject.toml CMakeLists.txt $(CORE) $(shell find src/veridag -name '*.py*')
	@echo "== Setting up .venv-bench: installs veridag with its peers (several minutes)"
	test -x $(BENCH)/python || $(PYTHON) -m venv .venv-bench
	$(BENCH)/python -m pip install --quiet --disable-pip-version-check '.[bench]'
	touch $@

# A package has the same version in all lists: that of the longest one.
lock: $(READY)-slow
	@echo "== The newest versions of all packages into $(LOCKS)/, with hashes (half a minute)"
	$(COMPILE) pyproject.toml --extra test --extra slow --output-file $(LOCKS)/slow.txt
	printf '%s\n' $(BUILD_TOOLS) | $(COMPILE) - --constraint $(LOCKS)/slow.txt --output-file $(LOCKS)/build.txt
	$(COMPILE) pyproject.toml --constraint $(LOCKS)/slow.txt --output-file $(LOCKS)/base.txt
	$(COMPILE) pyproject.toml --extra test --constraint $(LOCKS)/slow.txt --output-file $(LOCKS)/test.txt
	$(COMPILE) pyproject.toml --extra docs --constraint $(LOCKS)/slow.txt --output-file $(LOCKS)/docs.txt

trust-model: $(READY)-test
	@echo "== The model of vd.assess: 780 samples of known networks, then the fit (20 to 30 minutes)"
	.venv/bin/veridag study run trust --store trust.sqlite
	.venv/bin/python benchmarks/trust.py --store trust.sqlite --refit

stub: $(READY)-test
	$(BIN)/python -m nanobind.stubgen -m veridag._core -o src/veridag/_core.pyi

clean:
	rm -rf .venv .venv-bench .venv-lowest build dist demo .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
