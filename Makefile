# MAIA. `make run` starts it, `make test` tests it; `make help` lists the rest.
PYTHON ?= python3
VENV := .venv/bin
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run worker setup dev system test check format fresh chaos soak bench peers vendor clean

help: ## what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

setup:
	@$(PYTHON) -m tools.bootstrap run

dev:
	@$(PYTHON) -m tools.bootstrap dev

run: setup ## set up what is missing and start the server (MAIA_HOST, MAIA_PORT, MAIA_DATA)
	@exec $(VENV)/python manage.py serve

worker: setup ## start a worker for turns (needs DATABASE_URL, REDIS_URL and MAIA_BROKER_URL)
	@exec $(VENV)/python manage.py worker

system: ## install what the tests need from the system, where this account may
	@bash tools/system.sh

test: dev system ## run every test, those in the browser included
	@bash tools/test.sh

fresh: ## run `make run` and `make test` on a bare Debian 12 made for it (needs root)
	@bash tools/fresh.sh

check: dev ## format, lint, types, layers, migrations, generated files, vendored files
	@bash tools/check.sh

format: dev ## put the code into its one format
	@$(VENV)/ruff format && $(VENV)/ruff check --fix && bash tools/front.sh format

chaos: dev system ## ten minutes of kill -9 and worse on both stacks; BLOWS= on each, SEED=
	@$(VENV)/python -m tests.resilience.chaos --blows $(or $(BLOWS),0) --seed $(or $(SEED),0)

soak: dev system ## half an hour of use (MINUTES=): memory, files and threads must not grow
	@$(VENV)/python -m tests.resilience.chaos.soak --minutes $(or $(MINUTES),30)

bench: ## measure speed beside others; ROUNDS=5; with Chainlit: make bench peers
	@$(PYTHON) -m tools.bootstrap bench
	@$(VENV)/python -m bench --rounds $(or $(ROUNDS),5) $(if $(filter peers,$(MAKECMDGOALS)),--peers)

peers: bench
	@:

vendor: ## build static/vendor/ anew from vendor/
	@bash tools/vendor.sh build

clean: ## remove what was built (data/ stays)
	@rm -rf .venv .uv .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache vendor/node_modules
	@find . -name __pycache__ -type d -not -path './data/*' -prune -exec rm -rf {} +
