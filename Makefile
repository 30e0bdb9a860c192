# Every target sets up what it needs. Wanted: Python >= 3.11, make, a C++20 compiler, package registries.
#
#   make demo         a selection among 306 columns, with its report page
#   make test         all quick tests: C++ core, C++ core under sanitizers, Python, examples in docstrings
#   make test-core    the C++ core alone
#   make test-sanitize  the C++ core under the address and undefined-behaviour sanitizers
#   make test-threads  the C++ core under the thread sanitizer: the tests that use threads
#   make test-sanitize-python  the extension under the sanitizers, with some of the Python tests
#   make test-python  the quick Python tests
#   make doctest      the examples in the docstrings
#   make test-weekly  the long forms of quick tests: more kills, the demo, all figures, the authors' data
#   make soak         half an hour of kills, full disks, damaged files and double runs, SOAK_SECONDS
#   make test-stat    the long statistical tests of the sampler
#   make coverage     lines of the C++ core and of the Python package that the quick tests reach
#   make fuzz         random input to the sampler and to the readers of files, FUZZ_SECONDS each
#   make test-peers   agreement with stochtree and bartz, draws made of their fits and pymc-bart's (installs them)
#   make bench-peers  speed against stochtree and bartz (installs them)
#   make bench-methods  what a method costs beyond its fits, and against stochtree
#   make bench-startup  how long the package and its command line take to start
#   make bench-smoke  a small part of the paper's study, a few minutes
#   make bench-prediction  accuracy and speed of predictions against stochtree (installs it)
#   make lint         style and types of Python and C++
#   make format       rewrite Python and C++ in the project's style
#   make docs         the documentation, into build/docs
#   make pictures     the pictures of README and docs/development, into docs/pictures
#   make wheel        source distribution and wheel, tested in an empty environment
#   make clean        remove everything that make made
#
# Settings: PYTHON (python3), VENV (.venv), WERROR=ON (compiler warnings are errors), JOBS (2, test processes),
# FUZZ_SECONDS (600), SOAK_SECONDS (1800)

PYTHON ?= python3
VENV ?= .venv
WERROR ?= OFF
JOBS ?= 2
FUZZ_SECONDS ?= 600
SOAK_SECONDS ?= 1800

BIN := $(VENV)/bin
PY := $(BIN)/python
PIP := $(PY) -m pip --disable-pip-version-check -q
PYTEST := $(PY) -m pytest
CMAKE := $(BIN)/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja)
CMAKE_CORE := $(CMAKE) -DBAYESVC_BUILD_PYTHON=OFF -DBAYESVC_BUILD_TESTS=ON
CMAKE_PYTHON := $(CMAKE) -DPython_EXECUTABLE=$(abspath $(PY))

# Directories are listed too: they change when a file goes.
PACKAGE_SOURCES := pyproject.toml CMakeLists.txt README.md LICENSE \
	$(shell find cpp bind src -not -name '*.py[co]' -not -name __pycache__ -not -path 'cpp/tests*')
CPP_FILES = $(shell find cpp bind -name '*.cpp' -o -name '*.hpp')

# What runs the extension through every part that handles memory, without taking long.
EXTENSION_TESTS := tests/core/test_same_bits.py tests/core/test_limits.py tests/data/test_messy.py \
	tests/sampling/test_sample.py tests/draws/test_draws.py tests/draws/test_prediction.py \
	tests/explain/test_shares.py tests/thresholds/test_linkage.py

.PHONY: help demo test test-core test-sanitize test-threads test-sanitize-python \
	sanitized-extension test-python doctest coverage coverage-core coverage-python fuzz soak test-weekly test-stat test-peers bench-peers \
	bench-prediction bench-methods bench-startup bench-smoke docs pictures lint format wheel clean

help:
	@sed -n '/^#   make/s/^#   //p' Makefile

# ---- set-up --------------------------------------------------------------------
$(VENV)/.build-tools: pyproject.toml
	$(PYTHON) -c 'import sys; sys.version_info < (3, 11) and sys.exit(f"bayesvc needs Python 3.11 or later, {sys.executable} is {sys.version.split()[0]}: use make PYTHON=...")'
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	$(PY) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' > $@.txt
	$(PIP) install -r $@.txt cmake ninja
	touch $@

# Not editable, so that what is tested is what a wheel holds; the kept build directory makes it quick.
$(VENV)/.package: $(VENV)/.build-tools $(PACKAGE_SOURCES)
	$(PIP) install --no-build-isolation -C build-dir=build/python .
	touch $@

$(VENV)/.dev: $(VENV)/.package pyproject.toml
	$(PIP) install 'bayesvc[dev]'
	touch $@

$(VENV)/.coverage: $(VENV)/.dev pyproject.toml
	$(PIP) install 'bayesvc[coverage]'
	touch $@

$(VENV)/.fuzz: $(VENV)/.dev pyproject.toml
	$(PIP) install 'bayesvc[fuzz]'
	touch $@

$(VENV)/.peers: $(VENV)/.dev pyproject.toml
	$(PIP) install 'bayesvc[peers]'
	$(PIP) install --no-deps ISLP==0.6.0  # tables to predict; what it depends on is not needed
	touch $@

# ---- use -----------------------------------------------------------------------
bench-smoke: $(VENV)/.dev
	$(PY) -m bayesvc bench run --grid smoke --out build/bench-smoke
	$(PY) -m bayesvc bench table build/bench-smoke

demo: $(VENV)/.package
	$(PIP) install 'bayesvc[cli,plot,report]'
	rm -rf build/demo
	$(PY) -m bayesvc demo --out build/demo

test: test-core test-sanitize test-python doctest
	@echo '==> make test: all passed'

test-core: $(VENV)/.build-tools
	@echo '==> C++ core'
	$(CMAKE_CORE) -B build/core -DBAYESVC_WERROR=$(WERROR)
	$(BIN)/cmake --build build/core
	$(BIN)/ctest --test-dir build/core --output-on-failure --no-tests=error

test-sanitize: $(VENV)/.build-tools
	@echo '==> C++ core under the address and undefined-behaviour sanitizers'
	$(CMAKE_CORE) -B build/sanitize -DBAYESVC_SANITIZE=address,undefined
	$(BIN)/cmake --build build/sanitize
	UBSAN_OPTIONS=print_stacktrace=1 \
	$(BIN)/ctest --test-dir build/sanitize --output-on-failure --no-tests=error

test-threads: $(VENV)/.build-tools
	@echo '==> C++ core under the thread sanitizer'
	$(CMAKE_CORE) -B build/threads -DBAYESVC_SANITIZE=thread
	$(BIN)/cmake --build build/threads
	TSAN_OPTIONS=halt_on_error=1 build/threads/core_tests thread

# The package beside its sources: build/<name>/path/bayesvc holds links to them and to the extension.
define link_package
	rm -rf build/$(1)/path
	mkdir -p build/$(1)/path/bayesvc
	ln -s $(CURDIR)/src/bayesvc/* $(CURDIR)/build/$(1)/_core.* build/$(1)/path/bayesvc
endef

# Python is not built with the sanitizers, so their library is loaded before it; so is that of C++,
# where the sanitizer looks for what throws exceptions. What Python itself never frees is no leak.
SANITIZED := PYTHONPATH=$(CURDIR)/build/sanitize/path \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)"

# In the folder of `make test-sanitize`, so that the core is compiled once for both.
sanitized-extension: $(VENV)/.dev
	$(CMAKE_PYTHON) -B build/sanitize -DBAYESVC_BUILD_PYTHON=ON -DBAYESVC_SANITIZE=address,undefined
	$(BIN)/cmake --build build/sanitize --target _core
	$(call link_package,sanitize)

test-sanitize-python: sanitized-extension
	@echo '==> Python tests of the extension under the address and undefined-behaviour sanitizers'
	$(SANITIZED) $(PYTEST) -q -p no:cacheprovider --timeout=1200 $(EXTENSION_TESTS) \
		--deselect tests/core/test_limits.py::test_no_birth_beyond_the_last_leaf_id  # takes minutes

test-python: $(VENV)/.dev
	@echo '==> Python tests'
	$(PYTEST) -q -n $(JOBS)

doctest: $(VENV)/.dev
	@echo '==> Examples in docstrings'
	$(PYTEST) -q -c pyproject.toml -W "ignore::bayesvc.exceptions.BayesvcWarning" \
		--doctest-modules --pyargs bayesvc

# The tests that run the extension through its parts are enough for C++: without optimisation it is slow.
COVERAGE_FLAGS := --coverage -fprofile-update=atomic
coverage: coverage-core coverage-python

coverage-core: $(VENV)/.coverage
	@echo '==> Lines of C++ that its own tests and those of the extension reach'
	$(CMAKE_PYTHON) -B build/coverage -DBAYESVC_BUILD_TESTS=ON -DCMAKE_BUILD_TYPE=Debug \
		-DCMAKE_CXX_FLAGS='$(COVERAGE_FLAGS)'
	$(BIN)/cmake --build build/coverage
	find build/coverage -name '*.gcda' -delete
	build/coverage/core_tests
	$(call link_package,coverage)
	PYTHONPATH=$(CURDIR)/build/coverage/path $(PYTEST) -q -n $(JOBS) -p no:cacheprovider --timeout=1200 \
		$(EXTENSION_TESTS)
	$(BIN)/gcovr --root . --filter 'cpp/(?!tests)' --filter bind/ build/coverage \
		--gcov-ignore-parse-errors=all --txt build/coverage/cpp.txt --print-summary

coverage-python: $(VENV)/.coverage
	@echo '==> Lines of Python that the quick tests reach'
	$(PYTEST) -q -n $(JOBS) --cov=bayesvc --cov-config=pyproject.toml --cov-report=term-missing:skip-covered

# Without the sanitizers, which libFuzzer cannot watch beside Python; then with them what was found.
fuzz: $(VENV)/.fuzz sanitized-extension
	mkdir -p build/fuzz
	for name in sample files tables; do \
		$(PY) fuzz/fuzz_$$name.py -max_total_time=$(FUZZ_SECONDS) -timeout=120 -len_control=0 \
			-rss_limit_mb=4000 -print_final_stats=1 -artifact_prefix=build/fuzz/$$name- \
			build/fuzz/$$name || exit 1; \
	done
	$(SANITIZED) $(PY) fuzz/fuzz_sample.py replay $(FUZZ_SECONDS) build/fuzz/sample
	$(SANITIZED) $(PY) fuzz/fuzz_files.py replay $(FUZZ_SECONDS) build/fuzz/files

soak: $(VENV)/.dev
	$(PY) soak/soak.py --seconds $(SOAK_SECONDS)

test-weekly: $(VENV)/.dev
	@echo '==> Long forms of quick tests'
	$(PYTEST) -q -m weekly -n $(JOBS) --timeout=1200

test-stat: $(VENV)/.dev
	$(PYTEST) -m stat -n $(JOBS) --timeout=3600 --durations=10

test-peers: $(VENV)/.peers
	$(PYTEST) -m peers --timeout=3600

bench-peers: $(VENV)/.peers
	$(PY) benchmarks/peers.py

bench-prediction: $(VENV)/.peers
	$(PY) benchmarks/prediction.py

bench-methods: $(VENV)/.peers
	$(PY) benchmarks/methods.py

bench-startup: $(VENV)/.dev
	$(PY) benchmarks/startup.py

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	PYTHONPATH=src $(BIN)/lint-imports --no-cache
	$(PY) scripts/check_phrases.py
	$(BIN)/clang-format --dry-run -Werror $(CPP_FILES)

format: $(VENV)/.dev
	$(BIN)/ruff check --fix --select I
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(CPP_FILES)

docs: $(VENV)/.dev
	$(PIP) install 'bayesvc[docs]'
	$(PIP) install --no-deps ISLP==0.6.0  # a data set of the gallery; what it depends on is not needed
	$(PY) -m sphinx -W --keep-going -b html docs build/docs
	@echo '==> build/docs/index.html'

pictures: $(VENV)/.dev
	$(PY) docs/pictures/make.py
	$(PY) docs/pictures/walk.py

wheel: $(VENV)/.build-tools
	scripts/build_wheel_check.sh $(PY)

clean:
	rm -rf $(VENV) build dist .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find src tests benchmarks scripts -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
