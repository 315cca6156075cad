"""What the viewer asks for: any stretch of a play, in any order, with the places of its tokens, in JSON too."""

import json
from collections.abc import Iterator

import pytest

from tests.test_rules import EACH, accepted, records
from verifier import RULES, Film, Rejected
from verifier.record import fold
from verifier.replay import Frame

ALL = 10**6


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that short records too are played on from positions that are kept."""
    monkeypatch.setattr(Film, "EVERY", 4)


def facts(frames: list[Frame]) -> list[tuple[object, ...]]:
    return [(frame.number, frame.at.token, frame.at.turn, frame.at.move, frame.place, frame.view) for frame in frames]


@EACH
def test_each_stretch_is_the_same_from_wherever_it_is_played(id: str) -> None:
    data = accepted(id)[0].read_bytes()
    whole = Film(data).show(first=0, limit=ALL)
    assert whole.total == len(whole.frames)
    film, last = Film(data), whole.total - 1
    for first in (last, 9, 0, 8, 5, last - 1, ALL):
        at = min(first, last)
        assert facts(film.show(first=first, limit=3).frames) == facts(whole.frames[at : at + 3]), first
    for move in (ALL, 3, 0, whole.frames[last].at.turn - 1):
        behind = [frame for frame in whole.frames if frame.at.turn <= move][-1:]
        assert facts(film.show(move=move).frames) == facts(behind), move


def test_a_step_plays_no_more_than_from_the_last_kept_position(monkeypatch: pytest.MonkeyPatch) -> None:
    rules, data = RULES["maze"], accepted("maze")[0].read_bytes()
    play, played = rules.play, []  # type: ignore[attr-defined]  # a row of tokens

    def counted(state: object, token: str) -> object:
        played.append(token)
        return play(state, token)

    monkeypatch.setattr(rules, "play", counted)
    film = Film(data)
    total = film.show(first=0).total
    assert len(played) == total - 1  # once, to know how long it is
    for first in range(total):
        played.clear()
        film.show(first=first, limit=2)
        assert len(played) <= Film.EVERY + 1


def json_records() -> Iterator[tuple[str, Film]]:
    for path in records("*"):
        if path.suffix == ".json":
            try:
                yield path.read_text().removeprefix("\ufeff"), Film(path.read_bytes())
            except Rejected:
                continue


def test_in_json_a_token_stands_where_its_letters_do() -> None:
    seen = 0
    for text, film in json_records():
        lines = text.split("\n")
        for board in range(1, film.show().boards + 1):
            for frame in film.show(board, first=0, limit=ALL).frames:
                assert frame.place or not frame.at.token or frame.at.fault
                if frame.place:
                    line, column = frame.place
                    written = lines[line - 1][column - 1 :][: len(frame.at.token)]
                    assert fold(written) == frame.at.token or "\\u" in lines[line - 1]
                    seen += 1
    assert seen > 1000


def test_escapes_and_other_keys_do_not_mislead() -> None:
    text = json.dumps({"result": "1-0", "players": ["Ann", "moves"], "puzzle": "knight-fight", "deal": 7, "moves": []})
    text = text.replace('"moves": []', '"mo\\u0076es" :\n[" c8 ",\t"\\u006a8xa7 b6xg10",\n "\\ud83d\\ude00 h7"]')
    found = [frame.place for frame in Film(text.encode()).show(first=1, limit=9).frames]
    assert found == [(2, 4), (2, 11), (2, 22), (3, 3)]  # the last can't be read, and ends the replay
