"""Risky Die, as api/rules/risky-die.md tells it."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.test_playouts import playout
from tests.verifier.matches import error
from verifier import RULES, steps, verify
from verifier.chance import Stream
from verifier.games.risky_die import RiskyDie

HEAD = "puzzle: risky-die\nplayers: Ann, Bob\n"
MOVES = """62/56/65 a4/a1/a6 k/b1/k
35/34/54 k/k/b4 k/b1/a4
23/61/52 k/k/b6 k/b4/k
55/25/56 k/b1/k k/k/b4
53/62/53 b1/b6/k a5/k/a3
56/35/21 b2/a5/b5 k/b1/b3
23/42/66 k/b6/b3 k/b4/b6
14/32/15 k/b6/a5 a5/b2/k
15/21/46 k/a3/k a1/a1/a4
12/36/63 a2/b4/k k/k/a4"""
TOKENS = MOVES.split()

rules = RULES["risky-die"]
assert isinstance(rules, RiskyDie)


def worth(dice: str, turn: str) -> int:
    """A turn's points, counted once more from its tokens."""
    total = 0
    for pair, choice in zip(dice.split("/"), turn.split("/"), strict=True):
        before, after = [int(pair[0]), int(pair[1])], [int(pair[0]), int(pair[1])]
        if choice != "k":
            after["ab".index(choice[0])] = int(choice[1])
        total += 5 if choice != "k" and after == before else abs(after[0] - after[1])
    return total


def test_the_worked_example_as_text_and_as_json() -> None:
    text = verify(f"{HEAD}seed: 2a\nmust-roll: no\nresult: 1-0\n{MOVES}".encode())
    assert text.score == {"result": "1-0", "points": [65, 67], "turns": 20}
    record = {"moves": [MOVES.upper()], "must-roll": " No ", "seed": "2A", "puzzle": "risky-die"}
    twin = verify(json.dumps(record).encode())
    assert (twin.score, twin.play) == (text.score, text.play)


@settings(max_examples=8)
@given(seed=st.integers(0, 2**64), believed=st.booleans(), must=st.booleans())
def test_a_random_match_is_worth_what_its_tokens_say(seed: int, believed: bool, must: bool) -> None:
    head = f"{HEAD}must-roll: {'yes' if must else 'no'}\n" + ("" if believed else f"seed: {seed:x}\n")
    tokens, _ = playout(rules, head, seed)
    rounds = [tokens[at : at + 3] for at in range(0, 30, 3)]
    totals = [sum(worth(dice, turns[seat]) for dice, *turns in rounds) for seat in (0, 1)]
    result = "1-0" if totals[0] < totals[1] else "0-1" if totals[1] < totals[0] else "1/2-1/2"
    verdict = verify(f"{head}result: {result}\n{' '.join(tokens)}".encode())
    assert verdict.score == {"result": result, "points": totals, "turns": 20}
    if not believed:
        faces, stream = "", Stream("risky-die", f"{seed:x}")
        for token in tokens:
            for face in token:
                if face.isdigit():
                    due, stream = stream.die()
                    faces += str(due)
        assert faces == "".join(face for token in tokens for face in token if face.isdigit())
    if must:
        assert "k/k/k" not in tokens


@pytest.mark.parametrize("kept", range(30))
def test_resigning_in_place_of_a_turn_or_by_player_1_of_the_dice(kept: int) -> None:
    verdict = verify(f"{HEAD}seed: 2a\n{' '.join(TOKENS[:kept])}\nresigns".encode())
    turns = kept // 3 * 2 + max(kept % 3 - 1, 0)
    played = [worth(TOKENS[at // 2 * 3], TOKENS[at // 2 * 3 + 1 + at % 2]) for at in range(turns)]
    result = "1-0" if kept % 3 == 2 else "0-1"
    assert verdict.score == {"result": result, "points": [sum(played[0::2]), sum(played[1::2])], "turns": turns}


@pytest.mark.parametrize("kept", range(30))
def test_a_record_that_stops_early(kept: int) -> None:
    code, move, _, _ = error(f"{HEAD}seed: 2a\n{' '.join(TOKENS[:kept])}\n")
    assert (code, move) == ("not-finished", kept // 3 * 2 + max(kept % 3, 1))


@pytest.mark.parametrize("at", range(30))
def test_a_die_that_is_not_the_seeds(at: int) -> None:
    """The last number of each token, one higher."""
    changed = list(TOKENS)
    digit = max(i for i, char in enumerate(changed[at]) if char.isdigit())
    changed[at] = changed[at][:digit] + str(int(changed[at][digit]) % 6 + 1) + changed[at][digit + 1 :]
    code, move, line, _ = error(f"{HEAD}seed: 2a\n" + "\n".join(changed))
    assert (code, move, line) == ("wrong-draw", at // 3 * 2 + max(at % 3, 1), 4 + at)
    assert verify(f"{HEAD}{' '.join(changed)}".encode()).accepted


@pytest.mark.parametrize(
    ("token", "code"),
    [
        ("k/k/k", "illegal-move"),
        ("k/k", "malformed"),
        ("k/k/k/k", "malformed"),
        ("a5b5/k/k", "malformed"),
        ("a7/k/k", "malformed"),
        ("a0/k/k", "malformed"),
        ("c1/k/k", "malformed"),
        ("a/k/k", "malformed"),
        ("42/65/11", "malformed"),
        ("pass", "malformed"),
        ("a٣/k/k", "malformed"),
    ],
)
def test_a_turn_that_is_none(token: str, code: str) -> None:
    assert error(f"{HEAD}must-roll: yes\n62/56/65 {token}") == (code, 1, 4, 10)
    assert error(f"{HEAD}must-roll: yes\n62/56/65 a1/k/k {token}") == (code, 2, 4, 17)


@pytest.mark.parametrize("token", ["k/k/k", "62/56", "62/56/67", "62/56/65/11", "6256/65", "resign"])
def test_dice_that_are_none(token: str) -> None:
    assert error(f"{HEAD}{token}") == ("malformed", 1, 3, 1)
    assert error(f"{HEAD}{' '.join(TOKENS[:3])} {token}") == ("malformed", 3, 3, len(" ".join(TOKENS[:3])) + 2)


def test_after_the_end_everything_is_illegal() -> None:
    for token in ("resigns", "11/11/11", "?"):
        assert error(f"{HEAD}seed: 2a\n{MOVES} {token}")[:2] == ("illegal-move", 21)


@pytest.mark.parametrize("value", ["maybe", "", "1", "yes no"])
def test_must_roll_is_yes_or_no(value: str) -> None:
    place = (3, 12) if value else (3, 1)
    assert error(f"{HEAD}must-roll: {value}\n{MOVES}") == ("malformed", None, *place)


@pytest.mark.parametrize("value", [True, None, 1, ["yes"], {"yes": "no"}])
def test_must_roll_is_a_string_in_json(value: object) -> None:
    record = {"puzzle": "risky-die", "must-roll": value, "moves": [MOVES]}
    assert error(json.dumps(record)) == ("malformed", None, None, None)


@pytest.mark.parametrize("header", ["deal: 1", "layout:"])
def test_there_is_nothing_to_set_up(header: str) -> None:
    assert error(f"{HEAD}{header}\n{MOVES}") == ("malformed", None, 3, 1)


def test_the_picture_shows_the_round_and_its_points() -> None:
    positions = [step.view for step in steps(f"{HEAD}{MOVES}".encode())]
    titles = [[panel.title for panel in view.panels] for view in positions[:5]]
    assert titles == [
        ["Dice of round 1", "Points by rounds"],
        ["Dice of round 1", "Points by rounds"],
        ["Dice of round 1", "Ann, round 1", "Points by rounds"],
        ["Dice of round 1", "Ann, round 1", "Bob, round 1", "Points by rounds"],
        ["Dice of round 2", "Points by rounds"],
    ]
    assert list(positions[3].panels[1].below) == ["+2", "+5", "bust"]
    assert all(before.notes != after.notes for before, after in pairwise(positions[1:]) if len(after.panels) > 2)
