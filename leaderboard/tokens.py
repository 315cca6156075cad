"""Their keys, stored hashed, with expiry and scope."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Literal
from uuid import UUID

from psycopg.rows import class_row

from leaderboard.db import Connection

if TYPE_CHECKING:
    from leaderboard.contestants import Contestant

Scope = Literal["read", "submit", "all"]
"""`read` lets a program look, `submit` hand in records too, `all` do whatever its contestant may."""
SCOPES: tuple[Scope, ...] = ("read", "submit", "all")

MOST = 50
"""Tokens that a contestant may have at once, besides sessions."""


_SELECT = "SELECT id, scope, label, session, created_at, used_on, expires_at, revoked_at FROM token"


class TooMany(Exception):
    """The contestant has as many valid tokens as there may be; one must be revoked first."""


class TooLarge(Exception):
    """The new token would allow more, or last longer, than the one by which it is asked for."""


@dataclass(frozen=True)
class Token:
    """What is known of a token; the token itself is not kept."""

    id: UUID
    scope: Scope
    label: str
    session: bool
    """A browser holds it, which has signed in."""
    created_at: datetime
    used_on: date | None
    """The UTC day on which it was last shown."""
    expires_at: datetime | None
    revoked_at: datetime | None

    def covers(self, scope: Scope) -> bool:
        """Whether it allows that much."""
        return SCOPES.index(scope) <= SCOPES.index(self.scope)


def issue(
    conn: Connection,
    contestant: Contestant,
    scope: Scope = "all",
    label: str = "",
    lasts: timedelta | None = None,
    session: bool = False,
) -> str:
    """A new token: 256 random bits as text. Only its SHA-256 is stored."""
    token = "gn_" + secrets.token_urlsafe(32)
    conn.execute(
        """
        INSERT INTO token (contestant, hash, scope, label, expires_at, session)
        VALUES (%s, %s, %s, %s, now() + %s::interval, %s)""",
        [contestant.id, digest(token), scope, label, lasts, session],
    )
    return token


def make(
    conn: Connection, contestant: Contestant, by: Token, scope: Scope, label: str, lasts: timedelta | None
) -> tuple[Token, str]:
    """A new token that is asked for by one: never with a larger scope, nor (but by a session) with a longer life.

    Raises TooLarge, TooMany.
    """
    if not by.covers(scope):
        raise TooLarge(f"A token for {by.scope!r} makes none for {scope!r}.")
    row = conn.execute(
        "SELECT %(lasts)s::interval IS NULL OR now() + %(lasts)s::interval > %(end)s",
        {"lasts": lasts, "end": by.expires_at},
    ).fetchone()
    if row and row[0] and by.expires_at and not by.session:
        raise TooLarge("A token that expires makes none that lasts longer.")
    # Two requests at once may not both take the last place.
    conn.execute("SELECT FROM contestant WHERE id = %s FOR NO KEY UPDATE", [contestant.id])
    if len([each for each in listed(conn, contestant) if not each.session]) >= MOST:
        raise TooMany(f"There are {MOST} tokens already; revoke one first.")
    token = issue(conn, contestant, scope, label, lasts)
    made = conn.cursor(row_factory=class_row(Token)).execute(_SELECT + " WHERE hash = %s", [digest(token)]).fetchone()
    assert made  # read without `held`, which is what uses a token
    return made, token


def held(conn: Connection, token: str) -> tuple[Contestant, Token] | None:
    """Whose token it is, and what is known of it; None if it is unknown, revoked, expired, or its contestant is gone.

    The day of its use is written down.
    """
    from leaderboard.contestants import Contestant

    row = conn.execute(
        """
        SELECT contestant.id, name, role, contestant.created_at, hidden_at IS NOT NULL,
               token.id, scope, label, session, token.created_at, used_on, expires_at, revoked_at,
               used_on IS DISTINCT FROM (now() AT TIME ZONE 'UTC')::date
        FROM token JOIN contestant ON contestant.id = token.contestant
        WHERE hash = %s AND revoked_at IS NULL AND coalesce(expires_at > now(), true) AND deleted_at IS NULL""",
        [digest(token)],
    ).fetchone()
    if row is None:
        return None
    *fields, first_today = row
    if first_today:
        with conn.transaction():
            conn.execute("SET LOCAL synchronous_commit = off")
            conn.execute("UPDATE token SET used_on = (now() AT TIME ZONE 'UTC')::date WHERE id = %s", [fields[5]])
    return Contestant(*fields[:5]), Token(*fields[5:])


def contestant_of(conn: Connection, token: str, scope: Scope = "read") -> Contestant | None:
    """Whose token it is; None if it is not valid, or its scope is too small for `scope`."""
    found = held(conn, token)
    return found[0] if found and found[1].covers(scope) else None


def listed(conn: Connection, contestant: Contestant) -> list[Token]:
    """A contestant's valid tokens and sessions, the newest first."""
    return (
        conn.cursor(row_factory=class_row(Token))
        .execute(
            _SELECT
            + """
        WHERE contestant = %s AND revoked_at IS NULL AND coalesce(expires_at > now(), true)
        ORDER BY created_at DESC, id""",
            [contestant.id],
        )
        .fetchall()
    )


def revoke(conn: Connection, contestant: Contestant, token_id: UUID) -> bool:
    """Whether there was such a token of theirs, not revoked before."""
    return bool(
        conn.execute(
            "UPDATE token SET revoked_at = now() WHERE id = %s AND contestant = %s AND revoked_at IS NULL",
            [token_id, contestant.id],
        ).rowcount
    )


def revoke_others(conn: Connection, contestant: Contestant, but: Token | None, sessions_only: bool = False) -> int:
    """Revoke all valid tokens of theirs but this one: how many those were."""
    return conn.execute(
        """
        UPDATE token SET revoked_at = now()
        WHERE contestant = %(contestant)s AND id IS DISTINCT FROM %(but)s::uuid AND (session OR NOT %(sessions)s)
          AND revoked_at IS NULL AND coalesce(expires_at > now(), true)""",
        {"contestant": contestant.id, "but": but and but.id, "sessions": sessions_only},
    ).rowcount


def end(conn: Connection, token: str) -> None:
    """Revoke this very token, as when somebody signs out."""
    conn.execute("UPDATE token SET revoked_at = now() WHERE hash = %s AND revoked_at IS NULL", [digest(token)])


def digest(token: str) -> bytes:
    """What is kept of a token."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()
