"""A place in a record as pages show it: some lines, and the token in question apart."""

from __future__ import annotations

from typing import NamedTuple

BEFORE, BEHIND = 3, 2
"""Lines of context around the one at fault."""
REACH = 60
"""Characters shown on either side of the token, where a line is long."""
ENDS = frozenset(" \t\r\n,#")


class Line(NamedTuple):
    """A line of a record as the page shows it; at the faulty one, `before`, `token` and `behind` make up the text."""

    number: int
    before: str
    token: str = ""
    behind: str = ""
    faulty: bool = False

    @property
    def caret(self) -> str:
        """Blanks up to the token, tabs kept, and a caret below each of its characters."""
        return "".join("\t" if char == "\t" else " " for char in self.before) + "^" * max(1, len(self.token))


def excerpt(record: bytes, error: dict[str, int]) -> list[Line]:
    """The faulty line with some before and behind it; nothing for an error without a line (JSON, too large)."""
    if "line" not in error:
        return []
    return around(lines_of(record), error["line"], error["column"])


def lines_of(record: bytes) -> list[str]:
    """The record's lines, whatever its bytes are."""
    return record.removeprefix(b"\xef\xbb\xbf").decode(errors="replace").split("\n")


def around(lines: list[str], line_number: int, token_column: int, length: int = 0, reach: int = REACH) -> list[Line]:
    """The line (from 1) with some before and behind it, the token at the column (from 1) apart.

    `length` is the token's; 0: it ends where tokens of a text record do. `reach`: so much is shown before it.
    """
    at, column = line_number - 1, token_column - 1
    shown = []
    for number in range(max(0, at - BEFORE), min(len(lines), at + BEHIND + 1)):
        line = lines[number].removesuffix("\r")
        if number != at:
            shown.append(Line(number + 1, plain(cut(line, 0))))
            continue
        end = column + length
        while not length and end < len(line) and line[end] not in ENDS:
            end += 1
        end = max(end, min(column + 1, len(line)))
        token = line[column:end] if end - column <= REACH else line[column : column + REACH] + "…"
        before = line[:column] if column <= reach else "…" + line[column - reach : column]
        shown.append(Line(number + 1, plain(before), plain(token), plain(cut(line, end)), faulty=True))
    return shown


def cut(line: str, start: int) -> str:
    """The line from `start` on, as far as the page shows it."""
    reach = 2 * REACH
    return line[start:] if len(line) - start <= reach else line[start : start + reach] + "…"


def plain(text: str) -> str:
    """The text with what does not print shown as a box of its own, one character for one."""
    return "".join(char if char.isprintable() or char == "\t" else "␀" if char == "\0" else "\ufffd" for char in text)
