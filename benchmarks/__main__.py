"""make bench: everything side by side in one run, on servers of its own, as one table."""

import argparse
import os
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
    parser.add_argument("--quick", action="store_true", help="few repetitions and no board of a million: to try it out")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(unknown)}")
    begun = monotonic()
    print(machine(), HEAD, sep="\n\n", flush=True)
    for row in measured(options.parts or list(PARTS), options.quick):
        print(line(row), flush=True)
    print(f"\nTook {monotonic() - begun:.0f} s. Load at the end: {os.getloadavg()[0]:.1f}.")


if __name__ == "__main__":
    main()
