"""What holds for every game whose legal moves can be listed: random matches by its own moves are records it accepts."""

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier import RULES, verify
from verifier.record import opened
from verifier.rules import Match

RESULTS = {"1-0", "0-1", "1/2-1/2"}
LONGEST = 5000


def start(rules: Match, head: str) -> Any:
    """The first state of a record with this header."""
    record = opened(head.encode())
    record.read_header(RULES, None)
    return rules.start(record.header)


def playout(rules: Match, head: str, seed: int) -> tuple[list[str], Any]:
    """A match of random legal moves to its end: the tokens, and the state that they lead to."""
    draw, state, tokens = random.Random(seed), start(rules, head), []
    while not rules.over(state):
        moves = list(rules.moves(state) or ())
        assert moves, "a match that goes on has a legal move"
        tokens.append(draw.choice(moves))
        state = rules.play(state, tokens[-1])
        assert len(tokens) < LONGEST
    return tokens, state


def head(rules: Match, deal: int) -> str | None:
    """A record's header with that deal, or with a seed where there is none."""
    way = next((key for key in ("deal", "seed") if key in rules.headers), None)
    return way and f"puzzle: {rules.id}\n{way}: {deal}\n"


def listed() -> list[Match]:
    """The games that list their moves, and start from a deal or a seed."""
    games = [rules for rules in RULES.values() if isinstance(rules, Match)]
    return [rules for rules in games if (line := head(rules, 1)) and rules.moves(start(rules, line)) is not None]


EACH = pytest.mark.parametrize("rules", listed(), ids=lambda rules: rules.id)


@EACH
@settings(max_examples=8)
@given(deal=st.integers(0, 2**53 - 1), seed=st.integers(0, 2**32))
def test_a_random_match_ends_and_is_accepted_with_its_result(rules: Match, deal: int, seed: int) -> None:
    line = head(rules, deal)
    assert line
    tokens, _ = playout(rules, line, seed)
    verdict = verify(f"{line}{' '.join(tokens)}".encode())
    assert verdict.score, verdict.error
    result = verdict.score["result"]
    assert result in RESULTS
    for stated in RESULTS:
        said = verify(f"{line}result: {stated}\n{' '.join(tokens)}".encode())
        assert said.accepted if stated == result else said.error and said.error.code == "wrong-result"
    way, value = line.split("\n")[1].split(": ")
    form = {"puzzle": rules.id, way: int(value) if way == "deal" else value, "moves": tokens, "result": result}
    as_json = verify(json.dumps(form).encode())
    assert (as_json.score, as_json.play) == (verdict.score, verdict.play)


@EACH
@settings(max_examples=8)
@given(deal=st.integers(0, 2**53 - 1), seed=st.integers(0, 2**32))
def test_without_its_last_move_a_match_is_not_finished_and_with_one_more_it_is_illegal(
    rules: Match, deal: int, seed: int
) -> None:
    line = head(rules, deal)
    assert line
    tokens, state = playout(rules, line, seed)
    short = verify(f"{line}{' '.join(tokens[:-1])}".encode()).error
    assert short
    assert short.code == "not-finished"
    for more in (tokens[-1], "resigns", "nonsense"):
        long = verify(f"{line}{' '.join(tokens)} {more}".encode()).error
        assert long
        assert (long.code, long.move) == ("illegal-move", rules.turn(state))


@EACH
@settings(max_examples=8)
@given(deal=st.integers(0, 2**53 - 1), seed=st.integers(0, 2**32), data=st.data())
def test_who_resigns_has_lost(rules: Match, deal: int, seed: int, data: st.DataObject) -> None:
    line = head(rules, deal)
    assert line
    tokens, _ = playout(rules, line, seed)
    kept = tokens[: data.draw(st.integers(0, len(tokens) - 1))]
    verdict = verify(f"{line}{' '.join(kept)} resigns".encode())
    if verdict.error:  # the match stops in the middle of a turn, where a random event is due
        assert verdict.error.code in ("illegal-move", "malformed")
    else:
        assert verdict.score
        assert verdict.score["result"] in ("1-0", "0-1")
