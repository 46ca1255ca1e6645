# Two commands do everything, on a machine that has only Python (3.11 or later) and make:
#   make run     set up and start Tengen
#   make test    set up and run every check
# The rest is for convenience.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
RUN    := $(VENV)/.installed
TEST   := $(VENV)/.installed-test
SOAK   := $(VENV)/.installed-soak

.PHONY: run test checks lint types layers unit soak bench clean chromium
.DELETE_ON_ERROR:

run: $(RUN)
	@$(BIN)/tengen

# What reads the sources runs beside the tests, which wait for browsers and engines now and then.
test: $(TEST) chromium
	@$(MAKE) --no-print-directory -j 2 checks unit

checks: lint types layers

lint: $(TEST)
	$(BIN)/ruff check src tests soak
	$(BIN)/ruff format --check src tests soak

types: $(TEST)
	$(BIN)/mypy

layers: $(TEST)
	$(BIN)/lint-imports

unit: $(TEST) chromium
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

# Kills, fuzzing and load: bounded in time, too long for every commit. Results go to docs/measurements/soak.md by hand.
soak: $(SOAK) chromium
	$(BIN)/pytest -n 0 soak

# The tests of the web app drive a real browser.
chromium:
	@for name in "$$TENGEN_CHROMIUM" chromium chromium-browser google-chrome; do command -v "$$name" >/dev/null 2>&1 && exit 0; done; false \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq \
	       && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } \
	  || { echo "The tests of the web app need Chromium: apt-get install chromium, or name one in TENGEN_CHROMIUM."; exit 1; }

bench: $(RUN)
	$(BIN)/tengen bench

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Tengen needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(RUN): $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(TEST): $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@ $(RUN)

$(SOAK): $(TEST)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,soak]'
	@touch $@
