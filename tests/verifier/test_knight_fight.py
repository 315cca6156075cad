"""Knight Fight and its three variants, as their rules files tell them."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.test_playouts import start
from verifier import RULES, Rejected, Setup, View, setup_of, steps, verify
from verifier.games.fast_knight_fight import LONE, MIRRORS, NUMBERS
from verifier.games.knight_fight import KnightFight, State

IDS = ("knight-fight", "fast-knight-fight", "knights-64", "dark-knight-fight")
EACH = pytest.mark.parametrize("id", IDS)

EXAMPLES = {
    "knight-fight": (7, "c8 j8xa7 b6xg10 h7 d7 i9 f6", "1-0"),
    "fast-knight-fight": (4, "f5xd2 h5xb7 h6xf4 f6 f7 g4xg5 h8 e5", "0-1"),
    "knights-64": (1254, "g1 d8 e2 b7 c3 d6 d5 e4 b6 f2 d7 h3 b8 g5 a6xa5 f7 c5 h8xa3", "0-1"),
    "dark-knight-fight": (136, "b1 f10 d2 h9 e4 j8 g5 i10 f7", "0-1"),
}
"""Deal, turns and result of each rules file's worked example."""
STORIES = {
    "knight-fight": [
        ("c3", 59, 0), ("a7", 59, 88), ("g10", 136, 88), ("d8", 136, 120), ("e10", 145, 120), ("c4", 145, 125),
        ("j7", 217, 125),
    ],
    "fast-knight-fight": [
        ("d2", 57, 0), ("b7", 57, 7), ("f4", 104, 7), ("a8", 104, 13), ("a6", 130, 13), ("g5", 130, 22),
        ("d7", 146, 22), ("c6", 146, 86),
    ],
    "dark-knight-fight": [
        ("e10", 43, 0), ("a3", 43, 82), ("f2", 107, 82), ("a8", 107, 163), ("h1", 205, 163), ("d9", 205, 171),
        (None, 105, 171), ("d3", 105, 208), (None, 5, 208),
    ],
    "knights-64": [
        *((None, None, None) for _ in range(13)), (None, 36, 44), ("a5", 50, 44), (None, 50, 49), ("a7", 64, 49),
        ("a3", 64, 65),
    ],
}  # fmt: skip
"""What each turn of those closes besides its own square, and the points after it (None: not told)."""
DEALS = {
    "knight-fight": (7, 0, "42 13 65 64 90 37 22 86 20 74 94 93 43 48 00 52 98 67 05 69"),
    "fast-knight-fight": (4, 0, "60 21 42 12 19 34 25 16 59 37 40 61 02 26 44 03"),
    "knights-64": (1254, 0, "1 1 1 7 1 4 6 8"),
    "dark-knight-fight": (136, 0, "49 62 07 94 34 82 30 92 37 91 42 09 06 80 39 25 10 81 + 27"),
}


def rules_of(id: str) -> KnightFight:
    rules = RULES[id]
    assert isinstance(rules, KnightFight)
    return rules


def error(id: str, deal: int, turns: str) -> tuple[str, int | None]:
    found = verify(f"puzzle: {id}\ndeal: {deal}\n{turns}".encode()).error
    assert found
    return found.code, found.move


@EACH
def test_the_worked_example(id: str) -> None:
    deal, turns, result = EXAMPLES[id]
    rules = rules_of(id)
    state = start(rules, f"puzzle: {id}\ndeal: {deal}\n")
    for token, (taken, white, black) in zip(turns.split(), STORIES[id], strict=True):
        state = rules.play(state, token)
        if white is not None:
            assert [rules.board.names[square] for square in state.taken] == ([taken] if taken else [])
            assert state.points == (white, black)
    verdict = verify(f"puzzle: {id}\nplayers: Mira, Tomas\ndeal: {deal}\nresult: {result}\n\n{turns}".encode())
    assert verdict.score == {"result": result, "points": list(state.points), "turns": len(turns.split())}


@EACH
def test_the_deal_that_the_rules_show(id: str) -> None:
    deal, at, entries = DEALS[id]
    setup = setup_of(id, f"deal: {deal}")
    assert setup
    assert " ".join(setup.text.split()[at:]).startswith(entries)
    if id == "knights-64":
        assert setup.text.endswith("\n1 3 6 2 6 4 7 2")


@EACH
@settings(max_examples=5)
@given(deal=st.integers(0, 2**53 - 1), seed=st.integers(0, 2**32))
def test_what_is_accepted_is_what_is_listed(id: str, deal: int, seed: int) -> None:
    draw, rules = random.Random(seed), rules_of(id)
    state = start(rules, f"puzzle: {id}\ndeal: {deal}\n")
    names = rules.board.names
    for _ in range(draw.randrange(30)):
        if moves := list(rules.moves(state)):
            state = rules.play(state, draw.choice(moves))
    every = [*names, *(f"{one}x{other}" for one in draw.sample(names, 12) for other in names)]
    listed = set(rules.moves(state))
    accepted = {token for token in {*every, *listed} if accepts(rules, state, token)}
    assert accepted == listed


def accepts(rules: KnightFight, state: State, token: str) -> bool:
    if state.result:
        return False
    try:
        rules.play(state, token)
    except Rejected as refused:
        return refused.code != "illegal-move"
    return True


STARS = {"+": 100, "-": -100}


class Told:
    """A match once more, as the rules files word them: squares by their names, numbers as layouts write them."""

    def __init__(self, id: str, layout: str) -> None:
        rows = [line.split() for line in layout.splitlines()]
        self.id, self.size = id, len(rows)
        self.open = {
            f"{chr(97 + file)}{self.size - row}": text
            for row, line in enumerate(rows)
            for file, text in enumerate(line)
        }
        self.squares = list(self.open)
        self.knights, self.points, self.turns = ["", ""], [0, 0], 0

    def alike(self, square: str) -> list[str]:
        """The other open squares of the kind that goes with the number there."""
        text = self.open[square]

        def goes(other: str) -> bool:
            match self.id:
                case "knights-64":
                    return other == text
                case "fast-knight-fight" if set(text) & set("789"):
                    return bool(set(other) & set("789"))
                case "knight-fight" if text[0] == text[1]:
                    return other[0] == other[1]
            return other == text[::-1] and text not in STARS  # the mirror, where there is one

        return [other for other in self.open if other != square and goes(self.open[other])]

    def chooses(self, square: str) -> bool:
        """Whether one of those is taken by choice; otherwise what goes along goes without a word."""
        text = self.open[square]
        match self.id:
            case "knight-fight":
                return text[0] == text[1]
            case "fast-knight-fight":
                return bool(set(text) & set("789"))
            case "knights-64":
                return len(self.alike(square)) == 3
        return False

    def legal(self) -> set[str]:
        """The turns of whoever is to move."""
        seat = self.turns % 2
        here, other, tokens = self.knights[seat], self.knights[1 - seat], set()
        for square in self.open:
            entered = self.id not in ("knights-64", "dark-knight-fight") or square[1:] == str((1, self.size)[seat])
            if (self.jump(here, square) if here else entered) and not (other and self.jump(other, square)):
                tokens |= {f"{square}x{named}" for named in self.alike(square)} if self.chooses(square) else {square}
        return tokens

    def jump(self, one: str, other: str) -> bool:
        return {abs(ord(one[0]) - ord(other[0])), abs(int(one[1:]) - int(other[1:]))} == {1, 2}

    def play(self, token: str) -> str:
        """Play it; the result if the match is over then."""
        square, _, named = token.partition("x")
        seat = self.turns % 2
        along = [named] if named else self.alike(square) if self.id != "knights-64" else []
        if self.id == "knights-64" and len(self.alike(square)) == 1:
            along = self.alike(square)
        scored = [square, *along] if self.id == "knights-64" else [square]
        self.points[seat] += sum(STARS.get(self.open[each]) or int(self.open[each]) for each in scored)
        for each in (square, *along):
            del self.open[each]
        self.knights[seat], self.turns = square, self.turns + 1
        white, black = self.points
        if self.id == "knights-64" and seat == 1 and max(white, black) >= 64:
            pass  # Black's turn was the last one
        elif self.legal():
            return ""
        if self.id in ("knight-fight", "fast-knight-fight"):
            return ("1-0", "0-1")[seat]
        return "1-0" if white > black else "0-1" if black > white else "1/2-1/2"


@EACH
@settings(max_examples=5)
@given(deal=st.integers(0, 2**53 - 1), seed=st.integers(0, 2**32))
def test_a_match_goes_as_the_rules_told_again_say(id: str, deal: int, seed: int) -> None:
    draw, rules = random.Random(seed), rules_of(id)
    state, result = start(rules, f"puzzle: {id}\ndeal: {deal}\n"), ""
    setup = setup_of(id, f"deal: {deal}")
    assert setup
    told = Told(id, setup.text)
    while not result:
        assert set(rules.moves(state)) == told.legal()
        token = draw.choice(sorted(told.legal()))
        state, result = rules.play(state, token), told.play(token)
        assert (list(state.points), state.result) == (told.points, result)
        still = {name for name, number in zip(told.squares, state.board, strict=True) if number is not None}
        assert still == set(told.open)


@EACH
def test_a_token_of_another_form_is_malformed_and_passing_is_illegal(id: str) -> None:
    deal = EXAMPLES[id][0]
    for token in ("e0", "e01", "z4", "e", "4e", "e4x", "xe4", "e4xe5xe6", "e4-e5", "ne4", "e11", "k1", "\u212a1"):
        assert error(id, deal, token) == ("malformed", 1), token
    for token in ("pass", "PASS", "e4xe4"):
        assert error(id, deal, token) == ("illegal-move", 1), token
    assert error(id, deal, f"{EXAMPLES[id][1].split()[0]} e4xk12") == ("malformed", 2)


@EACH
def test_who_is_on_turn_and_resigns_has_lost(id: str) -> None:
    deal, turns, _ = EXAMPLES[id]
    for count in range(len(turns.split())):
        kept = " ".join(turns.split()[:count])
        score = verify(f"puzzle: {id}\ndeal: {deal}\n{kept} Resigns".encode()).score
        assert score
        assert (score["result"], score["turns"]) == (("0-1", "1-0")[count % 2], count)
    assert error(id, deal, "resigns resigns") == ("illegal-move", 1)


@pytest.mark.parametrize(
    ("id", "entries", "code"),
    [
        ("knight-fight", "07 7", "malformed"),
        ("knight-fight", "07 007", "malformed"),
        ("knight-fight", "07 \u0664\u0664", "malformed"),
        ("knight-fight", "07 +", "malformed"),
        ("knight-fight", "07 07", "bad-layout"),
        ("fast-knight-fight", "64 00", "bad-layout"),
        ("fast-knight-fight", "64 65", "bad-layout"),
        ("knights-64", "1 0", "bad-layout"),
        ("knights-64", "1 9", "bad-layout"),
        ("knights-64", "1 11", "malformed"),
        ("knights-64", "1 1 1 1 1 1 1 1 1", "bad-layout"),
        ("dark-knight-fight", "01 11", "bad-layout"),
        ("dark-knight-fight", "01 +", "bad-layout"),
        ("dark-knight-fight", "01 +100", "malformed"),
        ("dark-knight-fight", "01 *", "malformed"),
        ("dark-knight-fight", "01 02 03 04 05 06 07 08 09 10 - - - - - -", "bad-layout"),
    ],
)
def test_an_entry_of_a_layout_that_cannot_be_is_named(id: str, entries: str, code: str) -> None:
    """The last of the entries is at fault, before the layout turns out to be too short."""
    found = verify(f"puzzle: {id}\nlayout:\n{entries}\n".encode()).error
    assert found
    assert (found.code, found.move, found.line, found.column) == (code, None, 3, entries.rindex(" ") + 2)


def test_what_has_a_mirror_on_the_small_board() -> None:
    """The author's counts: 40 mirrored, 18 lone and 6 free numbers."""
    assert (len(MIRRORS), len(LONE)) == (40, 18)
    assert [number for number in NUMBERS if number not in LONE and number not in MIRRORS] == [11, 22, 33, 44, 55, 56]
    assert all(MIRRORS[MIRRORS[number]] == number for number in MIRRORS)


def test_stars_lie_on_the_inner_ranks() -> None:
    for deal in range(50):
        setup = setup_of("dark-knight-fight", f"deal: {deal}")
        assert isinstance(setup, Setup)
        rows = [line.split() for line in setup.text.splitlines()]
        assert sum(row.count("+") for row in rows[1:-1]) == sum(row.count("-") for row in rows[1:-1]) == 5
        assert len({cell for row in rows for cell in row}) == 92


def test_what_is_hidden_from_a_player() -> None:
    """The example of the rules: what each side sees of the board, turn by turn."""
    deal, turns, _ = EXAMPLES["dark-knight-fight"]
    views = [step.view for step in steps(f"puzzle: dark-knight-fight\ndeal: {deal}\n{turns}".encode())]
    at_first = shown(views[0])
    assert at_first[0] == at_first[1] == outer(views[0])
    after_one = shown(views[1])
    assert after_one[0] == {"b1": "N", "e10": "34"}  # White has entered, Black is on turn
    assert after_one[1] == {**outer(views[1]), "b1": "N", "e10": "34"}
    after_six = shown(views[6])  # White on e4 is to move and could take the star on g5, whose value is not told
    assert after_six[0]["g5"] == "?"
    assert after_six[0].keys() - after_six[1].keys() == {"c3", "c5", "d6", "f6", "g3", "g5"} & after_six[0].keys()
    after_seven = shown(views[7])
    assert after_seven[1]["g5"] == "N"
    assert shown(views[9])[1]["g5"] == "-"  # it is taken, and everybody knows what it was


def shown(view: View) -> list[dict[str, str]]:
    """The labels that White and Black see, by square."""
    return [
        {
            f"{panel.columns[column]}{panel.ranks[row]}": cell.label
            for row, cells in enumerate(panel.rows)
            for column, cell in enumerate(cells)
            if cell.label
        }
        for panel in view.panels[1:]
    ]


def outer(view: View) -> dict[str, str]:
    """The numbers open on the ranks 1 and 10."""
    board = view.panels[0]
    return {
        f"{board.columns[column]}{rank}": cell.label
        for rank, cells in ((10, board.rows[0]), (1, board.rows[-1]))
        for column, cell in enumerate(cells)
        if cell.kind == "open"
    }
