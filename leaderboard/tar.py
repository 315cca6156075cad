"""A tar file of which every byte follows from its members' names and contents; plain, so nothing hides in it.

Members come one after the other: a header block (ustar, everything but name and size fixed), the content, zeros up to a
multiple of 512 bytes; at the end two blocks of zeros and nothing behind them. Any tar program unpacks it.
"""

import tarfile
from collections.abc import Iterable
from hashlib import sha256
from typing import BinaryIO, NamedTuple

BLOCK = 512
END = bytes(2 * BLOCK)
LARGEST = 8**11 - 1
"""Bytes of a member that a ustar header can tell."""
SINCE = 1577836800
"""When all members were changed, as far as the file tells: 2020-01-01. Two archives of the same are the same bytes."""


class Damaged(Exception):
    """Something is not as it must be; the text says where, and what."""


class Member(NamedTuple):
    """A member of a tar file."""

    name: str
    start: int
    """Where its content begins, in bytes from the file's start."""
    size: int

    @property
    def end(self) -> int:
        """Where the next header begins."""
        return self.start + self.size + -self.size % BLOCK


def header(name: str, size: int) -> bytes:
    """The one header block that a member of that name and size has."""
    info = tarfile.TarInfo(name)
    info.size, info.mtime = size, SINCE
    return info.tobuf(tarfile.USTAR_FORMAT)


def write(file: BinaryIO, name: str, parts: Iterable[bytes]) -> str:
    """Append a member to a seekable file; the SHA-256 of its content, in hexadecimal."""
    begin, total, size = file.tell(), sha256(), 0
    file.seek(BLOCK, 1)
    for part in parts:
        file.write(part)
        total.update(part)
        size += len(part)
    file.write(bytes(-size % BLOCK))
    end = file.tell()
    file.seek(begin)
    file.write(header(name, size))
    file.seek(end)
    return total.hexdigest()


def read(file: BinaryIO, at: int) -> Member | None:
    """The member whose header begins there; None where the file ends as it should. Raises Damaged."""
    file.seek(at)
    block = file.read(BLOCK)
    if block == bytes(BLOCK):
        if block + file.read(BLOCK + 1) == END:
            return None
        raise Damaged(f"at byte {at}: the file does not end where its last member does")
    try:
        info = tarfile.TarInfo.frombuf(block, "ascii", "strict")
    except (tarfile.HeaderError, UnicodeDecodeError):
        raise Damaged(f"at byte {at}: what stands there is no header of a member") from None
    if info.size > LARGEST or header(info.name, info.size) != block:
        raise Damaged(f"at byte {at}: the header of {info.name!r} is not as it must be")
    return Member(info.name, at + BLOCK, info.size)
