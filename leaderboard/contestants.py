"""Who takes part, names made comparable."""

import hashlib
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from psycopg import errors
from psycopg.rows import class_row

from leaderboard import passwords, tokens
from leaderboard.db import Connection, savepoint

Role = Literal["contestant", "organiser"]

LONGEST = 40
SPELLING = 200
"""Characters in which a name may be written; to compose and order them takes time that grows with their square. No
spelling of a name is longer: at most four characters become one."""
FORBIDDEN = ",#/"
"""A name stands in `players:` headers (comma), in records (# starts a comment) and in addresses (/)."""
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0").union(
    map(chr, range(0xFE00, 0xFE10)), map(chr, range(0xE0100, 0xE01F0))
)
"""Characters that count as printable and show nothing: fillers, joiners, variation selectors."""

CANARY = "#canary"
"""The contestant of the service itself (canary.py), of whom nobody else hears; a # keeps others from this name."""


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

    Raises BadName, NameTaken, passwords.Busy.
    """
    name = checked(name)
    hashed = passwords.hashed(password) if password else None
    try:
        with savepoint(conn):
            rows = conn.cursor(row_factory=class_row(Contestant)).execute(
                """
                INSERT INTO contestant (name, folded, password, role) VALUES (%s, %s, %s, %s)
                RETURNING id, name, role, created_at""",
                [name, folded(name), hashed, role],
            )
            contestant = rows.fetchone()
            assert contestant
            # Looked for behind the row, for which a renaming at the same moment has been waited.
            if kept_for_another(conn, folded(name), contestant.id):
                raise NameTaken(f"The name {name} was somebody's until lately.")
    except errors.UniqueViolation:
        raise NameTaken(f"The name {name} is taken.") from None
    return contestant, tokens.issue(conn, contestant)


def get(conn: Connection, contestant_id: UUID) -> Contestant | None:
    """The contestant with that id."""
    rows = conn.cursor(row_factory=class_row(Contestant))
    return rows.execute(_SELECT + " WHERE id = %s", [contestant_id]).fetchone()


def by_name(conn: Connection, name: str) -> Contestant | None:
    """The contestant of that name, however it is written in case, width or composition."""
    if len(name) > SPELLING or not name.isprintable() or folded(name) == CANARY:
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


def by_former_name(conn: Connection, name: str) -> Contestant | None:
    """Whose name it was, while it is kept for them."""
    if len(name) > SPELLING:
        return None
    rows = conn.cursor(row_factory=class_row(Contestant))
    return rows.execute(
        """
        SELECT id, name, role, contestant.created_at, hidden_at IS NOT NULL AS hidden
        FROM contestant JOIN former_name ON contestant = id
        WHERE hash = %s AND free_at > now()""",
        [name_hash(folded(name))],
    ).fetchone()


def remember_hidden(conn: Connection, contestant: Contestant) -> None:
    """Keep their present name among those that were hidden, if it is."""
    conn.execute(
        """
        INSERT INTO hidden_name (contestant, folded, name)
        SELECT id, folded, name FROM contestant WHERE id = %s AND hidden_at IS NOT NULL
        ON CONFLICT DO NOTHING""",
        [contestant.id],
    )


def forget_hidden(conn: Connection, contestant: Contestant) -> None:
    """Their present name is shown again."""
    conn.execute(
        """
        DELETE FROM hidden_name USING contestant
        WHERE contestant = id AND id = %s AND hidden_name.folded = contestant.folded""",
        [contestant.id],
    )


def was_hidden(conn: Connection, contestant: Contestant, name: str) -> bool:
    """Whether that name of theirs was hidden, and not shown again."""
    row = conn.execute(
        "SELECT FROM hidden_name WHERE contestant = %s AND folded = %s", [contestant.id, folded(name)]
    ).fetchone()
    return row is not None


def kept_for_another(conn: Connection, alike: str, contestant: UUID) -> bool:
    """Whether a folded name was somebody's until lately, and not this contestant's."""
    row = conn.execute(
        "SELECT FROM former_name WHERE hash = %s AND free_at > now() AND contestant IS DISTINCT FROM %s",
        [name_hash(alike), contestant],
    ).fetchone()
    return row is not None


def name_hash(alike: str) -> bytes:
    """What is kept of a folded name that was given up."""
    return hashlib.sha256(alike.encode(errors="surrogatepass")).digest()


def password_of(conn: Connection, contestant: Contestant) -> str | None:
    """The hash of their password, if they have one."""
    row = conn.execute("SELECT password FROM contestant WHERE id = %s", [contestant.id]).fetchone()
    return row[0] if row else None


def is_deleted(conn: Connection, contestant: Contestant) -> bool:
    """Whether they have deleted their account; what is left has a neutral name."""
    row = conn.execute("SELECT deleted_at IS NOT NULL FROM contestant WHERE id = %s", [contestant.id]).fetchone()
    return bool(row and row[0])


def contests_of(conn: Connection, contestant: Contestant) -> list[int]:
    """The contests in which they have handed in or played, by their ids."""
    rows = conn.execute(
        """
        SELECT contest FROM submission WHERE contestant = %(id)s
        UNION
        SELECT contest FROM match_player JOIN match ON submission = match_player.match WHERE contestant = %(id)s
        ORDER BY contest""",
        {"id": contestant.id},
    ).fetchall()
    return [contest for (contest,) in rows]


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
    name = unicodedata.normalize("NFC", name[: SPELLING + 1])  # a longer one stays too long
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
