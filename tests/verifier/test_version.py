"""A verdict belongs to a version of the verifier; so other sources are another version."""

from hashlib import sha256
from pathlib import Path

import verifier

PINNED = {"1": "962dc4b6eea6a60e4980eb688a07bba71e9d60431872e569d353910247a4e8b1"}


def test_the_version_stands_for_these_sources() -> None:
    folder = Path(verifier.__file__).parent
    total = sha256()
    for file in sorted(folder.rglob("*.py")):
        total.update(f"{file.relative_to(folder)}\n".encode() + file.read_bytes())
    # When the sources change: raise VERSION if a verdict may change by it, and pin the new hash.
    assert {verifier.VERSION: total.hexdigest()} == PINNED
