"""make bench: everything side by side in one run, on servers of its own, as one table."""

import argparse
import os
import signal
import sys
from collections.abc import Iterator
from time import monotonic

from benchmarks import draining, standing, uploading, verifying
from benchmarks.service import service
from benchmarks.table import HEAD, Row, line, machine

PARTS = ("verifier", "uploads", "queue", "board")


def measured(parts: list[str], quick: bool) -> Iterator[Row]:
    """All rows, one after another: nothing else of ours runs meanwhile."""
    if "verifier" in parts:
        yield from verifying.rows(quick)
    if set(parts) - {"verifier"}:
        with service(processes=len(os.sched_getaffinity(0))) as running:
            if "uploads" in parts:
                yield from uploading.rows(running, quick)
            if "queue" in parts:
                yield from draining.rows(running, quick)
            if "board" in parts:
                yield from standing.rows(running, quick)


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"only these: {', '.join(PARTS)}")
    parser.add_argument(
        "--markdown", action="store_true", help="only what docs/BENCHMARKS.md takes in: machine and table"
    )
    parser.add_argument("--quick", action="store_true", help="few repetitions and no board of a million: to try it out")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(unknown)}")
    for number in (signal.SIGTERM, signal.SIGHUP):  # the folders are removed and the servers end, as by Ctrl-C
        signal.signal(number, signal.default_int_handler)
    begun, rows = monotonic(), []
    print(machine(), HEAD, sep="\n\n", flush=True)
    try:
        for row in measured(options.parts or list(PARTS), options.quick):
            print(line(row), flush=True)
            rows.append(row)
    except KeyboardInterrupt:
        sys.exit("Stopped; nothing is left behind.")
    ending = sys.stderr if options.markdown else sys.stdout
    missed = [row.measurement for row in rows if row.met is False]
    print(f"\nMissed: {'; '.join(missed) or 'none'}.", file=ending)
    print(f"Took {monotonic() - begun:.0f} s. Load at the end: {os.getloadavg()[0]:.1f}.", file=ending)


if __name__ == "__main__":
    main()
