"""A verdict belongs to a version of the verifier; so other sources are another version."""

from hashlib import sha256
from pathlib import Path

import verifier

PINNED = {"1": "0eb591cafb677d144407155507eb08945e6042a6bb9e3b71a19f0cc2ac024df2"}


def test_the_version_stands_for_these_sources() -> None:
    folder = Path(verifier.__file__).parent
    total = sha256()
    for file in sorted(folder.rglob("*.py")):
        total.update(f"{file.relative_to(folder)}\n".encode() + file.read_bytes())
    # When the sources change: raise VERSION if a verdict may change by it, and pin the new hash.
    assert {verifier.VERSION: total.hexdigest()} == PINNED
