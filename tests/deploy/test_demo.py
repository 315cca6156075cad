"""The demo: every record is accepted, each puzzle has its contest, and ranks are shared where results are equal."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import get_args

import pytest

from deploy import demo
from leaderboard import board, contests, matches
from leaderboard.db import Connection, transaction
from leaderboard.settings import Settings
from verifier import RULES, setup_of, verify
from verifier.record import Allowed
from worker import tasks

FOLDER = Path(demo.__file__).parent


@pytest.fixture
def conn(pool: Settings) -> Iterator[Connection]:
    """The demo, verified."""
    assert not demo.fill(pool.database_url)
    while tasks.work():
        pass
    with demo.answering(pool.database_url), transaction() as conn:
        for _ in range(300):
            if conn.execute("SELECT count(*) FROM match_now WHERE state = 'disputed'").fetchone() == (7,):
                break
            sleep(0.1)
    assert demo.fill(pool.database_url)  # a second start adds nothing
    with transaction() as conn:
        yield conn


def ranks(conn: Connection, slug: str, setup: int | None = None) -> list[tuple[int, str]]:
    """Ranks and names in their order; names of one rank, all received in one moment, by the alphabet."""
    contest = contests.get(conn, slug)
    assert contest
    return sorted((row.rank, row.name) for row in board.page(conn, contest, setup=setup).standings)


def test_every_puzzle_and_game_has_a_contest() -> None:
    assert {shown.puzzle for shown in demo.CONTESTS.values()} | demo.LEAGUES.keys() == RULES.keys()


@pytest.mark.parametrize("slug", demo.CONTESTS)
def test_each_record_is_accepted_and_there_is_no_other(slug: str) -> None:
    shown = demo.CONTESTS[slug]
    setups = tuple(filter(None, (setup_of(shown.puzzle, header) for header in shown.setups)))
    named = [file for files in shown.records.values() for file in files]
    assert sorted(set(named)) == sorted(file.name for file in (FOLDER / slug).iterdir())
    for file in named:
        assert verify((FOLDER / slug / file).read_bytes(), Allowed(shown.puzzle, setups)).accepted, file


@pytest.mark.parametrize("game", demo.LEAGUES)
def test_each_record_of_a_league_is_a_match_of_contestants_whom_other_contests_have(game: str) -> None:
    league, names = demo.LEAGUES[game], {name for shown in demo.CONTESTS.values() for name in shown.records}
    files = {file.name: verify(file.read_bytes(), Allowed(game, ())) for file in (FOLDER / game).iterdir()}
    assert set(league.waiting + league.disputed) < files.keys()
    for verdict in files.values():
        assert verdict.accepted
        assert set(verdict.players) <= names
        assert verdict.players


def test_the_leagues(conn: Connection) -> None:
    """Each shows matches that count, and one that waits; nothing is no match, or over the number that a pair has."""
    for game, league in demo.LEAGUES.items():
        contest = contests.get(conn, game)
        assert contest
        states = Counter(match.state for match in matches.listed(conn, contest, get_args(matches.State)))
        waits, disputes = len(league.waiting), len(league.disputed)
        files = len(list((FOLDER / game).iterdir()))
        assert states == Counter(waiting=waits, disputed=disputes, confirmed=files - waits - disputes)
        assert len(matches.counted(conn, contest)) == states["confirmed"] > 2
        assert waits
    assert ranks(conn, "knight-fight") == [
        (1, "White Square"), (2, "Forty-Nine"), (2, "Green Corner"), (4, "Pink Row"), (5, "Red Rim"),
    ]  # fmt: skip


def test_the_boards(conn: Connection) -> None:
    assert len(ranks(conn, "golden-nugget")) == 12
    assert ranks(conn, "brain-burn") == [
        (1, "White Square"), (2, "Pink Row"), (3, "Left Push"), (4, "Forty-Nine"), (5, "Slow and Steady"),
    ]  # fmt: skip
    assert ranks(conn, "brain-burn", 2) == [
        (1, "Left Push"), (1, "White Square"), (3, "Pink Row"), (4, "Forty-Nine"), (5, "Slow and Steady"),
    ]  # fmt: skip
    assert ranks(conn, "piecepack-klondike", 1)[:2] == [(1, "Green Corner"), (1, "Yellow Ring")]
    assert ranks(conn, "maze")[0] == (1, "Hundred Boards")
    assert [rank for rank, _ in ranks(conn, "maze", 2)] == [1, 2, 3, 4, 4]
    files = sum(len(named) for shown in demo.CONTESTS.values() for named in shown.records.values())
    files += sum(len(list((FOLDER / game).iterdir())) for game in demo.LEAGUES)
    assert conn.execute("SELECT bool_and(accepted), count(*) FROM verdict").fetchone() == (True, files)
