"""The solitaire puzzles' orders: every ranking.json, ties together."""

import json
from pathlib import Path

import pytest

from leaderboard.ranking import sort_key
from verifier import RULES, verify

CASES = Path(__file__).parents[1] / "cases"
ORDERS = {
    f"{file.parent.name} {deal}": [[file.parent / name for name in tied] for tied in order]
    for file in sorted(CASES.glob("*/ranking.json"))
    for deal, order in json.loads(file.read_text()).items()
}


def test_there_are_orders_of_each_puzzle() -> None:
    assert {name.split()[0] for name in ORDERS} == {"brain-burn", "piecepack-klondike", "maze"}


@pytest.mark.parametrize("deal", ORDERS)
def test_the_keys_order_the_records_of_a_deal(deal: str) -> None:
    keys, packed = [], []
    setups = set()
    for tied in ORDERS[deal]:
        verdicts = [verify(record.read_bytes()) for record in tied]
        scores = [verdict.score or {} for verdict in verdicts]
        setups |= {verdict.setup for verdict in verdicts}
        puzzle = str(verdicts[0].puzzle)
        assert len({RULES[puzzle].key(score) for score in scores}) == 1
        keys.append(RULES[puzzle].key(scores[0]))
        packed.append(sort_key(puzzle, scores[0]))
    assert len(setups) == 1
    assert sorted(set(keys)) == keys
    assert sorted(set(packed)) == packed
