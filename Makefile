# Golden Nugget: what a person does with the checkout. `make help` lists it.
# Everything goes into the folder .venv; nothing here needs root, a compiler or a running server.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help run test check chaos venv lock clean
unexport PYTHONPATH PYTHONHOME

PYTHON ?= python3
ARGS ?=
PIP = .venv/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes

help:   ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' Makefile | expand -t 16

run: .venv/run.stamp   ## the whole service with a demo contest on http://127.0.0.1:8000 (other options: make run ARGS="--port 9000")
	@.venv/bin/python -m deploy.cli run --demo $(ARGS)

test: .venv/test.stamp   ## every test, on servers of its own (some of them: make test ARGS="tests/verifier -x -n 0")
	@.venv/bin/python -m pytest -n 2 $(ARGS)

check: .venv/test.stamp   ## what a machine can say about the sources: ruff, mypy, import-linter
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy
	.venv/bin/lint-imports --no-logo

chaos: .venv/test.stamp   ## kill every part of the service under load (other seeds: make chaos ARGS="--seeds 1 2 3")
	.venv/bin/python tests/chaos/chaos.py $(ARGS)

bench: .venv/run.stamp   ## measure everything, on servers of its own: ten minutes (a quick look: make bench ARGS=--quick)
	@.venv/bin/python -m benchmarks $(ARGS)

venv: .venv/test.stamp   ## only make .venv, for working on the project

.venv/run.stamp: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Golden Nugget needs Python 3.11 or newer; PYTHON=... says which to take.")'
	@echo "Setting up .venv (once; a minute or so) ..."
	@test -x .venv/bin/pip || $(PYTHON) -m venv --clear .venv
	@$(PIP) -r requirements.txt
	@.venv/bin/python -m pip --disable-pip-version-check install --quiet --no-deps --no-build-isolation --config-settings editable_mode=compat --editable .
	@touch $@

.venv/test.stamp: .venv/run.stamp requirements-dev.txt
	@echo "Setting up the tools for tests ..."
	@$(PIP) -r requirements.txt -r requirements-dev.txt
	@touch $@

lock:   ## resolve the newest versions that go together (needs uv)
	uv pip compile pyproject.toml --group build --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --upgrade -o requirements.txt
	uv pip compile --group dev -c requirements.txt --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --upgrade -o requirements-dev.txt

clean:   ## remove .venv and what tools left behind
	rm -rf .venv build *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
