PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo results test test-compiled test-plain test-all fuzz kills lint types bench clean
demo: $(VENV)/.ready ; $(BIN)/widemargin compare chunk -o demo-report
results: REPORTS ?=  # reports of `widemargin reproduce` (their .json) whose tables docs/results shall take over
results: $(VENV)/.ready ; $(BIN)/python -m widemargin.study.pages docs/results $(REPORTS)
test: test-compiled test-plain
test-compiled: $(VENV)/.ready ; $(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder --durations 25
test-plain: $(VENV)/.ready ; NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest --numprocesses auto --dist worksteal --durations 10
test-all: test-plain ; $(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder --durations 50 --wide
fuzz: N ?= 100000
fuzz: $(VENV)/.ready ; PYTHONPATH=tests $(BIN)/python -m fuzz -n $(N)
kills: N ?= 100
kills: $(VENV)/.ready ; PYTHONPATH=tests $(BIN)/python -m fuzz.kills -n $(N)
lint: $(VENV)/.ready ; $(BIN)/ruff check . && $(BIN)/ruff format --check .
types: $(VENV)/.ready ; $(BIN)/mypy
bench: $(VENV)/.ready ; $(BIN)/pip install --quiet -e '.[bench]' && $(BIN)/python benchmarks/all.py
clean: ; rm -rf $(VENV) demo-report

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev,plot]'
	touch $@
