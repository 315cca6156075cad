"""The one renderer: a View becomes an SVG picture and a table that says the same in words.

Colours come from the style sheet by class (`k-<kind>`), so that a page needs no inline style; every colour of block has
a shape of its own as well, for those who see no difference between the colours and for print.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from api.i18n import _, message, word
from verifier.view import Cell, Mark, Note, Panel, View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


STEP = 44
"""From one cell to the next, in the picture's units."""
TILE = 40
RIM = 36
"""Around the grid: labels of rows and columns, and signs of pushes."""
TITLE = 28

SHAPES: dict[str, str] = {
    "yellow": '<circle cx="20" cy="20" r="15.5"/>',
    "blue": '<rect x="5" y="9" width="30" height="22"/>',
    "pink": '<path d="M20 2 38 20 20 38 2 20Z"/>',
    "red": '<path d="M20 1 39 35H1Z"/>',
    "green": '<path d="M12 4h16v7h9v18h-9v7H12v-7H3V11h9Z"/>',
}
"""Drawn behind the number, on a tile of 40 by 40."""
PIPS = {
    "0": "",
    "1": "M20 20h0",
    "2": "M11 11h0M29 29h0",
    "3": "M11 11h0M20 20h0M29 29h0",
    "4": "M11 11h0M29 11h0M11 29h0M29 29h0",
    "5": "M11 11h0M29 11h0M20 20h0M11 29h0M29 29h0",
    "6": "M11 10h0M29 10h0M11 20h0M29 20h0M11 30h0M29 30h0",
}
"""The spots of a die or of half a domino stone, as points of a line."""
FACES = {
    "die": "M8 0H32a8 8 0 0 1 8 8V32a8 8 0 0 1-8 8H8a8 8 0 0 1-8-8V8a8 8 0 0 1 8-8Z",
    "left": "M6 0H42V40H6a6 6 0 0 1-6-6V6a6 6 0 0 1 6-6Z",
    "right": "M-2 0H34a6 6 0 0 1 6 6V34a6 6 0 0 1-6 6H-2Z",
    "top": "M6 0H34a6 6 0 0 1 6 6V42H0V6a6 6 0 0 1 6-6Z",
    "bottom": "M0-2H40V34a6 6 0 0 1-6 6H6a6 6 0 0 1-6-6Z",
}
"""What shows pips: a die, and the halves of a stone, which reach into the gap between them."""
JOINTS = {"right": "M-2 7V33", "bottom": "M7-2H33"}
"""The line in the middle of a stone, drawn with its second half."""
FIGURES = {
    "king": "M18.5 3h3v2.8H24v2.8h-2.5v3.2c2-1.5 8.5-2.3 10.5 1.5 1.8 3.5-.5 8-4 11.2l-.6 3.8 2.6 2.2V35H10"
    "v-4.5l2.6-2.2-.6-3.8c-3.5-3.2-5.8-7.7-4-11.2 2-3.8 8.5-3 10.5-1.5V8.6H16V5.8h2.5Z",
    "queen": "M9 35v-4l2.5-2.5L6 12.5l7 8.5L13.6 8l4.6 12L20 6l1.8 14 4.6-12 .6 13 7-8.5-5.5 16L31 31v4Z",
    "rook": "M10 6h4.5v3.5h3.2V6h4.6v3.5h3.2V6H30v8.5L27 17v10l3 3.5V35H10v-4.5l3-3.5V17l-3-2.5Z",
    "bishop": "M20 3a2.5 2.5 0 0 1 1.6 4.4c4 2.7 6.4 6.2 6.4 10.1 0 3-1.3 5-3.4 6.5l1.4 4.3 4 2.4V35H10v-4.3l4-2.4"
    " 1.4-4.3C13.3 22.5 12 20.5 12 17.5c0-3.9 2.4-7.4 6.4-10.1A2.5 2.5 0 0 1 20 3ZM20 12v8M16.5 15.5h7",
    "knight": "M12 35v-3.5c0-5.5 6.5-8 7-13-2 1.6-4.5 2.4-6 4.2-1 1.2-2 2-3.3 1.7-1.8-.4-2.9-2.3-2.2-4.1L11.8 12"
    "c.4-1.4.5-3 .1-6l4.2 2.8c7.2-1.6 13.8 4.2 14.6 13.2.4 4.4.3 8.5.3 13ZM15.2 13.4h.1",
    "pawn": "M20 7a5.3 5.3 0 0 1 3.5 9.3H26v2.7h-2.6c.4 4.8 2 7.6 5.6 10.7V35H11v-5.3c3.6-3.1 5.2-5.9 5.6-10.7H14"
    "v-2.7h2.5A5.3 5.3 0 0 1 20 7Z",
    "stone": "M20 2a18 18 0 0 1 0 36a18 18 0 0 1 0-36Z",
    "checker": "M20 3a17 17 0 0 1 0 34a17 17 0 0 1 0-34ZM20 8a12 12 0 0 1 0 24a12 12 0 0 1 0-24Z",
}
"""White and black pieces (kinds "white-king" and so on), on 40 by 40."""
EMBLEMS = {
    "sun": "M0-4a4 4 0 0 1 0 8a4 4 0 0 1 0-8ZM0-8v2M0 8V6M-8 0h2M8 0H6M-5.7-5.7l1.4 1.4M5.7 5.7 4.3 4.3"
    "M-5.7 5.7l1.4-1.4M5.7-5.7 4.3-4.3",
    "moon": "M2.5-7.2a7.5 7.5 0 1 0 5 10.2a6.3 6.3 0 0 1-5-10.2Z",
    "crown": "M-7 6V-5l3.5 4.5L0-7l3.5 6.5L7-5V6Z",
    "arm": "M-6-7H6v6c0 4-2.5 6.5-6 8.5c-3.5-2-6-4.5-6-8.5Z",
    "clubs": "M0-7.5a3.3 3.3 0 0 1 2.5 5.4a3.3 3.3 0 1 1-1.8 5L2 7.5h-4l1.3-4.6"
    "a3.3 3.3 0 1 1-1.8-5A3.3 3.3 0 0 1 0-7.5Z",
    "diamonds": "M0-8 6 0 0 8-6 0Z",
    "hearts": "M0 7.5C-8.5 1-7.5-6.5-3.7-6.5C-1.6-6.5 0-5 0-3.4C0-5 1.6-6.5 3.7-6.5C7.5-6.5 8.5 1 0 7.5Z",
    "spades": "M0-7.5C6-2 7.4 0 6.8 2.5C6.3 5 3 5.5.8 3.3L2 7.5h-4L-.8 3.3C-3 5.5-6.3 5-6.8 2.5C-7.4 0-6-2 0-7.5Z",
}
"""The suits of tiles and cards, on 16 by 16 around their middle."""
FLAG = "M14 33V7l14 5.5L16 18v15Z"
HOLE = '<circle cx="20" cy="20" r="17"/><path d="M20 20c2-2 5 0 4 4-2 6-11 5-12-3-1-9 11-14 18-6 4 5 3 10 1 13"/>'
ARROWS = {
    "down": "M-12-14h24v20L0 16-12 6Z",
    "up": "M-12 14h24V-6L0-16-12-6Z",
    "right": "M-14-12v24H6L16 0 6-12Z",
    "left": "M14-12v24H-6L-16 0-6-12Z",
}
"""Signs of a push around the middle of its place, with room for the place's name."""


LARGE = 8
"""Rows from which on two panels do not stand on one table, but on two side by side."""


def render(view: View, caption: str) -> Markup:
    """The view as a `figure`: SVG, the caption, the notes, and a table for those who hear the page."""
    drawn = "".join(
        svg(panels, f"{caption} {written(panels[0].title)}".strip() if number else caption)
        for number, panels in enumerate(tables(view))
    )
    words = "".join(table(panel, caption) for panel in view.panels)
    notes = "".join(f"<p>{escape(written(note))}</p>" for note in view.notes)
    return Markup(  # noqa: S704 - every text in it is escaped
        f'<figure class="picture"><div class="tables">{drawn}</div>'
        f"<figcaption>{escape(caption)}{notes}</figcaption>{words}</figure>"
    )


def tables(view: View) -> list[list[Panel]]:
    """The panels that lie on one table each: at most one large panel, with the small ones around it."""
    found: list[list[Panel]] = [[]]
    for panel in view.panels:
        large = len(panel.rows) >= LARGE
        if large and any(len(other.rows) >= LARGE for other in found[-1]):
            found.append([])
        found[-1].append(panel)
    return found


def svg(panels: Sequence[Panel], caption: str) -> str:
    """Panels below each other on one table."""
    widths, heights = zip(*(size(panel) for panel in panels), strict=True)
    width, height = max(widths), sum(heights)
    parts: list[str] = []
    top = 0
    for panel, panel_height in zip(panels, heights, strict=True):
        parts.append(f'<g transform="translate(0 {top})">{draw(panel)}</g>')
        top += panel_height
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(caption)}">'
        f'<rect class="p-table" width="{width}" height="{height}" rx="14"/>{"".join(parts)}</svg>'
    )


def view_of(told: dict[str, Any]) -> View:
    """The view that `View.to_json` has told."""
    return View(
        tuple(
            Panel(
                rows=tuple(tuple(Cell(**cell) for cell in row) for row in panel["rows"]),
                title=note_of(panel["title"], panel.get("message")),
                marks=tuple(Mark(**mark) for mark in panel["marks"]),
                **{name: panel[name] for name in ("ground", "columns", "ranks", "below", "ends")},
            )
            for panel in told["panels"]
        ),
        tuple(note_of(note, message) for note, message in zip(told["notes"], told["messages"], strict=True)),
    )


def note_of(text: str, message: Mapping[str, Any] | None) -> str:
    """A title or note with what it was made of, where that was told."""
    return Note(message["template"], **message["values"]) if message else text


def written(text: str) -> str:
    """A title or note in the reader's language."""
    return message(text.template, text.values) if isinstance(text, Note) else word(text)


def size(panel: Panel) -> tuple[int, int]:
    """Width and height of a panel with its rim and title."""
    columns = max((len(row) for row in panel.rows), default=0)
    return columns * STEP + 2 * RIM, len(panel.rows) * STEP + 2 * RIM + (TITLE if panel.title else 0)


def draw(panel: Panel) -> str:
    """A panel's SVG, its upper left corner at 0 0."""
    down = TITLE if panel.title else 0
    title = f'<text class="p-title" x="{RIM}" y="24">{escape(written(panel.title))}</text>' if panel.title else ""
    columns = max((len(row) for row in panel.rows), default=0)
    marked = {(mark.row, mark.column) for mark in panel.marks}
    labels = [(-1, column, text) for column, text in enumerate(panel.columns)]
    labels += [(row, -1, text) for row, text in enumerate(panel.ranks)]
    labels += [(len(panel.rows), column, text) for column, text in enumerate(panel.below)]
    labels += [(row, columns, text) for row, text in enumerate(panel.ends)]
    rim = "".join(
        f'<text class="p-rim" x="{x}" y="{y + 5}">{escape(word(text))}</text>'
        for row, column, text in labels
        if (row, column) not in marked
        for x, y in [middle(row, column, panel)]
    )
    cells = "".join(
        f'<g class="k-{escape(cell.kind)}" transform="translate({RIM + column * STEP + 2} {RIM + row * STEP + 2})">'
        f"{tile(cell, panel.ground)}</g>"
        for row, line in enumerate(panel.rows)
        for column, cell in enumerate(line)
    )
    named = {(row, column): text for row, column, text in labels}
    marks = "".join(sign(mark, panel, named.get((mark.row, mark.column), "")) for mark in panel.marks)
    top = (
        f"{marks}{cells}" if panel.ground == "checkered" else f"{cells}{marks}"
    )  # a marked square lies under its piece
    return f'{title}<g class="g-{panel.ground}" transform="translate(0 {down})">{rim}{ground(panel, columns)}{top}</g>'


def ground(panel: Panel, columns: int) -> str:
    """What a panel's pieces stand on, where that is more than a place for each: squares of a chess board, or lines."""
    rows = len(panel.rows)
    width, height = columns * STEP, rows * STEP
    if panel.ground == "checkered":
        dark = "".join(
            f"M{column * STEP} {row * STEP}h{STEP}v{STEP}h-{STEP}Z"
            for row in range(rows)
            for column in range((row + 1) % 2, columns, 2)
        )
        squares = f'<rect class="p-light" width="{width}" height="{height}"/><path class="p-dark" d="{dark}"/>'
        return f'<g transform="translate({RIM} {RIM})">{squares}</g>'
    if panel.ground == "points":
        half = STEP // 2
        lines = "".join(f"M{half} {row * STEP + half}H{width - half}" for row in range(rows))
        lines += "".join(f"M{column * STEP + half} {half}V{height - half}" for column in range(columns))
        board = f'<rect class="p-wood" width="{width}" height="{height}" rx="6"/><path class="p-lines" d="{lines}"/>'
        return f'<g transform="translate({RIM} {RIM})">{board}</g>'
    return ""


def middle(row: int, column: int, panel: Panel) -> tuple[int, int]:
    """The middle of a cell or of a place on the rim."""
    columns = max(len(line) for line in panel.rows)
    x = RIM // 2 if column < 0 else RIM * 3 // 2 + columns * STEP if column >= columns else RIM + column * STEP + 22
    rows = len(panel.rows)
    y = RIM // 2 if row < 0 else RIM * 3 // 2 + rows * STEP if row >= rows else RIM + row * STEP + 22
    return x, y


def tile(cell: Cell, ground: str = "") -> str:
    """A cell on 40 by 40: its block with the colour's shape, its label, and the line under a number of side B."""
    empty = "" if ground else f'<rect class="p-empty" width="{TILE}" height="{TILE}" rx="6"/>'
    if not cell.label and cell.kind in ("", "gap"):
        return empty + corner(cell)
    if cell.kind in EMBLEMS:
        return suited(cell)
    figure = FIGURES.get(cell.kind.partition("-")[2])
    if figure:
        flag = f'<path class="p-flag" d="{FLAG}"/>' if cell.label == "F" else ""
        home = '<path class="p-home" d="M8 39.5H32"/>' if cell.underlined else ""
        return f'{empty}<path class="p-figure" d="{figure}"/>{flag}{home}'
    if cell.kind == "hole":
        return HOLE
    if cell.kind in FACES and cell.label in PIPS:
        joint = f'<path class="p-joint" d="{JOINTS[cell.kind]}"/>' if cell.kind in JOINTS else ""
        return f'<path class="p-block" d="{FACES[cell.kind]}"/>{joint}<path class="p-pips" d="{PIPS[cell.label]}"/>'
    shape = f'<g class="p-shape">{SHAPES[cell.kind]}</g>' if cell.kind in SHAPES else ""
    y = 31 if cell.kind == "red" else 26
    half = 5 * len(cell.label)
    line = f'<path class="p-under" d="M{20 - half} {y + 3.5}h{2 * half}"/>' if cell.underlined else ""
    return (
        f'<rect class="p-block" width="{TILE}" height="{TILE}" rx="6"/>{shape}'
        f'<text class="p-label" x="20" y="{y}">{escape(cell.label)}</text>{line}'
    )


def suited(cell: Cell) -> str:
    """A tile or card with the emblem of its suit, which gives way to what lies or stands in the corner."""
    x = 11 if cell.corner else 20
    return (
        f'<rect class="p-block" width="{TILE}" height="{TILE}" rx="6"/>'
        f'<path class="p-emblem" transform="translate({x} 28)" d="{EMBLEMS[cell.kind]}"/>'
        f'<text class="p-label" x="20" y="17">{escape(cell.label)}</text>{corner(cell)}'
    )


def corner(cell: Cell) -> str:
    """A coin with its value, or the number of a space."""
    if not cell.corner:
        return ""
    text = f'<text class="p-corner" x="29" y="33.5">{escape(cell.corner)}</text>'
    return f'<circle class="p-coin" cx="29" cy="29" r="9"/>{text}'


def sign(mark: Mark, panel: Panel, label: str) -> str:
    """A mark: a frame around a cell, or an arrow from the place on the rim that it names."""
    x, y = middle(mark.row, mark.column, panel)
    if panel.ground == "points":
        return f'<circle class="m-{escape(mark.sign)}" cx="{x}" cy="{y}" r="8"/>'
    if mark.sign not in ARROWS:
        return f'<rect class="m-{escape(mark.sign)}" x="{x - 21}" y="{y - 21}" width="42" height="42" rx="8"/>'
    text = f'<text class="m-rim" y="5">{escape(label)}</text>' if label else ""
    return f'<g transform="translate({x} {y})"><path class="m-arrow" d="{ARROWS[mark.sign]}"/>{text}</g>'


def table(panel: Panel, caption: str) -> str:
    """The panel as a table: one cell for each of the picture's, named in words."""
    columns = max((len(row) for row in panel.rows), default=0)
    head = "".join(
        f'<th scope="col">{escape(panel.columns[n] if n < len(panel.columns) else n + 1)}</th>' for n in range(columns)
    )
    rows = "".join(
        f'<tr><th scope="row">{escape(panel.ranks[n] if n < len(panel.ranks) else n + 1)}</th>'
        + "".join(f"<td>{escape(said(cell))}</td>" for cell in row)
        + "</tr>"
        for n, row in enumerate(panel.rows)
    )
    signs = "".join(f"<p>{escape(sign)}</p>" for sign in signs_of(panel))
    return (
        f'<div class="visually-hidden"><table><caption>{escape(written(panel.title) or caption)}</caption>'
        f"<tr><td></td>{head}</tr>{rows}</table>{signs}</div>"
    )


def said(cell: Cell) -> str:
    """A cell in words: its label and, translated, what it is."""
    if not cell.label and not cell.name:
        return _("empty")
    return ", ".join(map(phrase, (cell.name or cell.label).split(", ")))


def phrase(part: str) -> str:
    """A part of a cell's name, translated."""
    if number := re.fullmatch("(coin|space) ([0-9A-Z]+)", part):
        return _("coin {n}", n=number[2]) if number[1] == "coin" else _("space {n}", n=number[2])
    if tile := re.fullmatch("([a-z0-9]+) of ([a-z]+)", part):
        return _("{value} of {suit}", value=word(tile[1]), suit=word(tile[2]))
    return word(colour(part))


def colour(kind: str) -> str:
    """The name of a colour of the blocks; any other kind stays as it is."""
    return {
        "white": _("white"),
        "yellow": _("yellow"),
        "blue": _("blue"),
        "pink": _("pink"),
        "red": _("red"),
        "green": _("green"),
    }.get(kind, kind)


def signs_of(panel: Panel) -> list[str]:
    """The marks in words, those of a push that has been made together."""
    arrow = next((mark for mark in panel.marks if mark.sign in ARROWS), None)
    front = [said(panel.rows[mark.row][mark.column]) for mark in panel.marks if mark.sign == "to"]
    if arrow and front and not panel.ground and not any(mark.sign == "from" for mark in panel.marks):
        moved = [said(panel.rows[mark.row][mark.column]) for mark in panel.marks if mark.sign == "move"]
        return [
            _("The push from {place}.", place=place_of(arrow, panel)),
            _("{block} comes to the front; one place further: {blocks}.", block=front[0], blocks="; ".join(moved)),
        ]
    return [told(mark, panel) for mark in panel.marks]


def told(mark: Mark, panel: Panel) -> str:
    """A mark in words: where a push comes from, or which cell is meant."""
    place = place_of(mark, panel)
    if panel.ground:
        square = f"{panel.columns[mark.column]}{panel.ranks[mark.row]}"
        return _("From {square}.", square=square) if mark.sign == "from" else _("To {square}.", square=square)
    if mark.sign == "to" or (mark.sign == "from" and any(other.sign == "to" for other in panel.marks)):
        return _("From {square}.", square=place) if mark.sign == "from" else _("To {square}.", square=place)
    if mark.sign in ARROWS:
        return _("The push from {place}.", place=place)
    if mark.sign == "from":
        return _("It takes {cell}.", cell=place)
    return _("Marked: {cell}.", cell=place)


def place_of(mark: Mark, panel: Panel) -> str:
    """The cell under a mark, or the label on the rim."""
    row, column = mark.row, mark.column
    if 0 <= row < len(panel.rows) and 0 <= column < len(panel.rows[row]):
        cell = said(panel.rows[row][column])
        return f"{panel.columns[column]}{panel.ranks[row]}: {cell}" if panel.columns[:1] in ("a", ["a"]) else cell
    labels = (
        panel.columns
        if row < 0
        else panel.ranks
        if column < 0
        else panel.below
        if row >= len(panel.rows)
        else panel.ends
    )
    at = column if row < 0 or row >= len(panel.rows) else row
    return labels[at] if at < len(labels) else _("the edge")


def chain(counts: Sequence[int]) -> Markup:
    """Moves board by board as small bars from the first to the last; what they show stands in figures elsewhere too."""
    most, n = max(counts), len(counts)
    bars = "".join(f"V{24 - max(1, 24 * count // most)}h1" for count in counts)
    words = _("Moves on the boards 1 to {n}: from {least} to {most}.", n=n, least=min(counts), most=most)
    return Markup(  # noqa: S704 - every text in it is escaped
        f'<svg class="chain" viewBox="0 0 {n} 24" preserveAspectRatio="none" role="img" aria-label="{escape(words)}">'
        f'<path d="M0 24{bars}V24Z"/></svg>'
    )
