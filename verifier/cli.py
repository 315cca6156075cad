"""nugget verify and nugget deal: the only file here that does I/O."""

from __future__ import annotations

import argparse
import json
import sys
from io import TextIOWrapper

from verifier.deal import deal as dealt
from verifier.record import LIMIT
from verifier.replay import verify
from verifier.verdict import Rejected, Verdict


def main(argv: list[str] | None = None) -> int:
    """Verify the files named; 0 if all are accepted, 1 if some are rejected, 2 if one can't be opened."""
    parser = argparse.ArgumentParser(
        prog="nugget verify",
        description="Verify records offline. Exit status: 0 all accepted, 1 some rejected, 2 trouble.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a record, text or JSON; - is standard input")
    parser.add_argument("--json", action="store_true", help="one verdict object per line")
    options = parser.parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a character still gets the line
            stream.reconfigure(errors="backslashreplace")
    status = 0
    for file in options.files:
        try:
            data = _read(file)
        except OSError as error:
            print(f"nugget verify: {file}: {error.strerror}", file=sys.stderr)
            status = 2
            continue
        verdict = verify(data)
        status = max(status, 0 if verdict.accepted else 1)
        print(json.dumps(verdict.to_json()) if options.json else f"{file}: {_line(verdict)}", flush=True)
    return status


def deal(argv: list[str]) -> int:
    """Print a deal; 0, or 2 if there is no such deal."""
    parser = argparse.ArgumentParser(
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
    print(json.dumps(found.to_json()) if options.json else found)
    return 0


def _read(file: str) -> bytes:
    """The file's bytes; of one that is too long only as many as show it."""
    if file == "-":
        return sys.stdin.buffer.read(LIMIT + 1)
    with open(file, "rb") as stream:
        return stream.read(LIMIT + 1)


def _line(verdict: Verdict) -> str:
    if verdict.error:
        return f"rejected, {verdict.error.code}: {verdict.error.message}"
    said = ", ".join(f"{key} {value}" for key, value in (verdict.score or {}).items() if not isinstance(value, list))
    return f"accepted, {verdict.puzzle}: {said}"


if __name__ == "__main__":
    sys.exit(main())
