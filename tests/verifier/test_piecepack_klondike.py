"""Piecepack Klondike against its rules, told again as plainly as they can be."""

import json
from itertools import product
from typing import Self

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier import View, setup_of, steps, verify
from verifier.puzzles.piecepack_klondike import PiecepackKlondike, State
from verifier.rules import Header

RULES = PiecepackKlondike()
TOKENS = ["turn", *map("".join, product("123456", "123456f"))]
DEALS = st.integers(0, 2**53 - 1)
RANKS = "A2345N"

DEAL_7 = """\
AN
C4 AA
M5 A3 A5
M4 C3 S4 A2
CA CN A4 S3 S2
C5 SN M3 S5 MN SA"""
AFTER_SIX = """\
AN
MN
(M5) (A3) A5 C4
(M4) (C3) (S4)
(CA) (CN) (A4) (S3) S2
(C5) (SN) (M3) (S5)
A2 AA SA"""


def record(body: str, deal: int = 7) -> bytes:
    return f"puzzle: piecepack-klondike\ndeal: {deal}\n{body}".encode()


class Table:
    """The tiles on a table: towers of (tile, face up), bottom first, and a set of those on foundations."""

    def __init__(self, layout: str) -> None:
        self.towers = [[(tile, False) for tile in line.split()] for line in layout.split("\n")]
        for tower in self.towers:
            tower[-1] = (tower[-1][0], True)
        self.done: set[str] = set()

    def copy(self) -> Self:
        other = type(self)("SA")
        other.towers = [list(tower) for tower in self.towers]
        other.done = set(self.done)
        return other

    def faces(self, n: int) -> list[str]:
        return [tile for tile, up in self.towers[n] if up]

    def movable(self, source: int, to: int) -> list[str]:
        """The piles, each as its tiles, that may go from one tower to another."""
        piles = [self.faces(source)[at:] for at in range(len(self.faces(source)))]
        if source == to:
            return []
        if not self.towers[to]:
            return [" ".join(pile) for pile in piles if pile[0][1] == "N"]
        top, up = self.towers[to][-1]
        return [
            " ".join(pile)
            for pile in piles
            if up and pile[0][0] != top[0] and RANKS.index(pile[0][1]) + 1 == RANKS.index(top[1])
        ]

    def clears(self, source: int, to: int) -> bool:
        pile = self.faces(source)
        hidden = len(pile) < len(self.towers[source])
        return bool(pile) and " ".join(pile) in self.movable(source, to) and (hidden or bool(self.towers[to]))

    def play(self, token: str) -> bool:
        """Make a move, if it is legal."""
        if token == "turn":
            uncovered = [tower for tower in self.towers if tower and not tower[-1][1]]
            ace = any(tile[1] == "A" for n in range(6) for tile in self.faces(n)[-1:])
            if not uncovered or ace or any(self.clears(a, b) for a in range(6) for b in range(6)):
                return False
            for tower in uncovered:
                tower[-1] = (tower[-1][0], True)
            return True
        source = int(token[0]) - 1
        if not self.faces(source):
            return False
        if token[1] == "f":
            tile = self.faces(source)[-1]
            below = {tile[0] + rank for rank in RANKS[: RANKS.index(tile[1])]}
            if not below <= self.done:
                return False
            self.done.add(tile)
            self.towers[source].pop()
            return True
        to = int(token[1]) - 1
        piles = self.movable(source, to)
        if not piles:
            return False
        (pile,) = piles  # at most one fits
        for tile in pile.split():
            self.towers[source].remove((tile, True))
            self.towers[to].append((tile, True))
        return True

    def legal(self) -> list[str]:
        return [token for token in TOKENS if self.copy().play(token)]

    def __str__(self) -> str:
        towers = [" ".join(tile if up else f"({tile})" for tile, up in tower) for tower in self.towers]
        return "\n".join([*towers, " ".join(sorted(self.done))])


def seen(view: View) -> str:
    """A picture of the rules' own as the table above writes it."""
    towers, foundations = view.panels
    lines = [" ".join(f"({cell.label})" if cell.kind == "down" else cell.label for cell in row) for row in towers.rows]
    tops = [cell.label for cell in foundations.rows[0] if cell.label]
    done = [top[0] + rank for top in tops for rank in RANKS[: RANKS.index(top[1]) + 1]]
    return "\n".join([*lines, " ".join(sorted(done))])


def started(deal: int) -> tuple[State, Table]:
    setup = setup_of("piecepack-klondike", f"deal: {deal}")
    assert setup is not None
    return RULES.start(Header(setup=setup)), Table(setup.text)


def test_the_worked_example() -> None:
    setup = setup_of("piecepack-klondike", "deal: 7")
    assert setup is not None
    assert setup.text == DEAL_7
    assert seen(steps(record("2F 6F turn 4F 23 62"))[-1].view) == AFTER_SIX


@pytest.mark.parametrize(
    ("moves", "reason"),
    [
        ("turn", "nothing to turn"),
        ("13", "No face-up tile of tower 1 is one lower than A5"),
        ("2F turn", "SA lies face up on tower 6"),
        ("2F 6F turn 4F turn", "23 can still clear tower 2"),
        ("2F 6F turn 4F 23 turn", "36 can still clear tower 3"),
        ("2F 6F turn 4F 23 62 turn", "32 can still clear tower 3"),
        ("2F 23", "The top tile of tower 2 lies face down"),
        ("2F 32", "The top tile of tower 2 lies face down; nothing goes on it"),
        ("62", "Nothing goes on an ace: AA"),
        ("33", "onto itself"),
        ("3F", "The next tile of this suit's foundation is AA, not A5"),
        ("2F 6F turn 4F 23 52", "Tower 2 is an open space: it takes a null, and none lies face up on tower 5"),
        ("2F 6F turn 4F 23 24", "Tower 2 has no tiles"),
    ],
)
def test_an_illegal_move_is_explained(moves: str, reason: str) -> None:
    error = verify(record(moves)).error
    assert error is not None
    assert error.code == "illegal-move"
    assert error.move == len(moves.split())
    assert reason in error.message


@given(deal=DEALS, data=st.data())
def test_moves_are_as_the_plain_telling_has_them(deal: int, data: st.DataObject) -> None:
    state, table = started(deal)
    tiles = sorted(str(table).replace("(", "").replace(")", "").split())
    for _ in range(data.draw(st.integers(0, 25))):
        legal = table.legal()
        assert sorted(RULES.moves(state)) == sorted(legal)
        if not legal:
            break
        token = data.draw(st.sampled_from(legal))
        assert table.play(token)
        state = RULES.play(state, token)
        assert seen(RULES.view(state)) == str(table)
        assert sorted(str(table).replace("(", "").replace(")", "").split()) == tiles


@given(deal=DEALS, data=st.data())
def test_every_legal_game_gets_its_score_in_text_and_json(deal: int, data: st.DataObject) -> None:
    state, table = started(deal)
    played: list[str] = []
    for _ in range(60):
        moves = RULES.moves(state)
        best = [move for move in moves if move[1] == "f"] or ["turn"] * ("turn" in moves) or moves
        if not best:
            break
        played.append(data.draw(st.sampled_from(best)))
        table.play(played[-1])
        state = RULES.play(state, played[-1])
    for data_ in (
        record(" ".join(played).upper(), deal),
        json.dumps({"puzzle": "piecepack-klondike", "deal": deal, "moves": played}).encode(),
    ):
        verdict = verify(data_)
        if len(table.done) >= 9:
            assert verdict.score == {"foundation": len(table.done), "moves": len(played)}
        else:
            assert verdict.error is not None
            assert (verdict.error.code, verdict.error.move) == ("not-finished", len(played) + 1)


@given(deal=DEALS, tokens=st.lists(st.sampled_from(TOKENS), max_size=8))
def test_the_first_illegal_move_is_named(deal: int, tokens: list[str]) -> None:
    _, table = started(deal)
    legal = 0
    while legal < len(tokens) and table.play(tokens[legal]):
        legal += 1
    error = verify(record(" ".join(tokens), deal)).error
    assert error is not None
    assert (error.code, error.move) == ("illegal-move" if legal < len(tokens) else "not-finished", legal + 1)


def test_a_null_may_go_from_one_open_space_to_another_and_need_not_before_a_turn() -> None:
    null, covered = bytes([5]), bytes([7])
    state = State((null, b"", covered, b"", b"", b""), (0, 0, 1, 0, 0, 0))
    assert sorted(RULES.moves(state)) == ["12", "14", "15", "16", "turn"]
    assert RULES.play(state, "16").towers == (b"", b"", covered, b"", b"", null)
    assert RULES.play(state, "turn").down == (0, 0, 0, 0, 0, 0)


def test_more_tiles_rank_before_fewer_moves() -> None:
    assert RULES.key({"foundation": 12, "moves": 90}) < RULES.key({"foundation": 11, "moves": 10})
    assert RULES.key({"foundation": 12, "moves": 89}) < RULES.key({"foundation": 12, "moves": 90})


def test_the_refused_move_is_marked() -> None:
    verdict = verify(record("13"))
    assert verdict.view is not None
    assert [tuple(mark) for mark in verdict.view().panels[0].marks] == [(0, 0, "from"), (2, 2, "to")]
    verdict = verify(record("3F"))
    assert verdict.view is not None
    assert [tuple(mark) for panel in verdict.view().panels for mark in panel.marks] == [(2, 2, "from"), (0, 3, "to")]
    verdict = verify(record("2F 6F turn 4F turn"))  # too early: 23 comes first
    assert verdict.view is not None
    assert [tuple(mark) for mark in verdict.view().panels[0].marks] == [(1, 0, "from"), (2, 2, "to")]
