# Two commands do everything, on a machine that has only Python (3.11 or later) and make:
#   make run     set up and start Tengen
#   make test    set up and run every check
# Others: docs, soak, bench, coverage, screenshots, translations, release, lock, clean.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
RUN    := $(VENV)/.installed
TEST   := $(VENV)/.installed-test
CODE   := src tests soak tools examples
# Each further extra is installed once, and again when pyproject.toml changes.
EXTRA  := $(VENV)/.installed-

.PHONY: run test checks lint types layers docs unit soak bench coverage screenshots translations release lock clean chromium
.DELETE_ON_ERROR:

run: $(RUN)
	@$(BIN)/tengen

# Static checks run beside the tests, which now and then wait for browsers and engines.
test: $(TEST) chromium
	@$(MAKE) --no-print-directory -j 2 checks unit

checks: lint types layers docs

lint: $(TEST)
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)

types: $(TEST)
	$(BIN)/mypy

layers: $(TEST)
	$(BIN)/lint-imports

# The documentation site, in site/. Broken links, missing pages and unknown API names are errors.
docs: $(TEST)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

unit: $(TEST) chromium
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

# Kills, fuzzing and load: bounded in time, too long for every commit. Enter the results in docs/measurements/soak.md.
soak: $(EXTRA)soak chromium
	$(BIN)/pytest -n 0 soak

# The tests of the web app drive a real browser.
chromium:
	@for name in "$$TENGEN_CHROMIUM" chromium chromium-browser google-chrome; do command -v "$$name" >/dev/null 2>&1 && exit 0; done; false \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq \
	       && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; } \
	  || { echo "The tests of the web app need Chromium: apt-get install chromium, or name one in TENGEN_CHROMIUM."; exit 1; }

bench: $(RUN)
	$(BIN)/tengen bench

# Lines run by the tests, without a required percentage. Compiled kernels count only where tests run them as Python.
coverage: $(EXTRA)coverage chromium
	$(BIN)/pytest -n 2 --dist loadfile --cov --cov-report=term --cov-report=html

# The pictures in docs/images, taken from the running apps.
screenshots: $(TEST) chromium
	$(BIN)/python tools/screenshots.py

# The catalogues in src/tengen/locale: new messages are added, unused ones dropped, missing translations listed.
translations: $(TEST)
	$(BIN)/python tools/translations.py

# Wheel and sdist in dist/, checked, and each installed and tried in a fresh environment.
release: $(EXTRA)release
	$(BIN)/python tools/release.py

# uv.lock, after a change of dependencies in pyproject.toml. Needs uv.
lock:
	uv lock

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage* htmlcov site dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Tengen needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(RUN): $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(TEST): $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,docs]'
	@touch $@ $(RUN)

$(EXTRA)%: $(TEST)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,docs,$*]'
	@touch $@
