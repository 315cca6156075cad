"""The routes of re-verifications, for organisers: choose submissions, see what would change, apply or cancel it."""

from __future__ import annotations

from typing import Any, get_args
from uuid import UUID

from marshmallow import Schema, fields, validate

from api.contests import organised
from api.openapi import READ_TOKEN, TOKEN, Blueprint
from api.problems import Problem, invalid
from api.schemas import Name, Truth, Verdict, Whole, _text, _words, about
from leaderboard import contestants, correction, reverification
from leaderboard.contestants import Contestant
from leaderboard.contests import Contest
from leaderboard.correction import Preview
from leaderboard.db import Connection
from leaderboard.reverification import Filter, Reverification
from verifier.verdict import CODES

bp = Blueprint(
    "reverifications", __name__, url_prefix="/api/v1", description="Sets of submissions that are verified again."
)


class Chosen(Schema):
    """Which decided submissions of the contest; what is left out asks nothing, `{}` chooses all."""

    setup = Whole(validate=validate.Range(1, 1000), metadata=about("By its number."))
    accepted = Truth(metadata=about("Accepted ones, or rejected ones."))
    code = fields.String(validate=validate.OneOf(CODES), metadata=about("The error of the present verdict."))
    older_than = fields.String(
        validate=[validate.Length(1, 40), _text],
        metadata=about("The present verdict is of an older verifier version than this one."),
    )
    received_from = fields.AwareDateTime()
    received_before = fields.AwareDateTime()
    contestant = fields.String(validate=[validate.Length(1, 200), _text], metadata=about("By name."))
    ids = fields.List(fields.UUID(), validate=validate.Length(1, 10_000))


class Why(Schema):
    """Why it is done: organisers and, if it changes the board, everybody can read it."""

    reason = fields.String(required=True, validate=[validate.Length(1, 500), _words])


class ChangedVerdict(Schema):
    """A submission whose verdict becomes another one."""

    submission = fields.UUID(required=True)
    contestant = fields.Nested(Name, required=True)
    received_at = fields.AwareDateTime(required=True)
    kind = fields.String(required=True, validate=validate.OneOf(("accepted", "rejected", "score", "error")))
    ranks = fields.Boolean(required=True, metadata=about("In time and not disqualified."))
    old = fields.Nested(Verdict, required=True)
    new = fields.Nested(Verdict, required=True)


class ChangedRank(Schema):
    """A contestant whose rank changes."""

    contestant = fields.Nested(Name, required=True)
    old_rank = fields.Integer(required=True, allow_none=True, metadata=about("null: was not on the board."))
    new_rank = fields.Integer(required=True, allow_none=True, metadata=about("null: leaves the board."))


class ChangedBoard(Schema):
    """How the ranks of a board change."""

    board = fields.String(
        required=True,
        validate=validate.OneOf(("live", "frozen")),
        metadata=about("`live`: of all results; `frozen`: the one that stays public through the freeze."),
    )
    rise = fields.Integer(required=True)
    fall = fields.Integer(required=True)
    enter = fields.Integer(required=True)
    leave = fields.Integer(required=True)
    ranks = fields.List(fields.Nested(ChangedRank), required=True, metadata=about("By new rank, at most 200."))


class PreviewOf(Schema):
    """What applying it changes."""

    verdicts = fields.Dict(
        keys=fields.String(), values=fields.Integer(), required=True, metadata=about("How many change, by kind.")
    )
    changes = fields.List(fields.Nested(ChangedVerdict), required=True, metadata=about("At most 200."))
    boards = fields.List(fields.Nested(ChangedBoard), required=True)


class ReverificationOf(Schema):
    """A set of submissions that is verified again, and how far it is."""

    id = fields.UUID(required=True)
    version = fields.String(required=True, metadata=about("Of the verifier that judges it."))
    filter = fields.Dict(required=True)
    state = fields.String(required=True, validate=validate.OneOf(get_args(reverification.State)))
    created_by = fields.String(required=True)
    created_at = fields.AwareDateTime(required=True)
    ended_by = fields.String(required=True, allow_none=True)
    ended_at = fields.AwareDateTime(required=True, allow_none=True)
    reason = fields.String(required=True)
    changed = fields.Integer(required=True, allow_none=True, metadata=about("Verdicts that it changed when applied."))
    total = fields.Integer(required=True)
    decided = fields.Integer(required=True, metadata=about("Of `total`; the rest is waiting or being verified."))
    failed = fields.Integer(required=True, metadata=about("Could not be verified; they keep their verdicts."))
    odd = fields.Integer(
        required=True, metadata=about("This very version said something else before; they keep their verdicts.")
    )
    ready = fields.Boolean(required=True, metadata=about("All is verified: it can be applied."))
    outdated = fields.Boolean(required=True, metadata=about("Another verifier version runs: it can only be cancelled."))
    preview = fields.Nested(PreviewOf, required=True, allow_none=True, metadata=about("null unless ready."))


class Reverifications(Schema):
    """Those of a contest, the newest first."""

    reverifications = fields.List(fields.Nested(ReverificationOf), required=True)


@bp.post("/contests/<slug:slug>/reverifications")
@bp.doc(security=TOKEN)
@bp.arguments(Chosen)
@bp.response(202, ReverificationOf, description="They are verified in the background, when no upload waits.")
@bp.problems("not-found", "forbidden", "reverification-open", "bad-json", "invalid")
def begin(asked: dict[str, Any], slug: str) -> dict[str, Any]:
    """Verify submissions again by the running verifier version. Nothing changes until it is applied."""
    with organised(slug) as (conn, contest, organiser):
        return dumped(create(conn, contest, organiser, asked))


def create(conn: Connection, contest: Contest, organiser: Contestant, asked: dict[str, Any]) -> Reverification:
    """A new set of what is asked, or the problem."""
    if name := asked.get("contestant"):
        who = contestants.by_name(conn, name)
        if who is None:
            raise invalid("Nobody is called like that.", pointer="/contestant")
        asked = {**asked, "contestant": who.id}
    try:
        return reverification.create(conn, contest, organiser, Filter(**asked))
    except reverification.StillOpen as error:
        raise Problem("reverification-open", str(error)) from None
    except reverification.NothingChosen as error:
        raise invalid(str(error), pointer="") from None


@bp.get("/contests/<slug:slug>/reverifications")
@bp.doc(security=READ_TOKEN)
@bp.response(200, Reverifications)
@bp.problems("not-found", "forbidden")
def every(slug: str) -> dict[str, Any]:
    """The re-verifications of a contest, the newest first, without previews."""
    with organised(slug) as (conn, contest, _):
        rows = reverification.listed(conn, contest)
    return {"reverifications": [dumped(row) for row in rows]}


@bp.get("/contests/<slug:slug>/reverifications/<uuid:id>")
@bp.doc(security=READ_TOKEN)
@bp.response(200, ReverificationOf)
@bp.problems("not-found", "forbidden")
def show(slug: str, id: UUID) -> dict[str, Any]:
    """How far it is; once all is verified, the verdicts and ranks that would change, as of now."""
    with organised(slug) as (conn, contest, _):
        return dumped(*previewed(conn, contest, get(conn, contest, id)))


@bp.post("/contests/<slug:slug>/reverifications/<uuid:id>/apply")
@bp.doc(security=TOKEN)
@bp.arguments(Why)
@bp.response(200, ReverificationOf, description="`preview` says what has changed.")
@bp.problems("not-found", "forbidden", "reverification-ended", "reverification-not-ready", "bad-json", "invalid")
def apply(said: dict[str, str], slug: str, id: UUID) -> dict[str, Any]:
    """Let the new verdicts count, all in one act. Ranks are worked out anew from what is known at this moment."""
    with organised(slug) as (conn, contest, organiser):
        return dumped(*applied(conn, contest, get(conn, contest, id), organiser, said["reason"]))


@bp.post("/contests/<slug:slug>/reverifications/<uuid:id>/cancel")
@bp.doc(security=TOKEN)
@bp.arguments(Why)
@bp.response(200, ReverificationOf)
@bp.problems("not-found", "forbidden", "reverification-ended", "bad-json", "invalid")
def cancel(said: dict[str, str], slug: str, id: UUID) -> dict[str, Any]:
    """Give it up: every verdict and rank stays as it is."""
    with organised(slug) as (conn, contest, organiser):
        return dumped(cancelled(conn, contest, get(conn, contest, id), organiser, said["reason"]))


def get(conn: Connection, contest: Contest, id: UUID) -> Reverification:
    """That set of the contest, or 404."""
    if row := reverification.get(conn, contest, id):
        return row
    raise Problem("not-found")


def previewed(conn: Connection, contest: Contest, row: Reverification) -> tuple[Reverification, Preview | None]:
    """The set, and what it would change if it is ready."""
    return row, correction.preview(conn, contest, row) if row.ready else None


def applied(
    conn: Connection, contest: Contest, row: Reverification, organiser: Contestant, reason: str
) -> tuple[Reverification, Preview]:
    """The set as it is then, and what has changed; or the problem."""
    try:
        done = correction.apply(conn, contest, row.id, organiser, reason.strip())
    except correction.NotOpen as error:
        raise Problem("reverification-ended", str(error)) from None
    except (correction.NotReady, correction.Outdated) as error:
        raise Problem("reverification-not-ready", str(error)) from None
    return get(conn, contest, row.id), done


def cancelled(
    conn: Connection, contest: Contest, row: Reverification, organiser: Contestant, reason: str
) -> Reverification:
    """The set as it is then, or the problem."""
    try:
        correction.cancel(conn, contest, row.id, organiser, reason.strip())
    except correction.NotOpen as error:
        raise Problem("reverification-ended", str(error)) from None
    return get(conn, contest, row.id)


def dumped(row: Reverification, preview: Preview | None = None) -> dict[str, Any]:
    """A set as `ReverificationOf` dumps it."""
    return {**vars(row), "ready": row.ready, "outdated": row.outdated, "preview": preview and _preview(preview)}


def _preview(preview: Preview) -> dict[str, Any]:
    return {
        "verdicts": preview.kinds,
        "changes": [
            {**vars(each), "kind": each.kind, "contestant": {"id": each.contestant, "name": each.name}}
            for each in preview.changes
        ],
        "boards": [
            {
                "board": "live" if moves.live else "frozen",
                **{name: getattr(moves, name) for name in ("rise", "fall", "enter", "leave")},
                "ranks": [
                    {
                        "contestant": {"id": move.contestant, "name": move.name},
                        "old_rank": move.old_rank,
                        "new_rank": move.new_rank,
                    }
                    for move in moves.moves
                ],
            }
            for moves in preview.boards
        ],
    }
