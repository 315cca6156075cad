"""The command nugget. Each command imports what it needs when it is called, so that nugget verify starts quickly."""

import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command; its exit status."""
    argv = sys.argv[1:] if argv is None else argv
    if argv[:1] == ["verify"]:
        from verifier.cli import main as verify

        return verify(argv[1:])
    if argv[:1] == ["deal"]:
        from verifier.cli import deal

        return deal(argv[1:])
    return other(argv)


def other(argv: list[str]) -> int:
    """Every command but verify and deal."""
    import argparse
    import os
    from pathlib import Path

    parser = argparse.ArgumentParser(
        prog="nugget", description="Golden Nugget: contests, submissions, verdicts, ranks."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    located = argparse.ArgumentParser(add_help=False)
    located.add_argument("--data", type=Path, metavar="DIR", help="the data folder of nugget run")
    remote = argparse.ArgumentParser(add_help=False)
    server = os.environ.get("NUGGET_SERVER", "http://127.0.0.1:8000")
    remote.add_argument("--server", default=server, metavar="URL", help="default: NUGGET_SERVER, or %(default)s")

    run = commands.add_parser("run", parents=[located], help="everything in one: servers, web and worker")
    run.add_argument("--host", help="where to listen; default: WEB_HOST, or 127.0.0.1")
    run.add_argument("--port", type=int, help="default: WEB_PORT, or 8000; 0 takes a free one")
    run.add_argument("--demo", action="store_true", help="open a demonstration contest with records on its board")
    commands.add_parser("verify", add_help=False, help="verify records offline: nugget verify FILE... [--json]")
    commands.add_parser("deal", add_help=False, help="print a deal: nugget deal PUZZLE N [--json]")
    commands.add_parser("web", parents=[located], help="the web server alone")
    commands.add_parser("worker", parents=[located], help="a worker alone")
    db = commands.add_parser("db", parents=[located], help="look after the database")
    db.add_argument("action", choices=["migrate", "check", "rebuild"])
    backup = commands.add_parser("backup", parents=[located], help="write everything in the database to a file")
    backup.add_argument("file", type=Path, metavar="FILE")
    restore = commands.add_parser("restore", parents=[located], help="put a backup into an empty database")
    restore.add_argument("file", type=Path, metavar="FILE")
    organising = ("contest", "submission", "contestant", "reverify")
    if argv[:1] and argv[0] in (*organising, "-h", "--help"):  # loads what the database needs
        from deploy.organise import add_commands

        add_commands(commands, located)
    register = commands.add_parser("register", parents=[remote], help="become a contestant; the token is saved")
    register.add_argument("name")
    submit = commands.add_parser("submit", parents=[remote], help="upload a record; - is standard input")
    submit.add_argument("file")
    submit.add_argument("--contest", default="golden-nugget", metavar="SLUG")
    submit.add_argument("--wait", action="store_true", help="wait for the verdict; exit status 1 if it is rejected")
    standings = commands.add_parser("standings", parents=[remote], help="show a leaderboard")
    standings.add_argument("contest", nargs="?", default="golden-nugget", metavar="SLUG")
    reproduce = commands.add_parser(
        "reproduce", help="verify a contest's archive again, offline: 0 if all is identical"
    )
    reproduce.add_argument("archive", metavar="ARCHIVE")
    reproduce.add_argument("--receipt", metavar="FILE", help="say whether the submission of this receipt is in it")
    reproduce.add_argument("--key", metavar="HEX", help="the public key of receipts; default: the one in the archive")
    reproduce.add_argument("--processes", type=int, metavar="N", help="default: one for each core")
    options = parser.parse_args(argv)

    if options.command in ("register", "submit", "standings"):
        from deploy.client import main as command
    elif options.command == "reproduce":
        from deploy.reproduce import main as command
    else:
        from deploy.run import main as command
    return command(options)


if __name__ == "__main__":
    sys.exit(main())
