"""Brain Burn, Piecepack Klondike and Maze: the order of their records on boards of several setups."""

import json
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.api.conftest import drain, join, new_contest
from tests.api.test_doors import setups
from verifier.registry import RULES

CASES = Path(__file__).parents[1] / "cases"
EACH = pytest.mark.parametrize("puzzle", ["brain-burn", "piecepack-klondike", "maze"])


def ranked(orders: list[list[str]]) -> list[tuple[int, str]]:
    """Ranks and file names: ties share a rank, and the next one skips."""
    found: list[tuple[int, str]] = []
    for tied in orders:
        found += [(len(found) + 1, name) for name in sorted(tied)]
    return found


@EACH
def test_standings_of_each_setup_and_overall(app: Flask, client: FlaskClient, puzzle: str) -> None:
    """Each record of ranking.json by a contestant of its own; one more contestant hands in the best of every setup."""
    orders = json.loads((CASES / puzzle / "ranking.json").read_text())
    deals = [deal.removeprefix("deal") if deal != "last-deal" else str(2**53 - 1) for deal in orders]
    new_contest(puzzle=puzzle, setups=[f"deal: {deal}" for deal in deals])
    everyone = join(client, "everyone")
    best = []
    for order in orders.values():
        for tied in reversed(order):
            for name in tied:
                assert (
                    join(client, name.replace("/", " ")).submit((CASES / puzzle / name).read_bytes()).status_code == 202
                )
        best.append((CASES / puzzle / order[0][0]).read_bytes())
        everyone.submit(best[-1])
    drain()

    def standings(setup: int | None = None) -> list[dict[str, Any]]:
        query = f"?limit=200&setup={setup}" if setup else "?limit=200"
        return client.get(f"/api/v1/contests/golden-nugget/standings{query}").json["standings"]

    for setup, order in enumerate(orders.values(), 1):
        due = [[*order[0], "everyone"], *order[1:]]
        found = [(row["rank"], row["contestant"]["name"].replace(" ", "/", 1)) for row in standings(setup)]
        assert sorted(found) == ranked(due)
    overall = standings()
    assert (overall[0]["rank"], overall[0]["contestant"]["name"]) == (1, "everyone")
    parts = [score for setup in range(1, len(orders) + 1) for score in [standings(setup)[0]["score"]]]
    assert overall[0]["score"]["setups"] == len(orders)
    for name in parts[0]:
        assert overall[0]["score"][name] == sum(part[name] for part in parts)
    keys = [(-row["score"]["solved"], *RULES[puzzle].key({**row["score"], "solved": False})) for row in overall]
    assert keys == sorted(keys)
    assert [row["rank"] for row in overall] == [1 + sum(other < key for other in keys) for key in keys]


@EACH
def test_another_setup_is_rejected_naming_those_of_the_contest(app: Flask, client: FlaskClient, puzzle: str) -> None:
    other = setups(puzzle)[0]
    new_contest(puzzle=puzzle, setups=["deal: 11", "deal: 12"])
    ada = join(client, "Ada")
    place = ada.submit(f"puzzle: {puzzle}\n{other}\n".encode()).headers["Location"]
    json_place = ada.submit(json.dumps({"puzzle": puzzle, "deal": 7, "moves": []}).encode()).headers["Location"]
    drain()
    error = ada.get(place).json["verdict"]["error"]
    assert (error["code"], error["line"]) == ("unknown-deal", 2)
    assert "deal 11, deal 12" in error["message"]
    assert "move" not in error
    error = ada.get(json_place).json["verdict"]["error"]
    assert (error["code"], "line" in error) == ("unknown-deal", False)
    assert "deal 11, deal 12" in error["message"]
    assert client.get("/api/v1/contests/golden-nugget/standings").json["total"] == 0


def test_a_layout_that_is_the_deal_is_of_the_contest(app: Flask, client: FlaskClient) -> None:
    new_contest(puzzle="maze", setups=["deal: 3", "deal: 2"])
    ada = join(client, "Ada")
    for name in ("layout-of-deal3.txt", "layout-of-deal3.json"):
        place = ada.submit((CASES / "maze" / "valid" / name).read_bytes()).headers["Location"]
        drain()
        assert ada.get(place).json["state"] == "accepted"
    [row] = client.get("/api/v1/contests/golden-nugget/standings?setup=1").json["standings"]
    assert row["contestant"]["name"] == "Ada"
    assert client.get("/api/v1/contests/golden-nugget/standings?setup=2").json["total"] == 0
