"""Everything in the database as one file, of one moment, and back into an empty database.

The file is a line that names its format, a gzip stream, and the SHA-256 of all before it. In the stream stand lines of
JSON - the migrations that had run, with their checksums; then each table's name and columns - and behind each table its
rows as PostgreSQL's binary COPY has them, in pieces with their length (4 bytes) before them, the last one empty.
"""

import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from psycopg.sql import SQL, Identifier

from leaderboard import db, migrate
from leaderboard.db import Connection

MAGIC = b"golden-nugget-backup/1\n"
DIGEST = 32
PIECE = 2**20
LONGEST = 2**30
"""Bytes of a piece that is believed."""

Told = Callable[[str], None]


class BadBackup(Exception):
    """The file is no whole backup. Nothing was touched."""


class NotEmpty(Exception):
    """There is something in the database. Nothing was touched."""


def backup(database_url: str, target: Path) -> dict[str, int]:
    """Write everything to a new file, which only its owner can read: the rows of each table.

    It gets its name when it is whole; a file of that name is replaced then. Raises OSError, leaderboard.db.Unavailable.
    """
    new = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            counts = _write(database_url, file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return counts


def restore(database_url: str, source: Path) -> dict[str, int]:
    """Put a backup into a database without tables, all in one transaction: the rows of each table.

    Migrations that are newer than the backup run afterwards. Raises BadBackup, NotEmpty, leaderboard.migrate.Changed,
    OSError, leaderboard.db.Unavailable.
    """
    with source.open("rb") as file:
        check(file)
        with db.connect(database_url) as conn:
            if conn.execute("SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace LIMIT 1").fetchone():
                raise NotEmpty("There are tables in this database; a backup is restored into an empty one.")
            counts = _read(conn, _Unpacked(file))
    migrate.migrate(database_url)
    return counts


def check(file: BinaryIO) -> None:
    """Read the whole file once, and see that it is what was written. Raises BadBackup."""
    size = file.seek(0, os.SEEK_END) - DIGEST
    file.seek(0)
    if file.read(len(MAGIC)) != MAGIC or size < len(MAGIC):
        raise BadBackup("This is no backup of Golden Nugget, or of another version.")
    total, left = hashlib.sha256(MAGIC), size - len(MAGIC)
    while left:
        part = file.read(min(left, PIECE))
        total.update(part)
        left -= len(part)
        if not part:
            break
    if left or file.read() != total.digest():
        raise BadBackup("The backup is damaged or not whole: its SHA-256 is not the one at its end.")
    file.seek(len(MAGIC))


class _Packed:
    """Writes the file: counts everything into its hash, packs what is in the stream."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._total, self._gzip = file, hashlib.sha256(), zlib.compressobj(1, wbits=31)
        self._put(MAGIC)

    def _put(self, data: bytes) -> None:
        self._total.update(data)
        self._file.write(data)

    def line(self, value: Any) -> None:
        self._put(self._gzip.compress(json.dumps(value).encode() + b"\n"))

    def piece(self, data: bytes) -> None:
        self._put(self._gzip.compress(len(data).to_bytes(4, "big") + data))

    def end(self) -> None:
        self._put(self._gzip.flush())
        self._file.write(self._total.digest())


class _Unpacked:
    """Reads the stream of a file that was checked."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._gzip, self._ready = file, zlib.decompressobj(wbits=31), b""

    def _more(self) -> None:
        part = self._gzip.unconsumed_tail or self._file.read(PIECE)
        if not part or self._gzip.eof:
            raise BadBackup("The backup ends too early.")
        self._ready += self._gzip.decompress(part, PIECE)

    def take(self, size: int) -> bytes:
        while len(self._ready) < size:
            self._more()
        taken, self._ready = self._ready[:size], self._ready[size:]
        return taken

    def line(self) -> Any:
        while (end := self._ready.find(b"\n")) < 0:
            self._more()
        return json.loads(self.take(end + 1))

    def pieces(self) -> Iterator[bytes]:
        while size := int.from_bytes(self.take(4), "big"):
            if size > LONGEST:
                raise BadBackup("The backup has a piece that is too long.")
            yield self.take(size)


def _write(database_url: str, file: BinaryIO) -> dict[str, int]:
    counts, packed = {}, _Packed(file)
    with db.connect(database_url) as conn:
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        run = conn.execute("SELECT name, encode(sha256, 'hex') FROM migration ORDER BY name").fetchall()
        packed.line({"migrations": dict(run)})
        for table in _tables(conn):
            columns = _columns(conn, table)
            packed.line({"table": table, "columns": columns})
            names = SQL(", ").join(map(Identifier, columns))
            cursor = conn.cursor()
            with cursor.copy(SQL("COPY {} ({}) TO STDOUT (FORMAT binary)").format(Identifier(table), names)) as copy:
                rows = bytearray()
                for part in copy:
                    rows += part
                    if len(rows) >= PIECE:
                        packed.piece(bytes(rows))
                        rows.clear()
            if rows:
                packed.piece(bytes(rows))
            packed.piece(b"")
            counts[table] = cursor.rowcount
    packed.line({"counts": counts})
    packed.end()
    return counts


def _read(conn: Connection, packed: _Unpacked) -> dict[str, int]:
    """Everything in one transaction, which the caller commits."""
    migrate.run(conn, packed.line()["migrations"])
    for table in reversed(_tables(conn)):
        _clear(conn, table)
    counts: dict[str, int] = {}
    while "table" in (line := packed.line()):
        table, columns = line["table"], line["columns"]
        names = SQL(", ").join(map(Identifier, columns))
        cursor = conn.cursor()
        with cursor.copy(SQL("COPY {} ({}) FROM STDIN (FORMAT binary)").format(Identifier(table), names)) as copy:
            for piece in packed.pieces():
                copy.write(piece)
        counts[table] = cursor.rowcount
    if line["counts"] != counts:
        raise BadBackup("The backup has other rows than it says.")
    for table, column in conn.execute("""
            SELECT table_name, column_name FROM information_schema.columns
            WHERE table_schema = 'public' AND is_identity = 'YES'""").fetchall():
        conn.execute(
            SQL("SELECT setval(pg_get_serial_sequence(%s, %s), coalesce(max({}), 0) + 1, false) FROM {}").format(
                Identifier(column), Identifier(table)
            ),
            [table, column],
        )
    return counts


def _clear(conn: Connection, table: str) -> None:
    """Take out what a migration has put into a table, also one that is append-only: the backup has it."""
    if not conn.execute(SQL("SELECT 1 FROM {} LIMIT 1").format(Identifier(table))).fetchone():
        return
    conn.execute(SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(Identifier(table)))
    conn.execute(SQL("DELETE FROM {}").format(Identifier(table)))
    conn.execute(SQL("ALTER TABLE {} ENABLE TRIGGER USER").format(Identifier(table)))


def _tables(conn: Connection) -> list[str]:
    """All tables but that of the migrations, each behind those that it refers to."""
    names = [
        name
        for (name,) in conn.execute("""
        SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
        AND relname <> 'migration' ORDER BY relname""")
    ]
    refers: dict[str, set[str]] = {name: set() for name in names}
    for name, other in conn.execute("""
            SELECT child.relname, parent.relname FROM pg_constraint
            JOIN pg_class AS child ON child.oid = conrelid JOIN pg_class AS parent ON parent.oid = confrelid
            WHERE contype = 'f' AND child.relnamespace = 'public'::regnamespace AND conrelid <> confrelid"""):
        refers[name].add(other)
    order: list[str] = []
    while refers:
        free = sorted(name for name, others in refers.items() if others <= set(order))
        assert free, "tables refer to each other in a circle"
        order += free
        for name in free:
            del refers[name]
    return order


def _columns(conn: Connection, table: str) -> list[str]:
    rows = conn.execute(
        """
        SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped
        AND attgenerated = '' ORDER BY attnum""",
        [table],
    )
    return [name for (name,) in rows]
