"""A neutral picture of a state: panels of labelled pieces with marks, from which one renderer draws every puzzle."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple


class Note(str):
    """Words in a picture: an English template and what fills it, so that another language is another template."""

    template: str
    values: dict[str, str | int]

    def __new__(cls, template: str, /, **values: str | int) -> Note:
        note = super().__new__(cls, template.format(**values))
        note.template, note.values = template, values
        return note

    def to_json(self) -> dict[str, Any]:
        return {"template": self.template, "values": self.values}


def tally(names: Sequence[str], points: Sequence[int]) -> Note:
    """What two players have."""
    (first, second), (one, other) = names, points
    return Note("{first} {one}, {second} {other}", first=first, one=one, second=second, other=other)


def nameplate(name: str) -> Note:
    """The name of a player, or of a seat, as a title."""
    return Note("{name}", name=name)


def ending(result: str, name: str) -> Note:
    """The result of a match that is over, else who is to move."""
    return Note("Result: {result}.", result=result) if result else Note("To move: {name}.", name=name)


class Cell(NamedTuple):
    """One square, space or piece of a picture. Without a kind it is an empty place."""

    label: str = ""
    """What is written on it, e.g. "26" or "S3"."""
    kind: str = ""
    """How it is drawn: a colour or a family ("white", "yellow", "sun", "down", ...)."""
    name: str = ""
    """Its name in words, for those who hear the page, e.g. "26, pink"."""
    underlined: bool = False
    corner: str = ""
    """What stands small in its corner: the coin that lies on a tile, the number of a space."""


class Mark(NamedTuple):
    """A sign on a cell, or on the rim around the grid (row or column -1, or one past the last)."""

    row: int
    column: int
    sign: str
    """"from", "to", "move", or an arrow: "up", "down", "left", "right"."""


class Panel(NamedTuple):
    """Rows of cells from the top, not necessarily equally long."""

    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    columns: Sequence[str] = ()
    """The labels above the columns, from the left."""
    ranks: Sequence[str] = ()
    """The labels to the left of the rows, from the top."""
    below: Sequence[str] = ()
    """The columns' labels at their lower ends, where those differ."""
    ends: Sequence[str] = ()
    """The rows' labels at their right ends, where those differ."""
    marks: tuple[Mark, ...] = ()
    ground: str = ""
    """What the pieces stand on: "checkered" squares, or "points" where lines cross; nothing: places of their own."""


class View(NamedTuple):
    """What there is to see of a state: one panel or several, and what is better said in words."""

    panels: tuple[Panel, ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The same as plain text: what lies in a corner behind a slash, what lies face down in brackets."""
        parts = [f"{panel.title}\n{_table(panel)}" if panel.title else _table(panel) for panel in self.panels]
        return "\n".join([*parts, *self.notes])

    def to_json(self) -> dict[str, Any]:
        """The same as JSON objects; fields of cells that are empty are left out.

        A title or note that can be told in other languages has its template and values in `message` or `messages`.
        """
        return {
            "panels": [
                {
                    "title": panel.title,
                    **({"message": panel.title.to_json()} if isinstance(panel.title, Note) else {}),
                    "ground": panel.ground,
                    **{side: list(getattr(panel, side)) for side in ("columns", "ranks", "below", "ends")},
                    "rows": [[{k: v for k, v in cell._asdict().items() if v} for cell in row] for row in panel.rows],
                    "marks": [mark._asdict() for mark in panel.marks],
                }
                for panel in self.panels
            ],
            "notes": self.notes,
            "messages": [note.to_json() if isinstance(note, Note) else None for note in self.notes],
        }


def _table(panel: Panel) -> str:
    """A panel in columns of equal width, its labels around it."""
    rows = [[_nth(panel.ranks, n), *map(_text, row), _nth(panel.ends, n)] for n, row in enumerate(panel.rows)]
    if any(panel.columns):
        rows.insert(0, ["", *panel.columns])
    if panel.below:
        rows.append(["", *panel.below])
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    lines = ("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=False)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def _nth(labels: Sequence[str], n: int) -> str:
    return labels[n] if n < len(labels) else ""


def _text(cell: Cell) -> str:
    label = cell.label or ("?" if cell.kind == "down" else ".")
    if cell.kind == "down" and cell.label:
        label = f"({label})"
    elif cell.kind.startswith("black"):  # as chess diagrams in text do
        label = label.lower()
    return f"{label}/{cell.corner}" if cell.corner else label
