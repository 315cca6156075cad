"""Of the service's own submission, its contest and its contestant nobody hears anything, wherever they ask."""

import json

import pytest

from deploy.cli import main
from leaderboard import canary, contestants, contests, matches
from leaderboard.contests import League
from leaderboard.db import transaction
from leaderboard.settings import Settings
from tests.api.conftest import drain, new_contest, problem
from tests.leaderboard.conftest import upload

LOOKALIKE = "\uff03Canary"
"""As a full-width # it is the same name."""


def step() -> str | None:
    """The canary's next step; the submission that is under way then."""
    with transaction() as conn:
        canary.step(conn, 60)
        row = conn.execute("SELECT submission.id FROM submission JOIN contest ON contest.id = contest WHERE slug = %s",
                           [contests.CANARY]).fetchone()  # fmt: skip
    return str(row[0]) if row else None


def test_nobody_hears_of_it(contest, ada, organiser, client, pool: Settings, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setenv("DATABASE_URL", pool.database_url)
    monkeypatch.setenv("REDIS_URL", pool.redis_url)
    monkeypatch.setenv("SECRET_KEY", pool.secret_key)
    with client.session_transaction() as session:
        session["token"] = organiser.token
    stranger = client.application.test_client()
    own = step()
    assert own
    for _ in ("queued", "on its board"):
        for path in (f"/api/v1/submissions/{own}", f"/api/v1/submissions/{own}/record"):
            assert problem(stranger.get(path))["code"] == problem(organiser.get(path))["code"] == "not-found"
        for browser in (stranger, client):
            for path in (
                *(f"/submissions/{own}", f"/submissions/{own}/replay", "/contests/canary", "/organise/canary"),
                *("/contestants/%23canary", f"/contestants/{LOOKALIKE}", "/organise/canary/submissions"),
                *("/contests/canary/reverification", "/contests/canary/standings"),
            ):
                assert browser.get(path).status_code in ((404,) if browser is client else (401, 404)), path
            for path in (
                "/",
                "/organise",
                "/organise/golden-nugget/submissions",
                "/puzzles/maze",
                "/status",
                "/verify",
            ):
                assert "/contests/canary" not in browser.get(path).text
                assert canary.NAME not in browser.get(path).text
        for path in ("", "/standings", "/events", "/archive", "/notices", "/audit", "/reverifications", "/submissions"):
            assert organiser.get(f"/api/v1/contests/canary{path}").status_code in (404, 405), path
        assert [each["slug"] for each in organiser.get("/api/v1/contests").json["contests"]] == [contest.slug]
        drain()
    capsys.readouterr()
    assert main(["contest", "list"]) == 0
    assert capsys.readouterr().out.startswith("golden-nugget: ")
    assert main(["contest", "show", "canary"]) == main(["contestant", "show", LOOKALIKE]) == 2

    league = new_contest(slug="knights", puzzle="knight-fight", league=League(per_pair=1))
    with transaction() as conn:
        ada_herself = contestants.by_name(conn, "Ada")
        assert contestants.by_name(conn, canary.NAME) is None
    record = {"puzzle": "knight-fight", "players": ["Ada", canary.NAME], "deal": 9, "moves": ["resigns"]}
    row = upload(league, ada_herself, json.dumps(record).encode())
    drain()
    with transaction() as conn:
        assert matches.get(conn, row.id).fault == "unknown-player"
    assert step() is None  # taken away
    with transaction() as conn:
        assert conn.execute("SELECT findings FROM chore WHERE name = 'canary'").fetchone() == ([],)
