"""nugget contest, submission, contestant, reverify: for whoever runs the service. They act on the database itself."""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from deploy import reverify
from leaderboard import (
    accounts,
    audit,
    contest_file,
    contestants,
    contests,
    invitations,
    notices,
    organising,
    queue,
    submissions,
)
from leaderboard.contestants import Contestant
from leaderboard.contests import BadContest, Contest
from leaderboard.db import Connection, connect

WHO = "command line"
"""Who did it, in the audit log."""


class Refused(Exception):
    """It was not done; the text says why."""


def add_commands(commands: Any, located: argparse.ArgumentParser) -> None:
    """Say to argparse what can be asked for."""
    why = argparse.ArgumentParser(add_help=False)
    why.add_argument("--reason", required=True, metavar="TEXT", help="why; the public may read it")

    def command(group: Any, name: str, help: str, *arguments: str, reason: bool = True) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = group.add_parser(
            name, help=help, parents=[located, why] if reason else [located]
        )
        for argument in arguments:
            parser.add_argument(argument)
        return parser

    contest = commands.add_parser("contest", help="hold contests").add_subparsers(dest="action", required=True)
    command(contest, "create", "make a contest of a TOML file (deploy/contest.toml explains it)", "file", reason=False)
    command(contest, "list", "all contests", reason=False)
    command(contest, "show", "a contest, as JSON", "slug", reason=False)
    command(contest, "extend", "move the deadline back", "slug", "when")
    command(contest, "freeze", "show no new results on the public board from now on", "slug")
    command(contest, "close", "take nothing more in time from now on", "slug")
    command(contest, "publish", "open the records to everybody now", "slug")
    command(contest, "invite", "let a contestant play in a contest by invitation", "slug", "name", reason=False)
    command(contest, "uninvite", "take an invitation back; matches handed in before stay", "slug", "name", reason=False)
    command(contest, "invited", "who is invited", "slug", reason=False)
    notice = command(contest, "notice", "tell everybody something on its page", "slug", "text", reason=False)
    notice.add_argument("--pl", metavar="TEXT", help="the same in Polish")
    notice.add_argument("--edit", type=int, metavar="N", help="let notice N say this instead")
    command(contest, "take-back", "take a notice back", "slug", "number", reason=False)
    command(contest, "audit", "what was done in a contest, by whom and why", "slug", reason=False)
    submission = commands.add_parser("submission", help="decide about submissions").add_subparsers(
        dest="action", required=True
    )
    command(submission, "requeue", "try a failed one again", "id")
    command(submission, "disqualify", "take one off the board", "id")
    command(submission, "reinstate", "put it back", "id")
    contestant = commands.add_parser("contestant", help="look after contestants").add_subparsers(
        dest="action", required=True
    )
    command(contestant, "hide", "let the public read a neutral text in the place of a name", "name")
    command(contestant, "unhide", "show a hidden name again", "name")
    command(contestant, "show", "who somebody is", "name", reason=False)
    command(contestant, "promote", "make somebody an organiser; there is no other way to become one", "name")
    command(contestant, "demote", "let an organiser be one no longer", "name")
    command(contestant, "token", "a new token, for a week, for somebody who has lost all of theirs", "name")
    reverify.add_commands(commands, located)


def main(options: argparse.Namespace, database_url: str) -> int:
    """Do one of them: 0 done, 2 refused with a sentence."""
    acts = {"contest": _contest, "submission": _submission, "contestant": _contestant, "reverify": _reverify}
    act = acts[options.command]
    try:
        with connect(database_url) as conn:
            print(act(conn, options))
    except BadContest as error:
        return _refused(options, f"{error.field}: {error} ({error.code})")
    except (Refused, notices.BadNotice, notices.NoNotice, invitations.OpenToAll, OSError, *reverify.REFUSED) as error:
        return _refused(options, str(error))
    return 0


def _refused(options: argparse.Namespace, sentence: str) -> int:
    print(f"nugget {options.command} {options.action}: {sentence}", file=sys.stderr)
    return 2


def _contest(conn: Connection, options: argparse.Namespace) -> str:
    match options.action:
        case "create":
            made, new = organising.create(conn, WHO, **contest_file.read(Path(options.file).read_bytes()))
            return f"Contest {made.slug} is {made.phase}." if new else f"Contest {made.slug} stands already, just so."
        case "list":
            return "\n".join(_line(contest) for contest in contests.listed(conn)) or "There is no contest."
    contest = _held(conn, options.slug)
    match options.action:
        case "show":
            return json.dumps(asdict(contest), default=str, indent=2, ensure_ascii=False)
        case "extend":
            return _line(organising.extend(conn, contest, WHO, _reason(options), _time(options.when)))
        case "freeze" | "close" | "publish" as act:
            organising.at_once(conn, contest, WHO, _reason(options), act)
            conn.commit()  # the new phase holds from the next transaction on
            after = contests.get(conn, contest.slug)
            assert after
            return _line(after)
        case "invite":
            invitations.invite(conn, contest, _named(conn, options.name), WHO)
            return f"{options.name} may play in {contest.slug}."
        case "uninvite":
            if not invitations.withdraw(conn, contest, _named(conn, options.name).id, WHO):
                raise Refused(f"{options.name} is not invited to {contest.slug}.")
            return f"{options.name} may play no further matches in {contest.slug}."
        case "invited":
            return "\n".join(one.name for one in invitations.listed(conn, contest)) or "Nobody is invited."
        case "notice":
            texts = {"en": options.text} | ({"pl": options.pl} if options.pl else {})
            if options.edit is None:
                told = notices.post(conn, contest, WHO, texts)
            else:
                told = notices.edit(conn, contest, WHO, options.edit, texts)
            return f"Notice {told.number} of {contest.slug} is on its page."
        case "take-back":
            number = int(options.number) if options.number.isascii() and options.number.isdigit() else 0
            notices.take_back(conn, contest, WHO, number)
            return f"Notice {number} of {contest.slug} is taken back."
        case _:
            rows = audit.listed(conn, 1000, contest=contest)
            return "\n".join(
                f"{row.at:%Y-%m-%d %H:%M:%S}Z  {row.actor}: {row.action} {row.object}  {row.reason}" for row in rows
            )


def _submission(conn: Connection, options: argparse.Namespace) -> str:
    try:
        which = UUID(options.id)
    except ValueError:
        raise Refused(f"{options.id} is no submission's id.") from None
    if submissions.get(conn, which) is None:
        raise Refused(f"There is no submission {which}.")
    acts: dict[str, tuple[Callable[..., bool], str]] = {
        "requeue": (queue.retry, "It has not failed."),
        "disqualify": (organising.disqualify, "It is off the board already."),
        "reinstate": (organising.reinstate, "It was not disqualified."),
    }
    act, otherwise = acts[options.action]
    return f"Done: {options.action} {which}." if act(conn, which, WHO, _reason(options)) else otherwise


def _contestant(conn: Connection, options: argparse.Namespace) -> str:
    whom = _named(conn, options.name)
    thing = f"contestant {whom.id}"
    match options.action:
        case "show":
            return f"{whom.name}: {whom.role}, since {whom.created_at:%Y-%m-%d}, {thing}"
        case "token":
            return accounts.give_token(conn, whom, WHO, _reason(options))
        case "promote" | "demote":
            contestants.set_role(conn, whom, "organiser" if options.action == "promote" else "contestant")
            audit.note(conn, WHO, options.action, thing, _reason(options), whom=whom.id)
            return f"Done: {options.action} {whom.name}."
    act, otherwise = {
        "hide": (organising.hide, "It is hidden already."),
        "unhide": (organising.unhide, "It was not hidden."),
    }[options.action]
    if not act(conn, whom, WHO, _reason(options)):
        return otherwise
    after = contestants.get(conn, whom.id)
    assert after
    return f"The public reads {after.shown}."


def _reverify(conn: Connection, options: argparse.Namespace) -> str:
    reason = _reason(options) if "reason" in options else ""
    return reverify.act(conn, _held(conn, options.slug), options, WHO, reason)


def _held(conn: Connection, slug: str) -> Contest:
    if found := contests.get(conn, slug):
        return found
    raise Refused(f"There is no contest {slug}.")


def _named(conn: Connection, name: str) -> Contestant:
    if found := contestants.by_name(conn, name):
        return found
    raise Refused(f"Nobody is called {name}.")


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise Refused(f"{text} is no time such as 2026-12-01T12:00:00Z.") from None


def _reason(options: argparse.Namespace) -> str:
    reason: str = options.reason.strip()
    if not 1 <= len(reason) <= 500:
        raise Refused("A reason has 1 to 500 characters.")
    return reason


def _line(contest: Contest) -> str:
    freezes = f"freezes {contest.freezes_at:%Y-%m-%d %H:%M}Z, " if contest.freezes_at else ""
    return (
        f"{contest.slug}: {contest.phase}, {freezes}closes {contest.closes_at:%Y-%m-%d %H:%M}Z, "
        f"publishes {contest.publishes_at:%Y-%m-%d %H:%M}Z"
    )
