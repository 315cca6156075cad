"""Their keys, stored hashed, with expiry and scope."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal
from uuid import UUID

from psycopg.rows import class_row

from leaderboard.db import Connection

if TYPE_CHECKING:
    from leaderboard.contestants import Contestant

Scope = Literal["all", "read"]
"""`read` lets a program look, but not upload or change anything."""


@dataclass(frozen=True)
class Token:
    """What is known of a token; the token itself is not kept."""

    id: UUID
    scope: Scope
    label: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


def issue(
    conn: Connection, contestant: Contestant, scope: Scope = "all", label: str = "", lasts: timedelta | None = None
) -> str:
    """A new token: 256 random bits as text. Only its SHA-256 is stored."""
    token = "gn_" + secrets.token_urlsafe(32)
    conn.execute(
        """
        INSERT INTO token (contestant, hash, scope, label, expires_at)
        VALUES (%s, %s, %s, %s, now() + %s::interval)""",
        [contestant.id, _hash(token), scope, label, lasts],
    )
    return token


def contestant_of(conn: Connection, token: str, scope: Scope = "read") -> Contestant | None:
    """Whose token it is; None if it is unknown, revoked, expired, or its scope is too small for `scope`."""
    from leaderboard.contestants import Contestant

    return (
        conn.cursor(row_factory=class_row(Contestant))
        .execute(
            """
        SELECT contestant.id, name, role, contestant.created_at, hidden_at IS NOT NULL AS hidden
        FROM token JOIN contestant ON contestant.id = token.contestant
        WHERE hash = %(hash)s AND revoked_at IS NULL AND coalesce(expires_at > now(), true)
          AND scope IN ('all', %(scope)s)""",
            {"hash": _hash(token), "scope": scope},
        )
        .fetchone()
    )


def listed(conn: Connection, contestant: Contestant) -> list[Token]:
    """A contestant's tokens, the newest first."""
    return (
        conn.cursor(row_factory=class_row(Token))
        .execute(
            """
        SELECT id, scope, label, created_at, expires_at, revoked_at FROM token
        WHERE contestant = %s ORDER BY created_at DESC, id""",
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


def end(conn: Connection, token: str) -> None:
    """Revoke this very token, as when somebody signs out."""
    conn.execute("UPDATE token SET revoked_at = now() WHERE hash = %s AND revoked_at IS NULL", [_hash(token)])


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()
