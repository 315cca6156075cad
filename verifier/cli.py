"""nugget verify and nugget deal: the only file here that does I/O."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Any

from verifier.record import LIMIT
from verifier.replay import verify
from verifier.verdict import Rejected, Verdict

# What not every call needs is imported where it is needed: most of a call is the start of Python and imports.


def main(argv: list[str] | None = None) -> int:
    """Verify the files named; 0 if all are accepted, 1 if some are rejected, 2 if one can't be opened."""
    files, as_json = _called(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a character still gets the line
            stream.reconfigure(errors="backslashreplace")
    status = 0
    for file in files:
        try:
            data = _read(file)
        except OSError as error:
            print(f"nugget verify: {file}: {error.strerror}", file=sys.stderr)
            status = 2
            continue
        verdict = verify(data)
        status = max(status, 0 if verdict.accepted else 1)
        print(_json(verdict.to_json()) if as_json else f"{file}: {_line(verdict)}", flush=True)
    return status


def _called(argv: list[str]) -> tuple[list[str], bool]:
    """The files, and whether JSON is wanted."""
    files = [argument for argument in argv if argument != "--json"]
    if files and all(file == "-" or not file.startswith("-") for file in files):
        return files, len(files) < len(argv)
    from argparse import ArgumentParser  # for all that is less plain, such as --help and what is wrong

    parser = ArgumentParser(
        prog="nugget verify",
        description="Verify records offline. Exit status: 0 all accepted, 1 some rejected, 2 trouble.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a record, text or JSON; - is standard input")
    parser.add_argument("--json", action="store_true", help="one verdict object per line")
    options = parser.parse_args(argv)
    return options.files, options.json


def deal(argv: list[str]) -> int:
    """Print a deal; 0, or 2 if there is no such deal."""
    from argparse import ArgumentParser

    from verifier.deal import deal as dealt

    parser = ArgumentParser(
        prog="nugget deal",
        description="Print a deal as the head of a record, written out below `layout:`, and as a picture in comments.",
    )
    parser.add_argument("puzzle", metavar="PUZZLE", help="a puzzle or game that is dealt, such as maze")
    parser.add_argument("number", metavar="N", help="the deal, 0 to 2^53 - 1")
    parser.add_argument("--json", action="store_true", help="one object with the layout and the picture")
    options = parser.parse_args(argv)
    try:
        found = dealt(options.puzzle, options.number)
    except Rejected as error:
        print(f"nugget deal: {error.message}", file=sys.stderr)
        return 2
    print(_json(found.to_json()) if options.json else found)
    return 0


def _read(file: str) -> bytes:
    """The file's bytes; of one that is too long only as many as show it."""
    if file == "-":
        return sys.stdin.buffer.read(LIMIT + 1)
    with open(file, "rb") as stream:
        return stream.read(LIMIT + 1)


def _json(value: dict[str, Any]) -> str:
    from json import dumps

    return dumps(value)


def _line(verdict: Verdict) -> str:
    if verdict.error:
        return f"rejected, {verdict.error.code}: {verdict.error.message}"
    said = ", ".join(f"{key} {value}" for key, value in (verdict.score or {}).items() if not isinstance(value, list))
    return f"accepted, {verdict.puzzle}: {said}"


if __name__ == "__main__":
    sys.exit(main())
