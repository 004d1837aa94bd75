# Each target sets up what it needs, in .venv beside this file.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help pack test lint types check docs bench bench-full format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

pack: $(VENV)/.installed ## pack this repository for "API reference of the solver" into 8,000 tokens
	$(BIN)/satchel pack . --task api-reference --about "API reference of the solver" --budget 8k

test: $(VENV)/.dev ## run the whole test suite
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: $(VENV)/.dev ## check style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# The folders are mapped to one package when they are installed: types are checked over an installed copy.
types: $(VENV)/.dev ## check types, strictly
	rm -rf build
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --target build/types .
	cd build/types && ../../$(BIN)/mypy --config-file ../../pyproject.toml -p satchel

check: lint types test ## all checks, as CI runs them

docs: $(VENV)/.dev ## write docs/cli.md and the outputs in README.md anew
	$(BIN)/python docs/generate.py

bench: $(VENV)/.dev ## run the benches, quickly: results go to bench/results
	$(BIN)/python -m bench

bench-full: $(VENV)/.dev ## run the benches in full (an hour), and refresh bench/README.md
	$(BIN)/python -m bench --full

format: $(VENV)/.dev ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove what the targets made
	rm -rf build .venv .satchel .mypy_cache .pytest_cache .ruff_cache .hypothesis *.egg-info

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Satchel needs Python 3.11 or newer; name one: make PYTHON=python3.12 ...")'
	@echo "Making $(VENV) and installing what is needed; the first time takes a minute."
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "On Debian and Ubuntu: apt install python3-venv"; exit 1; }

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.installed
