"""Who takes part, names made comparable."""

import threading
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

import argon2
from psycopg import errors
from psycopg.rows import class_row

from leaderboard import tokens
from leaderboard.db import Connection

Role = Literal["contestant", "organiser"]

LONGEST = 40
FORBIDDEN = ",#/"
"""A name stands in `players:` headers (comma), in records (# starts a comment) and in addresses (/)."""
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0").union(
    map(chr, range(0xFE00, 0xFE10)), map(chr, range(0xE0100, 0xE01F0))
)
"""Characters that count as printable and show nothing: fillers, joiners, variation selectors."""


class BadName(Exception):
    """A name that cannot be taken: `reason` is a stable word, the text a sentence."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason


class NameTaken(Exception):
    """Somebody has this name, or one that can't be told from it."""


@dataclass(frozen=True)
class Contestant:
    """Somebody who takes part, or who runs contests."""

    id: UUID
    name: str
    role: Role
    created_at: datetime
    hidden: bool = False
    """The organisers have hidden the name: the public reads `shown`."""

    @property
    def shown(self) -> str:
        """The name as the public reads it; the column `shown` has the same."""
        return f"#{str(self.id)[:8]}" if self.hidden else self.name

    @property
    def organiser(self) -> bool:
        return self.role == "organiser"


_SELECT = "SELECT id, name, role, created_at, hidden_at IS NOT NULL AS hidden FROM contestant"


def register(
    conn: Connection, name: str, password: str | None = None, role: Role = "contestant"
) -> tuple[Contestant, str]:
    """A new contestant and a token of theirs, which is shown this once.

    Raises BadName, NameTaken.
    """
    name = checked(name)
    hashed = _hash(password) if password else None
    try:
        with conn.transaction():
            rows = conn.cursor(row_factory=class_row(Contestant)).execute(
                """
                INSERT INTO contestant (name, folded, password, role) VALUES (%s, %s, %s, %s)
                RETURNING id, name, role, created_at""",
                [name, folded(name), hashed, role],
            )
            contestant = rows.fetchone()
    except errors.UniqueViolation:
        raise NameTaken(f"The name {name} is taken.") from None
    assert contestant
    return contestant, tokens.issue(conn, contestant)


def get(conn: Connection, contestant_id: UUID) -> Contestant | None:
    """The contestant with that id."""
    rows = conn.cursor(row_factory=class_row(Contestant))
    return rows.execute(_SELECT + " WHERE id = %s", [contestant_id]).fetchone()


def by_name(conn: Connection, name: str) -> Contestant | None:
    """The contestant of that name, however it is written in case, width or composition."""
    if not name.isprintable():
        return None  # nobody's, and some of it no text that a database takes
    rows = conn.cursor(row_factory=class_row(Contestant))
    return rows.execute(_SELECT + " WHERE folded = %s", [folded(name)]).fetchone()


def by_shown(conn: Connection, name: str) -> Contestant | None:
    """The contestant whom the public knows by that name; a hidden name is nobody's."""
    if name.startswith("#") and name.isprintable():
        rows = conn.cursor(row_factory=class_row(Contestant))
        return rows.execute(_SELECT + " WHERE shown = %s AND hidden_at IS NOT NULL", [name]).fetchone()
    found = by_name(conn, name)
    return found if found and not found.hidden else None


def check_password(conn: Connection, name: str, password: str) -> Contestant | None:
    """The contestant, if the password is theirs. An unknown name takes as long as a wrong password."""
    contestant = by_name(conn, name)
    row = contestant and conn.execute("SELECT password FROM contestant WHERE id = %s", [contestant.id]).fetchone()
    hashed = row[0] if row and row[0] else _NOBODY
    try:
        with _at_once:
            _hasher.verify(hashed, password)
    except argon2.exceptions.VerifyMismatchError:
        return None
    return contestant if row and row[0] else None


def set_password(conn: Connection, contestant: Contestant, password: str) -> None:
    """From now on they sign in with this one."""
    conn.execute("UPDATE contestant SET password = %s WHERE id = %s", [_hash(password), contestant.id])


def set_role(conn: Connection, contestant: Contestant, role: Role) -> None:
    """Make somebody an organiser, or no longer one."""
    conn.execute("UPDATE contestant SET role = %s WHERE id = %s", [role, contestant.id])


def folded(name: str) -> str:
    """What two names share when a reader would take them for one: NFKC and casefold, until neither changes anything."""
    while (next_name := unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())) != name:
        name = next_name
    return name


def checked(name: str) -> str:
    """The name as it is kept (NFC), or BadName."""
    name = unicodedata.normalize("NFC", name)
    alike = folded(name)
    if not 1 <= len(name) <= LONGEST or len(alike) > LONGEST:
        raise BadName("length", f"A name has 1 to {LONGEST} characters.")
    # Bidirectional controls, joiners, line ends and spaces other than U+0020 all are unprintable to isprintable.
    if (
        not (name.isprintable() and alike.isprintable())
        or BLANK & set(name + alike)
        or "\U000e0100" <= max(name) <= "\U000e01ef"
    ):
        raise BadName("characters", "A name has printable characters only.")
    if any(char in FORBIDDEN for char in name + alike):
        raise BadName("characters", "A name has no comma, # or /.")
    if any(text != " ".join(text.split(" ")).strip() or "  " in text for text in (name, alike)):
        raise BadName("spaces", "A name has single spaces, and none at its ends.")
    if alike in (".", "..") or not any(unicodedata.category(char)[0] in "LNPS" for char in alike):
        raise BadName("characters", "A name has at least one letter, digit or sign, and is not . or ..")
    return name


_hasher = argon2.PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""OWASP's smaller argon2id setting: some 20 ms and 19 MiB, so that signing in can't take the machine from uploads."""
_at_once = threading.BoundedSemaphore(2)
_NOBODY = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"


def _hash(password: str) -> str:
    with _at_once:
        return _hasher.hash(password)
