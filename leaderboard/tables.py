"""A standing, and standings as lines of text: JSON and comma-separated values. No SQL."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from verifier.verdict import Score


@dataclass(frozen=True)
class Standing:
    """A contestant's place on the board."""

    rank: int
    """From 1; equal results share it, and the next rank skips."""
    contestant_id: UUID
    name: str
    score: Score
    received_at: datetime
    submission: UUID


def moment(at: datetime) -> str:
    """A time in UTC to the microsecond."""
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")


def head(columns: Sequence[str]) -> str:
    """The first line; `columns` are the parts of a score."""
    return _line(["rank", "contestant", "contestant_id", *columns, "received_at", "submission"])


def line(row: Standing, columns: Sequence[str]) -> str:
    """A place as a line."""
    scores = [" ".join(map(str, value)) if isinstance(value := row.score.get(key), list) else value for key in columns]
    return _line([row.rank, plain(row.name), row.contestant_id, *scores, moment(row.received_at), row.submission])


def lines(rows: Iterable[Standing]) -> Iterator[str]:
    """A whole table."""
    columns: list[str] | None = None
    for row in rows:
        if columns is None:
            columns = list(row.score)
            yield head(columns)
        yield line(row, columns)
    if columns is None:
        yield head([])


def standings(rows: Iterable[Standing]) -> Iterator[bytes]:
    """A board as JSON, a standing a line."""
    before = b'{"standings": [\n'
    for row in rows:
        yield before + json.dumps(standing(row)).encode()
        before = b",\n"
    yield (b"\n" if before == b",\n" else before) + b"]}\n"


def standing(row: Standing) -> dict[str, Any]:
    """A place on the board as JSON has it."""
    return {
        "rank": row.rank,
        "contestant": {"id": str(row.contestant_id), "name": row.name},
        "score": row.score,
        "received_at": moment(row.received_at),
        "submission": str(row.submission),
    }


def plain(text: str) -> str:
    """Text that no spreadsheet takes for a formula: an apostrophe comes before what could begin one."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r", "'")) else text


def _line(cells: Sequence[object]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()
