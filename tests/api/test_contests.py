"""Contests by HTTP."""

from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient

from tests.api.conftest import new_contest, problem


def test_all_contests(client: FlaskClient) -> None:
    assert client.get("/api/v1/contests").json == {"contests": []}
    new_contest()
    new_contest(
        slug="later", opens_at=datetime.now(UTC) + timedelta(days=2), closes_at=datetime.now(UTC) + timedelta(days=3)
    )
    found = client.get("/api/v1/contests").json["contests"]
    assert [(row["slug"], row["phase"]) for row in found] == [("later", "upcoming"), ("golden-nugget", "open")]


def test_one_contest(client: FlaskClient) -> None:
    contest = new_contest(titles={"en": "Nugget", "pl": "Samorodek"}, quota=20)
    row = client.get("/api/v1/contests/golden-nugget").json
    assert row["titles"] == {"en": "Nugget", "pl": "Samorodek"}
    assert row["quota"] == 20
    assert row["puzzle"] == "jc-golden-nugget"
    assert row["setups"] == []
    assert row["provisional"] is False
    assert row["freezes_at"] is None
    assert datetime.fromisoformat(row["closes_at"]) == contest.closes_at
    assert abs(datetime.fromisoformat(row["now"]) - datetime.now(UTC)) < timedelta(minutes=1)


@pytest.mark.parametrize("slug", ["other", "Golden-Nugget", "golden-nugget-", "%00", "..", "a" * 300])
def test_no_contest(client: FlaskClient, slug: str) -> None:
    new_contest()
    assert problem(client.get(f"/api/v1/contests/{slug}"))["code"] == "not-found"
