"""The leaderboard by HTTP: the exact order, shared ranks, pages, conditional answers, a table for spreadsheets."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient

from leaderboard.contests import Contest
from leaderboard.db import transaction
from leaderboard.tables import plain
from tests.api.conftest import CASES, RECORD, REJECTED, STANDINGS, WORSE, Player, drain, join, new_contest, problem

RANKS = [(row["rank"], set(row["files"])) for row in json.loads((CASES / "rank.json").read_text())]
FILES = sorted(file for _, files in RANKS for file in files)

pytestmark = pytest.mark.usefixtures("contest")


@pytest.fixture
def everybody(client: FlaskClient) -> dict[str, str]:
    """Contestants who have handed in one valid record each: the file of each one's id."""
    found = {}
    for number, file in enumerate(FILES):
        player = join(client, f"Player {number}")
        assert player.submit((CASES / file).read_bytes()).status_code == 202
        found[player.id] = file
    drain()
    return found


def test_the_order_of_all_valid_records(client: FlaskClient, everybody: dict[str, str]) -> None:
    """Ties share a rank, and the next rank skips."""
    body = client.get(f"{STANDINGS}?limit=200").json
    found: dict[int, set[str]] = {}
    for row in body["standings"]:
        found.setdefault(row["rank"], set()).add(everybody[row["contestant"]["id"]])
    assert list(found.items()) == RANKS
    assert body["total"] == len(FILES)
    assert body["next"] is None


def test_page_by_page(client: FlaskClient, everybody: dict[str, str]) -> None:
    whole = client.get(f"{STANDINGS}?limit=200").json["standings"]
    pages, cursor = [], ""
    while cursor is not None:
        page = client.get(f"{STANDINGS}?limit=4{cursor and '&cursor=' + cursor}").json
        pages += page["standings"]
        cursor = page["next"]
    assert pages == whole
    back = client.get(f"{STANDINGS}?limit=4&cursor={page['previous']}").json
    assert back["standings"] == whole[-3 - 4 : -3]


def test_each_contestant_between_neighbours(client: FlaskClient, everybody: dict[str, str]) -> None:
    whole = client.get(f"{STANDINGS}?limit=200").json["standings"]
    for number, row in enumerate(whole):
        around = client.get(f"{STANDINGS}/{row['contestant']['id']}?neighbours=1").json
        assert around["rank"] == row["rank"]
        assert around["standings"] == whole[max(0, number - 1) : number + 2]


def test_somebody_who_is_not_on_the_board(client: FlaskClient, ada: Player) -> None:
    assert problem(client.get(f"{STANDINGS}/{ada.id}"))["code"] == "not-found"


def test_a_place_on_the_board(client: FlaskClient, ada: Player) -> None:
    submission = ada.submit(RECORD).json
    drain()
    (row,) = client.get(STANDINGS).json["standings"]
    assert row["score"].pop("moves_per_board")
    assert row == {
        "rank": 1,
        "contestant": {"id": ada.id, "name": "Ada"},
        "score": {"boards": 20, "moves": 375, "mean": "75/4"},
        "received_at": submission["received_at"],
        "submission": submission["id"],
    }


class TestConditional:
    """An ETag holds until the board changes."""

    def test_nothing_has_changed(self, client: FlaskClient, ada: Player) -> None:
        ada.submit(RECORD)
        drain()
        first = client.get(STANDINGS)
        again = client.get(STANDINGS, headers={"If-None-Match": first.headers["ETag"]})
        assert again.status_code == 304
        assert again.data == b""
        assert again.headers["ETag"] == first.headers["ETag"]
        assert "Content-Type" not in again.headers

    def test_the_board_has_changed(self, client: FlaskClient, ada: Player) -> None:
        before = client.get(STANDINGS).headers["ETag"]
        ada.submit(RECORD)
        drain()
        answer = client.get(STANDINGS, headers={"If-None-Match": before})
        assert answer.status_code == 200
        assert answer.headers["ETag"] != before

    def test_the_contest_has_closed(self, client: FlaskClient, contest: Contest) -> None:
        before = client.get(STANDINGS).headers["ETag"]
        with transaction() as conn:
            conn.execute("UPDATE contest SET closes_at = now(), publishes_at = now() WHERE id = %s", [contest.id])
        assert client.get(STANDINGS, headers={"If-None-Match": before}).status_code == 200

    def test_another_page_is_another_answer(self, client: FlaskClient) -> None:
        tags = {client.get(path).headers["ETag"] for path in (STANDINGS, f"{STANDINGS}?limit=1", f"{STANDINGS}.csv")}
        assert len(tags) == 3

    def test_the_table(self, client: FlaskClient) -> None:
        tag = client.get(f"{STANDINGS}.csv").headers["ETag"]
        assert client.get(f"{STANDINGS}.csv", headers={"If-None-Match": tag}).status_code == 304


def test_a_rejected_or_worse_record_changes_no_rank(client: FlaskClient, ada: Player) -> None:
    ada.submit(RECORD)
    drain()
    before = client.get(STANDINGS).json["standings"]
    ada.submit(REJECTED)
    ada.submit(WORSE)
    drain()
    assert client.get(STANDINGS).json["standings"] == before


def test_a_frozen_board_shows_what_was_known(client: FlaskClient, ada: Player, bob: Player) -> None:
    now = datetime.now(UTC)
    contest = new_contest(slug="other", freezes_at=now + timedelta(hours=1))
    path = "/api/v1/contests/other"
    ada.post(f"{path}/submissions", data=RECORD)
    drain()
    with transaction() as conn:
        conn.execute("UPDATE contest SET freezes_at = now() WHERE id = %s", [contest.id])
    location = bob.post(f"{path}/submissions", data=WORSE).headers["Location"]
    drain()
    assert client.get(path).json["phase"] == "frozen"
    assert [row["contestant"]["name"] for row in client.get(f"{path}/standings").json["standings"]] == ["Ada"]
    assert bob.get(location).json["state"] == "accepted"
    assert problem(client.get(location))["code"] == "not-found"


class TestTable:
    def test_all_standings(self, client: FlaskClient, everybody: dict[str, str]) -> None:
        answer = client.get(f"{STANDINGS}.csv")
        assert answer.mimetype == "text/csv"
        assert "attachment" in answer.headers["Content-Disposition"]
        rows = list(csv.DictReader(io.StringIO(answer.data.decode())))
        assert [int(row["rank"]) for row in rows] == [rank for rank, files in RANKS for _ in files]
        assert rows[0]["mean"] == "289/20"
        assert rows[0]["moves_per_board"].startswith("39 40 26 ")

    def test_an_empty_board(self, client: FlaskClient) -> None:
        assert client.get(f"{STANDINGS}.csv").data == b"rank,contestant,contestant_id,received_at,submission\r\n"

    def test_no_name_is_a_formula(self, client: FlaskClient) -> None:
        evil = join(client, '=HYPERLINK("x";"y")')
        evil.submit(RECORD)
        drain()
        (row,) = csv.DictReader(io.StringIO(client.get(f"{STANDINGS}.csv").data.decode()))
        assert row["contestant"] == '\'=HYPERLINK("x";"y")'

    @pytest.mark.parametrize("text", ["=1", "+1", "-1", "@A1", "'=1"])
    def test_what_begins_a_formula(self, text: str) -> None:
        assert plain(text) == f"'{text}"
        assert plain(f"a{text}") == f"a{text}"


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=201", "limit=1.5", "limit= 7", "limit=1_0", "limit=%D9%A3", "setup=2", "cursor=x", "cursor="],
)
def test_a_query_that_makes_no_sense(client: FlaskClient, query: str) -> None:
    answer = problem(client.get(f"{STANDINGS}?{query}"))
    assert answer["code"] == "invalid"
    assert answer["errors"][0]["parameter"] == query.partition("=")[0]


@pytest.mark.parametrize("path", ["standings", "standings.csv", "standings/00000000-0000-0000-0000-000000000000"])
def test_a_contest_that_is_not_there(client: FlaskClient, path: str) -> None:
    assert problem(client.get(f"/api/v1/contests/other/{path}"))["code"] == "not-found"
