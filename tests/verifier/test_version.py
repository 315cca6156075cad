"""A verdict belongs to a version of the verifier; so other sources are another version."""

from hashlib import sha256
from pathlib import Path

import verifier

PINNED = {"1": "5cf1abd249c45082fa1b0fa3d3e0c1b586e3554378071eca081e92f64e248fbb"}


def test_the_version_stands_for_these_sources() -> None:
    folder = Path(verifier.__file__).parent
    total = sha256()
    for file in sorted(folder.rglob("*.py")):
        total.update(f"{file.relative_to(folder)}\n".encode() + file.read_bytes())
    # When the sources change: raise VERSION if a verdict may change by it, and pin the new hash.
    assert {verifier.VERSION: total.hexdigest()} == PINNED
