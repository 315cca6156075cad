"""A deal of a puzzle or game, written out: as a layout and as a picture."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from verifier.registry import RULES
from verifier.replay import setup_of
from verifier.rules import LAST_DEAL, Header, Setup, TokenRules
from verifier.verdict import Rejected, shown
from verifier.view import View


class Deal(NamedTuple):
    """What a deal's number stands for."""

    setup: Setup
    number: int
    view: View
    """The position that the play starts from."""

    def __str__(self) -> str:
        """The head of a record that starts from it, the picture as comments below."""
        picture = f"{self.setup.name}:\n{self.view}".split("\n")
        comments = "\n".join(f"# {line}".rstrip() for line in picture)
        return f"puzzle: {self.setup.puzzle}\nlayout:\n{self.setup.text}\n\n{comments}"

    def to_json(self) -> dict[str, Any]:
        """The puzzle, the number, the layout as a JSON record has it, and the view."""
        return {
            "puzzle": self.setup.puzzle,
            "deal": self.number,
            "layout": self.setup.text.split("\n"),
            "view": self.view.to_json(),
        }


def deal(puzzle: str, number: str) -> Deal:
    """The deal of that number, as a record may write it; raises Rejected.

    `unknown-puzzle` also stands for a puzzle or game that isn't dealt; a number out of range is `unknown-deal`, one
    that can't be read `malformed`.
    """
    rules = RULES.get(puzzle)
    if not isinstance(rules, TokenRules) or "deal" not in rules.headers:
        raise Rejected("unknown-puzzle", "There is no puzzle or game {name} that is dealt.", name=shown(puzzle))
    if not re.fullmatch("[0-9]+", number):
        raise Rejected("malformed", "A deal is a whole number, not {found}.", found=shown(number))
    if len(number.lstrip("0")) > 16 or int(number.lstrip("0") or "0") > LAST_DEAL:
        raise Rejected("unknown-deal", "A deal is a number from 0 to {last}.", last=LAST_DEAL)
    setup = setup_of(puzzle, f"deal: {number}")
    assert setup
    return Deal(setup, int(setup.name.split()[1]), start_of(setup))


def start_of(setup: Setup) -> View:
    """The position that a play of this setup starts from."""
    rules = RULES[setup.puzzle]
    assert isinstance(rules, TokenRules)  # the others have no setups
    return rules.view(rules.start(Header(setup=setup)))
