# make demo and make test are all a newcomer needs: they set up what is missing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MERMAID := 11.6.0
AXE := 4.14.0
# Compiled modules are kept even where the environment forbids it: without them the programs that the tests start
# compile all of the package anew, each time.
export PYTHONDONTWRITEBYTECODE =
# The tests write where files lie in memory, if there is room: on a disk, half of their time is waiting for it.
IN_MEMORY := $(shell df --output=avail /dev/shm 2>/dev/null | awk 'NR == 2 && $$1 > 4000000 {print "TMPDIR=/dev/shm"}')
GENERATED := README.md docs/quickstart.md docs/guides/*.md docs/clients/*.md docs/reference/*.md

ON_POSTGRES := tests/adapters tests/hooks tests/remote $(addprefix tests/interfaces/test_,api.py cli.py mcp.py)

.PHONY: help demo check test again coverage lint bench quality prove docs screenshots site hooks model clean

help: ## list these targets
	@grep -hE '^[a-z]+:.* ## ' $(MAKEFILE_LIST) | sed -E 's/:.* ## /\t/' | expand -t 12

demo: $(VENV)/demo.stamp ## show the main job on a temporary memory
	@$(BIN)/scrubjay demo

test: export PYTHONHASHSEED = 0
test: $(VENV)/test.stamp $(VENV)/browser.stamp ## run the whole suite
	$(IN_MEMORY) $(BIN)/python -m pytest -n 2 --dist worksteal --durations=10 --durations-min=10

again: export PYTHONHASHSEED = 0
again: ## run once more, alone, the tests that failed last
	$(IN_MEMORY) $(BIN)/python -m pytest --last-failed --last-failed-no-failures none -rA

check: export PYTHONHASHSEED = 0
check: $(VENV)/test.stamp $(VENV)/browser.stamp ## run the quick tests only, in about a minute
	$(IN_MEMORY) $(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow"

lint: $(VENV)/test.stamp ## check style, types and generated docs
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/cog -I . --check $(GENERATED)

bench: $(VENV)/bench.stamp ## measure speed, beside rivals in the same run
	$(BIN)/python -m bench.speed --docs
	$(BIN)/python -m bench.serving --docs
	$(BIN)/python -m bench.load --docs
	$(BIN)/python -m bench.syncing --docs
	$(BIN)/python -m bench.outage --docs
	$(BIN)/python -m bench.hooks --docs
	$(BIN)/python -m bench.moving --docs
	$(BIN)/python -m bench.postgres --docs
	$(BIN)/python -m bench.citations --docs
	$(BIN)/python -m bench.adapters --docs
	$(BIN)/python -m bench.codes --docs
	$(BIN)/python -m bench.variations --sizes 10000,100000 --rival
	$(BIN)/python -m bench.growth --docs

quality: $(VENV)/bench.stamp ## measure how well it finds
	$(BIN)/python -m bench.quality --docs
	$(BIN)/python -m bench.leave_out --docs
	$(BIN)/python -m bench.precision --docs
	$(BIN)/python -m bench.designs --docs
	$(BIN)/python -m bench.fit --docs
	$(BIN)/python -m bench.guard --docs
	$(BIN)/python -m bench.updates --docs
	$(BIN)/python -m bench.chunking --docs
	$(BIN)/python -m bench.extract --docs
	$(BIN)/python -m bench.dates --docs
	$(BIN)/python -m bench.timely --docs
	$(BIN)/python -m bench.kinds --docs
	$(BIN)/python -m bench.instruction_weights --docs

coverage: export PYTHONHASHSEED = 0
coverage: $(VENV)/test.stamp $(VENV)/browser.stamp ## run the whole suite and count the lines that it runs, which takes half as long again
	$(IN_MEMORY) $(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report=term:skip-covered

prove: $(VENV)/prove.stamp ## run the slow proofs: real clients, crashes, load, random search
	$(BIN)/python -m pytest -n 2 -p tests.conftest prove
	$(BIN)/python -m pytest -n 2 -m "hypothesis or thorough" --hypothesis-profile=random
	$(BIN)/python -m pytest -n 2 --store=postgres $(ON_POSTGRES)

docs: $(VENV)/test.stamp ## write the generated parts of the docs, the plugins and the types of the awaited memory
	$(BIN)/cog -I . -r $(GENERATED)
	$(BIN)/python -m tools.make_plugins
	$(BIN)/python -m tools.make_async_stub

screenshots: $(VENV)/test.stamp $(VENV)/browser.stamp ## make the pictures of the page in the docs
	PAGE_SCREENSHOTS=$(VENV)/pictures $(BIN)/python -m pytest -q tests/interfaces/page/test_page_looks.py
	cd $(VENV)/pictures && cp today-light.png search-light.png memory-dark.png timeline-light.png $(CURDIR)/docs/pictures

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
	$(BIN)/pip install --quiet --group test --group adapters --group lint --group bench
	@touch $@

# The browser of the tests of the page, from the system's packages, and what finds barriers in a page.
$(VENV)/browser.stamp: $(VENV)/test.stamp
	command -v chromium chromium-browser google-chrome >/dev/null || \
		(apt-get update --quiet && apt-get install --yes --quiet chromium) || \
		echo "The tests of the page need Chromium or Chrome; install one."
	mkdir -p $(VENV)/axe
	cd $(VENV)/axe && tar -xzf "$$(npm pack --silent axe-core@$(AXE))"
	@touch $@

$(VENV)/bench.stamp: $(VENV)/test.stamp
	$(BIN)/pip install --quiet --group adapters --group model # together: AutoGen and onnx must agree about protobuf
	@touch $@

$(VENV)/site.stamp: $(VENV)/test.stamp
	$(BIN)/pip install --quiet --group site
	mkdir -p $(VENV)/mermaid
	cd $(VENV)/mermaid && tar -xzf "$$(npm pack --silent mermaid@$(MERMAID))"
	@touch $@

$(VENV)/prove.stamp: $(VENV)/bench.stamp
	$(BIN)/pip install --quiet --group prove
	command -v etcd >/dev/null || (apt-get update --quiet && apt-get install --yes --quiet etcd-server) || \
		echo "The proof with Patroni needs etcd; install it."
	@touch $@
