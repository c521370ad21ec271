# Every command of the project. A machine with Python 3.11 or newer and make needs nothing else:
# the virtual environment is made on the first call and renewed when pyproject.toml changes.

VENV   ?= .venv
BIN    := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest

# The first of these that is Python 3.11 or newer.
PYTHONS ?= python3 python3.13 python3.12 python3.11 python3.14 python
PYTHON  ?= $(shell for p in $(PYTHONS); do \
	$$p -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

.DEFAULT_GOAL := help
.PHONY: help install venv demo serve fmt lint types test test-faults test-plans test-e2e bench bench-smoke \
	up down check build clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  \033[1m%-12s\033[0m %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# --- the environment -----------------------------------------------------------------------------

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "mongorecall needs Python 3.11 or newer with venv (tried: $(PYTHONS))"; exit 1; }
	@echo "making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)

# Each set of packages has a stamp; .dev holds everything the others need but the browser.
$(VENV)/.demo: pyproject.toml | $(BIN)/python
	@test -e $(VENV)/.dev || { echo "installing the library, its command line and a mongod"; \
	  $(BIN)/python -m pip install -q --no-compile --disable-pip-version-check -e '.[cli,embedded,fastapi]'; }
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "installing what tests and checks need"
	@$(BIN)/python -m pip install -q --no-compile --disable-pip-version-check -e '.[dev]'
	@touch $@

$(VENV)/.e2e: pyproject.toml $(VENV)/.dev
	@echo "installing what the browser tests need"
	@$(BIN)/python -m pip install -q --no-compile --disable-pip-version-check -e '.[dev,e2e]'
	@touch $@

venv: $(VENV)/.dev

install: $(VENV)/.dev ## make the virtual environment with everything for development

# --- to look at ----------------------------------------------------------------------------------

demo: $(VENV)/.demo ## conversations remembered and recalled on a real MongoDB, in this terminal
	@$(BIN)/mongorecall demo $(ARGS)

serve: $(VENV)/.demo ## the inspector page in a browser
	@$(BIN)/mongorecall serve $(ARGS)

# --- to check ------------------------------------------------------------------------------------

fmt: $(VENV)/.dev ## put the code into its shape
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

lint: $(VENV)/.dev ## style, and which layer may import which
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: $(VENV)/.dev ## mypy, strict
	$(BIN)/mypy src tests $(wildcard examples)

test: $(VENV)/.dev ## all tests, on a real MongoDB and both drivers; fails for a promise without a test
	$(PYTEST) -n 3 --dist loadfile $(ARGS)

test-faults: $(VENV)/.dev ## killed servers, cut connections, lost answers, all of them; QUICK=1 leaves out the long sweeps
	$(PYTEST) tests/faults -m '$(if $(QUICK),not slow)' $(ARGS)

test-plans: $(VENV)/.dev ## search plans against the plain pipeline, over many thousand random searches
	MONGORECALL_PLAN_SEARCHES=$(or $(SEARCHES),20000) $(PYTEST) tests/planning $(ARGS)

test-e2e: $(VENV)/.e2e ## the inspector page in a real browser
	@sh tests/e2e/browser.sh
	$(PYTEST) tests/e2e $(ARGS)

bench: $(VENV)/.dev ## speed against google-adk's service; writes docs/benchmarks
	$(BIN)/python -m tests.benchmarks $(ARGS)

bench-smoke: $(VENV)/.dev ## the same, small; fails when a bar is missed by far
	$(BIN)/python -m tests.benchmarks --smoke $(ARGS)

check: lint types test ## what must pass before a change goes in

# --- the rest ------------------------------------------------------------------------------------

up: ## MongoDB in Docker, on port 27017 of this machine
	@if docker compose version >/dev/null 2>&1; then docker compose up -d mongo; else docker-compose up -d mongo; fi

down: ## stop it; the data stay in their volume
	@if docker compose version >/dev/null 2>&1; then docker compose down; else docker-compose down; fi

build: $(VENV)/.dev ## wheel and sdist into dist/
	@$(BIN)/python -m pip wheel -q --disable-pip-version-check --no-deps -w dist .

clean: ## remove everything that is made here
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
