"""What the pages look up and draw: only what the public board shows or has shown."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

from leaderboard import board, charts
from leaderboard.contestants import Contestant
from leaderboard.contests import Contest
from leaderboard.db import transaction
from tests.leaderboard.conftest import DAY, accepted, current, decide, move, now, rejected
from tests.leaderboard.test_contestants import ENDLESS

Enter = Callable[..., Contestant]


def told(contest: Contest) -> list[tuple[str, str]]:
    with transaction() as conn:
        return [(lead.name, lead.score["mean"]) for lead in charts.leads(conn, contest)]


def test_leads_are_those_below_all_before(contest: Contest, enter: Enter) -> None:
    ada, bob = enter("Ada"), enter("Bob")
    for who, moves in ((ada, [30] * 20), (bob, [31] * 20), (bob, [30] * 40), (ada, [29] * 19 + [30]), (bob, [20] * 20)):
        decide(contest, who, accepted(moves))
    decide(contest, bob, rejected())
    assert told(contest) == [("Ada", "30"), ("Ada", "581/20"), ("Bob", "20")]


def test_means_are_counted_by_whole_numbers(contest: Contest, enter: Enter) -> None:
    for n, moves in enumerate(([29] * 19 + [30], [29] * 20, [30] * 20, [99] * 200)):
        decide(contest, enter(f"C {n}"), accepted(moves))
    with transaction() as conn:
        assert charts.means(conn, contest) == {29: 2, 30: 1, 99: 1}


def test_a_score_is_placed_beside_what_stands_there(contest: Contest, enter: Enter) -> None:
    for n, moves in enumerate((20, 30, 30, 40)):
        decide(contest, enter(f"C {n}"), accepted([moves] * 20))
    with transaction() as conn:
        ranks = [charts.place(conn, contest, {"moves_per_board": [moves] * 20}) for moves in (12, 20, 25, 30, 35, 50)]
    assert ranks == [1, 1, 2, 2, 4, 5]


def test_bests_are_those_that_were_better_than_all_before(contest: Contest, enter: Enter) -> None:
    ada = enter("Ada")
    for moves in (40, 41, 30, 30, 29):
        decide(contest, ada, accepted([moves] * 20))
    with transaction() as conn:
        assert [best.score["mean"] for best in charts.bests(conn, contest, ada.id)] == ["40", "30", "29"]
        assert not charts.bests(conn, contest, UUID(int=0))


def test_what_comes_after_the_freeze_is_not_told(contest: Contest, enter: Enter) -> None:
    ada = enter("Ada")
    decide(contest, ada, accepted([30] * 20))
    move(contest, freezes_at=now(), closes_at=now() + DAY, publishes_at=now() + DAY)
    frozen = current(contest)
    assert frozen.phase == "frozen"
    decide(frozen, ada, accepted([20] * 20))
    with transaction() as conn:
        assert told(frozen) == [("Ada", "30")]
        assert [best.score["mean"] for best in charts.bests(conn, frozen, ada.id)] == ["30"]
        assert charts.place(conn, frozen, {"moves_per_board": [25] * 20}) == 1
    published = move(
        contest,
        opens_at=now() - 3 * DAY,
        freezes_at=now() - timedelta(seconds=1),
        closes_at=now(),
        publishes_at=now(),
    )
    assert told(published) == [("Ada", "30"), ("Ada", "20")]


def test_what_comes_late_or_is_disqualified_is_not_told(contest: Contest, enter: Enter) -> None:
    ada, bob = enter("Ada"), enter("Bob")
    decide(contest, ada, accepted([30] * 20))
    row = decide(contest, bob, accepted([20] * 20))
    with transaction() as conn:
        conn.execute("UPDATE submission SET disqualified_at = now() WHERE id = %s", [row.id])
    assert told(contest) == [("Ada", "30")]
    closed = move(contest, closes_at=now(), publishes_at=now() + DAY)
    decide(closed, ada, accepted([12] * 20))
    assert told(closed) == [("Ada", "30")]


def test_names_are_found_in_any_spelling_the_exact_one_first(contest: Contest, enter: Enter) -> None:
    for name, moves in (("Adam", 20), ("Ada", 30), ("Łada", 25), ("Bob", 12)):
        decide(contest, enter(name), accepted([moves] * 20))
    enter("Ada nowhere")
    with transaction() as conn:
        found = charts.search(conn, contest, " \uff21DA ")
        assert [(each.name, each.rank) for each in found] == [("Ada", 4), ("Adam", 2), ("Łada", 3)]
        assert not any(charts.search(conn, contest, text) for text in ("%", "", ENDLESS))
        assert found[0] in (board.one(conn, contest, found[0].contestant_id, 0) or [])
