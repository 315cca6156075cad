"""nugget contest, submission, contestant, reverify: on the database itself, with the file that explains a contest."""

import json
from pathlib import Path

import pytest

from deploy.cli import main
from leaderboard import contest_file, contestants, contests, correction, reverification
from leaderboard.contests import BadContest, League
from leaderboard.db import transaction
from leaderboard.settings import Settings
from tests.api.conftest import RECORD, WORSE, drain, new_contest
from tests.api.test_reverifications import judge_again
from tests.leaderboard.conftest import upload

EXAMPLE = Path(__file__).parents[2] / "deploy" / "contest.toml"


@pytest.fixture(autouse=True)
def variables(pool: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment names the tests' servers."""
    monkeypatch.setenv("DATABASE_URL", pool.database_url)
    monkeypatch.setenv("REDIS_URL", pool.redis_url)
    monkeypatch.setenv("SECRET_KEY", pool.secret_key)


def test_a_contest_from_its_file_to_its_end(tmp_path, capsys):
    def told(*argv: str, status: int = 0) -> str:
        assert main(list(argv)) == status
        out = capsys.readouterr()
        return out.err if status else out.out

    file = tmp_path / "cup.toml"
    text = EXAMPLE.read_text().replace("golden-nugget-2027", "cup").replace("2027-01-04", "2020-01-04")
    file.write_text(text)
    assert told("contest", "create", str(file)) == "Contest cup is open.\n"
    assert told("contest", "create", str(file)) == "Contest cup stands already, just so.\n"
    file.write_text(text.replace("quota = 20", "quota = 21"))
    assert "with other: quota. (contest-exists)" in told("contest", "create", str(file), status=2)
    file.write_text(text.replace("quota = 20", 'quota = "20"'))
    assert "quota: quota must be a whole number. (bad-type)" in told("contest", "create", str(file), status=2)
    assert "There is no contest golf." in told("contest", "show", "golf", status=2)
    assert json.loads(told("contest", "show", "cup"))["quota"] == 20
    assert "cup: open, freezes 2027-03-24 20:00Z" in told("contest", "list")

    with transaction() as conn:
        ada, _ = contestants.register(conn, "Ada")
        cup = contests.get(conn, "cup")
    row = upload(cup, ada, RECORD)
    drain()
    assert "Done" in told("submission", "disqualify", str(row.id), "--reason", "a bought one")
    assert "off the board already" in told("submission", "disqualify", str(row.id), "--reason", "again")
    assert "Done" in told("submission", "reinstate", str(row.id), "--reason", "it was not")
    assert "has not failed" in told("submission", "requeue", str(row.id), "--reason", "x")
    assert "no submission's id" in told("submission", "requeue", "7", "--reason", "x", status=2)
    assert f"#{str(ada.id)[:8]}" in told("contestant", "hide", "ada", "--reason", "rude")
    assert "reads Ada" in told("contestant", "unhide", "Ada", "--reason", "a name")
    assert "Nobody is called Bob" in told("contestant", "hide", "Bob", "--reason", "x", status=2)

    assert "Notice 1" in told("contest", "notice", "cup", "Hello", "--pl", "Cześć")
    assert "Notice 1" in told("contest", "notice", "cup", "Hello again", "--edit", "1")
    assert "taken back" in told("contest", "take-back", "cup", "1")
    assert "There is no notice 1" in told("contest", "take-back", "cup", "1", status=2)
    assert "not by invitation" in told("contest", "invite", "cup", "Ada", status=2)
    new_contest(slug="club", puzzle="knight-fight", league=League(invited=True))
    assert "Ada may play" in told("contest", "invite", "club", "Ada")
    assert told("contest", "invited", "club") == "Ada\n"
    assert "no further matches" in told("contest", "uninvite", "club", "ada")
    assert "not invited" in told("contest", "uninvite", "club", "Ada", status=2)
    assert told("contest", "invited", "club") == "Nobody is invited.\n"
    assert "closes 2027-04-02" in told("contest", "extend", "cup", "2027-04-02T00:00:00+00:00", "--reason", "a storm")
    assert "times-order" in told("contest", "publish", "cup", "--reason", "x", status=2)
    for act, phase in (("freeze", "frozen"), ("close", "closed"), ("publish", "published")):
        assert f"cup: {phase}" in told("contest", act, "cup", "--reason", "as planned")
    assert "A reason has" in told("contest", "freeze", "cup", "--reason", " ", status=2)
    log = told("contest", "audit", "cup").splitlines()
    assert len(log) == 12
    assert "command line: create contest cup" in log[-1]
    assert log[0].endswith("command line: publish contest cup  as planned")


def test_records_are_verified_again(monkeypatch, capsys):
    def told(*argv: str, status: int = 0) -> str:
        assert main(["reverify", *argv]) == status
        out = capsys.readouterr()
        return out.err if status else out.out

    contest = new_contest()
    with transaction() as conn:
        ada, bob = (contestants.register(conn, name)[0] for name in ("Ada", "Bob"))
    first = upload(contest, ada, RECORD)
    upload(contest, bob, WORSE)
    drain()
    for module in (reverification, correction):
        monkeypatch.setattr(module, "VERSION", "2")
    slug, why = "golden-nugget", ("--reason", "rule 7 was read wrongly")
    assert "There is no contest golf." in told("show", "golf", status=2)
    assert "Nothing of golden-nugget was verified again." in told("show", slug, status=2)
    assert "Nobody is called Eve." in told("create", slug, "--contestant", "Eve", status=2)
    assert "No decided submission" in told("create", slug, "--code", "malformed", status=2)
    assert "No decided submission" in told("create", slug, "--until", "2020-01-01T00:00:00Z", status=2)
    one = ("--contestant", "ada", "--since", "2020-01-01", "--older-than", "2", "--id", str(first.id), "--accepted")
    assert told("create", slug, *one) == "0 of 1 verified by version 2; the workers go on with it\n"
    assert "Another re-verification" in told("create", slug, status=2)
    assert "0 of 1 are verified." in told("apply", slug, *why, status=2)
    assert "cancelled by command line: a mistake" in told("cancel", slug, "--reason", "a mistake")
    assert "applied or cancelled already" in told("apply", slug, *why, status=2)

    assert told("create", slug).startswith("0 of 2")
    judge_again(RECORD)
    changes = [
        "Verdicts: 1 become rejected.",
        f"  {first.id}  Ada: rejected (illegal-move)",
        "Ranks: 1 rise, 0 fall, 0 enter, 1 leave.",
        "  Bob: 2 -> 1",
        "  Ada: 1 -> -",
    ]
    assert told("show", slug).splitlines() == ["2 of 2 verified by version 2; ready to be applied", *changes]
    assert "A reason has" in told("apply", slug, "--reason", " ", status=2)
    applied = "2 of 2 verified by version 2; applied by command line, 1 verdicts changed: rule 7 was read wrongly"
    assert told("apply", slug, *why).splitlines() == [applied, *changes]
    assert told("show", slug) == applied + "\n"


@pytest.mark.parametrize(
    ("old", "new", "field", "code"),
    [
        ('slug = "golden-nugget-2027"', "", "slug", "missing-key"),
        ("quota = 20", "quota = true", "quota", "bad-type"),
        ("quota = 20", "prize = 20", "prize", "unknown-key"),
        ("2027-01-04T12:00:00Z", "2027-01-04T12:00:00", "opens_at", "time-without-zone"),
        ("2027-01-04T12:00:00Z", "2027-01-04", "opens_at", "bad-type"),
        ('pl = "JC Golden Nugget 2027"', "pl = 1", "title.pl", "bad-type"),
        ("quota = 20", "setups = [7]", "setups[1]", "bad-type"),
        ("quota = 20", "quota 20", "line 12", "bad-toml"),
        ("[title]", '[league]\nper_pair = "all"\n[title]', "league.per_pair", "bad-type"),
    ],
)
def test_a_file_that_is_wrong_is_told_where(old, new, field, code):
    assert old in EXAMPLE.read_text()
    with pytest.raises(BadContest) as error:
        contest_file.read(EXAMPLE.read_text().replace(old, new, 1).encode())
    assert (error.value.field, error.value.code) == (field, code)


def test_the_terms_of_a_league():
    text = EXAMPLE.read_text() + "\n[league]\nper_pair = 0\ninvited = true\n"
    assert contest_file.read(text.encode())["league"] == League(per_pair=None, answer_days=7, invited=True)
