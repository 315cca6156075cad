"""Big Bang, as its rules file tells it."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.test_playouts import playout
from tests.verifier.matches import accepted, during, fault
from verifier import verify
from verifier.chance import Stream
from verifier.equipment import CHESS_BOARD
from verifier.games.big_bang import START, BigBang, State

RULES = BigBang()
SQUARES = CHESS_BOARD.names
EXAMPLE = "e5f6 bg8ng6re6 d4c3 nc2bd4bd1 d5c6 na7rb8bd6 e4f3 re2nf2rg3 f7f4d7b5 b8b1 f2g4 g8f7>b5 h7b4e7b6 e2f2 resigns"
BURST = "e5f6 rg8ne7bh5 d4c3 ba4nb1bd2 d5b7 rd5na8bb8 e4f3 rg1rg3nf1 b5a6f4b4"
HOMES = {"R": "a1 h1", "N": "b1 g1", "B": "c1 f1", "Q": "d1", "K": "e1"}
HOMES |= {piece.lower(): places.replace("1", "8") for piece, places in HOMES.items()}


def position(pieces: str, holes: str = "", turns: int = 4, quiet: int = 0) -> State:
    """A state of the race with these pieces ("Ke2 ra7") and holes."""
    men = ["."] * 64
    for piece in pieces.split():
        men[place(piece[1:])] = piece[0]
    return State(None, "".join(men), tuple(map(place, holes.split())), ("", ""), turns=turns, quiet=quiet)


def place(name: str) -> int:
    return CHESS_BOARD.squares[name]


def light(name: str) -> bool:
    return (ord(name[0]) + int(name[1])) % 2 == 0


def test_the_worked_example() -> None:
    verdict = verify(f"puzzle: big-bang\nseed: 4e23\n\n{EXAMPLE}".encode())
    assert verdict.score == {"result": "0-1", "turns": 8}
    assert verify(f"puzzle: big-bang\n{EXAMPLE}".encode()).score == verdict.score


def test_the_setup() -> None:
    assert {START[place(name)]: name for name in SQUARES if START[place(name)] != "."} == {
        "Q": "d5", "K": "e5", "q": "e4", "k": "d4"
    }  # fmt: skip


def appearing(seed: str) -> Iterator[str]:
    """The burst as the seed gives it, told once more, with moves of ours between; the holes come last."""
    draw, ascending = Stream("big-bang", seed), sorted(SQUARES, key=lambda name: (name[1], name[0]))
    men = {"d5": "Q", "e5": "K", "e4": "q", "d4": "k"}
    lists: list[tuple[str, ...]] = []
    bursts = (("e5", "f6", "efgh", "5678"), ("d4", "c3", "abcd", "1234"), ("d5", "b7", "abcd", "5678"),
              ("e4", "g2", "efgh", "1234"))  # fmt: skip
    for turn, (start, target, files, rows) in enumerate(bursts):
        men[target] = men.pop(start)
        if turn < 2:
            order, draw = draw.shuffle(("r", "r", "n", "n", "b", "b"))
            lists.append(order)
        token = ""
        for kind in lists[turn % 2][:3] if turn < 2 else lists[turn % 2][3:]:
            man = kind.upper() if turn % 2 == 0 else kind
            free = [name for name in ascending if name[0] in files and name[1] in rows and name not in men]
            if man in "Bb":
                free = [name for name in free if all(light(name) != light(other) for other in men if men[other] == man)]
            index, draw = draw.below(len(free))
            men[free[index]] = man
            token += kind + free[index]
        yield f"{start}{target} {token}"
    free = [name for name in ascending if name[1] in "234567" and name not in men]
    holes = ""
    for _ in range(4):
        index, draw = draw.below(len(free))
        holes += free.pop(index)
    yield holes


@given(seed=st.text("0123456789abcdef", min_size=1, max_size=64))
def test_what_appears_is_drawn_as_the_rules_say(seed: str) -> None:
    record = f"puzzle: big-bang\nseed: {seed}\n{' '.join(appearing(seed))} resigns"
    assert verify(record.encode()).score == {"result": "0-1", "turns": 4}


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32))
def test_without_its_seed_a_match_is_believed(seed: int) -> None:
    tokens, state = playout(RULES, f"puzzle: big-bang\nseed: {seed}\n", seed)
    assert verify(f"puzzle: big-bang\n{' '.join(tokens)}".encode()).score == RULES.score(state)
    assert sorted(man for man in state.men if man != ".") == sorted("KQRRNNBBkqrrnnbb")
    bishops = {man: {light(name) for name in SQUARES if state.men[place(name)] == man} for man in "Bb"}
    assert bishops == {"B": {True, False}, "b": {True, False}}


def told(state: State) -> list[str]:
    """The moves of the race once more, square by square, as the rules file words them."""
    white = state.turns % 2 == 0
    leaving, others = [], []
    holes = [SQUARES[hole] for hole in state.holes]
    for start in SQUARES:
        man = state.men[place(start)]
        if man == "." or man.isupper() != white or start in HOMES[man].split():
            continue
        for target in SQUARES:
            if (
                state.men[place(target)] != "."
                or target[1] == ("8" if white else "1")
                or not goes(state, man, start, target)
            ):
                continue
            moves = leaving if start[1] == ("8" if white else "1") else others
            if target in holes:
                exits = [hole for hole in holes if hole != target and (man not in "Bb" or light(hole) == light(target))]
                moves += [f"{start}{target}>{hole}" for hole in exits]
            else:
                moves.append(start + target)
    return sorted(leaving or others) or ["pass"]


def goes(state: State, man: str, start: str, target: str) -> bool:
    """Whether the piece comes to that square in chess."""
    right, up = ord(target[0]) - ord(start[0]), int(target[1]) - int(start[1])
    far = max(abs(right), abs(up))
    if man in "Nn":
        return {abs(right), abs(up)} == {1, 2}
    if man in "Kk":
        return far == 1
    straight, slanted = right == 0 or up == 0, abs(right) == abs(up)
    if not far or not {"r": straight, "b": slanted, "q": straight or slanted}[man.lower()]:
        return False
    between = [f"{chr(ord(start[0]) + right * n // far)}{int(start[1]) + up * n // far}" for n in range(1, far)]
    return all(state.men[place(name)] == "." for name in between)


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32))
def test_the_moves_listed_and_accepted_are_those_of_the_rules_told_again(seed: int) -> None:
    state: State = during(RULES, f"puzzle: big-bang\nseed: {seed}\n", seed)
    if state.turns >= 4 and state.due == "move":
        holes = [SQUARES[hole] for hole in state.holes]
        tokens = ["pass"] + [a + b + out for a in SQUARES for b in SQUARES for out in ("", *(f">{h}" for h in holes))]
        assert sorted(RULES.moves(state) or ()) == told(state) == accepted(RULES, state, tokens)


@pytest.mark.parametrize(
    ("pieces", "holes", "turns", "moves"),
    [
        pytest.param("Ke1 Na8 ka1", "", 4, "a8b6 a8c7", id="a frozen king; a knight comes off row 8"),
        pytest.param("Kd1 Na8", "", 4, "a8b6 a8c7", id="who can leave row 8 must"),
        pytest.param("Kd1 Na8 rb6 rc7", "", 4, "d1c1 d1c2 d1d2 d1e1 d1e2", id="who can't does not stop the others"),
        pytest.param("Kg8 nf7 ng7 nh7", "", 4, "pass", id="not along row 8"),
        pytest.param("kg1 Nf2 Ng2 Nh2", "", 5, "pass", id="nor along row 1 for Black"),
        pytest.param("Kh7", "", 4, "h7g6 h7g7 h7h6", id="not onto row 8"),
        pytest.param("Bh2 rg1 nf4", "g3 e5 f6 h5", 4, "h2g3>e5 h2g3>f6", id="a bishop comes out on its own colour"),
        pytest.param("Bh2 rg1 nf4", "g3 f3 h3 d3", 4, "pass", id="and goes in nowhere else"),
        pytest.param("Kh2 rh3", "g3 f3 a3 d3", 4, "h2g1 h2g2 h2g3>a3 h2g3>d3 h2g3>f3 h2h1", id="a king by any hole"),
        pytest.param("Rh2 rh3 rh1", "g2 f2 a3 d3", 4,
                     "h2a2 h2b2 h2c2 h2d2 h2e2 h2f2>a3 h2f2>d3 h2f2>g2 h2g2>a3 h2g2>d3 h2g2>f2", id="across a hole"),
        pytest.param("ka1 Nb2 Na2 Bb1", "", 5, "pass", id="shut in"),
    ],
)  # fmt: skip
def test_moves_of_the_race(pieces: str, holes: str, turns: int, moves: str) -> None:
    state = position(pieces, holes, turns)
    assert sorted(RULES.moves(state) or ()) == moves.split() == told(state)


def test_a_move_into_a_hole_that_nothing_comes_out_of_is_illegal() -> None:
    assert accepted(
        RULES, position("Bh2 rg1 nf4", "g3 f3 h3 d3"), ["h2g3", "h2g3>f3", "h2g3>g3", "h2g3>a1", "pass"]
    ) == ["pass"]


HOME = "Ra1 Nb1 Bc1 Qd1 Ke1 Bf1 Ng1"


def test_the_last_piece_home_wins_at_once() -> None:
    assert RULES.play(position(f"{HOME} Rh2", quiet=99), "h2h1").result == "1-0"
    black = position(f"{HOME.lower().replace('1', '8')} rh7 Ka3", turns=5, quiet=99)
    assert RULES.play(black, "h7h8").result == "0-1"


def test_a_hundred_turns_without_a_frozen_piece_are_a_draw() -> None:
    state = position("Ka3 Rh2 kc6 ra6", "b4 e4 f4 g4", quiet=98)
    assert RULES.play(state, "a3a2").quiet == 99
    state = RULES.play(state, "a3a2")
    assert RULES.play(state, "a6a5").result == "1/2-1/2"
    assert RULES.play(state, "a6a8").quiet == 0
    through = RULES.play(state._replace(men=state.men.replace("r", "."), quiet=99, turns=6), "h2g2")
    assert through.result == "1/2-1/2"
    hole = RULES.play(position("Ka3 kc6", "b4 e4 f4 g4", quiet=99), "a3b4>e4")
    assert not hole.result
    assert RULES.play(hole, "b2c2d2e2").result == "1/2-1/2"


@pytest.mark.parametrize(
    ("body", "code", "move", "column"),
    [
        ("resigns", None, 0, 0),
        ("e5f6 resigns", "illegal-move", 1, 6),
        ("e5f6", "not-finished", 1, 1),
        ("e5f6 rg8ne7bh5", "not-finished", 2, 6),
        ("e5f6 rg8ne7bh5 resigns", None, 0, 0),
        ("pass", "illegal-move", 1, 1),
        ("e5f6>a1", "illegal-move", 1, 1),
        ("e5f6 rg8ne7", "malformed", 1, 6),
        ("e5f6 rg8,ne7,bh5", "malformed", 1, 6),
        ("e5f6 rg8ne7bh9", "malformed", 1, 6),
        ("e5f6 rg8ne7qh5", "malformed", 1, 6),
        ("e5f6 rg8ne7bf6", "illegal-move", 1, 6),
        ("e5f6 rg8be7bg5", "illegal-move", 1, 6),
        ("e5f6 rg8be7bg6", "not-finished", 2, 6),
        ("e5f6 rg8rg8bg6", "illegal-move", 1, 6),
        ("e5f6 rg8rh8rg6", "illegal-move", 1, 6),
        ("e5f6 d4c3", "malformed", 1, 6),
        ("e5f6 pass", "malformed", 1, 6),
        (f"{BURST[:-9]} resigns", "illegal-move", 4, len(BURST) - 7),
        (f"{BURST[:-9]} pass", "malformed", 4, len(BURST) - 7),
        (f"{BURST[:-8]}b5a6f4b5", "illegal-move", 4, len(BURST) - 7),
        (f"{BURST[:-8]}b5a6f4f3", "illegal-move", 4, len(BURST) - 7),
        (f"{BURST[:-8]}b5a6f4b1", "illegal-move", 4, len(BURST) - 7),
        (f"{BURST[:-8]}b5a6f4", "malformed", 4, len(BURST) - 7),
        (f"{BURST} e2e9", "malformed", 5, len(BURST) + 2),
        (f"{BURST} resigns", None, 0, 0),
        (f"{BURST} e5f6", "illegal-move", 5, len(BURST) + 2),
    ],
)
def test_where_a_record_is_wrong(body: str, code: str | None, move: int, column: int) -> None:
    assert fault(f"puzzle: big-bang\n{body}") == (code and (code, move, 2, column))
