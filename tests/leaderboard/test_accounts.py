"""Sign in, change name and password, end an account; and what the boards and the audit log then say."""

import argparse
from dataclasses import replace
from threading import Barrier, Thread

import argon2
import pytest

from deploy import organise
from leaderboard import accounts, audit, board, contestants, events, organising, passwords, submissions, tokens
from leaderboard.accounts import Organising, WrongPassword
from leaderboard.contestants import NameTaken
from leaderboard.db import transaction
from leaderboard.rebuild import rebuild
from tests.leaderboard.conftest import DAY, accepted, claim, current, decide, finish, make_contest, move, now, upload
from tests.leaderboard.test_submissions import together


def found(name):
    with transaction() as conn:
        return contestants.by_name(conn, name)


def by_token(contestant):
    """A token of theirs, as they show it."""
    with transaction() as conn:
        known = tokens.held(conn, tokens.issue(conn, contestant))
    assert known
    return known[1]


def names(contest):
    with transaction() as conn:
        return [(each.rank, each.name) for each in board.page(conn, current(contest)).standings]


def rename(contestant, name):
    return accounts.change(contestant, by_token(contestant), name)


def test_a_password_signs_in_and_is_not_kept(enter):
    ann = enter("Ann", password="correct horse")
    enter("Bob")
    contestant, session = accounts.sign_in("ANN", "correct horse")
    assert contestant == ann
    for name, password in (("Ann", "Correct horse"), ("Bob", ""), ("Nobody", "correct horse"), ("Ann", "x" * 10**6)):
        assert accounts.sign_in(name, password) is None
    with transaction() as conn:
        assert tokens.contestant_of(conn, session, "all") == ann
        assert conn.execute("SELECT count(*) FROM contestant WHERE password LIKE '%correct%'").fetchone() == (0,)


def test_a_hash_with_other_parameters_is_made_anew(enter):
    ann = enter("Ann")
    old = argon2.PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1).hash("correct horse")
    with transaction() as conn:
        conn.execute("UPDATE contestant SET password = %s WHERE id = %s", [old, ann.id])
    assert accounts.sign_in("Ann", "correct horse")
    with transaction() as conn:
        assert not passwords.outdated(contestants.password_of(conn, ann))
    assert accounts.sign_in("Ann", "correct horse")


def test_another_password_needs_the_present_one_and_ends_other_sessions(enter):
    ann = enter("Ann")
    by = by_token(ann)
    accounts.change(ann, by, password="correct horse")  # the first one
    _, elsewhere = accounts.sign_in("Ann", "correct horse")
    with transaction() as conn:
        program = tokens.issue(conn, ann)
    for present in (None, "wrong"):
        with pytest.raises(WrongPassword):
            accounts.change(ann, by, name="Anna", password="battery staple", present=present)
    assert found("Anna") is None
    accounts.change(ann, by, name="Anna", password="battery staple", present="correct horse")
    assert accounts.sign_in("Anna", "correct horse") is None
    assert accounts.sign_in("Anna", "battery staple")
    with transaction() as conn:
        assert tokens.contestant_of(conn, elsewhere) is None
        assert tokens.contestant_of(conn, program, "all").name == "Anna"


def test_hashes_are_computed_so_many_at_once(enter):
    """With all places taken the next one is refused at once; afterwards it goes."""
    enter("Ann", password="correct horse")
    places = passwords.AT_ONCE + passwords.WAITING
    begin, outcomes = Barrier(20), []

    def sign_in():
        begin.wait()
        try:
            outcomes.append(accounts.sign_in("Ann", "wrong"))
        except passwords.Busy:
            outcomes.append("busy")

    threads = [Thread(target=sign_in) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count(None) >= places
    assert outcomes.count("busy") > 0
    assert accounts.sign_in("Ann", "correct horse")


def test_a_token_makes_none_that_is_larger_or_lasts_longer(conn, enter):
    ann = enter("Ann")
    short = tokens.held(conn, tokens.issue(conn, ann, scope="submit", lasts=DAY))[1]
    for scope, lasts in (("all", DAY / 2), ("submit", None), ("submit", 2 * DAY)):
        with pytest.raises(tokens.TooLarge):
            tokens.make(conn, ann, short, scope, "", lasts)
    made, token = tokens.make(conn, ann, short, "read", "a program", DAY / 2)
    assert (made.scope, made.label) == ("read", "a program")
    assert [each.used_on for each in tokens.listed(conn, ann) if each.id == made.id] == [None]  # it was not shown yet
    assert tokens.contestant_of(conn, token) == ann
    assert tokens.contestant_of(conn, token, "submit") is None
    assert [each.used_on for each in tokens.listed(conn, ann) if each.id == made.id] != [None]
    session = tokens.held(conn, tokens.issue(conn, ann, lasts=DAY, session=True))[1]
    assert tokens.make(conn, ann, session, "all", "", None)[0].expires_at is None
    while len([each for each in tokens.listed(conn, ann) if not each.session]) < tokens.MOST:
        tokens.make(conn, ann, session, "read", "", None)
    with pytest.raises(tokens.TooMany):
        tokens.make(conn, ann, session, "read", "", None)
    assert tokens.revoke_others(conn, ann, session) == tokens.MOST
    assert [each.id for each in tokens.listed(conn, ann)] == [session.id]


class TestNames:
    def test_the_board_shows_the_new_one_and_says_that_it_has_changed(self, contest, enter):
        ann = enter("Ann")
        decide(contest, ann, accepted([50] * 20))
        with transaction() as conn:
            before = events.last(conn, contest)
        rename(ann, "Anna")
        assert names(contest) == [(1, "Anna")]
        with transaction() as conn:
            [event] = events.since(conn, contest, before)
        assert (event.kind, event.payload) == ("name", {"contestant": str(ann.id)})

    def test_a_frozen_board_does_not_tell_of_those_behind_it(self, enter):
        contest = make_contest(freezes_at=now() - DAY / 2)
        ann = enter("Ann")
        decide(contest, ann, accepted([50] * 20))
        with transaction() as conn:
            before = events.last(conn, contest)
        rename(ann, "Anna")
        with transaction() as conn:
            assert events.last(conn, contest) == before

    def test_one_that_was_handed_in_with_is_kept_for_its_contestant(self, contest, enter):
        ann, bob = enter("Ann"), enter("Bob")
        upload(contest, ann)
        rename(ann, "Anna")
        with pytest.raises(NameTaken):
            rename(bob, "ANN")
        with pytest.raises(NameTaken):
            enter("ann")
        with transaction() as conn:
            assert contestants.by_former_name(conn, "aNN").name == "Anna"
        rename(ann, "Ann")
        with pytest.raises(NameTaken):
            enter("Anna")
        with transaction() as conn:
            conn.execute("UPDATE former_name SET free_at = now()")
        enter("Anna")

    def test_one_that_was_never_used_is_free_at_once(self, enter):
        rename(enter("Ann"), "Anna")
        enter("Ann")

    def test_another_spelling_is_no_other_name(self, contest, enter):
        ann = enter("Ann")
        upload(contest, ann)
        assert rename(ann, "ANN").name == "ANN"
        assert rename(ann, "Ann").name == "Ann"

    def test_two_who_want_the_same_or_each_others_at_once(self, contest, enter):
        ann, bob = enter("Ann"), enter("Bob")
        upload(contest, ann)

        def change(who, name):
            def change_it():
                try:
                    return rename(who, name).name
                except NameTaken:
                    return "taken"

            return change_it

        assert together([change(ann, "Cleo"), change(bob, "Cleo")]) == {"Cleo": 1, "taken": 1}
        with transaction() as conn:
            ann, bob = contestants.get(conn, ann.id), contestants.get(conn, bob.id)
        swapped = together([change(ann, bob.name), change(bob, ann.name)])
        assert swapped == {"taken": 2}
        with transaction() as conn:
            assert {contestants.get(conn, each.id).name for each in (ann, bob)} == {ann.name, bob.name}


class TestTheEnd:
    def end(self, contestant):
        with transaction() as conn:
            return accounts.delete(conn, contestant)

    def test_results_stay_under_a_neutral_name(self, contest, enter):
        ann, bob = enter("Ann", password="correct horse"), enter("Bob")
        token, session = by_token(ann), accounts.sign_in("Ann", "correct horse")[1]
        assert token
        decide(contest, ann, accepted([50] * 20))
        decide(contest, bob, accepted([60] * 20))
        waiting = upload(contest, ann)
        assert sorted(together([lambda: self.end(ann)] * 3).items()) == [(False, 2), (True, 1)]  # however often clicked
        neutral = f"Contestant {ann.id.hex[:4]}"
        assert names(contest) == [(1, neutral), (2, "Bob")]
        assert found("Ann") is None
        with transaction() as conn:
            assert tokens.contestant_of(conn, session) is None
            row = conn.execute("SELECT contestant::text FROM contestant WHERE id = %s", [ann.id]).fetchone()
            assert "Ann" not in row[0]
            assert "argon2" not in row[0]
            assert conn.execute("SELECT count(*) FROM token WHERE contestant = %s", [ann.id]).fetchone() == (0,)
            assert not [each for each in audit.listed(conn) if "Ann" in f"{each.actor} {each.object} {each.reason}"]
            assert [each.action for each in audit.listed(conn)] == ["delete"]
            # A token that was issued in the same moment opens nothing.
            assert tokens.contestant_of(conn, tokens.issue(conn, ann)) is None
        assert accounts.sign_in("Ann", "correct horse") is None
        with pytest.raises(NameTaken):
            enter("Ann")
        [row] = claim()
        finish([(row, accepted([40] * 20))])
        with transaction() as conn:
            assert submissions.get(conn, waiting.id).contestant == neutral

    def test_or_go_where_the_contest_keeps_none_and_the_board_closes_the_gap(self, enter):
        contest = make_contest(keeps_records=False)
        ann, bob, olga = enter("Ann"), enter("Bob"), enter("Olga", role="organiser")
        mine = decide(contest, ann, accepted([50] * 20))
        decide(contest, bob, accepted([60] * 20))
        waiting = upload(contest, ann)
        with transaction() as conn:
            before = events.last(conn, contest)
        self.end(ann)
        assert names(contest) == [(1, "Bob")]
        with transaction() as conn:
            assert [each.kind for each in events.since(conn, contest, before)] == ["name", "disqualified"]
        finish([(row, accepted([40] * 20)) for row in claim()])
        with transaction() as conn:
            for each in (mine, waiting):
                assert not organising.reinstate(conn, each.id, olga, "a try")
            assert rebuild(conn, contest).differed == 0
        assert names(contest) == [(1, "Bob")]

    def test_an_organiser_stays(self, enter):
        olga = enter("Olga", role="organiser")
        with pytest.raises(Organising):
            self.end(olga)
        with transaction() as conn:
            contestants.set_role(conn, olga, "contestant")
        assert self.end(replace(olga, role="contestant"))

    def test_the_neutral_name_is_nobody_elses(self, enter):
        ann = enter("Ann")
        enter(f"contestant {ann.id.hex[:4]}")
        self.end(ann)
        with transaction() as conn:
            assert contestants.get(conn, ann.id).name == f"Contestant {ann.id.hex[:5]}"


def test_a_lost_account_is_opened_by_a_token_from_an_organiser(enter):
    ann = enter("Ann")
    with transaction() as conn:
        token = accounts.give_token(conn, ann, "Olga", "Lost the phone.")
        [given, _] = tokens.listed(conn, ann)
        [entry] = audit.listed(conn)
        assert tokens.contestant_of(conn, token, "all") == ann
    assert (given.label, given.expires_at - given.created_at) == ("from Olga", 7 * DAY)
    assert (entry.actor, entry.action, entry.object) == ("Olga", "token", f"contestant {ann.id}")
    assert entry.reason == "Lost the phone."


def test_the_command_promotes_demotes_and_gives_a_token(pool, enter, capsys):
    ann = enter("Ann")
    url = pool.database_url

    def run(*words):
        parser = argparse.ArgumentParser()
        commands = parser.add_subparsers(dest="command")
        organise.add_commands(commands, argparse.ArgumentParser(add_help=False))
        status = organise.main(parser.parse_args(["contestant", *words]), url)
        return status, capsys.readouterr().out.strip()

    assert run("promote", "ann", "--reason", "Runs it.")[0] == 0
    assert found("Ann").organiser
    assert "organiser" in run("show", "Ann")[1]
    assert run("demote", "Ann", "--reason", "Done.")[0] == 0
    assert not found("Ann").organiser
    with transaction() as conn:
        assert tokens.contestant_of(conn, run("token", "Ann", "--reason", "Lost.")[1], "all") == ann
        assert {entry.action for entry in audit.listed(conn)} == {"promote", "demote", "token"}
    assert run("promote", "Nobody", "--reason", "x")[0] == 2


def test_a_phase_that_passes_meanwhile_is_no_matter(contest, enter):
    """Renaming in a published contest shows at once, too."""
    ann = enter("Ann")
    decide(contest, ann, accepted([50] * 20))
    contest = move(contest, opens_at=now() - 3 * DAY, closes_at=now() - DAY, publishes_at=now() - DAY)
    rename(ann, "Anna")
    assert names(contest) == [(1, "Anna")]
