"""nugget reverify: verify submissions of a contest again, see what would change, apply or cancel it."""

import argparse
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from leaderboard import contestants, correction, reverification
from leaderboard.contests import Contest
from leaderboard.correction import Preview
from leaderboard.db import Connection
from leaderboard.reverification import Filter, Reverification
from verifier.verdict import CODES

KINDS = {
    "accepted": "become accepted",
    "rejected": "become rejected",
    "score": "have another score",
    "error": "are rejected for another reason",
}


class Unknown(Exception):
    """What the command line names is not there; the text says so."""


REFUSED = (
    Unknown,
    reverification.StillOpen,
    reverification.NothingChosen,
    correction.NotOpen,
    correction.NotReady,
    correction.Outdated,
)
"""What refuses a command, with a sentence."""


def add_commands(commands: Any, located: argparse.ArgumentParser) -> None:
    """Say to argparse what can be asked for."""
    group = commands.add_parser("reverify", help="verify submissions again").add_subparsers(
        dest="action", required=True
    )
    create = group.add_parser("create", parents=[located], help="choose decided submissions; without options, all")
    create.add_argument("--setup", type=_number, metavar="N", help="of the contest's setup N")
    create.add_argument("--code", choices=CODES, metavar="CODE", help="rejected with this error code")
    verdict = create.add_mutually_exclusive_group()
    verdict.add_argument("--accepted", action="store_true", default=None, help="accepted ones")
    verdict.add_argument("--rejected", action="store_false", default=None, dest="accepted", help="rejected ones")
    create.add_argument("--older-than", metavar="VERSION", help="judged by an older version of the verifier")
    create.add_argument(
        "--since", type=_time, metavar="TIME", help="received then or later; UTC unless it names a zone"
    )
    create.add_argument("--until", type=_time, metavar="TIME", help="received before then")
    create.add_argument("--contestant", metavar="NAME", help="by this contestant")
    create.add_argument("--id", type=UUID, nargs="+", action="extend", metavar="ID", help="these submissions")
    show = group.add_parser("show", parents=[located], help="how far it is; once all is verified, what would change")
    apply = group.add_parser("apply", parents=[located], help="let the new verdicts count, all in one act")
    cancel = group.add_parser("cancel", parents=[located], help="give it up: everything stays as it is")
    for each in (apply, cancel):
        each.add_argument("--reason", required=True, metavar="TEXT", help="why; the public may read it")
    for each in (create, show, apply, cancel):
        each.add_argument("slug")


def act(conn: Connection, contest: Contest, options: argparse.Namespace, who: str, reason: str) -> str:
    """Do one of them; what to print. Raises what REFUSED names."""
    if options.action == "create":
        return _progress(reverification.create(conn, contest, who, _chosen(conn, options)))
    row = reverification.newest(conn, contest)
    if row is None:
        raise Unknown(f"Nothing of {contest.slug} was verified again.")
    match options.action:
        case "show":
            lines = [_progress(row)]
            if row.ready:
                lines += _told(correction.preview(conn, contest, row))
        case "apply":
            done = correction.apply(conn, contest, row.id, who, reason)
            lines = [_progress(_again(conn, contest, row)), *_told(done)]
        case _:
            correction.cancel(conn, contest, row.id, who, reason)
            lines = [_progress(_again(conn, contest, row))]
    return "\n".join(lines)


def _chosen(conn: Connection, options: argparse.Namespace) -> Filter:
    contestant = None
    if options.contestant is not None:
        contestant = contestants.by_name(conn, options.contestant)
        if contestant is None:
            raise Unknown(f"Nobody is called {options.contestant}.")
    return Filter(
        setup=options.setup,
        accepted=options.accepted,
        code=options.code,
        older_than=options.older_than,
        received_from=options.since,
        received_before=options.until,
        contestant=contestant.id if contestant else None,
        ids=options.id,
    )


def _again(conn: Connection, contest: Contest, row: Reverification) -> Reverification:
    found = reverification.get(conn, contest, row.id)
    assert found
    return found


def _progress(row: Reverification) -> str:
    """How far the set is, and what has become of it."""
    said = f"{row.decided} of {row.total} verified by version {row.version}"
    if row.failed or row.odd:
        said += f" ({row.failed + row.odd} of them could not be judged and keep their verdicts)"
    if row.state == "applied":
        return f"{said}; applied by {row.ended_by}, {row.changed} verdicts changed: {row.reason}"
    if row.state == "cancelled":
        return f"{said}; cancelled by {row.ended_by}: {row.reason}"
    if row.outdated:
        return f"{said}; another version is running, so it can only be cancelled"
    return f"{said}; {'ready to be applied' if row.ready else 'the workers go on with it'}"


def _told(preview: Preview) -> list[str]:
    """What applying it changes: verdicts by kind, and ranks from old to new."""
    changed = [f"{n} {KINDS[kind]}" for kind, n in preview.kinds.items() if n]
    lines = ["Verdicts: " + (", ".join(changed) or "none changes") + "."]
    for each in preview.changes:
        became = each.new["error"]["code"] if each.new.get("error") else "accepted"
        lines.append(f"  {each.submission}  {each.name}: {each.kind} ({became})")
    if sum(preview.kinds.values()) > len(preview.changes):
        lines.append("  ...")
    for board in preview.boards:
        title = "Ranks" if board.live else "Ranks on the frozen board"
        counted = f"{board.rise} rise, {board.fall} fall, {board.enter} enter, {board.leave} leave"
        lines.append(f"{title}: {counted}." if board.moves else f"{title}: none changes.")
        lines += [f"  {each.name}: {each.old_rank or '-'} -> {each.new_rank or '-'}" for each in board.moves]
        if len(board.moves) < board.rise + board.fall + board.enter + board.leave:
            lines.append("  ...")
    return lines


def _number(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text) <= 1000:
        return int(text)
    raise argparse.ArgumentTypeError("a setup has a number from 1 to 1000")


def _time(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError("a time is written like 2026-12-01T12:00:00Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
