# Everything happens in .venv, made with PYTHON; a target installs what it needs the first time it is asked for.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
META := pyproject.toml setup.py
# Else each of the many processes of the tests compiles gblint anew: tests/cli takes 54 s of processor time instead of 31.
export PYTHONDONTWRITEBYTECODE :=
LAYOUT := build/layout
NPM := build/npm

.PHONY: help demo test test-slow test-pythons compiled check-compiled check-wheel check-release wheels release rule new-rule lint frozen accuracy format docs clean

help:
	@echo 'make demo      install gblint and scan the example project'
	@echo 'make test      install torch and run the test suite without its slow tests'
	@echo 'make test-slow the tests that are marked as slow'
	@echo 'make test-pythons  the tests that need no torch, on every Python that is found (or PYTHONS=...)'
	@echo 'make compiled  a wheel with the interpreter translated to C, and the tests that need no torch run with it'
	@echo 'make check-compiled  that wheel built from a copy in a new environment: number of modules, and the findings'
	@echo 'make check-wheel  the wheel of plain Python built, checked by twine, installed without torch, and tried on the demo'
	@echo 'make check-release  the wheels of plain Python and compiled, built and tested with every Python that is found'
	@echo 'make release VERSION=0.2.0  the changelog entry, the version and the tag, in one commit; ARGS=--dry-run shows it'
	@echo 'make rule CODE=GBL101  gblint and Dynamo on all examples and fixes of one rule'
	@echo 'make new-rule CODE=GBL432 NAME=my-rule FAMILY=untraceable_calls  the files of a new rule, to be filled in'
	@echo 'make wheels    all of a release: compiled wheels of this platform, one of plain Python, the source'
	@echo 'make lint      ruff, mypy, mypyc, import-linter, the checks of tools/structure'
	@echo 'make frozen    lint fixed sources and check that no finding has changed'
	@echo 'make accuracy  compare the findings with recorded graph breaks, and the accuracy with the baseline'
	@echo 'make format    put the code into the shape that make lint asks for'
	@echo 'make docs      build the documentation into site/'
	@echo 'make clean     remove what these made'

# Findings are what the demo is about: with --exit-zero they are no failure of make.
demo: $(VENV)/.installed
	cd examples/demo && $(abspath $(BIN))/gblint check --exit-zero .

# Each process runs whole files, since the tests of a file share what Dynamo said; ARGS="-n 0 ..." runs them in one.
WORKERS ?= 2
test: $(VENV)/.test
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m 'not slow' $(ARGS)

test-slow: $(VENV)/.test
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m slow $(ARGS)

rule: $(VENV)/.test
	$(BIN)/python -m tools.rule_index
	$(BIN)/python -m pytest tests/rules -k $(CODE) $(ARGS)

new-rule: $(VENV)/.installed
	$(BIN)/python -m tools.new_rule $(CODE) $(NAME) $(FAMILY)

# Dynamo judges with one Python only; all else has to hold on each.
PYTHONS ?= $(shell $(PYTHON) -m tools.pythons)
WITHOUT_TORCH := --ignore tests/confirm --ignore tests/knowledge --ignore tests/packaging -k 'not dynamo and not oracle'

test-pythons:
	@for python in $(PYTHONS); do \
	  $$python --version || exit 1; \
	  place=$(abspath $(VENV))-$$($$python -c 'import sys; print(*sys.version_info[:2], sep=".")'); \
	  $$python -m venv $$place && $$place/bin/python -m pip install --quiet --disable-pip-version-check --editable . \
	    $$(sed -n '/^test = \[/,/^\]/s/^ *"\(.*\)",$$/\1/p' pyproject.toml | grep -v -e ^torch= -e ^playwright | tr -d ' ') || exit 1; \
	  $$place/bin/python -m pytest $(WITHOUT_TORCH) $(ARGS) || exit 1; \
	done

# The tests run in a folder of links to all but the package itself: so it is the wheel that they see.
SUITE := build/suite
COMPILED := $(abspath $(VENV))-compiled
compiled:
	rm -rf build/compiled dist/compiled $(COMPILED)
	$(PYTHON) -m venv $(COMPILED)
	GBLINT_USE_MYPYC=1 $(COMPILED)/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist/compiled .
	$(COMPILED)/bin/python -m pip install --quiet --disable-pip-version-check dist/compiled/*.whl \
	  $$(sed -n '/^test = \[/,/^\]/s/^ *"\(.*\)",$$/\1/p' pyproject.toml | grep -v -e ^torch= -e ^playwright | tr -d ' ')
	$(COMPILED)/bin/gblint --version
	rm -rf $(SUITE) && mkdir -p $(SUITE)
	ln -s $(filter-out %/gblint %/build,$(wildcard $(CURDIR)/*)) $(SUITE)/
	cd $(SUITE) && PYTHONSAFEPATH=1 $(COMPILED)/bin/python -m pytest $(WITHOUT_TORCH) $(ARGS)

check-compiled: $(VENV)/.test
	$(BIN)/python -m compiled.check $(ARGS)

check-wheel: $(VENV)/.installed
	$(BIN)/python -m tools.check_wheel $(ARGS)

# Of each kind, for each Python that is found, built by pip from the source archive; most of an hour on two cores.
check-release: $(VENV)/.installed
	$(BIN)/python -m tools.check_wheel --all-pythons --tests $(ARGS)
	$(BIN)/python -m tools.check_wheel --all-pythons --tests --compiled $(ARGS)

release: $(VENV)/.installed
	$(BIN)/python -m tools.release $(VERSION) $(ARGS)

# On Linux cibuildwheel wants Docker or Podman.
wheels: | $(BIN)/python
	rm -rf dist/wheels
	$(PIP) build cibuildwheel
	$(BIN)/python -m build --outdir dist/wheels .
	$(BIN)/python -m cibuildwheel --output-dir dist/wheels .

# mypyc checks the types for the Python that it builds for, whose standard library may have other signatures.
TYPED := 3.10 3.12 3.14
# gblint.rules lies in rules/: mypy and import-linter look at a folder of links with the layout that is installed.
lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	rm -rf $(LAYOUT) && mkdir -p $(LAYOUT)/gblint
	ln -s $(CURDIR)/gblint/* $(LAYOUT)/gblint/
	ln -s $(CURDIR)/rules $(LAYOUT)/gblint/rules
	ln -s $(CURDIR)/tools $(LAYOUT)/tools
	for version in $(TYPED); do (cd $(LAYOUT) && \
	  $(abspath $(BIN))/mypy --config-file $(CURDIR)/pyproject.toml --python-version $$version -p gblint -p tools) || exit 1; done
	$(BIN)/python -m compiled.translate
	cd $(LAYOUT) && $(abspath $(BIN))/lint-imports --config $(CURDIR)/pyproject.toml
	$(BIN)/python -m tools.structure

frozen: $(VENV)/.installed
	$(BIN)/python -m benchmarks.frozen $(ARGS)

accuracy: $(VENV)/.installed
	$(BIN)/python -m benchmarks.accuracy --environment $(VENV)-accuracy --check $(ARGS)
	$(BIN)/python -m benchmarks.frozen --python $(VENV)-accuracy/bin/python --package diffusers --only diffusers

format: $(VENV)/.lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.docs $(NPM)/.installed
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) $(VENV)-accuracy $(VENV)-compiled build dist site *.egg-info

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(META) | $(BIN)/python
	$(PIP) --editable .
	@touch $@

$(VENV)/.test: $(META) | $(BIN)/python
	$(PIP) --editable '.[test]'
	@touch $@ $(VENV)/.installed

$(VENV)/.lint: $(META) | $(BIN)/python
	$(PIP) --editable '.[test,lint]'
	@touch $@ $(VENV)/.installed

$(VENV)/.docs: $(META) | $(BIN)/python
	$(PIP) --editable '.[docs]'
	@touch $@ $(VENV)/.installed

# Without npm or a network the site is built all the same, and its playground page says that it is not part of the build.
$(NPM)/.installed: docs/playground/package-lock.json
	@mkdir -p $(NPM) && cp docs/playground/package.json docs/playground/package-lock.json $(NPM)
	@if npm --prefix $(NPM) ci --silent --ignore-scripts --fetch-retries 1; then touch $@; else \
	  echo 'note: npm could not install the packages of docs/playground: the site has no playground'; fi
