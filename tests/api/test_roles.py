"""Every route by role: the status that each request must get. A route without a row fails.

Adding a route: add a row to ROWS, in the order of the list. A row is

    METHOD  rule as the route has it  nobody contestant owner organiser  [thing=other ...]  [body]

- The four numbers are the statuses for somebody unknown, a contestant, the contestant whose things the path names
  (Ada), and an organiser. All four send the same request, in this order, each with a credential made for it: a token to
  /api/, elsewhere the cookie of a browser that has seen a form.
- What stands for `<slug:slug>` and the like is in `things` below, by the name of the argument; `id=match` takes another
  of them. The same rule may have several rows. A thing that is a function is made anew for each request: let a row that
  uses its thing up have such a one.
- A body in braces is JSON to /api/ and the fields of a form elsewhere; `record` is the bytes of one. `$thing` in it is
  replaced; `$n` is a number that no other request has.
- All rows share one database, so what an earlier row changes a later one sees. Put a row beside related ones.
"""

import json
import re
from collections.abc import Callable
from itertools import count
from string import Template
from typing import Any, NamedTuple

import pytest
from flask import Flask
from flask.testing import FlaskClient

from leaderboard import contestants, submissions, tokens
from leaderboard.contestants import Contestant
from leaderboard.contests import League
from leaderboard.db import transaction
from tests.api.conftest import RECORD, REJECTED, drain, new_contest

ROLES = ("nobody", "contestant", "owner", "organiser")

ROWS = """
GET  /healthz                                                 200 200 200 200
GET  /readyz                                                  200 200 200 200
GET  /metrics                                                 404 404 404 404
GET  /api/v1/openapi.json                                     200 200 200 200
GET  /api/v1/docs                                             200 200 200 200
GET  /api/v1/status                                           200 200 200 200
GET  /api/v1/puzzles                                          200 200 200 200
GET  /api/v1/puzzles/<slug:id>                                200 200 200 200  id=puzzle
GET  /api/v1/puzzles/<slug:id>/deals/<number>                 200 200 200 200  id=puzzle
GET  /api/v1/puzzles/<slug:id>/replay                         200 200 200 200  id=puzzle
POST /api/v1/verify                                           200 200 200 200  record
POST /api/v1/verify/replay                                    200 200 200 200  record

POST /api/v1/contestants                                      201 201 201 201  {"name": "New $n"}
POST /api/v1/contestants/<uuid:id>/tokens                     401 403 403 201  id=contestant {"reason": "x"}
GET  /api/v1/me                                               401 200 200 200
PATCH /api/v1/me                                              401 409 200 409  {"name": "ADA"}
PATCH /api/v1/me                                              401 409 200 409  {"name": "Ada"}
POST /api/v1/me/deletion                                      401 422 422 422  {"name": "Nobody"}
GET  /api/v1/me/tokens                                        401 200 200 200
POST /api/v1/me/tokens                                        401 201 201 201  {"scope": "read"}
DELETE /api/v1/me/tokens                                      401 200 200 200
DELETE /api/v1/me/tokens/<uuid:id>                            401 404 204 404  id=token
GET  /api/v1/me/submissions                                   401 200 200 200
GET  /api/v1/me/matches                                       401 200 200 200

GET  /api/v1/contests                                         200 200 200 200
GET  /api/v1/contests/<slug:slug>                             200 200 200 200
GET  /api/v1/contests/<slug:slug>/events                      200 200 200 200
GET  /api/v1/contests/<slug:slug>/standings                   200 200 200 200
GET  /api/v1/contests/<slug:slug>/standings.csv               200 200 200 200
GET  /api/v1/contests/<slug:slug>/archive                     409 409 409 409
GET  /api/v1/key                                              200 200 200 200
GET  /api/v1/contests/<slug:slug>/standings/<uuid:contestant> 200 200 200 200
GET  /api/v1/contests/<slug:slug>/matches                     200 200 200 200  slug=league
POST /api/v1/contests/<slug:slug>/submissions                 401 202 202 202  record

# what organisers do; what everybody reads of it
POST /api/v1/contests                                         401 403 403 201  {"slug": "new-$n", $terms}
POST /api/v1/contests/<slug:slug>/times                       401 403 403 200  {"reason": "x"}
POST /api/v1/contests/<slug:slug>/acts                        401 403 403 422  {"reason": "x", "act": "publish"}
GET  /api/v1/contests/<slug:slug>/invitations                 401 403 403 200  slug=league
DELETE /api/v1/contests/<slug:slug>/invitations/<uuid:id>     401 403 403 404  slug=league id=contestant
POST /api/v1/contests/<slug:slug>/invitations                 401 403 403 422  slug=league {"name": "Ada"}
GET  /api/v1/contests/<slug:slug>/submissions                 401 403 403 200
GET  /api/v1/contests/<slug:slug>/alike                       401 403 403 200
GET  /api/v1/contests/<slug:slug>/audit                       200 200 200 200
GET  /api/v1/contests/<slug:slug>/notices                     200 200 200 200
POST /api/v1/contests/<slug:slug>/notices                     401 403 403 201  {"texts": {"en": "x"}}
POST /api/v1/contests/<slug:slug>/notices/<int:number>        401 403 403 404  {"texts": {"en": "x"}}
POST /api/v1/submissions/<uuid:id>/disqualification           401 403 403 200  {"disqualified": false, "reason": "x"}
POST /api/v1/submissions/<uuid:id>/requeue                    401 403 403 409  {"reason": "x"}
POST /api/v1/contestants/<uuid:id>/hiding                     401 403 403 404  {"hidden": true, "reason": "x"}

# a rejected submission, one that stands on the board, a match that waits
GET  /api/v1/submissions/<uuid:id>                            404 404 200 200
GET  /api/v1/submissions/<uuid:id>                            200 200 200 200  id=standing
GET  /api/v1/submissions/<uuid:id>                            404 404 200 200  id=match
GET  /api/v1/submissions/<uuid:id>/record                     404 404 200 404
GET  /api/v1/submissions/<uuid:id>/record                     404 404 200 404  id=standing
GET  /api/v1/submissions/<uuid:id>/replay                     404 404 200 404
GET  /api/v1/submissions/<uuid:id>/match                      404 404 200 200  id=match
POST /api/v1/submissions/<uuid:id>/confirmation               401 404 403 403  id=match {"confirmed": true}
POST /api/v1/submissions/<uuid:id>/ruling                     401 403 403 200  id=match {"counts": true, "reason": "x"}

# sets of submissions that are verified again; what an organiser may do is in tests/api/test_reverifications.py
GET  /api/v1/contests/<slug:slug>/reverifications             401 403 403 200
POST /api/v1/contests/<slug:slug>/reverifications             401 403 403 202  {}
GET  /api/v1/contests/<slug:slug>/reverifications/<uuid:id>   401 403 403 404
POST /api/v1/contests/<slug:slug>/reverifications/<uuid:id>/apply  401 403 403 404  {"reason": "x"}
POST /api/v1/contests/<slug:slug>/reverifications/<uuid:id>/cancel 401 403 403 404  {"reason": "x"}

GET  /                                                        200 200 200 200
GET  /status                                                  200 200 200 200
GET  /puzzles                                                 200 200 200 200
GET  /puzzles/<slug:puzzle_id>                                200 200 200 200
GET  /puzzles/<slug:puzzle_id>/replay                         200 200 200 200
GET  /compose/jc-golden-nugget                                200 200 200 200
POST /compose/jc-golden-nugget                                200 200 200 200  {"record": "eA=="}
GET  /replay                                                  303 303 303 303
POST /replay                                                  200 200 200 200  {"record": "eA=="}
GET  /verify                                                  200 200 200 200
POST /verify                                                  200 200 200 200  {"record": "x"}
GET  /static/<path:filename>                                  200 200 200 200
GET  /language/<code>                                         303 303 303 303
GET  /theme/<name>                                            303 303 303 303  name=theme
GET  /contests/<slug:slug>                                    200 200 200 200
GET  /contests/<slug:slug>/compare                            200 200 200 200
GET  /contests/<slug:slug>/reverification                     401 403 403 200
POST /contests/<slug:slug>/reverification                     401 403 403 422  {"contestant": "nobody"}
POST /contests/<slug:slug>/reverification/<uuid:id>           401 403 403 404  {"reason": "x", "act": "apply"}
GET  /contests/<slug:slug>/submit                             200 200 200 200
POST /contests/<slug:slug>/submit                             401 303 303 303  {"record": "x $n"}
GET  /contestants/<name>                                      200 200 200 200
GET  /submissions/<uuid:id>                                   404 404 200 200
GET  /submissions/<uuid:id>                                   200 200 200 200  id=standing
GET  /submissions/<uuid:id>/receipt                           404 404 200 404
GET  /submissions/<uuid:id>/replay                            404 404 200 404
POST /submissions/<uuid:id>/confirmation                      401 404 403 403  id=match2 {"confirmed": "yes"}
POST /submissions/<uuid:id>/ruling                            401 403 403 303  id=match2 {"counts": "no", "reason": "x"}

GET  /organise                                                401 403 403 200
POST /organise                                                401 403 403 422  {"toml": "x"}
GET  /organise/<slug:slug>                                    401 403 403 200
POST /organise/<slug:slug>                                    401 403 403 422  {"act": "freeze", "reason": ""}
GET  /organise/<slug:slug>/submissions                        401 403 403 200
POST /submissions/<uuid:id>/decision                          401 403 403 303  {"act": "reinstate", "reason": "x"}

GET  /register                                               200 200 200 200
POST /register                                               200 200 200 200  {"name": "New $n"}
GET  /sign-in                                                200 200 200 200
POST /sign-in                                                422 422 422 422  {"name": "Ada", "password": "a guess"}
POST /sign-out                                               303 303 303 303
GET  /me                                                     303 200 200 200
GET  /me/account                                             303 200 200 200
POST /me/account                                             401 422 422 422  {"act": "name", "name": "a/b"}
POST /me/tokens                                              401 422 422 422  {"act": "make", "scope": "none"}
POST /me/deletion                                            401 422 422 422  {"name": "Nobody"}
GET  /farewell/<uuid:id>                                     404 404 404 404  id=contestant
POST /contestants/<uuid:id>/token                            401 403 403 200  id=contestant {"reason": "x"}
POST /contestants/<uuid:id>/hiding                           401 403 403 303 id=contestant {"reason":"x","act":"unhide"}
"""

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


class Row(NamedTuple):
    """A request and its statuses."""

    method: str
    rule: str
    statuses: tuple[int, ...]
    named: dict[str, str]
    """Things for the path other than those of the arguments' own names."""
    body: str


LINE = re.compile(
    r"(?P<method>[A-Z]+) +(?P<rule>/\S*) +(?P<statuses>\d+( +\d+){3})(?P<named>( +[a-z_]+=\S+)*) *(?P<body>.*)"
)


def rows() -> list[Row]:
    found = []
    for line in ROWS.splitlines():
        if line and not line.startswith("#"):
            parts = LINE.fullmatch(line)
            assert parts, f"Not a row: {line}"
            statuses = tuple(map(int, parts["statuses"].split()))
            named = dict(each.split("=", 1) for each in parts["named"].split())
            found.append(Row(parts["method"], parts["rule"], statuses, named, parts["body"]))
    return found


class Things(dict[str, Any]):
    """What rows name; a function is called each time."""

    def __getitem__(self, name: str) -> str:
        thing = super().__getitem__(name)
        return str(thing() if callable(thing) else thing)


class World(NamedTuple):
    """Somebody of each role, and what their requests are about."""

    app: Flask
    people: dict[str, Contestant | None]
    things: Things

    def ask(self, row: Row, role: str) -> int:
        """Send a row's request; the status of the answer."""
        path = re.sub(r"<(?:\w+:)?(\w+)>", lambda part: self.things[row.named.get(part[1], part[1])], row.rule)
        body = Template(row.body).substitute(self.things)
        client, token = self.app.test_client(), self.token(role)
        elsewhere = {"environ_base": {"REMOTE_ADDR": "192.0.2.1"}, "buffered": False}
        if path.startswith("/api/"):
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            data = RECORD if body == "record" else body or None
            answer = client.open(path, method=row.method, headers=headers, data=data, **elsewhere)
        else:
            self.sit_down(client, token)
            form = {**json.loads(body or "{}"), "csrf_token": "known"} if row.method == "POST" else None
            answer = client.open(path, method=row.method, data=form, **elsewhere)
        answer.close()
        return answer.status_code

    def token(self, role: str) -> str | None:
        """A new token of somebody of that role."""
        if (who := self.people[role]) is None:
            return None
        with transaction() as conn:
            return tokens.issue(conn, who)

    @staticmethod
    def sit_down(client: FlaskClient, token: str | None) -> None:
        """Let the client be a browser, signed in if there is a token, that has seen a form."""
        with client.session_transaction() as session:
            session["csrf"] = "known"
            if token:
                session["token"] = token


@pytest.fixture
def world(app: Flask) -> World:
    contest = new_contest()
    league = new_contest(slug="knights", titles={"en": "Knights"}, puzzle="knight-fight", league=League(per_pair=None))
    with transaction() as conn:
        cyd, ada, olga, _ = (contestants.register(conn, name)[0] for name in ("Cyd", "Ada", "Olga", "Dora"))
        contestants.set_role(conn, olga, "organiser")
        people: dict[str, Contestant | None] = dict(
            zip(ROLES, (None, cyd, ada, contestants.get(conn, olga.id)), strict=True)
        )

    def upload(contest: Any, record: bytes) -> str:
        with transaction() as conn:
            return str(submissions.add(conn, contest.slug, ada, record)[0].id)

    def match(moves: str) -> str:
        return upload(league, f"puzzle: knight-fight\nplayers: Ada, Dora\ndeal: 7\n{moves}".encode())

    def token() -> str:
        """One of Ada's."""
        with transaction() as conn:
            tokens.issue(conn, ada)
            return str(tokens.listed(conn, ada)[0].id)

    things: dict[str, str | Callable[[], Any]] = {
        "n": count(1).__next__,
        "slug": "golden-nugget",
        "league": "knights",
        "id": upload(contest, REJECTED),
        "standing": upload(contest, RECORD + b"# standing"),
        "match": match("c8 j8xa7 b6xg10 h7 d7 i9 f6"),
        "match2": match("c8 j8xa7 b6xg10 h7 d7 resigns"),
        "contestant": str(ada.id),
        "token": token,
        "name": "Ada",
        "puzzle": "maze",
        "puzzle_id": "maze",
        "number": "7",
        "terms": '"titles": {"en": "x"}, "puzzle": "jc-golden-nugget", '
        '"opens_at": "2030-01-01T00:00:00Z", "closes_at": "2030-01-02T00:00:00Z"',
        "filename": "icon.svg",
        "code": "pl",
        "theme": "dark",
    }
    drain()
    return World(app, people, Things(things))


def test_every_route_answers_every_role_as_it_must(world: World) -> None:
    wrong = []
    for row in rows():
        statuses = tuple(world.ask(row, role) for role in ROLES)
        if statuses != row.statuses:
            wrong.append((row.method, row.rule, row.statuses, "but it was", statuses))
    assert not wrong, "\n".join(map(str, wrong))


def test_every_route_has_a_row_and_takes_no_other_method(world: World) -> None:
    routes = {
        (method, rule.rule)
        for rule in world.app.url_map.iter_rules()
        for method in rule.methods or ()
        if method in METHODS
    }
    assert routes == {(row.method, row.rule) for row in rows()}
    for row in {row.rule: row for row in rows()}.values():
        for method in METHODS:
            if (method, row.rule) not in routes:
                assert world.ask(row._replace(method=method, body=""), "organiser") == 405, (method, row.rule)
