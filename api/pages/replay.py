"""The replay viewer: any record move by move, by links without JavaScript, by keys and a slider with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import abort, make_response, render_template, request, url_for

from api import auth, dry_run, i18n, replays
from api.pages.base import bp, mark
from api.pages.examples import example
from api.pages.puzzles import heading
from leaderboard import submissions
from leaderboard.db import transaction
from verifier import RULES

if TYPE_CHECKING:
    from uuid import UUID

    from flask import Response
    from flask.typing import ResponseReturnValue


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
        name=row.contestant,
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
        heading=heading(puzzle_id),
    )


def page(data: bytes, error: dict[str, Any] | None, **more: Any) -> Response:
    """The viewer at the address's board and move; at the start, or at the error, where that says nothing."""
    stated = {key: number(key) for key in ("board", "move", "step", "seat")}
    opens_at_error = error is not None and stated["board"] is None
    board = stated["board"] or (error or {}).get("board") or 1
    at = {"move": stated["move"], "first": stated["step"]}
    if stated["move"] is None and stated["step"] is None and not opens_at_error:
        at["first"] = 0
    seat = stated["seat"] - 1 if stated["seat"] in (1, 2) else None
    found = dry_run.replay(data, board=board, seat=seat, **at)
    if found and not found["frames"]:
        abort(404)
    if found and not found["hides"]:
        seat = None
    shown = replays.Shown(found, data) if found else None
    frame = found["frames"][0] if found else None
    html = render_template(
        "replay.html",
        found=found,
        frame=frame,
        shown=shown,
        seat=seat,
        chunk=replays.chunk(frame["view"]) if frame else 0,
        address=lambda board, step, seat: address(found, board, step, seat),
        **more,
    )
    response = make_response(html)
    mark(response)
    return response


def number(key: str) -> int | None:
    """A number of the address; 404 for anything else."""
    written = request.args.get(key)
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
