"""Fast Knight Fight: Knight Fight on 8x8, where only some numbers have a mirror."""

from __future__ import annotations

from verifier.equipment import KNIGHT, Board
from verifier.games.knight_fight import KnightFight

NUMBERS = range(1, 65)
LONE = frozenset(number for number in NUMBERS if max(divmod(number, 10)) > 6)
"""Those with a 7, 8 or 9: their mirrors would be off the board, or lone as well."""
MIRRORS = {
    number: mirror
    for number in NUMBERS
    if number not in LONE and (mirror := number % 10 * 10 + number // 10) in NUMBERS and mirror != number
}
"""Number to mirror; doubles and 56 (there is no 65) have none, and nothing goes with them."""


class FastKnightFight(KnightFight):
    """What differs is the board and its numbers, and what goes with each."""

    id = "fast-knight-fight"
    layout_size = 64
    board = Board(8, 8)
    jumps = board.steps(KNIGHT)
    numbers = tuple(NUMBERS)

    def choices(self, board: tuple[int | None, ...], square: int) -> tuple[int, ...]:
        """For a lone number the other lone ones."""
        if board[square] not in LONE:
            return ()
        return tuple(other for other, number in enumerate(board) if other != square and number in LONE)

    def bound(self, board: tuple[int | None, ...], square: int) -> tuple[int, ...]:
        """The mirror, where there is one."""
        number = board[square]
        return (board.index(MIRRORS[number]),) if number in MIRRORS else ()
