# run: start the app · test: unit, flow and page tests · coverage · lint · bench: speed as ratios · browser: Chromium journeys · shots: screenshots · licences: of all dependencies · lock: requirements.lock
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python

.PHONY: all run test test-all coverage lint bench browser shots licences lock clean

all: lint test

$(VENV)/.app: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.dev: $(VENV)/.app requirements-dev.txt
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

run: $(VENV)/.app
	@$(PY) -m bertsent.ui.serve

test: $(VENV)/.dev
	$(PY) -m pytest -n auto --dist loadfile -m "not slow and not browser and not machines"

test-all: $(VENV)/.dev
	$(PY) -m pytest -m "not browser and not machines"

coverage: $(VENV)/.dev
	$(PY) -m pytest -n auto --dist loadfile -m "not slow and not browser and not machines" --cov=bertsent --cov-report=term:skip-covered

browser: $(VENV)/.dev
	$(PY) -m pytest -m browser tests/browser

lint: $(VENV)/.dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

bench: $(VENV)/.dev
	$(PY) -m tests.benchmarks

shots: $(VENV)/.dev
	$(PY) -m tests.browser.shots

licences: $(VENV)/.dev
	$(VENV)/bin/pip-licenses --from=mixed --with-system --order=license --with-urls --format=markdown

# of the container: Python 3.11 on Linux, PyTorch for a processor
lock: $(VENV)/.dev
	$(VENV)/bin/uv pip compile requirements.txt --generate-hashes --no-annotate --quiet \
		--python-version 3.11 --python-platform x86_64-manylinux_2_28 \
		--custom-compile-command "make lock" --output-file requirements.lock \
		$(if $(UV_FIND_LINKS),,--torch-backend cpu)

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .mypy_cache build dist
