# Two commands do all the set-up they need:  make demo   make test
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SINGLE_CELL := $(VENV)-single-cell
LIGHT := $(VENV)-light
WORKERS ?= auto
VERBS := compare explain diff table report demo sweep relabel track browse decisions check matrix consensus draw estimate pairs measures schema chance axioms reproduce

.PHONY: demo test lint types unit light weight single-cell slow coverage snapshots fuzz journeys floors package lock bench interval-coverage docs pages conditions pictures stub experiments command format clean

demo: $(VENV)/.installed
	$(BIN)/clusterdiff demo

test: lint
	$(MAKE) -j2 types unit single-cell light

lint: $(VENV)/.developed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.developed
	$(BIN)/mypy

unit: $(VENV)/.developed
	$(BIN)/python -m pytest -n $(WORKERS)

single-cell: $(SINGLE_CELL)/.installed
	$(SINGLE_CELL)/bin/python -m pytest -p no:cacheprovider tests/journeys/test_single_cell.py tests/test_readme.py -k "single_cell or single-cell"

# What the core does without Numba, pyarrow and data frames, in an environment that has none of them.
light: $(LIGHT)/.installed
	$(LIGHT)/bin/python -m pytest -p no:cacheprovider -W "ignore:this runs uncompiled" tests/test_light.py tests/clusterings tests/contingency \
	  tests/inputs/formats tests/inputs/test_loading.py tests/sweep/test_every_line.py
	$(LIGHT)/bin/python -m pytest -p no:cacheprovider tests/test_compiled.py -k without_numba

weight: $(LIGHT)/.installed
	$(LIGHT)/bin/python tests/weight.py

slow: $(VENV)/.developed
	$(BIN)/python -m pytest -n $(WORKERS) -m slow

coverage: $(VENV)/.developed
	$(BIN)/python -m pytest -n $(WORKERS) --cov --cov-report=term --cov-fail-under=95

snapshots: $(VENV)/.developed
	CLUSTERDIFF_SNAPSHOTS=record $(BIN)/python -m pytest tests/snapshots tests/test_readme.py tests/test_notebook.py

fuzz: $(VENV)/.developed
	CLUSTERDIFF_FUZZ=long $(BIN)/python -m pytest -n $(WORKERS) tests/fuzz

journeys: $(VENV)-journeys/.installed
	CLUSTERDIFF_JOURNEYS=all $(VENV)-journeys/bin/python -m pytest -n $(WORKERS) tests/journeys

floors: $(VENV)-floors/.installed
	$(VENV)-floors/bin/python -m pytest -n $(WORKERS)

bench: $(VENV)/.developed
	$(BIN)/python -m bench

interval-coverage: $(VENV)/.developed
	$(BIN)/python -m bench.coverage

package: $(VENV)/.developed
	$(BIN)/python tests/package.py

lock: $(VENV)/.developed
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --group dev --group peers --all-extras --universal --generate-hashes --upgrade --quiet \
	  --custom-compile-command "make lock" --output-file .ci/requirements-dev.lock

docs: $(VENV)/.developed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

stub: $(VENV)/.developed
	$(BIN)/python tests/stub.py > stub.pyi
	mv stub.pyi src/clusterdiff/__init__.pyi

# A minute. Only measures without a page are held against the conditions; `make conditions` takes all of them, half an hour.
pages: $(VENV)/.developed command
	$(BIN)/python docs/_pages.py
	$(BIN)/clusterdiff reproduce --markdown > docs/papers.md

conditions: $(VENV)/.developed
	$(BIN)/python docs/_pages.py --search

pictures: $(VENV)/.developed
	$(BIN)/python docs/_pictures.py

experiments: $(VENV)/.developed
	$(BIN)/clusterdiff reproduce --experiment all --out docs/experiments
	rm docs/experiments/*.csv docs/experiments/*.png

command: $(VENV)/.installed
	( printf '# Command line\n\nWritten by `make command`: what `clusterdiff --help` says, and `--help-all` of each verb.\n'; \
	printf '`clusterdiff --install-completion` lets your shell complete verbs, options, measures and columns of files.\n'; \
	for line in --help $(VERBS:%="% --help-all"); do \
	  title="clusterdiff $${line% --help-all}"; \
	  printf '\n## %s\n\n```console\n$$ clusterdiff %s\n' "$${title% --help}" "$$line"; \
	  COLUMNS=80 $(BIN)/clusterdiff $$line || exit 1; \
	  printf '```\n'; \
	done ) > docs/reference/command.md

format: $(VENV)/.developed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) $(LIGHT) $(SINGLE_CELL) $(VENV)-journeys $(VENV)-floors dist site .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage*
	find src \( -name '*.nbi' -o -name '*.nbc' \) -delete

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"

$(VENV)/.installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.developed: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group dev --group peers
	touch $@

# anndata and mudata ask for pandas 2: they lie before the packages of the dev group, which has pandas 3
$(SINGLE_CELL)/.installed: $(VENV)/.developed
	$(BIN)/python -m venv --clear --without-pip $(SINGLE_CELL)
	printf '%s\n' "$(CURDIR)/src" "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" > \
	  "$$($(SINGLE_CELL)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/shared.pth"
	$(BIN)/python -m pip --python $(SINGLE_CELL)/bin/python install --quiet --group single-cell
	touch $@

$(LIGHT)/.installed: pyproject.toml
	$(PYTHON) -m venv --clear $(LIGHT)
	$(LIGHT)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(LIGHT)/bin/python -m pip install --quiet --group light --editable .
	touch $@

$(VENV)-journeys/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)-journeys
	$(VENV)-journeys/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(VENV)-journeys/bin/python -m pip install --quiet --group journeys --editable .
	touch $@

$(VENV)-floors/.installed: pyproject.toml tests/floors.py
	$(PYTHON) -m venv $(VENV)-floors
	$(VENV)-floors/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(VENV)-floors/bin/python tests/floors.py > $(VENV)-floors/lowest.txt
	$(VENV)-floors/bin/python -m pip install --quiet --constraint $(VENV)-floors/lowest.txt --group dev --editable .
	touch $@
