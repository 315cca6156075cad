"""A worker that judges the test-only puzzle of counting.py too; TEST_VERIFIER is its verifier's version."""

import os

import verifier

verifier.VERSION = os.environ.get("TEST_VERIFIER", verifier.VERSION)

from tests.worker.counting import Counting  # noqa: E402 - what follows must see that version
from worker.app import app  # noqa: E402

__all__ = ["app"]  # what `celery -A` looks for

verifier.RULES[Counting.id] = Counting()
