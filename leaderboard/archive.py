"""A published contest as one file: all that came, all that was said of it, and the board that follows.

It is a plain tar file (tar.py) with

    contest.json         the contest, its setups, and the key that receipts are signed with
    contestants.jsonl    {"id", "name"}, by id
    submissions.jsonl    timely and late ones, by time: {"id", "contestant", "received_at", "sha256", "size", "state",
                         "late", "disqualified", "setup", "verdicts": [{"version", "applied", "verdict", "play", ...}]}
    matches.jsonl        of a contest of a game: players, answers, ruling
    board.json           the whole board; board.csv the same; boards/N.json and .csv for each of several setups
    audit.jsonl          what the public may read of what organisers have done, the newest first
    verifier/...         the sources of the verifier
    records/ID           each record, byte for byte, in the order of submissions.jsonl
    SHA256SUMS           of every other file, in the file's order; `sha256sum -c` reads it

Times are in UTC to the microsecond; JSON lines are in ASCII. The bytes follow from the database alone, so two archives
of the same contest are equal. deploy/reproduce.py reads it.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, BinaryIO

from psycopg.rows import dict_row

from leaderboard import audit, contests, redaction, tables, tar
from leaderboard.contests import Contest
from leaderboard.db import Connection
from leaderboard.tables import Standing, moment
from verifier import VERSION

FORMAT = "golden-nugget-archive/1"
SUMS = "SHA256SUMS"


class NotYet(Exception):
    """The contest is not published, or a submission of it is not decided."""


def stamp(conn: Connection, contest: Contest) -> str:
    """Changes whenever the archive of the contest would."""
    row = conn.execute(
        """
        SELECT md5(row(contest.*, counter.events, (SELECT max(audit.id) FROM audit),
                       (SELECT string_agg(shown, ',' ORDER BY id) FROM contestant
                        WHERE id IN (SELECT contestant FROM submission WHERE contest = contest.id)))::text)
        FROM contest JOIN counter ON counter.contest = contest.id WHERE contest.id = %s""",
        [contest.id],
    ).fetchone()
    assert row
    return str(row[0])


def ready(conn: Connection, contest: Contest) -> bool:
    """Whether it is published and everything that came is decided, or failed."""
    row = conn.execute(
        "SELECT NOT EXISTS (SELECT FROM submission WHERE contest = %s AND waiting IS TRUE)",
        [contest.id],
    ).fetchone()
    return contest.published and bool(row and row[0])


def write(conn: Connection, slug: str, key: str, file: BinaryIO) -> None:
    """Write the archive of a contest into an empty seekable file; `key` is the public key of receipts, in hexadecimal.

    `conn` has no transaction yet, and no time limit; everything is read in one moment. Raises NotYet.
    """
    conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    contest = contests.get(conn, slug)
    if contest is None or not ready(conn, contest):
        raise NotYet("The contest is not published, or a submission of it is not decided yet.")
    sums: list[tuple[str, str]] = []

    def add(name: str, parts: Iterable[bytes]) -> None:
        sums.append((name, tar.write(file, name, parts)))

    add("contest.json", [json.dumps(_described(contest, key), indent=1).encode() + b"\n"])
    add("contestants.jsonl", _lines(_rows(conn, CONTESTANTS, contest)))
    add("submissions.jsonl", _lines(_rows(conn, SUBMISSIONS, contest)))
    if contest.league:
        hide = redaction.of(conn)
        told = _rows(conn, MATCHES, contest)
        add("matches.jsonl", _lines({**row, "fault_name": hide(row["fault_name"] or "") or None} for row in told))
    many = len(contest.setups) > 1 and not contest.league
    for name, setup in [("board", 0), *((f"boards/{each.number}", each.number) for each in contest.setups if many)]:
        add(f"{name}.json", tables.standings(_board(conn, contest, setup)))
        add(f"{name}.csv", (line.encode() for line in tables.lines(_board(conn, contest, setup))))
    add("audit.jsonl", _lines(_audit(conn, contest)))
    for name, source in sources():
        add(f"verifier/{name}", [source])
    with conn.cursor(name="records", binary=True) as rows:
        rows.itersize = 16
        rows.execute(f"SELECT id, record FROM submission {ORDER}", {"contest": contest.id})  # noqa: S608
        for submission, record in rows:
            tar.write(file, f"records/{submission}", [record])
    tar.write(file, SUMS, _sums(conn, contest, sums))
    file.write(tar.END)


def sources() -> Iterator[tuple[str, bytes]]:
    """The verifier's sources: paths inside the package, and bytes."""

    def below(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
        for each in folder.iterdir():
            if each.is_dir():
                yield from below(each, f"{path}{each.name}/")
            elif each.name.endswith(".py"):
                yield f"{path}{each.name}", each.read_bytes()

    return iter(sorted(below(files("verifier"), "")))


ORDER = "WHERE contest = %(contest)s ORDER BY received_at, id"
CONTESTANTS = """
    SELECT id, shown AS name FROM contestant
    WHERE id IN (SELECT contestant FROM submission WHERE contest = %(contest)s
                 UNION SELECT contestant FROM match_player JOIN match ON submission = match WHERE contest = %(contest)s)
    ORDER BY id"""
SUBMISSIONS = """
    SELECT submission.id, contestant, received_at, encode(sha256, 'hex') AS sha256, size, state,
           received_at >= closes_at AS late, disqualified_at IS NOT NULL AS disqualified, setup,
           ARRAY(SELECT json_build_object('version', version, 'applied', applied, 'verdict', verdict,
                                          'play', encode(play, 'hex'))
                 FROM verdict WHERE verdict.submission = submission.id ORDER BY decided_at, version) AS verdicts
    FROM submission JOIN contest ON contest.id = contest
    WHERE contest = %(contest)s ORDER BY received_at, submission.id"""
MATCHES = """
    SELECT submission, fault, fault_name, same_as, ruling,
           ARRAY(SELECT json_build_object('contestant', contestant, 'answer', answer)
                 FROM match_player WHERE match = submission ORDER BY seat) AS players
    FROM match WHERE contest = %(contest)s ORDER BY submission"""


def _described(contest: Contest, key: str) -> dict[str, Any]:
    league = contest.league and {
        "per_pair": contest.league.per_pair,
        "answer_days": contest.league.answer_days,
        "invited": contest.league.invited,
    }
    return {
        "format": FORMAT,
        "verifier": VERSION,
        "receipts": {"algorithm": "Ed25519", "key": key},
        "slug": contest.slug,
        "titles": dict(sorted(contest.titles.items())),
        "puzzle": contest.puzzle,
        "opens_at": moment(contest.opens_at),
        "freezes_at": contest.freezes_at and moment(contest.freezes_at),
        "closes_at": moment(contest.closes_at),
        "publishes_at": moment(contest.publishes_at),
        "quota": contest.quota,
        "setups": [
            {"number": each.number, "name": each.name, "header": each.header, "layout": each.layout}
            for each in contest.setups
        ],
        "league": league,
    }


def _rows(conn: Connection, query: str, contest: Contest) -> Iterator[dict[str, Any]]:
    with conn.cursor(name="rows", row_factory=dict_row) as rows:
        rows.itersize = 500
        rows.execute(query, {"contest": contest.id})
        yield from rows


def _audit(conn: Connection, contest: Contest) -> Iterator[dict[str, Any]]:
    before = None
    while page := audit.public(conn, contest, 500, before):
        yield from map(asdict, page)
        before = page[-1].id


def _board(conn: Connection, contest: Contest, setup: int) -> Iterator[Standing]:
    query = """
        SELECT rank() OVER (ORDER BY key) AS rank, contestant AS contestant_id, contestant.shown AS name, score,
               received_at, submission
        FROM board(%(contest)s, %(setup)s) AS place JOIN contestant ON contestant.id = contestant
        ORDER BY key, received_at, contestant"""
    with conn.cursor(name="board", row_factory=dict_row) as rows:
        rows.itersize = 500
        rows.execute(query, {"contest": contest.id, "setup": setup})
        for row in rows:
            yield Standing(**row)


def _lines(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    for row in rows:
        yield json.dumps(row, default=_text).encode() + b"\n"


def _text(value: Any) -> str:
    return moment(value) if hasattr(value, "isoformat") else str(value)


def _sums(conn: Connection, contest: Contest, others: list[tuple[str, str]]) -> Iterator[bytes]:
    for name, digest in others:
        yield f"{digest}  {name}\n".encode()
    with conn.cursor(name="sums") as rows:
        rows.itersize = 5000
        rows.execute(
            f"SELECT encode(sha256, 'hex'), id FROM submission {ORDER}",  # noqa: S608
            {"contest": contest.id},
        )
        for digest, submission in rows:
            yield f"{digest}  records/{submission}\n".encode()
