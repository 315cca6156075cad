"""JC Golden Nugget judged plainly: an object for each block, a new line for each push. What the verifier is beside.

It reads text records that are right; anything else is a ValueError without a place. No speed was sought or avoided.
"""

from dataclasses import dataclass
from fractions import Fraction

SIDE_A = "ywbwpwr wpwrwgw bwywbwg wgwgwyw ywrwpwy wrwpwbw gwrwpwb".replace(" ", "")
SIDE_B = "wwwywwy ypwwbwb pgwwrwy wwywgww pwgwgpb grrrwwp bwwrwwb".replace(" ", "")


@dataclass
class Block:
    """A two-sided block."""

    number: int
    front: str
    back: str

    @property
    def white(self) -> bool:
        return self.front == "w"


class Board:
    """49 blocks in a square of 7x7."""

    def __init__(self) -> None:
        self.rows = [[Block(7 * r + c + 1, SIDE_A[7 * r + c], SIDE_B[7 * r + c]) for c in range(7)] for r in range(7)]

    def squares(self, place: str) -> list[tuple[int, int]]:
        """The squares of a place's line, the nearest first."""
        if place in "1234567":
            return [(row, int(place) - 1) for row in range(7)]
        if place in "ABCDEFG":
            return [("ABCDEFG".index(place), column) for column in reversed(range(7))]
        if place in "HIJKLMN":
            return [(row, 6 - "HIJKLMN".index(place)) for row in reversed(range(7))]
        if place in "OPQRSTU":
            return [(6 - "OPQRSTU".index(place), column) for column in range(7)]
        raise ValueError("no such place")

    def push(self, move: str) -> None:
        """Make a move, in short or full notation."""
        squares = self.squares(move[0])
        line = [self.rows[row][column] for row, column in squares]
        whites = [index for index, block in enumerate(line) if block.white]
        if not whites:
            raise ValueError("no white block")
        farthest = whites[-1]
        if all(block.white for block in line[:farthest]):
            raise ValueError("no coloured block moves")
        if move[1:] and move[1:] != str(farthest + 1):
            raise ValueError("the white block lies elsewhere")
        pushed = [line[farthest], *line[:farthest], *line[farthest + 1 :]]
        for (row, column), block in zip(squares, pushed, strict=True):
            self.rows[row][column] = block

    def solved(self) -> bool:
        """Whether each inner row, or each inner column, is of one colour."""
        inner = [[block.front for block in row[1:6]] for row in self.rows[1:6]]
        if any("w" in row for row in inner):
            return False
        columns = zip(*inner, strict=True)
        return all(len(set(row)) == 1 for row in inner) or all(len(set(column)) == 1 for column in columns)

    def flip(self) -> None:
        """Turn every block over."""
        for row in self.rows:
            for block in row:
                block.front, block.back = block.back, block.front


def score(data: bytes) -> dict[str, object]:
    """The score of a text record that is right."""
    text = data.decode()
    words: list[str] = []
    for line in text.splitlines():
        if not line.strip().startswith("puzzle:"):
            words += line.partition("#")[0].replace(",", " ").upper().split()
    board, counts, at = Board(), [], 0
    while at < len(words):
        if words[at] != "BOARD" or words[at + 1] != str(len(counts) + 1):
            raise ValueError("the next board is due")
        at, count = at + 2, 0
        while words[at] != "POSITION":
            board.push(words[at])
            at, count = at + 1, count + 1
        if count > 99 or not board.solved():
            raise ValueError("not solved")
        if [str(block.number) for row in board.rows for block in row] != words[at + 1 : at + 50]:
            raise ValueError("another position")
        at += 50
        counts.append(count)
        board.flip()
    if not 20 <= len(counts) <= 200:
        raise ValueError("too few boards or too many")
    mean = str(Fraction(sum(counts), len(counts)))
    return {"boards": len(counts), "moves": sum(counts), "mean": mean, "moves_per_board": counts}
