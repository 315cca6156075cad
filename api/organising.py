"""The routes of organisers: hold a contest, decide about submissions, tell everybody; what the public reads of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from flask.typing import ResponseReturnValue

from api import auth, schemas
from api import organising_schemas as own
from api.contests import found, organised
from api.openapi import READ_TOKEN, TOKEN, Blueprint
from api.problems import Problem, invalid
from leaderboard import audit, contestants, invitations, notices, organising, oversight, queue, submissions
from leaderboard.contestants import Contestant
from leaderboard.contests import BadContest, Contest, League
from leaderboard.db import transaction
from leaderboard.oversight import Filter
from worker.bell import ring

bp = Blueprint("organising", __name__, url_prefix="/api/v1", description="What organisers do.")


@contextmanager
def contest_problems() -> Iterator[None]:
    """What is wrong with a contest, as a problem about its field."""
    try:
        yield
    except BadContest as error:
        if error.code == "contest-exists":
            raise Problem("contest-exists", str(error)) from None
        raise invalid(str(error), pointer=f"/{error.field}") from None


@bp.post("/contests")
@bp.doc(security=TOKEN)
@bp.arguments(own.NewContest)
@bp.response(201, schemas.Contest)
@bp.alt_response(200, schema=schemas.Contest, description="It stands already, with the same terms.")
@bp.problems("forbidden", "contest-exists", "bad-json", "invalid")
def create(fields: dict[str, Any]) -> ResponseReturnValue:
    """Announce a contest."""
    who = auth.organiser()
    if fields["league"]:
        fields["league"] = League(**fields["league"])
    with contest_problems(), transaction() as conn:
        made, new = organising.create(conn, who, **fields)
    return made, 201 if new else 200  # type: ignore[return-value]  # flask-smorest dumps it


@bp.post("/contests/<slug:slug>/times")
@bp.doc(security=TOKEN)
@bp.arguments(own.Times)
@bp.response(200, schemas.Contest)
@bp.problems("not-found", "forbidden", "bad-json", "invalid")
def reschedule(said: dict[str, Any], slug: str) -> Contest:
    """Give a contest other times. Who is late and what is public follows at once."""
    reason = said.pop("reason")
    with contest_problems(), organised(slug) as (conn, contest, who):
        return organising.reschedule(conn, contest, who, reason, **said)


@bp.post("/contests/<slug:slug>/acts")
@bp.doc(security=TOKEN)
@bp.arguments(own.Now)
@bp.response(200, schemas.Contest)
@bp.problems("not-found", "forbidden", "bad-json", "invalid")
def act(said: dict[str, Any], slug: str) -> Contest:
    """Freeze, close or publish a contest now, by the database's clock."""
    with contest_problems(), organised(slug) as (conn, contest, who):
        organising.at_once(conn, contest, who, said["reason"], said["act"])
    with transaction() as conn:  # in its new phase
        return found(conn, slug)


@bp.get("/contests/<slug:slug>/invitations")
@bp.doc(security=READ_TOKEN)
@bp.response(200, own.Invitations)
@bp.problems("not-found", "forbidden")
def invited(slug: str) -> dict[str, Any]:
    """Who may play in a contest of a game that is by invitation; nobody in one that is open to all."""
    with organised(slug) as (conn, contest, _):
        return {"invitations": invitations.listed(conn, contest)}


@bp.post("/contests/<slug:slug>/invitations")
@bp.doc(security=TOKEN)
@bp.arguments(own.Invitation)
@bp.response(200, own.Contestant)
@bp.problems("not-found", "forbidden", "bad-json", "invalid")
def invite(said: dict[str, str], slug: str) -> Contestant:
    """Let a contestant play in a contest of a game that is by invitation."""
    with organised(slug) as (conn, contest, who):
        whom = contestants.by_name(conn, said["name"])
        if whom is None:
            raise invalid("Nobody here is called like that.", pointer="/name")
        try:
            invitations.invite(conn, contest, whom, who)
        except invitations.OpenToAll as error:
            raise invalid(str(error), pointer="/name") from None
    return whom


@bp.delete("/contests/<slug:slug>/invitations/<uuid:id>")
@bp.doc(security=TOKEN)
@bp.response(204)
@bp.problems("not-found", "forbidden")
def uninvite(slug: str, id: UUID) -> None:
    """Take a contestant's invitation back. Matches handed in before stay."""
    with organised(slug) as (conn, contest, who):
        if not invitations.withdraw(conn, contest, id, who):
            raise Problem("not-found", "There is no such invitation.")


@bp.get("/contests/<slug:slug>/submissions")
@bp.doc(security=READ_TOKEN)
@bp.arguments(own.SubmissionsOf, location="query")
@bp.response(200, schemas.Submissions)
@bp.problems("not-found", "forbidden")
def of_contest(asked: dict[str, Any], slug: str) -> dict[str, Any]:
    """A contest's submissions, the newest first."""
    limit, last = asked.pop("limit"), asked.pop("cursor", None)
    for name in ("late", "disqualified"):
        if name in asked:
            asked[name] = bool(asked[name])
    with organised(slug) as (conn, contest, _):
        before = submissions.get(conn, _uuid(last)) if last else None
        rows = oversight.of_contest(conn, contest, Filter(**asked), limit + 1, before)
    shown = rows[:limit]
    return {
        "submissions": list(map(schemas.submission, shown)),
        "next": str(shown[-1].id) if len(rows) > limit else None,
    }


@bp.get("/contests/<slug:slug>/alike")
@bp.doc(security=READ_TOKEN)
@bp.response(200, own.AllAlike)
@bp.problems("not-found", "forbidden")
def alike(slug: str) -> dict[str, Any]:
    """Accepted records of several contestants that play the same way, move by move. Nothing follows of itself."""
    with organised(slug) as (conn, contest, _):
        groups = oversight.alike(conn, contest)
    return {"groups": [{"submissions": list(map(schemas.submission, group))} for group in groups]}


@bp.post("/submissions/<uuid:id>/disqualification")
@bp.doc(security=TOKEN)
@bp.arguments(own.Disqualification)
@bp.response(200, schemas.Submission)
@bp.problems("not-found", "forbidden", "bad-json", "invalid")
def disqualify(said: dict[str, Any], id: UUID) -> dict[str, Any]:
    """Take a submission off the board, or back. The board follows at once; the verdict stays."""
    who = auth.organiser()
    with transaction() as conn:
        _submission(conn, id)
        (organising.disqualify if said["disqualified"] else organising.reinstate)(conn, id, who, said["reason"])
        return schemas.submission(_submission(conn, id))


@bp.post("/submissions/<uuid:id>/requeue")
@bp.doc(security=TOKEN)
@bp.arguments(own.Reason)
@bp.response(200, schemas.Submission)
@bp.problems("not-found", "forbidden", "not-failed", "bad-json", "invalid")
def requeue(said: dict[str, str], id: UUID) -> dict[str, Any]:
    """Have a submission that could not be verified tried again."""
    who = auth.organiser()
    with transaction() as conn:
        _submission(conn, id)
        if not queue.retry(conn, id, who, said["reason"]):
            raise Problem("not-failed", "Only a failed submission is tried again.")
        row = _submission(conn, id)
    ring()
    return schemas.submission(row)


@bp.post("/contestants/<uuid:id>/hiding")
@bp.doc(security=TOKEN)
@bp.arguments(own.Hiding)
@bp.response(200, own.Contestant)
@bp.problems("not-found", "forbidden", "bad-json", "invalid")
def hide(said: dict[str, Any], id: UUID) -> Contestant:
    """Hide an offensive name from the public, or show it again."""
    who = auth.organiser()
    with transaction() as conn:
        whom = _contestant(conn, id)
        (organising.hide if said["hidden"] else organising.unhide)(conn, whom, who, said["reason"])
        return _contestant(conn, id)


@bp.get("/contests/<slug:slug>/notices")
@bp.response(200, own.Notices)
@bp.problems("not-found")
def told(slug: str) -> dict[str, Any]:
    """What the organisers tell everybody, the newest first."""
    with transaction() as conn:
        return {"notices": notices.listed(conn, found(conn, slug))}


@bp.post("/contests/<slug:slug>/notices")
@bp.doc(security=TOKEN)
@bp.arguments(own.NoticeTexts)
@bp.response(201, own.Notice)
@bp.problems("not-found", "forbidden", "bad-json", "invalid")
def tell(said: dict[str, Any], slug: str) -> notices.Notice:
    """Post a notice on the contest's page."""
    with notice_problems(), organised(slug) as (conn, contest, who):
        return notices.post(conn, contest, who, said["texts"] or {})


@bp.post("/contests/<slug:slug>/notices/<int:number>")
@bp.doc(security=TOKEN)
@bp.arguments(own.NoticeTexts)
@bp.response(200, own.Notices)
@bp.problems("not-found", "forbidden", "bad-json", "invalid")
def tell_otherwise(said: dict[str, Any], slug: str, number: int) -> dict[str, Any]:
    """Edit a notice, or take it back; all that stand then."""
    with notice_problems(), organised(slug) as (conn, contest, who):
        if said["texts"] is None:
            notices.take_back(conn, contest, who, number)
        else:
            notices.edit(conn, contest, who, number, said["texts"])
        return {"notices": notices.listed(conn, contest)}


@contextmanager
def notice_problems() -> Iterator[None]:
    """What is wrong with a notice, as a problem."""
    try:
        yield
    except notices.BadNotice as error:
        raise invalid(str(error), pointer="/texts") from None
    except notices.NoNotice as error:
        raise Problem("not-found", str(error)) from None


@bp.get("/contests/<slug:slug>/audit")
@bp.doc(security=[{}, *READ_TOKEN])
@bp.arguments(own.AuditOf, location="query")
@bp.response(200, own.Audit)
@bp.problems("not-found")
def log(asked: dict[str, int], slug: str) -> dict[str, Any]:
    """What was done by whom and why in this contest: what the public may read, and for organisers all of it."""
    viewer, limit = auth.viewer(), asked["limit"]
    before = asked.get("before")
    with transaction() as conn:
        contest = found(conn, slug)
        rows: list[Any] = (
            audit.listed(conn, limit + 1, before, contest)
            if viewer and viewer.organiser
            else audit.public(conn, contest, limit + 1, before)
        )
    shown = rows[:limit]
    return {"entries": shown, "next": shown[-1].id if len(rows) > limit else None}


def _submission(conn: Any, id: UUID) -> submissions.Submission:
    if row := submissions.get(conn, id):
        return row
    raise Problem("not-found", "There is no such submission.")


def _contestant(conn: Any, id: UUID) -> Contestant:
    if whom := contestants.get(conn, id):
        return whom
    raise Problem("not-found", "There is no such contestant.")


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise invalid("Not a cursor of this list.", parameter="cursor") from None
