"""Flag Rush, as its rules file tells it."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifier.matches import accepted, during, fault
from verifier import verify
from verifier.equipment import CHESS_BOARD
from verifier.games.flag_rush import FlagRush, State

RULES = FlagRush()
SQUARES = CHESS_BOARD.names
EXAMPLE = "c1 c8 c1>c2 c8>c7 c2>c3 c7>c6 c3>b4 c6>d5 b4xb5 11 d5xd4 56"


def test_the_worked_example() -> None:
    verdict = verify(f"puzzle: flag-rush\nseed: 4e20\n\n{EXAMPLE}".encode())
    assert verdict.score == {"result": "1-0", "turns": 10}
    assert verify(f"puzzle: flag-rush\n{EXAMPLE}".encode()).score == verdict.score


def told(state: State) -> Iterator[str]:
    """The turns once more, square by square, as the rules file words them."""
    for start in SQUARES:
        for target in SQUARES:
            near = abs(ord(start[0]) - ord(target[0])) <= 1 and abs(int(start[1]) - int(target[1])) <= 1
            man, other = (state.men[CHESS_BOARD.squares[name]] for name in (start, target))
            own, enemy = ("C", "c") if state.turns % 2 == 0 else ("c", "C")
            if start == target or not near or man != own:
                continue
            if other == ".":
                yield start + target
            elif other == enemy:
                yield f"{start}x{target}"
            elif state.flags[state.turns % 2] == CHESS_BOARD.squares[start]:
                yield f"{start}>{target}"


@settings(max_examples=8)
@given(seed=st.integers(0, 2**32))
def test_the_turns_listed_and_accepted_are_those_of_the_rules_told_again(seed: int) -> None:
    state: State = during(RULES, "puzzle: flag-rush\nseed: ab\n", seed)._replace(attack=())
    if len(state.flags) == 2:
        assert sorted(RULES.moves(state)) == sorted(told(state))
        tokens = [start + sign + target for start in SQUARES for sign in ("", "x", ">") for target in SQUARES]
        assert accepted(RULES, state, tokens) == sorted(told(state))
    else:
        assert accepted(RULES, state, SQUARES) == sorted(file + "18"[state.turns] for file in "abcdefgh")


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_every_flag_is_on_a_checker_of_its_side(seed: int) -> None:
    state: State = during(RULES, "puzzle: flag-rush\nseed: ab\n", seed)
    for seat, flag in enumerate(state.flags):
        assert state.men[flag] == "Cc"[seat]


@pytest.mark.parametrize(
    ("dice", "men", "flags"),
    [
        pytest.param("63", ".C", ("h1", "e5"), id="the attacker wins and goes there, with the flag"),
        pytest.param("36", ".c", ("h1",), id="the defender wins and stays"),
        pytest.param("44", "Cc", ("h1", "e4"), id="equal dice change nothing"),
    ],
)
def test_attacks(dice: str, men: str, flags: tuple[str, ...]) -> None:
    h1, h8, e4, e5 = (CHESS_BOARD.squares[name] for name in ("h1", "h8", "e4", "e5"))
    state = State(None, flags=(h1, h8), turns=2)
    for flag in (e4, h1):
        after = RULES.play(RULES.play(state._replace(flags=(flag, h8)), "e4xe5"), dice)
        assert after.men[e4] + after.men[e5] == men
        assert after.result == ("0-1" if flag == e4 and dice == "36" else "")
        if not after.result:
            assert after.flags[0] == (CHESS_BOARD.squares[flags[1]] if flag == e4 else h1)
        assert after.quiet == (dice == "44")


def test_a_flag_that_arrives_wins_also_in_the_hundredth_quiet_turn() -> None:
    a7, b8, h8 = (CHESS_BOARD.squares[name] for name in ("a7", "b8", "h8"))
    men = "".join("C" if square == a7 else "c" if square == h8 else "." for square in range(64))
    state = State(None, men, flags=(a7, h8), turns=102, quiet=99)
    assert RULES.play(state, "a7b8").result == "1-0"
    assert RULES.play(state, "a7a6").result == "1/2-1/2"
    passed = State(None, men[:b8] + "C" + men[b8 + 1 :], flags=(a7, h8), turns=102)
    assert RULES.play(passed, "a7>b8").result == "1-0"


@pytest.mark.parametrize(
    ("body", "code", "move", "column"),
    [
        ("resigns", None, 0, 0),
        ("c1 resigns", None, 0, 0),
        ("c1 c8 e4xe5 resigns", "illegal-move", 3, 13),
        ("c1 c8 e4xe5", "not-finished", 3, 7),
        ("c1 c8 e4xe5 d4xd5", "malformed", 3, 13),
        ("c1 c8 e4xe5 6", "malformed", 3, 13),
        ("c1 c8 e4xe5 66 e5xe4 66", "not-finished", 5, 22),
        ("c1 c8 63", "malformed", 3, 7),
        ("c1 c8 c2", "malformed", 3, 7),
        ("c1>c2", "malformed", 1, 1),
        ("c2", "illegal-move", 1, 1),
        ("c8", "illegal-move", 1, 1),
        ("c1 c8 e4e5", "illegal-move", 3, 7),
        ("c1 c8 e4>d4", "illegal-move", 3, 7),
        ("c1 c8 c1>c1", "illegal-move", 3, 7),
        ("c1 c8 e4xe9", "malformed", 3, 7),
        ("c1 c8 pass", "malformed", 3, 7),
        ("c1 resigns c8", "illegal-move", 2, 12),
    ],
)
def test_where_a_record_is_wrong(body: str, code: str | None, move: int, column: int) -> None:
    assert fault(f"puzzle: flag-rush\n{body}") == (code and (code, move, 2, column))
