"""A verdict belongs to a version of the verifier; so other sources are another version."""

from hashlib import sha256
from pathlib import Path

import verifier

PINNED = {"1": "b518614f0a2104f1b8281b40e786055cb087e5e2e61a7356bdfe8200637cd8b3"}


def test_the_version_stands_for_these_sources() -> None:
    folder = Path(verifier.__file__).parent
    total = sha256()
    for file in sorted(folder.rglob("*.py")):
        total.update(f"{file.relative_to(folder)}\n".encode() + file.read_bytes())
    # When the sources change: raise VERSION if a verdict may change by it, and pin the new hash.
    assert {verifier.VERSION: total.hexdigest()} == PINNED
