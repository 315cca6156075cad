"""Matches that contestants have played: who hands one in, who confirms or disputes it, and what an organiser decides.

An accepted record becomes a match if its `players:` are contestants of the contest and who handed it in is one of them.
It counts when all have confirmed it, or when an organiser upholds it. The same match - players, setup and moves -
counts once: another player's handing it in is a confirmation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal
from uuid import UUID

from psycopg.rows import dict_row

from leaderboard import audit, contestants, events, league, points, redaction
from leaderboard.contestants import Contestant
from leaderboard.contests import Contest
from leaderboard.db import Connection
from leaderboard.events import Happening
from verifier import Verdict

Fault = Literal["no-players", "unknown-player", "player-twice", "not-playing", "not-invited", "duplicate"]
"""Why an accepted record is no match: it names no players, somebody unknown, somebody twice, not who handed it in,
somebody who was not invited, or it is a match that was handed in before."""
State = Literal["faulty", "waiting", "confirmed", "disputed", "unanswered", "upheld", "void"]
"""Faulty: no match. Waiting for answers; confirmed by all; disputed by one, or not answered in time, so an organiser
decides; upheld or declared void by an organiser."""

UNDECIDED: tuple[State, ...] = ("disputed", "unanswered")
"""What waits for an organiser."""


class NotPlaying(Exception):
    """Only the other players of a match confirm or dispute it."""


class Settled(Exception):
    """The match is decided: confirmed by all, or by an organiser."""


class NoMatch(Exception):
    """The submission is no match."""


@dataclass(frozen=True)
class Player:
    """One side of a match."""

    seat: int
    """From 1."""
    contestant_id: UUID
    name: str
    points: str
    """What the match is worth to this player, an exact fraction."""
    answer: bool | None
    """Confirmed or disputed; None while there is no answer."""


@dataclass(frozen=True)
class Match:
    """An accepted record of a game, and how it stands."""

    submission: UUID
    state: State
    counts: bool
    """It is in the table (or will be in it when the board is no longer frozen)."""
    late: bool
    fault: Fault | None
    fault_name: str | None
    """Whose name is the fault, where it is one."""
    same_as: UUID | None
    """The submission by which a duplicate was handed in before."""
    result: Any
    """As the score has it: "1-0", or a list of places."""
    received_at: datetime
    answer_by: datetime
    players: tuple[Player, ...]
    """In seat order; none of a faulty one."""

    def seat_of(self, contestant: Contestant | None) -> Player | None:
        """The player that this contestant is."""
        return next((each for each in self.players if contestant and each.contestant_id == contestant.id), None)


_SELECT = """
    SELECT now.submission, state, counts, late, fault,
           coalesce((SELECT shown FROM contestant WHERE name = fault_name), fault_name) AS fault_name, same_as,
           verdict -> 'score' -> 'result' AS result,
           now.received_at, answer_by,
           ARRAY(SELECT json_build_object('seat', seat, 'contestant_id', contestant.id, 'name', shown, 'share', share,
                                          'answer', answer)
                 FROM match_player JOIN contestant ON contestant.id = contestant
                 WHERE match = now.submission ORDER BY seat) AS players
    FROM match_now AS now JOIN verdict ON verdict.submission = now.submission AND applied AND accepted
"""


@dataclass(frozen=True)
class Handed:
    """An accepted record of a game, just decided."""

    contest: int
    submission: UUID
    contestant: UUID
    verdict: Verdict


def enter(conn: Connection, handed: Sequence[Handed]) -> dict[UUID, bool]:
    """Make matches of accepted records: those that changed the table, and whether the public can see that.

    The caller holds the counters of their contests.
    """
    changed = {}
    for each in handed:
        fault, name, players = _check(conn, each)
        party = sorted(player.id for player in players)
        earlier = None
        if fault is None:
            earlier = _enter(conn, each, players, party)
        if fault is None and earlier is None:
            continue  # it waits for the other players' answers
        conn.execute(
            """
            INSERT INTO match (submission, contest, fault, fault_name, same_as) VALUES (%s, %s, %s, %s, %s)
            ON CONFLICT DO NOTHING""",
            [each.submission, each.contest, fault or "duplicate", name, earlier],
        )
        if earlier and _say(conn, earlier, each.contestant, True):
            faces = league.refresh(conn, each.contest, party)
            if faces:
                changed[each.submission] = events.seen(conn, each.contest, faces)
    return changed


def correct(conn: Connection, handed: Sequence[Handed]) -> None:
    """Records that a later verdict accepts: those that were rejected are entered, matches are worth what it says.

    The caller holds the counter of their contest, and makes the table anew.
    """
    for each in handed:
        row = conn.execute("SELECT fault FROM match WHERE submission = %s", [each.submission]).fetchone()
        if row is None:
            enter(conn, [each])
        elif row[0] is None:
            _worth(conn, each)


def get(conn: Connection, submission: UUID) -> Match | None:
    """What became of a submission to a league; None where nothing did: another contest, rejected, not yet decided."""
    row = conn.cursor(row_factory=dict_row).execute(_SELECT + " WHERE now.submission = %s", [submission]).fetchone()
    return _match(conn, row) if row else None


def listed(
    conn: Connection, contest: Contest, states: Sequence[State], limit: int = 50, before: Match | None = None
) -> list[Match]:
    """The matches of a contest that stand like this, those received last first; `before`: the last one of a page."""
    rows = conn.cursor(row_factory=dict_row).execute(
        _SELECT
        + """
        WHERE contest = %(contest)s AND state = ANY(%(states)s)
          AND (%(at)s::timestamptz IS NULL OR (now.received_at, now.submission) < (%(at)s, %(id)s::uuid))
        ORDER BY now.received_at DESC, now.submission DESC LIMIT %(limit)s""",
        {
            "contest": contest.id,
            "states": list(states),
            "at": before and before.received_at,
            "id": before and before.submission,
            "limit": limit,
        },
    )
    return [_match(conn, row) for row in rows]


def counted(conn: Connection, contest: Contest, limit: int = 50, before: Match | None = None) -> list[Match]:
    """The matches that the public table is made of, those received last first."""
    rows = conn.cursor(row_factory=dict_row).execute(
        _SELECT
        + """
        WHERE contest = %(contest)s AND counts AND (early IS NOT FALSE OR %(live)s)
          AND (%(at)s::timestamptz IS NULL OR (now.received_at, now.submission) < (%(at)s, %(id)s::uuid))
        ORDER BY now.received_at DESC, now.submission DESC LIMIT %(limit)s""",
        {
            "contest": contest.id,
            "live": contest.live,
            "at": before and before.received_at,
            "id": before and before.submission,
            "limit": limit,
        },
    )
    return [_match(conn, row) for row in rows]


def undecided(conn: Connection, contest: Contest) -> dict[State, int]:
    """How many matches of a contest wait for their players, are disputed, or were not answered in time.

    As the public may know it: while the board is frozen, of those that came before.
    """
    return dict(
        conn.execute(
            """
            SELECT state, count(*) FROM match_state
            WHERE contest = %s AND state IN ('waiting', 'disputed', 'unanswered') AND (early IS NOT FALSE OR %s)
              AND submission IN (SELECT match FROM match_player WHERE answer IS NOT TRUE)
            GROUP BY state""",
            [contest.id, contest.live],
        ).fetchall()
    )


def asked(conn: Connection, contestant: Contestant, limit: int = 50) -> list[Match]:
    """The matches that wait for this contestant's answer, the oldest first."""
    rows = conn.cursor(row_factory=dict_row).execute(
        _SELECT
        + """
        JOIN match_player AS mine ON mine.match = now.submission AND mine.contestant = %s AND answer IS NULL
        WHERE ruling IS NULL ORDER BY now.received_at, now.submission LIMIT %s""",
        [contestant.id, limit],
    )
    return [_match(conn, row) for row in rows]


def answer(conn: Connection, contest: Contest, submission: UUID, contestant: Contestant, confirmed: bool) -> Match:
    """A player says whether the match was so. Saying the same again changes nothing.

    Another answer may follow until all have confirmed it or an organiser has decided. Raises NoMatch, NotPlaying,
    Settled.
    """
    events.lock(conn, [contest.id])
    match = _found(conn, submission)
    mine = match.seat_of(contestant)
    if mine is None or contestant.id == _handed_in_by(conn, submission):
        raise NotPlaying("Only the other players of a match confirm or dispute it.")
    if mine.answer == confirmed:
        return match
    if match.state in ("confirmed", "upheld", "void"):
        raise Settled("The match is decided already.")
    _say(conn, submission, contestant.id, confirmed)
    audit.note(
        conn,
        f"contestant {contestant.id}",
        "confirm" if confirmed else "dispute",
        f"match {submission}",
        contest=contest.id,
    )
    return _settle(conn, contest, match)[0]


def rule(
    conn: Connection, contest: Contest, submission: UUID, organiser: Contestant | str, counts: bool, reason: str
) -> Match:
    """An organiser decides what a match is, whatever its players say; another decision may follow. Raises NoMatch."""
    events.lock(conn, [contest.id])
    match = _found(conn, submission)
    ruling = "upheld" if counts else "void"
    if match.state == ruling:
        return match
    conn.execute("UPDATE match SET ruling = %s, ruled_at = now() WHERE submission = %s", [ruling, submission])
    settled, public = _settle(conn, contest, match)
    audit.note(
        conn,
        organiser,
        "uphold" if counts else "void",
        f"match {submission}",
        reason,
        contest=contest.id,
        whom=_handed_in_by(conn, submission),
        shown="now" if public else "published",
    )
    return settled


# --- making a match of a record --------------------------------------------------------------------------------------


def _check(conn: Connection, handed: Handed) -> tuple[Fault | None, str | None, list[Contestant]]:
    """The players as contestants, or what is wrong with them, and whose name it is."""
    names = handed.verdict.players
    if not names:
        return "no-players", None, []
    players: list[Contestant] = []
    for name in names:
        found = _contestant(conn, name)
        if found is None:
            return "unknown-player", _kept(name), []
        if found in players:
            return "player-twice", found.name, []
        players.append(found)
    if handed.contestant not in (player.id for player in players):
        return "not-playing", None, []
    for player in players:
        if not _may_play(conn, handed.contest, player):
            return "not-invited", player.name, []
    return None, None, players


def _contestant(conn: Connection, name: str) -> Contestant | None:
    """Whom the name means, compared as names are. JSON may bring halves of surrogate pairs, which are in nobody's."""
    if len(name) > 200 or _kept(name) != name:
        return None
    return contestants.by_name(conn, name) or contestants.by_former_name(conn, name)


def _kept(name: str) -> str:
    """As much of a name as can be kept and shown."""
    return name.replace("\0", "\ufffd").encode(errors="replace").decode()[:200]


def _may_play(conn: Connection, contest: int, contestant: Contestant) -> bool:
    row = conn.execute(
        """
        SELECT NOT invited OR EXISTS (SELECT FROM entrant WHERE contest = league.contest AND contestant = %s)
        FROM league WHERE contest = %s""",
        [contestant.id, contest],
    ).fetchone()
    assert row
    return bool(row[0])


def _enter(conn: Connection, handed: Handed, players: list[Contestant], party: list[UUID]) -> UUID | None:
    """Keep the match with the first answer; or say by which submission it was handed in before."""
    score, play = handed.verdict.score, handed.verdict.play
    assert score
    assert play
    identity = _identity([player.id for player in players], play)
    new = conn.execute(
        """
        INSERT INTO match (submission, contest, identity, party) VALUES (%s, %s, %s, %s)
        ON CONFLICT DO NOTHING RETURNING submission""",
        [handed.submission, handed.contest, identity, party],
    ).fetchone()
    if new is None:
        row = conn.execute(
            "SELECT submission FROM match WHERE contest = %s AND identity = %s", [handed.contest, identity]
        ).fetchone()
        assert row
        earlier: UUID = row[0]
        return earlier if earlier != handed.submission else None
    conn.cursor().executemany(
        """
        INSERT INTO match_player (match, seat, contestant, share, answer, answered_at)
        VALUES (%(match)s, %(seat)s, %(contestant)s, %(share)s, CASE WHEN %(first)s THEN true END,
                CASE WHEN %(first)s THEN now() END)""",
        [
            {
                "match": handed.submission,
                "seat": seat,
                "contestant": player.id,
                "share": share,
                "first": player.id == handed.contestant,
            }
            for seat, (player, share) in enumerate(zip(players, points.shares(score["result"]), strict=True), 1)
        ],
    )
    return None


def _identity(players: Sequence[UUID], play: str) -> bytes:
    """What makes two records the same match: the players in seat order, the setup and the moves."""
    return sha256("\n".join([*map(str, players), play]).encode()).digest()


def _worth(conn: Connection, handed: Handed) -> None:
    """A match as a later verdict has it: its shares, and its identity, unless another match has that one."""
    assert handed.verdict.score
    assert handed.verdict.play
    shares = points.shares(handed.verdict.score["result"])
    seats = conn.execute(
        """
        UPDATE match_player SET share = worth.share
        FROM unnest(%s::int[]) WITH ORDINALITY AS worth (share, seat)
        WHERE match = %s AND match_player.seat = worth.seat RETURNING match_player.seat, contestant""",
        [shares, handed.submission],
    ).fetchall()
    identity = _identity([contestant for _, contestant in sorted(seats)], handed.verdict.play)
    conn.execute(
        """
        UPDATE match SET identity = %(identity)s
        WHERE submission = %(id)s
          AND NOT EXISTS (SELECT FROM match WHERE contest = %(contest)s AND identity = %(identity)s)""",
        {"identity": identity, "id": handed.submission, "contest": handed.contest},
    )


# --- answers and their effect ----------------------------------------------------------------------------------------


def _found(conn: Connection, submission: UUID) -> Match:
    match = get(conn, submission)
    if match is None or match.state == "faulty":
        raise NoMatch("This submission is no match.")
    return match


def _handed_in_by(conn: Connection, submission: UUID) -> UUID:
    row = conn.execute("SELECT contestant FROM submission WHERE id = %s", [submission]).fetchone()
    assert row
    contestant: UUID = row[0]
    return contestant


def _say(conn: Connection, match: UUID, contestant: UUID, confirmed: bool) -> bool:
    """Write an answer down; whether it is another than before."""
    return bool(
        conn.execute(
            """
            UPDATE match_player SET answer = %(answer)s, answered_at = now()
            WHERE match = %(match)s AND contestant = %(contestant)s AND answer IS DISTINCT FROM %(answer)s""",
            {"match": match, "contestant": contestant, "answer": confirmed},
        ).rowcount
    )


def _settle(conn: Connection, contest: Contest, match: Match) -> tuple[Match, bool]:
    """Bring the table up to date and tell of it: the match as it is now, and whether the public can see the change."""
    faces = league.refresh(conn, contest.id, [player.contestant_id for player in match.players])
    payload = {
        "submission": str(match.submission),
        "contestant": str(_handed_in_by(conn, match.submission)),
        "accepted": True,
    }
    kind, public = ("standing", events.seen(conn, contest.id, faces)) if faces else ("match", False)
    events.add(conn, [Happening(contest.id, kind, payload, public)])
    return _found(conn, match.submission), public


def _match(conn: Connection, row: dict[str, Any]) -> Match:
    if row["fault_name"]:  # as the record has it: it may also be the name that somebody had when it was hidden
        row["fault_name"] = redaction.of(conn)(row["fault_name"])
    players = tuple(
        Player(each["seat"], UUID(each["contestant_id"]), each["name"], points.points(each["share"]), each["answer"])
        for each in row["players"]
    )
    return Match(**{**row, "players": players})
