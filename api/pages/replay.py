"""The replay viewer: any record move by move, by links without JavaScript, by keys and a slider with it."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from flask import abort, make_response, redirect, render_template, request, url_for

from api import auth, dry_run, i18n, replays
from api.i18n import _
from api.pages.base import bp, mark
from api.pages.examples import example
from api.pages.puzzles import heading
from leaderboard import submissions
from leaderboard.db import transaction
from verifier import RULES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from flask import Response
    from flask.typing import ResponseReturnValue


STATED = {"board", "move", "step", "seat"}
"""What an address may say of the position."""


@bp.get("/submissions/<uuid:id>/replay")
def replay(id: UUID) -> ResponseReturnValue:
    """A submission's play, for whoever may see its record; a rejected one opens at its error."""
    viewer = auth.viewer()
    with transaction() as conn:
        row = submissions.get(conn, id) or abort(404)
        if not submissions.visible(conn, row, viewer).record:
            abort(404)
        data = submissions.record_of(conn, id) or b""
    error = (row.verdict or {}).get("error")
    return page(
        data,
        error,
        source=url_for("submissions.replay", id=id),
        back=url_for("pages.submission", id=id),
        crumb=_("Submission of {name}", name=row.contestant),
        title=row.contestant,
        sentence=i18n.sentence(row.detail, error) if error and row.detail else None,
    )


@bp.get("/puzzles/<slug:puzzle_id>/replay")
def example_replay(puzzle_id: str) -> ResponseReturnValue:
    """The play of the example record, for everybody."""
    if puzzle_id not in RULES:
        abort(404)
    return page(
        example(puzzle_id).encode(),
        None,
        source=url_for("puzzles.replay", id=puzzle_id),
        back=url_for("pages.puzzle", puzzle_id=puzzle_id),
        crumb=heading(puzzle_id),
        title=heading(puzzle_id),
    )


@bp.get("/replay")
def nothing_to_replay() -> ResponseReturnValue:
    """Such a page carries its record along, as nothing is stored; so by its address alone there is none."""
    return redirect(url_for("pages.verify"), 303)


@bp.post("/replay")
def carried_replay() -> ResponseReturnValue:
    """The play of the record that the form carries, for whoever has it; `at` is the query of a position."""
    data, carried = brought()
    asked = request.form.get("at")
    query = {key: values[0] for key, values in parse_qs(asked.lstrip("?")).items()} if asked else request.form
    told: dict[str, Any] = {} if STATED & query.keys() else dry_run.explain(data)  # only the first time
    error = told["verdict"].get("error") if told else None
    return page(
        data,
        error,
        query,
        source=url_for("verify.replay"),
        back=url_for("pages.verify"),
        crumb=_("Check a record"),
        carried=carried,
        sentence=i18n.sentence(told["detail"], error) if error else None,
    )


def brought() -> tuple[bytes, str]:
    """The record that a form carries in `record`: its bytes, and as it stands there."""
    carried = request.form.get("record", "")
    try:
        return base64.b64decode(carried.encode(), b"-_", validate=True), carried
    except (binascii.Error, ValueError):
        abort(400)


def page(
    data: bytes, error: dict[str, Any] | None, query: Mapping[str, str] | None = None, carried: str = "", **more: Any
) -> Response:
    """The viewer at the board and move of the query; at the start, or at the error, where that says nothing."""
    stated = {key: number(key, request.args if query is None else query) for key in STATED}
    opens_at_error = error is not None and stated["board"] is None
    board = stated["board"] or (error or {}).get("board") or 1
    at = {"move": stated["move"], "first": stated["step"]}
    if stated["move"] is None and stated["step"] is None and not opens_at_error:
        at["first"] = 0
    seat = stated["seat"] - 1 if stated["seat"] in (1, 2) else None
    found = dry_run.replay(data, board=board, seat=seat, **at)
    if found and opens_at_error and not found["frames"]:  # the error is where a board should begin
        board = found["boards"]
        found = dry_run.replay(data, board=board, seat=seat, **at) if board else None
    if found and not found["frames"]:
        abort(404)
    if found and not found["hides"]:
        seat = None
    shown = replays.Shown(found, data) if found else None
    frame = found["frames"][0] if found else None
    more.setdefault("title", heading(found["puzzle"]) if found else _("Your record"))
    html = render_template(
        "replay.html",
        found=found,
        frame=frame,
        shown=shown,
        unshown=opens_at_error and not (frame and frame["fault"]),
        seat=seat,
        chunk=replays.chunk(frame["view"]) if frame else 0,
        address=lambda board, step, seat: address(found, board, step, seat),
        carried=carried,
        **more,
    )
    response = make_response(html)
    mark(response)
    return response


def number(key: str, query: Mapping[str, str]) -> int | None:
    """A number of the query; 404 for anything else."""
    written = query.get(key)
    if not written:
        return None
    if not (written.isascii() and written.isdigit()) or len(written) > 8 or (key == "board" and not int(written)):
        abort(404)
    return int(written)


def address(found: dict[str, Any] | None, board: int, step: int, seat: int | None) -> str:
    """The query for a position: its number is that of its move where each move is one token."""
    assert found
    parts = [f"board={board}"] if found["boards"] > 1 else []
    parts.append(f"{'move' if found['single'] else 'step'}={step}")
    parts += [] if seat is None else [f"seat={seat + 1}"]
    return "?" + "&".join(parts)
