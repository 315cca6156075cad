"""A contest through all its phases: whatever the public can reach is read at each, and nothing shows before its time.

The crawler starts at the home page and at every GET route there is, filled with all that the test knows (every id, also
of what is hidden), follows every link, and looks for what was planted: scores, names, ids and texts found nowhere else.
"""

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import quote, urlsplit
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api import events as streams
from leaderboard import contestants, contests, organising, submissions
from leaderboard.contests import Contest
from leaderboard.db import transaction
from leaderboard.rebuild import rebuild
from tests.api.conftest import CASES, Player, drain, join, new_contest
from worker import tasks

SLUG, LEAGUE = "golden-nugget", "knights"
TIMES = ("opens_at", "freezes_at", "closes_at", "publishes_at")
UNWANTED = "Olaf-Offensive"
"""Whose name is hidden while the board is frozen."""
SECRET = "Eleanor-Unseen"
"""Who enters when the board is frozen."""


@pytest.fixture(autouse=True)
def live_streams_end_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "LONGEST", 0.02)
    monkeypatch.setattr(streams, "PAUSE", 0.01)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """Somebody whom nobody knows."""
    return app.test_client()


def chain(file: str, marker: str) -> bytes:
    """A record of the main puzzle with a remark in it."""
    return (CASES / "valid" / file).read_bytes() + f"\n# {marker}\n".encode()


def match(first: str, second: str, play: str, marker: str) -> bytes:
    return f"puzzle: knight-fight\nplayers: {first}, {second}\n{play} # {marker}\n".encode()


@dataclass(frozen=True)
class Planted:
    """What was handed in, and by what it would be recognised."""

    id: str
    sha256: str
    marker: str
    score: tuple[str, ...] = ()
    """Texts that stand wherever its score is told."""

    @property
    def record(self) -> tuple[str, ...]:
        """Only in the record itself."""
        return (self.marker,)

    @property
    def everything(self) -> tuple[str, ...]:
        return (self.id, self.sha256, self.marker, *self.score)


@dataclass(frozen=True)
class Answer:
    """What the crawler was told at an address."""

    status: int
    etag: str | None
    text: str


Crawl = dict[str, Answer]


class Crawler:
    """Somebody who reads everything."""

    def __init__(self, app: Flask, known: dict[str, list[str]], token: str | None = None) -> None:
        self.app, self.known = app, known
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def crawl(self, *, unlike: str = "^/(static|language|theme)/") -> Crawl:
        """Every address that can be reached, but those like that."""
        client, found = self.app.test_client(), Crawl()
        todo = deque(dict.fromkeys(("/", *self.routes())))
        while todo:
            address = todo.popleft()
            if address in found or re.search(unlike, address):
                continue
            answer = self._get(client, address)
            found[address] = answer
            todo.extend(self._links(address, answer.text))
            assert len(found) < 2000, "it does not end"
        return found

    def routes(self) -> Iterator[str]:
        """Every route that can be read, filled with everything that is known."""
        for rule in self.app.url_map.iter_rules():
            if "GET" not in (rule.methods or ()):
                continue
            addresses = [rule.rule]
            for part in re.findall(r"<(?:(\w+):)?(\w+)>", rule.rule):
                converter, name = part
                text = f"<{converter}:{name}>" if converter else f"<{name}>"
                values = self.known.get(name) if name != "id" else None
                values = values or self.known[converter or "string"]
                addresses = [each.replace(text, quote(value)) for each in addresses for value in values]
            yield from addresses
        for slug in self.known["slug"]:
            names = self.known["name"]
            yield from (f"/contests/{slug}?find={name[:3]}" for name in names)
            yield from (f"/contests/{slug}?around={name}" for name in names)
            yield from (f"/contests/{slug}/compare?a={a}&b={b}" for a in names for b in names if a < b)
            yield f"/api/v1/contests/{slug}/standings?limit=1"
        yield from (f"/api/v1/submissions/{each}/replay?board=2" for each in self.known["uuid"])

    def _get(self, client: FlaskClient, address: str) -> Answer:
        headers = {**self.headers, "Last-Event-ID": "0"}
        if not address.startswith("/api/"):
            headers["Accept"] = "text/html"
        answer = client.get(address, headers=headers)
        text = answer.get_data().decode(errors="replace")
        answer.close()
        assert answer.status_code < 500 or answer.status_code == 503, f"{address}: {text[:500]}"
        return Answer(answer.status_code, answer.headers.get("ETag"), f"{answer.headers.get('Location', '')}\n{text}")

    @staticmethod
    def _links(address: str, text: str) -> Iterator[str]:
        for href in re.findall(r'(?:href|src|action)="(/[^"#]*)', text):
            yield href.replace("&amp;", "&")
        if text.lstrip().startswith("{"):
            body = json.loads(text)
            if body.get("next") and address.startswith("/api/") and "/standings" in address:
                yield f"{urlsplit(address).path}?limit=1&cursor={body['next']}"
            yield from (each["url"] for each in body.get("puzzles", ()))


def showing(crawl: Crawl, texts: Iterable[str]) -> dict[str, str]:
    """Where one of the texts stands, and which; not counting an address that names it itself."""
    return {
        address: text
        for text in texts
        for address, answer in crawl.items()
        if text in answer.text and text not in address
    }


def begin(contest: str, time: str) -> Contest:
    """Let this moment of the contest be now, by the database's clock, and let the service notice."""
    with transaction() as conn:
        conn.execute(f"UPDATE contest SET {time} = now() WHERE slug = %s", [contest])
    tasks.chores()
    with transaction() as conn:
        found = contests.get(conn, contest)
    assert found
    return found


def hand_in(who: Player, slug: str, record: bytes, marker: str, *score: str) -> Planted:
    answer = who.post(f"/api/v1/contests/{slug}/submissions", data=record)
    assert answer.status_code == 202, answer.text
    return Planted(answer.json["id"], answer.json["sha256"], marker, score)


def confirm(who: Player, planted: Planted) -> None:
    answer = who.post(f"/api/v1/submissions/{planted.id}/confirmation", json={"confirmed": True})
    assert answer.status_code == 200, answer.text


def names(client: FlaskClient, slug: str = SLUG) -> list[str]:
    rows = client.get(f"/api/v1/contests/{slug}/standings").json["standings"]
    return [row["contestant"]["name"] for row in rows]


def without_the_clock(answer: Answer) -> tuple[int, str | None, str]:
    """An answer as it must stay while nothing happens that is public: a page by its ETag, if it has one."""
    text = "" if answer.etag else answer.text
    for volatile in (r'"(now|request_id|retry_after)": *"[^"]*"', r'(name="csrf_token" value|data-csrf)="[^"]*"'):
        text = re.sub(volatile, "", text)
    return answer.status, answer.etag, text


@pytest.mark.timeout(600)
def test_nothing_shows_before_its_time(app: Flask, client: FlaskClient) -> None:
    day = timedelta(days=1)
    for slug, puzzle in ((SLUG, "jc-golden-nugget"), (LEAGUE, "knight-fight")):
        new = new_contest(slug=slug, puzzle=puzzle)
        times = {name: new.now + day * n for n, name in enumerate(TIMES, 1)}
        with transaction() as conn:
            sets = ", ".join(f"{name} = %({name})s" for name in TIMES)
            conn.execute(f"UPDATE contest SET {sets} WHERE id = %(id)s", {"id": new.id, **times})
    tasks.chores()
    ada, bob, eleanor, reader = (join(client, name) for name in ("Ada", "Bob", SECRET, "Rita"))
    known = {
        "slug": [SLUG, LEAGUE], "puzzle_id": ["jc-golden-nugget"], "number": ["7"], "filename": ["x"], "code": ["en"],
        "name": ["Ada", "Bob", SECRET], "string": ["Ada", "Bob", SECRET], "int": ["1"],
        "contestant": [ada.id, bob.id, eleanor.id], "uuid": [str(UUID(int=7))],
    }  # fmt: skip
    nobody, other = Crawler(app, known), Crawler(app, known, reader.token)

    def everything(**options: str) -> Crawl:
        """What nobody and another contestant can read."""
        crawls = nobody.crawl(**options), other.crawl(**options)
        whose = zip("no", crawls, strict=True)
        return {f"{who} {address}": answer for who, crawl in whose for address, answer in crawl.items()}

    puzzles = "^/(static|language|theme|puzzles|api/v1/(puzzles|docs|openapi))"

    # Announced: nothing is taken yet.
    assert client.get(f"/api/v1/contests/{SLUG}").json["phase"] == "upcoming"
    assert ada.submit(chain("worst-20-of-99.txt", "early")).status_code == 409
    assert not showing(everything(), [SECRET])

    # Open: the board shows scores, and no record.
    for slug in (SLUG, LEAGUE):
        assert begin(slug, "opens_at").phase == "open"
    shown = hand_in(ada, SLUG, chain("worst-20-of-99.txt", "remark-of-the-first"), "remark-of-the-first", "99.0000")
    refused = hand_in(ada, SLUG, b"puzzle: jc-golden-nugget\nboard 1\nunheard-of", "unheard-of")
    played = hand_in(ada, LEAGUE, match("Ada", "Bob", "deal: 7\nc8 resigns", "remark-of-a-match"), "remark-of-a-match")
    drain()
    confirm(bob, played)
    # It comes before the freeze, and is verified after it.
    in_time = hand_in(bob, SLUG, chain("full-100-crlf.txt", "remark-of-bob"), "remark-of-bob", "3083/100", "30.8300")
    known["uuid"] += [each.id for each in (shown, refused, played, in_time)]
    crawl = everything(unlike=puzzles)
    assert showing(crawl, shown.score), "the crawler does not look where scores are"
    assert not showing(crawl, [*shown.record, *played.record, *refused.everything, *in_time.everything, SECRET])
    assert names(client) == ["Ada"]

    olaf = join(client, UNWANTED)
    unwanted = hand_in(olaf, SLUG, chain("worst-200-of-99-full.txt", "remark-of-olaf"), "remark-of-olaf")
    known["uuid"].append(unwanted.id)
    known["contestant"].append(olaf.id)
    known["name"].append(UNWANTED)

    # Frozen: what came before shows, whenever it is verified; what comes now does not.
    for slug in (SLUG, LEAGUE):
        assert begin(slug, "freezes_at").phase == "frozen"
    drain()
    assert names(client) == ["Bob", UNWANTED, "Ada"]
    with transaction() as conn:
        contestant, organiser = contestants.by_name(conn, UNWANTED), contestants.by_name(conn, "Rita")
        assert contestant
        assert organiser
        organising.hide(conn, contestant, organiser, f"Nobody is called {UNWANTED} here.")
    hidden_name = f"#{olaf.id[:8]}"
    assert names(client) == ["Bob", hidden_name, "Ada"]
    hidden = [
        hand_in(ada, SLUG, chain("best-20-short.txt", "remark-of-ada"), "remark-of-ada", "75/4", "18.7500"),
        hand_in(eleanor, SLUG, chain("mixed-37-comments.txt", "remark-of-hers"), "remark-of-hers", "1126/37"),
        hand_in(eleanor, LEAGUE, match("Ada", SECRET, "deal: 9\nresigns", "remark-of-theirs"), "remark-of-theirs"),
    ]  # fmt: skip
    known["uuid"] += [each.id for each in hidden]
    before = nobody.crawl(unlike=puzzles)
    drain()
    confirm(ada, hidden[2])
    after = nobody.crawl(unlike=puzzles)
    differ = [each for each in before | after if without_the_clock(before[each]) != without_the_clock(after[each])]
    assert not [each for each in differ if each not in ("/metrics", "/status", "/api/v1/status")], (
        "the frozen results can be told"
    )
    unseen = [text for each in hidden for text in each.everything]
    sealed = [shown.marker, played.marker, in_time.marker, *refused.everything, *unseen, SECRET, UNWANTED]
    crawl = everything(unlike=puzzles)
    assert not showing(crawl, sealed)
    assert showing(crawl, in_time.score)
    mine = ada.get(f"/api/v1/submissions/{hidden[0].id}").json
    page = ada.get(f"/submissions/{hidden[0].id}", headers={"Accept": "text/html"}).text
    assert "It came after the board was frozen" in page
    assert (mine["state"], mine["verdict"]["score"]["mean"]) == ("accepted", "75/4")

    # Closed: still frozen; provisional while something that came in time is not decided. What comes now is late.
    waiting = hand_in(bob, SLUG, chain("tie-mean-40-boards.txt", "remark-again"), "remark-again", "29.0500")
    for slug in (SLUG, LEAGUE):
        assert begin(slug, "closes_at").phase == "closed"
    late = hand_in(ada, SLUG, chain("best-200-full.txt", "remark-too-late"), "remark-too-late", "289/20", "14.4500")
    known["uuid"] += [waiting.id, late.id]
    page = f"/contests/{SLUG}"
    said = client.get(f"/api/v1/contests/{SLUG}/standings")
    assert (said.json["phase"], said.json["provisional"]) == ("closed", True)
    assert "The board is provisional" in client.get(page).text
    unseen += [*waiting.everything, *late.everything]
    assert not showing(everything(unlike=puzzles), [*sealed, *unseen])
    drain()
    crawl = everything(unlike=puzzles)
    assert not showing(crawl, [*sealed, *unseen])
    assert names(client) == ["Bob", hidden_name, "Ada"]
    assert client.get(f"/api/v1/contests/{SLUG}/standings").json["provisional"] is False
    assert client.get(f"/api/v1/contests/{SLUG}/standings").headers["ETag"] != said.headers["ETag"]
    assert "The board is provisional" not in client.get(page).text

    # Published: everything shows, the records too; the late one has no rank.
    for slug in (SLUG, LEAGUE):
        assert begin(slug, "publishes_at").phase == "published"
    crawl = everything(unlike=puzzles)
    for each in (shown, refused, played, in_time, *hidden, waiting, late):
        for who in "no":
            assert each.marker in crawl[f"{who} /api/v1/submissions/{each.id}/record"].text
            assert crawl[f"{who} /submissions/{each.id}"].status == 200
    assert names(client) == ["Ada", "Bob", SECRET, hidden_name]
    assert not showing(crawl, [UNWANTED])
    assert names(client, LEAGUE) == [SECRET, "Ada", "Bob"]
    assert showing(crawl, hidden[0].score)
    boards = {each: crawl[each] for each in crawl if SLUG in each or each.endswith(("/", "Ada"))}
    archive = boards.pop(f"n /api/v1/contests/{SLUG}/archive")
    assert not boards.pop(f"o /api/v1/contests/{SLUG}/archive").text.count(UNWANTED)
    assert late.marker in archive.text
    assert boards
    assert not showing(boards, late.score)
    assert ada.submit(chain("poor-20.txt", "after the end")).status_code == 409


def test_strictly_before_the_deadline_counts_and_at_it_does_not(app: Flask, client: FlaskClient) -> None:
    """Two uploads at one instant of the database's clock; the deadline is that instant, then a microsecond later."""
    contest, ada, bob = new_contest(), join(client, "Ada"), join(client, "Bob")
    with transaction() as conn:
        conn.execute("UPDATE contest SET closes_at = now(), publishes_at = now() + interval '1 day'")
        rows = []
        for who, file in ((ada, "poor-20.txt"), (bob, "full-20.txt")):
            found = contests.get(conn, contest.slug)
            contestant = contestants.get(conn, UUID(who.id))
            assert found
            assert contestant
            rows.append(submissions.add(conn, found.slug, contestant, (CASES / "valid" / file).read_bytes())[0])
        moved = conn.execute("SELECT closes_at FROM contest").fetchone()
        assert moved
        assert [row.received_at for row in rows] == [moved[0]] * 2
        assert [row.late for row in rows] == [True, True]
        # Ada's was a microsecond earlier.
        conn.execute("UPDATE submission SET received_at = received_at - interval '1 us' WHERE id = %s", [rows[0].id])
    drain()
    states = [(row["state"], row["late"]) for row in map(fetched, (ada, bob), rows)]
    assert states == [("accepted", False), ("accepted", True)]
    assert names(client) == ["Ada"]
    with transaction() as conn:
        found = contests.get(conn, contest.slug)
        assert found
        assert rebuild(conn, found).differed == 0
        conn.execute("UPDATE contest SET closes_at = closes_at + interval '1 us'")
        rebuild(conn, found)
    assert set(names(client)) == {"Ada", "Bob"}


def fetched(who: Player, row: submissions.Submission) -> dict[str, object]:
    found: dict[str, object] = who.get(f"/api/v1/submissions/{row.id}").json
    return found
