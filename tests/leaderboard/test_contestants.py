"""Names that a reader can tell apart; passwords and tokens that only their owner has."""

from datetime import timedelta
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard import contestants, tokens
from leaderboard.contestants import BadName, NameTaken, checked, folded
from leaderboard.db import transaction
from tests.leaderboard.test_submissions import together

ENDLESS = "a" + "\u0315" * 300_000 + "\u0300" * 300_000
"""Marks that stand in the wrong order: to put them right would take minutes, in which the process does nothing else."""
GOOD = ["Ann", "a", "Zażółć gęślą jaźń", "ねこ", "O'Neil-Smith (2)", "Ann B. Cyd", "💎", "x" * 40, "É" * 40]


@pytest.mark.parametrize("name", GOOD)
def test_a_name_is_kept_as_written(conn, name):
    contestant, _ = contestants.register(conn, name)
    assert contestant.name == name
    assert contestants.get(conn, contestant.id) == contestant
    assert contestants.by_name(conn, name.upper()) == contestant


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "length"),
        ("x" * 41, "length"),
        ("ﷺ" * 3, "length"),  # 18 letters each when compared
        (" Ann", "spaces"),
        ("Ann ", "spaces"),
        ("Ann  B", "spaces"),
        ("¨", "spaces"),  # a space and an accent when compared
        ("An\tn", "characters"),
        ("An\nn", "characters"),
        ("An\0n", "characters"),
        ("An\u00a0n", "characters"),
        ("An\u200bn", "characters"),  # zero width
        ("An\u202en", "characters"),  # right to left from here
        ("An\u2066n", "characters"),
        ("\u3164", "characters"),  # a letter that shows nothing
        ("A\ufe0f", "characters"),
        ("A\U000e0101", "characters"),
        ("A\ud800", "characters"),
        ("Ann, Bob", "characters"),
        ("Ann\uff0cBob", "characters"),  # the wide comma
        ("#1", "characters"),
        ("a/b", "characters"),
        ("a\uff0fb", "characters"),
        (".", "characters"),
        ("..", "characters"),
        ("\uff0e", "characters"),
        ("‥", "characters"),
        ("\u0301", "characters"),
        pytest.param("e\u0301" * 41, "length", id="decomposed"),
        pytest.param(ENDLESS, "length", id="endless"),
    ],
)
def test_a_name_that_cannot_be(conn, name, reason):
    with pytest.raises(BadName) as error:
        contestants.register(conn, name)
    assert error.value.reason == reason
    assert contestants.by_name(conn, name) is None
    assert contestants.by_former_name(conn, name) is None


@pytest.mark.parametrize("alike", ["ANN", "ann", "\uff21\uff4e\uff4e", "\U0001d400\U0001d427\U0001d427", "ⓐⓝⓝ"])
def test_names_that_look_alike_are_one(conn, alike):
    contestants.register(conn, "Ann")
    with pytest.raises(NameTaken):
        contestants.register(conn, alike)
    assert contestants.by_name(conn, alike).name == "Ann"
    contestants.register(conn, "Anna")  # the transaction goes on


def test_composed_and_decomposed_are_one(conn):
    contestants.register(conn, "Ge\u0301za")
    assert contestants.by_name(conn, "GÉZA").name == "Géza"
    longest, _ = contestants.register(conn, "\u1f82\u1f83" * 10)
    assert contestants.by_name(conn, "\u03b1\u0313\u0300\u0345\u03b1\u0314\u0300\u0345" * 10) == longest
    assert folded("Straße") == folded("STRASSE")


@given(st.text(max_size=45))
def test_a_name_that_passes_stays_itself(name):
    try:
        kept = checked(name)
    except BadName:
        return
    assert checked(kept) == kept
    assert folded(folded(kept)) == folded(kept)
    assert folded(kept.upper()) == folded(kept) or len(kept.upper()) != len(kept)
    assert 1 <= len(kept) <= 40
    assert kept.isprintable()
    assert not set(",#/") & set(kept)


def test_a_token_names_its_contestant_until_it_is_revoked(conn):
    ann, token = contestants.register(conn, "Ann")
    assert tokens.contestant_of(conn, token, "all") == ann
    [known] = tokens.listed(conn, ann)
    assert (known.session, known.scope, known.expires_at) == (False, "all", None)
    assert known.used_on
    bob, _ = contestants.register(conn, "Bob")
    assert not tokens.revoke(conn, bob, known.id)
    assert tokens.revoke(conn, ann, known.id)
    assert not tokens.revoke(conn, ann, known.id)
    assert tokens.listed(conn, ann) == []
    assert tokens.contestant_of(conn, token) is None


def test_only_the_hash_of_a_token_is_stored(conn):
    _, token = contestants.register(conn, "Ann")
    [(row,)] = conn.execute("SELECT token::text FROM token").fetchall()
    assert token not in row
    assert len(token) == 3 + 43


def test_a_token_has_a_scope_and_an_end(conn):
    ann, _ = contestants.register(conn, "Ann")
    read = tokens.issue(conn, ann, scope="read", label="a program")
    assert tokens.contestant_of(conn, read) == ann
    assert tokens.contestant_of(conn, read, "all") is None
    assert tokens.contestant_of(conn, tokens.issue(conn, ann, lasts=timedelta(seconds=-1))) is None
    assert tokens.contestant_of(conn, tokens.issue(conn, ann, lasts=timedelta(hours=1))) == ann
    short = tokens.issue(conn, ann)
    tokens.end(conn, short)
    assert tokens.contestant_of(conn, short) is None


@pytest.mark.parametrize("token", ["", "x", "gn_" + "A" * 43, "\0", "\ud800"])
def test_an_unknown_token_is_nobodys(conn, token):
    assert tokens.contestant_of(conn, token) is None


def test_an_unknown_contestant(conn):
    assert contestants.get(conn, uuid4()) is None


def test_a_name_can_be_looked_for_while_others_register_it_at_once(pool):
    def register() -> str:
        with transaction() as conn:
            try:
                contestants.register(conn, "Ann")
            except NameTaken:
                return "taken"
            return "new"

    assert together([register] * 8) == {"new": 1, "taken": 7}
