"""What contestants do with their account: sign in, change name and password, end it.

Passwords are hashed outside transactions.
"""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from psycopg import errors

from leaderboard import audit, best, contestants, events, passwords, tokens
from leaderboard.contestants import Contestant, NameTaken
from leaderboard.db import Connection, savepoint, transaction
from leaderboard.events import Happening
from leaderboard.tokens import Scope, Token

KEPT = timedelta(days=365)
"""So long a name under which something was handed in is kept from others when its contestant has given it up."""


class WrongPassword(Exception):
    """The present password is another one, or was changed in the same moment."""


class Organising(Exception):
    """An organiser's account is not deleted: what they have done stands under their name."""


def sign_in(
    name: str,
    password: str,
    label: str = "",
    lasts: timedelta | None = None,
    scope: Scope = "all",
    session: bool = True,
) -> tuple[Contestant, str] | None:
    """The contestant with a new token, or session, if the password is theirs.

    An unknown name, one without a password and a wrong password take as long. Raises passwords.Busy.
    """
    with transaction() as conn:
        contestant = contestants.by_name(conn, name)
        kept = contestants.password_of(conn, contestant) if contestant else None
    if not passwords.matches(kept, password) or not contestant or not kept:
        return None
    new = passwords.hashed(password) if passwords.outdated(kept) else kept
    with transaction() as conn:
        # A password that is changed meanwhile ends what was begun with the old one.
        same = conn.execute(
            "UPDATE contestant SET password = %s WHERE id = %s AND password = %s", [new, contestant.id, kept]
        ).rowcount
        return (contestant, tokens.issue(conn, contestant, scope, label, lasts, session)) if same else None


def change(
    contestant: Contestant, by: Token, name: str | None = None, password: str | None = None, present: str | None = None
) -> Contestant:
    """Give them another name, another password, or both; a password ends the other sessions.

    `present` is the password so far, where there is one. Raises BadName, NameTaken, WrongPassword, passwords.Busy;
    then nothing has changed.
    """
    kept = new = None
    if password is not None:
        kept = confirmed(contestant, present)
        new = passwords.hashed(password)
    with transaction() as conn:
        if name is not None:
            rename(conn, contestant, name)
        if new:
            same = conn.execute(
                """
                UPDATE contestant SET password = %s
                WHERE id = %s AND password IS NOT DISTINCT FROM %s AND deleted_at IS NULL""",
                [new, contestant.id, kept],
            ).rowcount
            if not same:
                raise WrongPassword
            tokens.revoke_others(conn, contestant, by, sessions_only=True)
            audit.note(conn, _actor(contestant), "password", _actor(contestant))
        changed = contestants.get(conn, contestant.id)
    assert changed
    return changed


def confirmed(contestant: Contestant, present: str | None) -> str | None:
    """The hash of their password, if `present` is it or they have none. Raises WrongPassword, passwords.Busy."""
    with transaction() as conn:
        kept = contestants.password_of(conn, contestant)
    if kept is not None and not passwords.matches(kept, present or ""):
        raise WrongPassword
    return kept


def rename(conn: Connection, contestant: Contestant, name: str) -> None:
    """Give them another name, under the same rules as the first. The boards on which they stand tell of it.

    The old name, if anything was handed in under it, is kept from others for a year; they may go back to it.
    Raises BadName, NameTaken.
    """
    name = contestants.checked(name)
    alike = contestants.folded(name)
    places = _lock(conn, contestant)
    row = conn.execute("SELECT name, folded FROM contestant WHERE id = %s", [contestant.id]).fetchone()
    assert row
    if row[0] == name:
        return
    try:
        with savepoint(conn):
            conn.execute("UPDATE contestant SET name = %s, folded = %s WHERE id = %s", [name, alike, contestant.id])
            if contestants.kept_for_another(conn, alike, contestant.id):
                raise NameTaken(f"The name {name} was somebody's until lately.")
    except errors.UniqueViolation:
        raise NameTaken(f"The name {name} is taken.") from None
    contestants.remember_hidden(conn, contestant)
    if row[1] != alike:
        conn.execute("DELETE FROM former_name WHERE hash = %s", [contestants.name_hash(alike)])
        if places:
            _keep_name(conn, row[1], contestant.id)
    _tell(conn, contestant, places)
    audit.note(conn, _actor(contestant), "rename", _actor(contestant))


def delete(conn: Connection, contestant: Contestant) -> bool:
    """End an account: name, password, tokens and sessions go, at once and for good. Whether it was there.

    Results stay on the board under a neutral name where the contest keeps records; elsewhere they are withdrawn and the
    board closes the gap. A match is the other players' too and stays. Raises Organising.
    """
    places = _lock(conn, contestant)
    row = conn.execute(
        "SELECT folded, role FROM contestant WHERE id = %s AND deleted_at IS NULL FOR UPDATE", [contestant.id]
    ).fetchone()
    if row is None:
        return False
    old, role = row
    if role == "organiser":
        raise Organising
    neutral = _neutral(conn, contestant.id)
    conn.execute(
        """
        UPDATE contestant SET name = %s, folded = %s, password = NULL, hidden_at = NULL, deleted_at = now()
        WHERE id = %s""",
        [neutral, contestants.folded(neutral), contestant.id],
    )
    conn.execute("DELETE FROM token WHERE contestant = %s", [contestant.id])
    conn.execute("DELETE FROM upload_key WHERE contestant = %s", [contestant.id])
    conn.execute("UPDATE former_name SET contestant = NULL WHERE contestant = %s", [contestant.id])
    if places:
        _keep_name(conn, old, None)
    _tell(conn, contestant, places)
    _withdraw(conn, contestant, places)
    audit.note(conn, _actor(contestant), "delete", _actor(contestant))
    return True


def give_token(conn: Connection, contestant: Contestant, actor: Contestant | str, reason: str) -> str:
    """A token for somebody who has lost all of theirs: for a week, in which they can make others."""
    label = f"from {audit.name_of(actor)}"
    token = tokens.issue(conn, contestant, label=label, lasts=timedelta(days=7))
    audit.note(conn, actor, "token", _actor(contestant), reason, whom=contestant.id)
    return token


def _actor(contestant: Contestant) -> str:
    """Who acts, in the log that keeps everything: without the name, which may have to be forgotten."""
    return f"contestant {contestant.id}"


def _lock(conn: Connection, contestant: Contestant) -> list[int]:
    """Be the only one who changes names, and lock the contests in which they have handed in or played: those.

    The counters come before the contestant's row, as where verdicts are written.
    """
    conn.execute("SELECT pg_advisory_xact_lock(hashtext('golden-nugget'), hashtext('names'))")
    places = contestants.contests_of(conn, contestant)
    events.lock(conn, places)
    return places


def _keep_name(conn: Connection, alike: str, contestant: UUID | None) -> None:
    conn.execute(
        """
        INSERT INTO former_name (hash, contestant, free_at) VALUES (%s, %s, now() + %s)
        ON CONFLICT (hash) DO UPDATE SET contestant = excluded.contestant, free_at = excluded.free_at""",
        [contestants.name_hash(alike), contestant, KEPT],
    )


def _neutral(conn: Connection, id: UUID) -> str:
    """Contestant 7f3a: as much of the id as makes it nobody else's."""
    for digits in range(4, 33):
        name = f"Contestant {id.hex[:digits]}"
        if name[:40] == name and contestants.by_name(conn, name) is None:
            return name
    raise NameTaken("No neutral name is free.")


def _tell(conn: Connection, contestant: Contestant, places: list[int]) -> None:
    """An event on each board that shows the name; where only the hidden side of a board has it, none that is public."""
    rows = conn.execute(
        """
        SELECT best.contest, bool_or(best.live = now.live) FROM best JOIN contest_now AS now ON now.id = best.contest
        WHERE contestant = %s AND best.contest = ANY(%s) GROUP BY best.contest ORDER BY best.contest""",
        [contestant.id, places],
    ).fetchall()
    events.add(conn, [Happening(contest, "name", {"contestant": str(contestant.id)}, shown) for contest, shown in rows])


def _withdraw(conn: Connection, contestant: Contestant, places: list[int]) -> None:
    """Take what they handed in off the boards of contests that keep no records; matches stay."""
    rows = conn.execute(
        """
        UPDATE submission SET disqualified_at = coalesce(disqualified_at, now()), withdrawn_at = now()
        FROM contest
        WHERE contest.id = submission.contest AND contestant = %s AND contest.id = ANY(%s) AND NOT keeps_records
          AND NOT EXISTS (SELECT FROM league WHERE league.contest = contest.id)
        RETURNING contest.id, submission.id""",
        [contestant.id, places],
    ).fetchall()
    last: dict[int, UUID] = dict(sorted(rows))
    for contest, submission in last.items():
        faces = best.refresh(conn, contest, contestant.id)
        payload = {"submission": str(submission), "contestant": str(contestant.id), "accepted": True}
        events.add(conn, [Happening(contest, "disqualified", payload, events.seen(conn, contest, faces))])
