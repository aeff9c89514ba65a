PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint types bench clean
demo: $(VENV)/.ready ; $(BIN)/widemargin compare chunk -o demo-report
test: $(VENV)/.ready ; $(BIN)/python -m pytest --numprocesses auto --dist loadfile
lint: $(VENV)/.ready ; $(BIN)/ruff check . && $(BIN)/ruff format --check .
types: $(VENV)/.ready ; $(BIN)/mypy
bench: $(VENV)/.ready ; $(BIN)/pip install --quiet -e '.[bench]' && $(BIN)/python benchmarks/all.py
clean: ; rm -rf $(VENV) demo-report

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev,plot]'
	touch $@
