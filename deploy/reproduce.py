"""nugget reproduce ARCHIVE: verify every record of an archive again, and compare verdicts and board.

Needs nothing but the archive: the standard library, the verifier and the pure part of the ranking (for a receipt also
the library that checks signatures). Nothing is unpacked, so no member can be written anywhere; a line has at most a
megabyte, a record what a record may have, and the file is read piece by piece.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from itertools import islice, zip_longest
from multiprocessing import get_context
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from uuid import UUID

from leaderboard import points, ranking, tables, tar
from leaderboard.tables import Standing, moment
from leaderboard.tar import Damaged, Member
from verifier import RULES, VERSION, Allowed, Rejected, setup_of, verify
from verifier.record import LIMIT
from verifier.verdict import Score

FORMAT = "golden-nugget-archive/1"
SUMS = "SHA256SUMS"
UUID_TEXT = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
RECORD = re.compile(f"records/({UUID_TEXT})")
OTHER = re.compile(
    r"contest\.json|(contestants|submissions|matches|audit)\.jsonl|board\.(json|csv)|boards/[1-9][0-9]{0,4}\.(json|csv)"
    r"|verifier/([a-z_0-9]+/)?[a-z_0-9]+\.py|SHA256SUMS"
)
LONGEST_LINE = 2**20
MOST = 100
"""So many differences are told."""
CHUNK = 16
"""Records that a process takes at once."""
FEW = 100
"""So many records are not worth other processes."""

Told = Callable[[int, int], None]


class Row(NamedTuple):
    """A line of submissions.jsonl."""

    id: str
    contestant: str
    received_at: str
    sha256: str
    size: int
    state: str
    late: bool
    disqualified: bool
    setup: int | None
    verdicts: list[dict[str, Any]]


class Judged(NamedTuple):
    """What the verifier says of a record here and now."""

    verdict: dict[str, Any]
    setup: str | None
    play: str | None
    players: int


class Best(NamedTuple):
    """A result; the lesser one is better, or earlier."""

    key: bytes
    received_at: str
    submission: str
    score: Score


@dataclass
class Archive:
    """An archive as it is read: its members' places, and what is found wrong with it."""

    file: BinaryIO
    members: dict[str, Member] = field(default_factory=dict)
    """All but the records."""
    records: int = 0
    first_record: int = 0
    wrong: list[str] = field(default_factory=list)

    def differs(self, where: str, what: str) -> None:
        if len(self.wrong) < MOST:
            self.wrong.append(f"{where}: {what}")

    def lines(self, name: str) -> Iterator[tuple[str, bytes]]:
        """The lines of a member, each with its place in words. Raises Damaged."""
        if name not in self.members:
            raise Damaged(f"{name}: it is missing")
        _, at, size = self.members[name]
        number, rest = 0, b""
        while size or rest:
            self.file.seek(at)
            part = self.file.read(min(size, LONGEST_LINE))
            at, size, whole = at + len(part), size - len(part), rest + part
            if size and not part:
                raise Damaged(f"{name}: the file ends within it")
            *found, rest = whole.split(b"\n")
            for line in found:
                number += 1
                yield f"{name} line {number}", line
            if not size and rest:
                raise Damaged(f"{name} line {number + 1}: it has no end")
            if len(rest) > LONGEST_LINE:
                raise Damaged(f"{name} line {number + 1}: it is too long")

    def objects(self, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The lines as JSON objects."""
        for where, line in self.lines(name):
            yield where, parsed(where, line)


def parsed(where: str, text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Damaged(f"{where}: it is no JSON object")
    return found


# --- every byte ------------------------------------------------------------------------------------------------------


def look(archive: Archive) -> None:
    """Find the members, and compare each byte with what it must be. Raises Damaged where nothing more can be read."""
    at, last = 0, "the beginning"
    order: list[str] = []
    while member := _next(archive.file, at, last):
        name = member.name
        if RECORD.fullmatch(name):
            if member.size > LIMIT:
                raise Damaged(f"{name}: a record has at most {LIMIT} bytes, this member {member.size}")
            archive.records += 1
            archive.first_record = archive.first_record or at
        elif not OTHER.fullmatch(name):
            raise Damaged(f"{name!a}: it does not belong into an archive")
        elif name in archive.members:
            raise Damaged(f"{name}: it is there twice")
        else:
            archive.members[name] = member
            order.append(name)
        at, last = member.end, name
    if last != SUMS:
        raise Damaged(f"{SUMS}: it is not the last member; after {last!a} the file ends")
    lines = archive.lines(SUMS)
    at = 0
    while member := _next(archive.file, at, last):
        if member.name != SUMS:
            _compare(archive, member, next(lines, None))
        _padding(archive, member)
        at = member.end
    for _where, line in lines:
        archive.differs(_named(line), f"{SUMS} names it, and it is missing")


def _next(file: BinaryIO, at: int, last: str) -> Member | None:
    try:
        return tar.read(file, at)
    except Damaged as error:
        raise Damaged(f"behind {last!a}, {error}") from None


def _compare(archive: Archive, member: Member, said: tuple[str, bytes] | None) -> None:
    total, at, left = sha256(), member.start, member.size
    while left:
        archive.file.seek(at)
        part = archive.file.read(min(left, 2**20))
        if not part:
            raise Damaged(f"{member.name}: the file ends within it")
        total.update(part)
        at, left = at + len(part), left - len(part)
    if said is None:
        archive.differs(member.name, f"{SUMS} does not name it")
    elif said[1] != f"{total.hexdigest()}  {member.name}".encode():
        if _named(said[1]) == member.name:
            archive.differs(member.name, f"its SHA-256 is not the one of {said[0]}")
        else:
            archive.differs(said[0], f"it should name {member.name}, which stands at this place of the file")


def _padding(archive: Archive, member: Member) -> None:
    archive.file.seek(member.start + member.size)
    if any(archive.file.read(member.end - member.start - member.size)):
        archive.differs(member.name, "behind its end stands something other than zeros")


def _named(line: bytes) -> str:
    return line[66:].decode("ascii", "backslashreplace")


# --- every verdict ---------------------------------------------------------------------------------------------------

_allowed: Allowed | None = None


def _prepare(puzzle: str, headers: Sequence[str]) -> None:
    """What a process knows of the contest."""
    global _allowed
    _allowed = Allowed(puzzle, tuple(filter(None, (setup_of(puzzle, header) for header in headers))))


def _judge(records: list[bytes]) -> list[Judged]:
    found = []
    for record in records:
        verdict = verify(record, _allowed)
        told = json.loads(json.dumps(verdict.to_json()))
        setup = verdict.setup.text if verdict.setup else None
        found.append(Judged(told, setup, verdict.play, len(verdict.players)))
    return found


def rows(archive: Archive) -> Iterator[tuple[Row, bytes]]:
    """Each submission with its record, in the order of the archive. Raises Damaged."""
    at, seen, previous = archive.first_record, 0, ("", "")
    for where, line in archive.objects("submissions.jsonl"):
        try:
            row = Row(**line)
            UUID(row.id), UUID(row.contestant), datetime.fromisoformat(row.received_at)
            if not (isinstance(row.verdicts, list) and all(isinstance(each, dict) for each in row.verdicts)):
                raise ValueError
        except (TypeError, ValueError, AttributeError):
            raise Damaged(f"{where}: it is no submission") from None
        member = tar.read(archive.file, at) if seen < archive.records else None
        if member is None or member.name != f"records/{row.id}":
            raise Damaged(f"{where}: the record of {row.id} does not stand at its place")
        if (row.received_at, row.id) <= previous:
            archive.differs(where, "submissions are not in the order of time")
        previous = (row.received_at, row.id)
        archive.file.seek(member.start)
        record = archive.file.read(member.size)
        at, seen = member.end, seen + 1
        if (sha256(record).hexdigest(), len(record)) != (row.sha256, row.size):
            archive.differs(f"submission {row.id}", "its record is not the one that was received")
        yield row, record
    if seen < archive.records:
        raise Damaged(f"records: {archive.records - seen} more than submissions.jsonl tells of")


def judged(
    found: Iterator[tuple[Row, bytes]], puzzle: str, headers: Sequence[str], many: int, processes: int
) -> Iterator[tuple[Row, Judged]]:
    """Each submission with its verdict, in order; the records are verified by so many processes, if there are many."""
    if many < FEW or processes < 2:
        _prepare(puzzle, headers)
        for row, record in found:
            yield row, _judge([record])[0]
        return
    context = get_context("spawn")
    with ProcessPoolExecutor(processes, context, initializer=_prepare, initargs=(puzzle, headers)) as pool:
        under_way: deque[tuple[list[Row], Future[list[Judged]]]] = deque()
        while True:
            while len(under_way) < 4 * processes and (chunk := list(islice(found, CHUNK))):
                task = pool.submit(_judge, [record for _, record in chunk])
                under_way.append(([row for row, _ in chunk], task))
            if not under_way:
                return
            done, task = under_way.popleft()
            yield from zip(done, task.result(), strict=True)


# --- the whole board -------------------------------------------------------------------------------------------------


@dataclass
class Contest:
    """What contest.json tells."""

    slug: str
    puzzle: str
    closes_at: str
    key: str
    version: str
    headers: list[str]
    numbers: dict[str, int]
    """The number of each setup, by its layout."""
    per_pair: int | None
    league: bool

    @property
    def boards(self) -> dict[int, str]:
        """The name of each board's files, by the number of its setup; 0 is the overall one."""
        many = len(self.numbers) > 1 and not self.league
        return {0: "board"} | ({number: f"boards/{number}" for number in self.numbers.values()} if many else {})


def described(archive: Archive) -> Contest:
    """What contest.json tells. Raises Damaged."""
    text = b"\n".join(islice((line for _, line in archive.lines("contest.json")), 100_000))
    told = parsed("contest.json", text)
    try:
        if told["format"] != FORMAT:
            raise Damaged(f"contest.json: its format is {told['format']!a}, this program reads {FORMAT}")
        rules = RULES[told["puzzle"]]
        league = told["league"]
        numbers = {}
        for each in told["setups"]:
            setup = setup_of(rules.id, each["header"])
            numbers[setup.text if setup else ""] = int(each["number"])
        return Contest(
            slug=str(told["slug"]),
            puzzle=rules.id,
            closes_at=moment(datetime.fromisoformat(told["closes_at"])),
            key=str(told["receipts"]["key"]),
            version=str(told["verifier"]),
            headers=[str(each["header"]) for each in told["setups"]],
            numbers=numbers,
            per_pair=league and league["per_pair"],
            league=rules.kind == "game",
        )
    except Damaged:
        raise
    except (Rejected, KeyError, TypeError, ValueError, AttributeError) as error:
        raise Damaged(f"contest.json: it does not describe a contest ({type(error).__name__}: {error})") from None


@dataclass
class Board:
    """The board as it follows from the verdicts given here."""

    contest: Contest
    bests: dict[tuple[str, int], Best] = field(default_factory=dict)
    played: dict[str, tuple[Row, Judged]] = field(default_factory=dict)
    """Accepted records of a game."""

    def take(self, row: Row, found: Judged) -> None:
        """Let a submission count as it should."""
        if not found.verdict["accepted"]:
            return
        if self.contest.league:
            self.played[row.id] = (row._replace(verdicts=[]), found)
        elif row.received_at < self.contest.closes_at and not row.disqualified:
            score = found.verdict["score"]
            new = Best(ranking.sort_key(self.contest.puzzle, score), row.received_at, row.id, score)
            many = len(self.contest.numbers) > 1
            slot = (row.contestant, self.contest.numbers[found.setup or ""] if many else 0)
            if slot not in self.bests or new[:3] < self.bests[slot][:3]:
                self.bests[slot] = new

    def standings(self, names: dict[str, str]) -> dict[int, list[tuple[bytes, Standing]]]:
        """Every board, by the number of the setup, with its keys."""
        slots = dict(self.bests)
        if len(self.contest.numbers) > 1 and not self.contest.league:
            parts: dict[str, list[Best]] = {}
            for (contestant, _), best in self.bests.items():
                parts.setdefault(contestant, []).append(best)
            for contestant, theirs in parts.items():
                score, key = ranking.overall([part.score for part in theirs], [part.key for part in theirs])
                last = max(theirs, key=lambda part: (part.received_at, part.submission))
                slots[contestant, 0] = Best(key, last.received_at, last.submission, score)
        boards: dict[int, list[tuple[bytes, Standing]]] = {number: [] for number in self.contest.boards}
        for (contestant, number), best in sorted(slots.items(), key=lambda slot: (*slot[1][:2], slot[0][0])):
            rows = boards[number]
            rank = rows[-1][1].rank if rows and rows[-1][0] == best.key else len(rows) + 1
            at = datetime.fromisoformat(best.received_at)
            name = names.get(contestant, "")
            standing = Standing(rank, UUID(contestant), name, best.score, at, UUID(best.submission))
            rows.append((best.key, standing))
        return boards

    def count_matches(self, archive: Archive) -> None:
        """Let each match count as its players and the organisers have said."""
        told = {str(line.get("submission")): line for _, line in archive.objects("matches.jsonl")}
        # A record that is no longer accepted, by a later verdict, may still have a line; it counts for nothing.
        for missing in self.played.keys() - told.keys():
            archive.differs("matches.jsonl", f"it does not say what became of submission {missing}")
        pairs: Counter[tuple[str, ...]] = Counter()
        known: dict[tuple[object, ...], str] = {}
        shares: dict[str, list[tuple[int, int, str, str]]] = {}
        for submission, (row, found) in self.played.items():
            if (line := told.get(submission)) is None:
                continue
            where = f"matches.jsonl, submission {submission}"
            players = [str(each["contestant"]) for each in line["players"]]
            if line["fault"]:
                same = self.played.get(line["same_as"] or "")
                if line["fault"] == "duplicate" and not (same and same[1].play == found.play):
                    archive.differs(where, "it is no duplicate of that other match")
                if line["fault"] == "no-players" and found.players:
                    archive.differs(where, "its record does name players")
                continue
            worth = points.shares(found.verdict["score"]["result"])
            if len(players) != len(worth) or len(set(players)) != len(players) or row.contestant not in players:
                archive.differs(where, "those are not its players")
                continue
            identity = (*players, found.play)
            if identity in known:
                archive.differs(where, f"it is the same match as {known[identity]}")
            known[identity] = submission
            confirmed = line["ruling"] == "upheld" or (
                line["ruling"] is None and all(each["answer"] is True for each in line["players"])
            )
            party = tuple(sorted(players))
            if not confirmed or row.disqualified or row.received_at >= self.contest.closes_at:
                continue
            pairs[party] += 1
            if self.contest.per_pair is None or pairs[party] <= self.contest.per_pair:
                for player, share in zip(players, worth, strict=True):
                    shares.setdefault(player, []).append((share, len(players), row.received_at, submission))
        for player, matches in shares.items():
            score, key = points.standing([match[:2] for match in matches])
            self.bests[player, 0] = Best(key, *max(match[2:] for match in matches), score)


def compare(archive: Archive, name: str, rows: list[Standing]) -> None:
    """The board's two files, place by place."""
    due = (line.encode() for line in b"".join(tables.standings(rows)).decode().split("\n"))
    for number, (stands, line) in enumerate(zip_longest(archive.lines(f"{name}.json"), due)):
        if line == b"" and stands is None:
            break
        there = _standing(stands[1]) if stands else None
        here = _standing(line) if line else None
        if there != here or (there is None and stands and stands[1] != line):
            archive.differs(f"{name}.json row {number}", f"there {_said(there)}, by the records {_said(here)}")
    text = "".join(tables.lines(rows)).encode().split(b"\r\n")
    for number, (stands, line) in enumerate(zip_longest(archive.lines(f"{name}.csv"), text)):
        if (stands[1].removesuffix(b"\r") if stands else b"") != (line or b""):
            archive.differs(f"{name}.csv row {number}", "it is not what follows from the records")


def _standing(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line.removesuffix(b","))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _said(row: dict[str, Any] | None) -> str:
    if row is None:
        return "nobody"
    who = row.get("contestant")
    name = who.get("name") if isinstance(who, dict) else None
    return f"{name!a} at rank {row.get('rank')!a} with {ascii(row.get('score'))[:200]}"


# --- all of it -------------------------------------------------------------------------------------------------------


@dataclass
class Report:
    """What was found."""

    wrong: list[str]
    slug: str = ""
    submissions: int = 0
    standings: int = 0
    remarks: list[str] = field(default_factory=list)
    key: str = ""
    taken: Row | None = None
    """The submission that was asked for, if it is there."""


def reproduce(file: BinaryIO, processes: int = 1, tell: Told = lambda _done, _all: None, wanted: str = "") -> Report:
    """Check an archive from its first byte to its last, and do everything again that it tells of."""
    archive = Archive(file)
    report = Report(archive.wrong)
    try:
        look(archive)
        if not archive.wrong:
            _again(archive, report, processes, tell, wanted)
    except Damaged as error:
        archive.wrong.append(str(error))
    except BrokenProcessPool:
        archive.wrong.append("records: a process that verified one has died")
    return report


def _again(archive: Archive, report: Report, processes: int, tell: Told, wanted: str) -> None:
    contest = described(archive)
    report.slug, report.submissions, report.key = contest.slug, archive.records, contest.key
    if contest.version != VERSION:
        report.remarks.append(
            f"The archive was made with version {contest.version} of the verifier, this is {VERSION}."
        )
    names = {str(line.get("id")): str(line.get("name")) for _, line in archive.objects("contestants.jsonl")}
    board = Board(contest)
    verified = judged(rows(archive), contest.puzzle, contest.headers, archive.records, processes)
    for done, (row, found) in enumerate(verified, 1):
        _check(archive, contest, row, found, names)
        if row.state == "decided":
            board.take(row, found)
        if row.id == wanted:
            report.taken = row
        tell(done, archive.records)
    try:
        if contest.league:
            board.count_matches(archive)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise Damaged("matches.jsonl: a line of it is no match") from None
    for number, standings in board.standings(names).items():
        report.standings += len(standings)
        compare(archive, contest.boards[number], [standing for _, standing in standings])
    for _ in archive.objects("audit.jsonl"):
        pass


def _check(archive: Archive, contest: Contest, row: Row, found: Judged, names: dict[str, str]) -> None:
    """Compare what the archive says of a submission with what it is."""
    where = f"submission {row.id}"
    if row.contestant not in names:
        archive.differs(where, "its contestant is not in contestants.jsonl")
    if row.late != (row.received_at >= contest.closes_at):
        archive.differs(where, "it is late there or by its time, not by both")
    applied = [each for each in row.verdicts if each.get("applied") is True]
    if len(applied) != (row.state == "decided"):
        archive.differs(where, f"{len(applied)} verdicts are said to count, while it is {row.state!a}")
    if applied and applied[0].get("verdict") != found.verdict:
        archive.differs(
            where, f"the verdict differs: {_short(applied[0].get('verdict'))}, here {_short(found.verdict)}"
        )
    for each in row.verdicts:
        if each.get("version") == VERSION and each.get("play") != found.play:
            archive.differs(where, "what is said to be its play differs")
        if each.get("version") == VERSION and not each.get("applied") and each.get("verdict") != found.verdict:
            archive.differs(where, "an earlier verdict of this version differs")
    if found.verdict["accepted"] and row.setup != contest.numbers.get(found.setup or ""):
        archive.differs(where, "it is told to play another setup")


def _short(verdict: object) -> str:
    return ascii(verdict)[:200]


def main(options: argparse.Namespace) -> int:
    """The command: 0 identical, 1 something differs, 2 the archive can't be opened."""
    try:
        receipt = _receipt(options.receipt) if options.receipt else None
        with open(options.archive, "rb") as file:
            began = time.monotonic()
            bar = _bar if sys.stderr.isatty() else lambda _done, _all: None
            processes = options.processes or len(os.sched_getaffinity(0))
            report = reproduce(file, processes, bar, str((receipt or {}).get("submission")))
            took = time.monotonic() - began
    except (OSError, ValueError) as error:
        print(f"nugget reproduce: {error}", file=sys.stderr)
        return 2
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    for remark in report.remarks:
        print(remark)
    for each in report.wrong:
        print(f"DIFFERS  {each}")
    if len(report.wrong) >= MOST:
        print("... and perhaps more.")
    if not report.wrong:
        print(
            f"Identical: {report.submissions} submissions of {report.slug} verified again in {took:.1f} s, "
            f"{report.standings} standings the same, every byte as it was archived."
        )
    good = _tell_receipt(receipt, report, options.key) if receipt else True
    return 0 if good and not report.wrong else 1


def _receipt(path: str) -> dict[str, Any]:
    text = Path(path).read_bytes()[: 64 * 1024]
    found = json.loads(text)
    found = found.get("receipt", found) if isinstance(found, dict) else None  # also a submission with its receipt in it
    if not isinstance(found, dict):
        raise ValueError(f"{path} holds no receipt")
    return found


def _tell_receipt(receipt: dict[str, Any], report: Report, key: str | None) -> bool:
    """Say whether the receipt is genuine and its submission is in the archive, as it was."""
    from leaderboard.receipts import genuine

    signed = genuine(receipt, key or report.key)
    by = key or report.key or "of no archive"
    print(f"Receipt: its signature is {'right' if signed else 'NOT right'} by the key {by}.")
    row = report.taken
    if row is None:
        print(f"Receipt: submission {receipt.get('submission')!a} is NOT in the archive.")
        return False
    there = {"submission": row.id, "contestant": row.contestant, "sha256": row.sha256, "received_at": row.received_at}
    if differ := [name for name, value in {**there, "contest": report.slug}.items() if receipt.get(name) != value]:
        print(f"Receipt: the submission is in the archive, with another {', '.join(differ)}.")
        return False
    print("Receipt: the submission is in the archive, with the same SHA-256 and time.")
    return signed


def _bar(done: int, every: int) -> None:
    if done % 10 == 0 or done == every:
        filled = 40 * done // max(1, every)
        print(f"\r[{'#' * filled}{'.' * (40 - filled)}] {done}/{every}", end="", file=sys.stderr, flush=True)
