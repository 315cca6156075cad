"""Code, Rejected, Score, Verdict, and the JSON a verdict becomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, get_args

if TYPE_CHECKING:
    from verifier.rules import Setup
    from verifier.view import View

Code = Literal[
    "too-large",
    "malformed",
    "unknown-puzzle",
    "unknown-deal",
    "bad-layout",
    "board-order",
    "too-few-boards",
    "too-many-boards",
    "too-many-moves",
    "no-white-block",
    "no-coloured-block-moves",
    "wrong-white-place",
    "unsolved",
    "missing-position",
    "wrong-position",
    "illegal-move",
    "not-finished",
    "wrong-result",
    "wrong-draw",
]
CODES: tuple[Code, ...] = get_args(Code)

Score = dict[str, Any]
"""What an accepted record is worth, as JSON values: whole numbers, strings, lists. Each rules file names the keys."""

PLACES = ("board", "move", "line", "column")
WHERE = {"board": "board {n}", "move": "move {n}", "line": "line {n}", "column": "column {n}"}
"""The words for a place, beside the templates of the sentences; they are translated together with those."""

_SHOWN = 40


def cut(text: str) -> str:
    """As much of a piece of a record as a sentence takes: at most 40 characters, nothing that doesn't print."""
    short = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in short)


def shown(text: str) -> str:
    """A piece of a record as a sentence quotes it."""
    return f"“{cut(text)}”"


class Rejected(Exception):
    """A record breaks a rule. Which one is said where it is broken; where in the record, by whoever reads the record.

    `code` is one of those in docs/FORMATS.md. `template` is an English sentence with {fields}, `values` what fills
    them, so that another language is another template. Strings from a record go in by `shown`. `board` and `move` count
    from 1; `line` and `column` (from 1, in characters) are those of the token at fault in a text record.
    """

    def __init__(self, code: Code, template: str, **values: str | int):
        super().__init__(template)
        self.code: Code = code
        self.template = template
        self.values = values
        self.puzzle: str | None = None
        self.board: int | None = None
        self.move: int | None = None
        self.line: int | None = None
        self.column: int | None = None
        self.view: Callable[[], View] | None = None
        """Draws the position before the faulty move, where there is one."""

    def at(
        self,
        place: tuple[int, int] | None = None,
        *,
        board: int | None = None,
        move: int | None = None,
        view: Callable[[], View] | None = None,
    ) -> Self:
        """The same error with its place, (line, column); what is already known stays."""
        if place and self.line is None:
            self.line, self.column = place
        self.board = self.board or board
        self.move = self.move or move
        self.view = self.view or view
        return self

    @property
    def places(self) -> dict[str, int]:
        """board, move, line and column, as far as they apply."""
        return {name: value for name in PLACES if (value := getattr(self, name)) is not None}

    @property
    def message(self) -> str:
        """The sentence for a person: where it is wrong, what was found and what was expected."""
        where = ", ".join(WHERE[name].format(n=value) for name, value in self.places.items())
        sentence = self.template.format(**self.values)
        return f"{where[0].upper()}{where[1:]}: {sentence}" if where else sentence


class Verdict(NamedTuple):
    """What the verifier answers to a record."""

    puzzle: str | None
    """The record's id, None while no valid `puzzle:` has been read."""
    score: Score | None = None
    """What an accepted record is worth."""
    error: Rejected | None = None
    """The first error of a rejected one."""
    setup: Setup | None = None
    """What the play started from, where the puzzle has setups and the record is accepted."""
    play: str | None = None
    """SHA-256 (hexadecimal) of the accepted play in one spelling: equal for records that differ in notation only."""
    players: tuple[str, ...] = ()
    """The names that an accepted match gives its players, in seat order."""
    view: Callable[[], View] | None = None
    """Draws the last position of an accepted record, the one before the faulty move of a rejected one."""

    @property
    def accepted(self) -> bool:
        return self.error is None

    def to_json(self) -> dict[str, Any]:
        """The verdict of docs/FORMATS.md."""
        if self.error is None:
            return {"puzzle": self.puzzle, "accepted": True, "score": self.score}
        error = {"code": self.error.code, "message": self.error.message, **self.error.places}
        return {"puzzle": self.puzzle, "accepted": False, "error": error}
