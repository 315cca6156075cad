"""What organisers change afterwards: times, disqualification, hidden names. All is audited; boards follow at once.

Each act takes who acts - an organiser, or a text such as "command line" - and a reason, which the public may read.
"""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from leaderboard import audit, best, contestants, contests, events, league
from leaderboard.contestants import Contestant
from leaderboard.contests import TIMES, BadContest, Contest, League
from leaderboard.db import Connection
from leaderboard.events import Happening
from leaderboard.rebuild import rebuild
from verifier import RULES

Act = Literal["freeze", "close", "publish"]
ACTS: dict[Act, str] = {"freeze": "freezes_at", "close": "closes_at", "publish": "publishes_at"}
"""What can be done at once, and the time that it sets."""


def create(conn: Connection, organiser: Contestant | str, **fields: Any) -> tuple[Contest, bool]:
    """A contest with the fields of contests.create, and whether it is new: the same again is the one that stands.

    Raises BadContest, also for another contest of that slug.
    """
    try:
        made = contests.create(conn, **fields)
    except BadContest as error:
        standing = contests.get(conn, fields["slug"]) if error.code == "contest-exists" else None
        if standing is None:
            raise
        other = [name for name, value in _stated(fields).items() if value != _stated(_fields(standing))[name]]
        if other:
            others = ", ".join(other)
            raise BadContest("slug", f"A contest of that slug stands, with other: {others}.", error.code) from None
        return standing, False
    audit.note(conn, organiser, "create", f"contest {made.slug}", contest=made.id, shown="now")
    return made, True


def disqualify(conn: Connection, submission_id: UUID, organiser: Contestant | str, reason: str) -> bool:
    """Take a submission off the board, also off a frozen one; the contestant's next best takes its place.

    Its verdict stays. Whether it stood undisqualified before.
    """
    return _set(conn, submission_id, organiser, reason, disqualified=True)


def reinstate(conn: Connection, submission_id: UUID, organiser: Contestant | str, reason: str) -> bool:
    """Take a disqualification back. Whether there was one."""
    return _set(conn, submission_id, organiser, reason, disqualified=False)


def reschedule(
    conn: Connection,
    contest: Contest,
    organiser: Contestant | str,
    reason: str,
    action: str = "reschedule",
    **times: datetime | None,
) -> Contest:
    """Give a contest other times (of TIMES); who is late and what is public follows, so the board is made anew.

    The same times again change nothing. What is published stays published. Raises BadContest.
    """
    events.lock(conn, [contest.id])
    contest = _again(conn, contest)
    due = {name: getattr(contest, name) for name in TIMES} | times
    contests.check_times(**due)
    changes = {name: time for name, time in due.items() if time != getattr(contest, name)}
    if not changes:
        return contest
    if contest.publishes_at <= _clock(conn) < due["publishes_at"]:
        raise BadContest("publishes_at", "The records are public already.", "published")
    conn.execute(
        """
        UPDATE contest SET opens_at = %(opens_at)s, freezes_at = %(freezes_at)s, closes_at = %(closes_at)s,
                           publishes_at = %(publishes_at)s WHERE id = %(id)s""",
        {"id": contest.id, **due},
    )
    changed = _again(conn, contest)
    rebuild(conn, changed)
    events.add(conn, [Happening(contest.id, "dates", {name: _text(time) for name, time in due.items()}, public=True)])
    audit.note(
        conn,
        organiser,
        action,
        f"contest {contest.slug}",
        reason,
        contest=contest.id,
        shown="now",
        detail={name: [_text(getattr(contest, name)), _text(time)] for name, time in changes.items()},
    )
    return changed


def extend(
    conn: Connection, contest: Contest, organiser: Contestant | str, reason: str, closes_at: datetime
) -> Contest:
    """Move the deadline back, also when it is over: what came late and before the new one is in time.

    Publication waits for the new deadline, if it was planned before. Raises BadContest.
    """
    events.lock(conn, [contest.id])
    contest = _again(conn, contest)
    if closes_at.tzinfo is not None and closes_at < contest.closes_at:
        raise BadContest("closes_at", f"It closes at {_text(contest.closes_at)} already.", "times-order")
    if closes_at.tzinfo is None:
        raise BadContest("closes_at", "Times need an offset, such as 2026-12-01T12:00:00Z.", "time-without-zone")
    publishes_at = max(contest.publishes_at, closes_at)
    return reschedule(conn, contest, organiser, reason, "extend", closes_at=closes_at, publishes_at=publishes_at)


def at_once(conn: Connection, contest: Contest, organiser: Contestant | str, reason: str, act: Act) -> Contest:
    """Freeze, close or publish now, by the database clock. What is so already stays as it is.

    A contest published at its close waits, if closed early, for nothing. Raises BadContest where the order of times
    would break. The new phase holds from the end of this transaction on; the next one finds it.
    """
    events.lock(conn, [contest.id])
    contest, name = _again(conn, contest), ACTS[act]
    now = _clock(conn)
    planned: datetime | None = getattr(contest, name)
    if planned is not None and planned <= now:
        return contest
    times: dict[str, datetime | None] = {name: now}
    if act == "close" and contest.publishes_at == contest.closes_at:
        times["publishes_at"] = now
    return reschedule(conn, contest, organiser, reason, act, **times)


def _clock(conn: Connection) -> datetime:
    """The time now. Asked for behind the lock, unlike now(): what became public meanwhile stays so."""
    row = conn.execute("SELECT clock_timestamp()").fetchone()
    assert row
    now: datetime = row[0]
    return now


def hide(conn: Connection, contestant: Contestant, organiser: Contestant | str, reason: str) -> bool:
    """Let the public read a neutral text in the place of a name, everywhere. Whether it was to be read before."""
    return _hide(conn, contestant, organiser, reason, hidden=True)


def unhide(conn: Connection, contestant: Contestant, organiser: Contestant | str, reason: str) -> bool:
    """Show a hidden name again. Whether it was hidden."""
    return _hide(conn, contestant, organiser, reason, hidden=False)


def _set(conn: Connection, submission_id: UUID, organiser: Contestant | str, reason: str, disqualified: bool) -> bool:
    row = conn.execute("SELECT contest, contestant FROM submission WHERE id = %s", [submission_id]).fetchone()
    if row is None:
        return False
    contest, contestant = row
    events.lock(conn, [contest])
    changed = conn.execute(
        """
        UPDATE submission SET disqualified_at = CASE WHEN %(disqualified)s THEN now() END
        WHERE id = %(id)s AND (disqualified_at IS NULL) = %(disqualified)s AND withdrawn_at IS NULL""",
        {"id": submission_id, "disqualified": disqualified},
    ).rowcount
    if not changed:
        return False
    players = conn.execute(
        """
        SELECT DISTINCT player.contestant
        FROM match AS mine JOIN match USING (contest, party)
                           JOIN match_player AS player ON player.match = match.submission
        WHERE mine.submission = %s""",
        [submission_id],
    ).fetchall()
    if players:
        faces = league.refresh(conn, contest, [each for (each,) in players])
    else:
        faces = best.refresh(conn, contest, contestant)
    payload = {"submission": str(submission_id), "contestant": str(contestant), "accepted": True}
    deed, kind = ("disqualify", "disqualified") if disqualified else ("reinstate", "reinstated")
    public = events.seen(conn, contest, faces)
    events.add(conn, [Happening(contest, kind, payload, public)])
    audit.note(
        conn,
        organiser,
        deed,
        f"submission {submission_id}",
        reason,
        contest=contest,
        whom=contestant,
        shown="now" if public else "published",
    )
    return True


def _hide(conn: Connection, contestant: Contestant, organiser: Contestant | str, reason: str, hidden: bool) -> bool:
    ids = contestants.contests_of(conn, contestant)
    events.lock(conn, ids)
    changed = conn.execute(
        """
        UPDATE contestant SET hidden_at = CASE WHEN %(hidden)s THEN now() END
        WHERE id = %(id)s AND (hidden_at IS NULL) = %(hidden)s""",
        {"id": contestant.id, "hidden": hidden},
    ).rowcount
    if not changed:
        return False
    (contestants.remember_hidden if hidden else contestants.forget_hidden)(conn, contestant)
    standing = best.read(conn, [(each, contestant.id) for each in ids])
    faces = {each: {slot.live for slot in standing if slot.contest == each} for each in ids}
    payload = {"contestant": str(contestant.id)}
    events.add(conn, [Happening(each, "name", payload, events.seen(conn, each, faces[each])) for each in ids])
    deed = "hide" if hidden else "unhide"
    audit.note(conn, organiser, deed, f"contestant {contestant.id}", reason, whom=contestant.id, shown="now")
    return True


def _fields(contest: Contest) -> dict[str, Any]:
    """What contests.create would make it of."""
    names = ("titles", "descriptions", "puzzle", *TIMES, "quota", "keeps_records", "league")
    return {name: getattr(contest, name) for name in names} | {"setups": [one.header for one in contest.setups]}


def _stated(fields: dict[str, Any]) -> dict[str, Any]:
    """The same with everything that may be left out."""
    game = RULES[fields["puzzle"]].kind == "game"
    return {
        "titles": dict(fields["titles"]),
        "descriptions": dict(fields.get("descriptions") or {}),
        "puzzle": fields["puzzle"],
        "opens_at": fields["opens_at"],
        "freezes_at": fields.get("freezes_at"),
        "closes_at": fields["closes_at"],
        "publishes_at": fields.get("publishes_at") or fields["closes_at"],
        "quota": fields.get("quota"),
        "keeps_records": fields.get("keeps_records", True),
        "league": fields.get("league") or (League() if game else None),
        "setups": list(fields.get("setups", ())),
    }


def _again(conn: Connection, contest: Contest) -> Contest:
    """The contest as it is now that its counter is locked."""
    found = contests.get(conn, contest.slug)
    assert found
    return found


def _text(time: Any) -> Any:
    return time and time.isoformat().replace("+00:00", "Z")
