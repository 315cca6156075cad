"""Knights 64: the knights of Knight Fight collect digits on 8x8, until one has 64 points."""

from __future__ import annotations

from verifier.equipment import KNIGHT, Board
from verifier.games.knight_fight import KnightFight, State
from verifier.rules import result_of

ENOUGH = 64


class Knights64(KnightFight):
    """What differs: where to enter, digits that go with each other by their count, and the end by points."""

    id = "knights-64"
    layout_size = 64
    board = Board(8, 8)
    jumps = board.steps(KNIGHT)
    digits = 1
    numbers = tuple(digit for digit in range(1, 9) for _ in range(8))
    entry_ranks = (1, 8)
    takes_score = True

    def choices(self, board: tuple[int | None, ...], square: int) -> tuple[int, ...]:
        """With the 5th of a digit the player takes one of the three that are left."""
        return _others(board, square) if board.count(board[square]) == 4 else ()

    def bound(self, board: tuple[int | None, ...], square: int) -> tuple[int, ...]:
        """The 8th of a digit goes with the 7th."""
        return _others(board, square) if board.count(board[square]) == 2 else ()

    def outcome(self, state: State) -> str:
        """Points decide, when Black's turn leaves anybody with enough, or the next player is stuck."""
        enough = state.seat == 0 and max(state.points) >= ENOUGH
        return result_of(*state.points) if enough or not self.targets(state) else ""


def _others(board: tuple[int | None, ...], square: int) -> tuple[int, ...]:
    """The other open squares with the same digit."""
    return tuple(other for other, digit in enumerate(board) if digit == board[square] and other != square)
