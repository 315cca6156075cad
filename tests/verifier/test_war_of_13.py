"""War of 13, as api/rules/war-of-13.md tells it."""

import json
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.verifier.matches import error
from verifier import steps, verify

CARDS = "2 3 4 5 6 7 8 9 10 J Q K A".split()  # noqa: SIM905 - as on the table
NAMES = "Ann Bob Cleo Dan Eve Finn Gus Hal Ida Joe".split()  # noqa: SIM905
THREE = "puzzle: war-of-13\nplayers: Ann, Bob, Cleo\n"
TWO = "puzzle: war-of-13\nplayers: Ann, Bob\n"
MOVES = "5/8/K A/Q/A 8/A*/8 Q/K/Q K/10/10 10/J/9 2/2/2 J/9/J 9/7/7 7/6/6 6/5/5 4/4/4 3/3/3"


def match(players: int, seed: int) -> list[str]:
    """The rounds of a random match."""
    draw, hands = random.Random(seed), [list(range(13)) for _ in range(players)]
    rounds = []
    for _ in range(13):
        cards = []
        for hand in hands:
            sacrificed = draw.random() < 0.2
            card = max(hand) if sacrificed else draw.choice(hand)
            hand.remove(card)
            cards.append(CARDS[card] + "*" * sacrificed)
        rounds.append("/".join(cards))
    return rounds


def won(rounds: list[str]) -> list[int]:
    """The points of each player, counted once more."""
    points, pot = Counter[int](), 0
    for line in rounds:
        cards = line.split("/")
        pot += sum(CARDS.index(card.rstrip("*")) + 2 for card in cards)
        alone = [card for card in cards if "*" not in card and cards.count(card) == 1]
        if alone:
            points[cards.index(max(alone, key=CARDS.index))] += pot
            pot = 0
    return [points[seat] for seat in range(len(rounds[0].split("/")))]


@given(players=st.integers(2, 10), seed=st.integers(0, 2**32))
def test_a_random_match_is_worth_what_its_rounds_say(players: int, seed: int) -> None:
    rounds = match(players, seed)
    points = won(rounds)
    places = [sorted(points, reverse=True).index(own) + 1 for own in points]
    pair = {(1, 2): "1-0", (2, 1): "0-1", (1, 1): "1/2-1/2"}
    result = pair[places[0], places[1]] if players == 2 else places
    score = {"result": result, "points": points, "turns": 13}
    stated = result if isinstance(result, str) else ", ".join(map(str, result))
    head = f"puzzle: war-of-13\nplayers: {', '.join(NAMES[:players])}\n"
    text = verify(f"{head}result: {stated}\n{' '.join(rounds)}".encode())
    assert text.score == score
    record = {"puzzle": "war-of-13", "players": NAMES[:players], "result": result, "moves": rounds}
    twin = verify(json.dumps(record).encode())
    assert (twin.score, twin.play) == (score, text.play)
    assert error(f"{head}{' '.join(rounds[:-1])}")[:2] == ("not-finished", 13)
    assert error(f"{head}{' '.join(rounds)} resigns-1")[:2] == ("illegal-move", 14)


def test_the_worked_example() -> None:
    verdict = verify(f"{THREE}result: 2, 1, 3\n{MOVES}".encode())
    assert verdict.score == {"result": [2, 1, 3], "points": [91, 174, 26], "turns": 13}


@pytest.mark.parametrize(
    ("moves", "code", "move"),
    [
        ("5/8/k 5/9/q", "illegal-move", 2),
        ("4/9/q 5/8/k*", "illegal-move", 2),
        ("5/8/k a*/9/k", "illegal-move", 2),
        ("5/8/a* 4/9/q*", "illegal-move", 2),  # the king is higher
        ("5/8/k resigns-1", "illegal-move", 2),
        ("resigns-0", "illegal-move", 1),
        ("5/8", "malformed", 1),
        ("5/8/k/2", "malformed", 1),
        ("5/8/t", "malformed", 1),
        ("5/8/1", "malformed", 1),
        ("5/8/11", "malformed", 1),
        ("5/8/a**", "malformed", 1),
        ("5/8/*a", "malformed", 1),
        ("5/8/", "malformed", 1),
        ("5/8/k resigns", "malformed", 2),
        ("5/8/\u212a", "malformed", 1),  # the Kelvin sign is no king
        ("5/8/k", "not-finished", 2),
    ],
)
def test_what_is_forbidden(moves: str, code: str, move: int) -> None:
    assert error(THREE + moves) == (code, move, 3, moves.rfind(" ") + 2)


@pytest.mark.parametrize(
    ("moves", "result", "turns"),
    [("resigns-1", "0-1", 0), ("RESIGNS-2", "1-0", 0), ("5/8 a*/q resigns-2", "1-0", 2)],
)
def test_one_of_two_may_resign(moves: str, result: str, turns: int) -> None:
    score = verify((TWO + moves).encode()).score
    assert score
    assert (score["result"], score["turns"]) == (result, turns)
    assert error(f"{TWO}{moves} resigns-1")[:2] == ("illegal-move", turns + 1)


@pytest.mark.parametrize(("token", "code"), [("resigns-3", "illegal-move"), ("resigns-x", "malformed")])
def test_a_seat_that_is_none(token: str, code: str) -> None:
    assert error(TWO + token) == (code, 1, 3, 1)


@pytest.mark.parametrize(
    ("head", "place"),
    [
        ("", (1, 1)),
        ("players: Ann\n", (2, 10)),
        ("players: " + ", ".join([*NAMES, "Kim"]) + "\n", (2, 10)),
        ("players: Ann, , Bob\n", (2, 10)),
        ("seed: 1\nplayers: Ann, Bob\n", (2, 1)),
        ("players: Ann, Bob\ndeal: 1\n", (3, 1)),
        ("players: Ann, Bob\nlayout:\n", (3, 1)),
        ("result: 1-0\n", (1, 1)),  # a result that may be right, but nobody plays
        ("result: 1-0\nplayers: Ann, Bob, Cleo\n", (2, 9)),  # judged when both are there, at the result
        ("result: 1, 2, 3\nplayers: Ann, Bob\n", (2, 9)),
        ("result: 1, 2, 3\nplayers: Ann, Bob, Cleo, Dan\n", (2, 9)),
        ("players: Ann, Bob, Cleo\nresult: 1, 2\n", (3, 9)),
        ("players: Ann, Bob, Cleo\nresult: 1/2-1/2\n", (3, 9)),
        ("result: 1, 2, 4\nplayers:\n", (2, 9)),  # no number of players makes it right: judged at once
        ("result: 1, 2\nplayers:\n", (2, 9)),
        ("result: 2-0\nplayers:\n", (2, 9)),
        ("result: 0, 1, 2\n", (2, 9)),
        ("result: 1 2 3\n", (2, 9)),
        ("result:\n", (2, 1)),
    ],
)
def test_headers_that_are_refused(head: str, place: tuple[int, int]) -> None:
    assert error(f"puzzle: war-of-13\n{head}5/8/k") == ("malformed", None, *place)


@pytest.mark.parametrize(
    "result", ["2, 1, 3", "1-0", [2, 1], [2, 1, 3, 3], [2, 1, 4], [2, 1, 3.0], [2, True, 3], 2, None]
)
def test_places_are_a_list_of_whole_numbers_in_json(result: object) -> None:
    record = {"puzzle": "war-of-13", "result": result, "players": NAMES[:3], "moves": [MOVES]}
    assert error(json.dumps(record)) == ("malformed", None, None, None)
    assert verify(json.dumps(record | {"result": [2, 1, 3]}).encode()).accepted


@pytest.mark.parametrize("result", ["1, 2, 3", "2, 2, 3", "2, 1, 2"])
def test_other_places_are_a_wrong_result(result: str) -> None:
    assert error(f"{THREE}result: {result}\n{MOVES}") == ("wrong-result", None, 3, 9)


def test_the_picture_shows_hands_rounds_and_pots() -> None:
    positions = [step.view for step in steps((THREE + MOVES).encode())]
    hands, rounds = positions[4].panels
    assert ["".join(cell.label for cell in row) for row in hands.rows] == [
        "234679" + "10JK",
        "2345679" + "10J",
        "2345679" + "10J",
    ]
    assert list(rounds.below) == ["26", "40", "(30)", "67"]
    kinds = [[cell.kind for cell in row] for row in rounds.rows]
    assert kinds == [["card"] * 4, ["card", "won", "sacrificed", "won"], ["won", "card", "card", "card"]]
    assert len(positions) == 14
