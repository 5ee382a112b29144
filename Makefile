# Each command sets up its own virtual environment; nothing but Python, git and make is needed.
PYTHON ?= python3
BIN := .venv/bin
EXTRAS ?= test
INNER := src/chemin/engine/exact/inner
SOURCES := pyproject.toml setup.py $(wildcard $(INNER)/*.py $(INNER)/*.pxd $(INNER)/*.h)

.PHONY: demo test lint bench screening tolerance tables clean

demo: .venv/demo.ready  ## the main job on bundled data: a study and its report in demo/
	$(BIN)/chemin learn breast-cancer --out demo/breast-cancer-study --force

test: .venv/test.ready lint  ## every claim of the project
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n auto

lint: .venv/test.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: coverage
coverage: .venv/test.ready  ## which lines and branches the claims reach; half as long again as the tests
	$(BIN)/python -m coverage erase
	OMP_NUM_THREADS=1 $(BIN)/python -m coverage run -m pytest -q -n auto
	$(BIN)/python -m coverage combine -q
	$(BIN)/python -m coverage report

bench: .venv/bench.ready  ## against the peers; DATA=folder adds the rows that need files
	$(BIN)/python benchmarks/run.py $(if $(DATA),--data $(DATA))
	$(BIN)/python benchmarks/scaling.py

screening: .venv/bench.ready  ## what screening leaves alone; DATA=file adds MNIST
	$(BIN)/python benchmarks/screening.py $(if $(DATA),--data $(DATA))

tolerance: .venv/bench.ready  ## paths to a tolerance against the peers
	$(BIN)/python benchmarks/tolerance.py

tables: .venv/bench.ready  ## what the estimators give; DATA=folder adds the rows that need files
	$(BIN)/python benchmarks/tables.py $(if $(DATA),--data $(DATA))

.PHONY: losses
losses: .venv/bench.ready  ## the other losses against LARS, celer, skglm, HiGHS, Clarabel, LIBSVM and LIBLINEAR
	$(BIN)/python benchmarks/losses.py

.PHONY: fuzz
fuzz: .venv/test.ready  ## random and damaged files for MINUTES=10: each is read, or refused with a reason
	PYTHONPATH=tests $(BIN)/python tests/fuzz_reader.py --minutes $(or $(MINUTES),10)

.PHONY: rooms
rooms: .venv/demo.ready  ## the drawing of docs/architecture.md, from the imports
	$(BIN)/python docs/draw_rooms.py

.PHONY: docs
docs: .venv/docs.ready  ## the documentation site in build/docs: open build/docs/index.html
	rm -rf docs/gallery docs/reference/generated
	MPLBACKEND=Agg $(BIN)/python -m sphinx -b html -W --keep-going --doctree-dir build/doctrees docs build/docs

.PHONY: reproduce
reproduce: .venv/demo.ready  ## the thesis's experiments but MNIST: a table and its pictures in demo/thesis/
	$(BIN)/python -m chemin.experiments.reproduce --out demo/thesis

.PHONY: reproduce-mnist
reproduce-mnist: .venv/demo.ready  ## the thesis on MNIST, 45 machines; DATA=folder or npz file, else OpenML is asked
	$(BIN)/python -m chemin.experiments.mnist --out demo/mnist $(if $(DATA),--data $(DATA))

.venv/demo.ready: $(SOURCES)
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable ".[cli]"
	touch $@

.venv/test.ready: $(SOURCES)
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable ".[$(EXTRAS)]"
	touch $@

.venv/docs.ready: $(SOURCES)
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable ".[docs]"
	touch $@

.venv/bench.ready: $(SOURCES) benchmarks/requirements.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --editable ".[plots]" --requirement benchmarks/requirements.txt
	touch $@

clean:
	rm -rf .venv build demo docs/gallery docs/reference/generated src/*.egg-info $(INNER)/*.c $(INNER)/*.so
