"""These tests ask transformers 4.26.1 in `.parity/`, which `make parity` makes; without it they are not collected."""

from __future__ import annotations

from tests.parity.t5_original import PYTHON

collect_ignore_glob = [] if PYTHON.exists() else ["test_*.py"]
