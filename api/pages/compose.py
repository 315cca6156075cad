"""The composer: a page to play JC Golden Nugget on, whose script plays by the rules and keeps what was played."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from flask import render_template, request, url_for
from markupsafe import Markup

from api import picture
from api.i18n import _
from api.pages.base import bp
from api.pages.hints import CHAIN
from api.pages.replay import brought
from leaderboard import contests
from leaderboard.db import transaction
from verifier.puzzles.jc_golden_nugget import START
from verifier.puzzles.jc_golden_nugget import picture as position

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


class Face(NamedTuple):
    """One side of a block, as the pictures of the other pages draw it."""

    side: int
    """1 for side A, which odd boards show, 0 for side B."""
    block: int
    kind: str
    name: str
    drawn: Markup


@bp.get("/compose/jc-golden-nugget")
def compose() -> ResponseReturnValue:
    """The composer; `submission` names one to open in it, `contest` the one to upload to."""
    submission = request.args.get("submission", type=UUID)
    return _page(record=url_for("submissions.record", id=submission) if submission else None)


@bp.post("/compose/jc-golden-nugget")
def compose_carried() -> ResponseReturnValue:
    """The composer with the record that the form carries, which is stored nowhere, to be opened in it."""
    return _page(carried=brought()[1])


def _page(**more: str | None) -> str:
    with transaction() as conn:
        running = [
            contest
            for contest in contests.listed(conn)
            if contest.puzzle == CHAIN and contest.phase in ("open", "frozen")
        ]
    return render_template(
        "compose.html",
        running=running,
        chosen=request.args.get("contest"),
        faces=faces(),
        start=position(START, 0),
        words=words(),
        **more,
    )


def faces() -> list[Face]:
    """Both sides of all blocks."""
    return [
        Face(1 - side, int(cell.label), cell.kind, picture.said(cell), Markup(picture.tile(cell)))  # noqa: S704
        for side in (0, 1)
        for row in position(START, side).panels[0].rows
        for cell in row
    ]


def words() -> dict[str, str]:
    """What the script says, by the names that it has there; it fills in the fields."""
    return {
        # Lines by the side that a push comes from, and what a push would do.
        "line-0": _("{move}: down column {n}."),
        "line-1": _("{move}: left along row {n}."),
        "line-2": _("{move}: up column {n}."),
        "line-3": _("{move}: right along row {n}."),
        "would": _("White block {white} comes to the front; one step on: {blocks}."),
        "no-white-block": _("There is no white block in this line, so nothing can be pushed."),
        "no-coloured-block-moves": _("Only white blocks would move: a push must move a coloured block."),
        "too-many-moves": _("99 moves are made on this board, and that is the most."),
        # What has happened.
        "pushed": _("{move}: white block {white} is in front. Move {n} of 99."),
        "solved": _("Board {n} is solved: turn it over, or go on pushing."),
        "solved-last": _("Board 200 is solved, and that is the last one."),
        "turned": _("Turned over: board {n}."),
        "not-solved": _("A board is turned over when it is solved."),
        "here": _("Board {board}, move {move}."),
        "undone": _("Taken back. Board {board}, move {move}."),
        "redone": _("Pushed again. Board {board}, move {move}."),
        "nothing-back": _("There is nothing before this."),
        "nothing-on": _("There is nothing to push again."),
        "kept": _("What came after it, up to board {board}, is kept under Other lines."),
        "forgotten": _("That line is forgotten."),
        "back-again": _("That line is back."),
        "not-saved": _(
            "This browser does not keep what you play (its storage is full or closed). Download the record."
        ),
        # Where we are.
        "where": _("Board {n}"),
        "side-1": _("side A"),
        "side-0": _("side B"),
        "move": _("Move {n} of 99"),
        "inside": _("{n} of 25 coloured blocks inside"),
        "is-solved": _("solved"),
        "board": _("Board {board}, {state}, moves: {n}"),
        "open": _("not solved yet"),
        "start": _("Start"),
        "step": _("{move}, move {n}"),
        "total": _("Solved boards: {boards}. Moves: {moves}. Mean: {mean}."),
        "none": _("No board is solved yet."),
        "need": _("A record needs 20 solved boards; missing: {n}."),
        "shorter": _("Its boards 1 to {n} alone have a better mean: {mean}."),
        "line": _("Up to board {board}, move {move}; leaves at board {from_board}, move {from_move}."),
        "line-mean": _("Mean {mean}."),
        "back": _("Go there"),
        "forget": _("Forget"),
        # Records.
        "opened": _("The record is opened. Boards: {boards}."),
        "opened-fault": _("This record is rejected. It is shown where it breaks: the position is the one before."),
        "rest": _(
            "Behind the fault stand more pushes, up to board {board}: {n}. Mend it first, or try them as they are."
        ),
        "took-over": _("Pushed: {n}. Board {board}, move {move}."),
        "no-record": _("There is no record here that you may read."),
        "accepted": _("The verifier accepts it. Boards: {boards}. Moves: {moves}. Mean: {mean}."),
        "rejected": _("The verifier rejects it."),
        "checking": _("Being checked …"),
        "sending": _("Being sent …"),
        "sent": _("It is received."),
        "copied": _("Copied."),
        "not-copied": _("Copying is not possible here; the text is selected now."),
        "unanswered": _("There was no answer. Your boards are kept here; try again in a moment."),
        "refused": _("It was not taken ({status}). Your boards are kept here."),
        "contest-not-open": _("This contest takes no records now."),
        "quota-used": _("Today's uploads are used up; the next day begins at 00:00 UTC."),
        "unauthorized": _("You are not signed in any more. Sign in again; your boards are kept here."),
        "csrf": _("This page is too old. Load it again; your boards are kept here."),
        "busy": _("Much is going on right now. Try again in a moment."),
        # Places and reasons of a rejected record.
        "at-board": _("board {n}"),
        "at-move": _("move {n}"),
        "at-line": _("line {n}"),
        "at-column": _("column {n}"),
        "code-too-large": _("It is over 1 MiB."),
        "code-malformed": _("It can't be read here."),
        "code-unknown-puzzle": _("It is not a record of jc-golden-nugget."),
        "code-board-order": _("Boards must be numbered 1, 2, 3 and so on."),
        "code-too-few-boards": _("It has fewer than 20 boards."),
        "code-too-many-boards": _("It has more than 200 boards."),
        "code-too-many-moves": _("This would be a 100th move on one board."),
        "code-no-white-block": _("There is no white block in this line, so nothing can be pushed."),
        "code-no-coloured-block-moves": _("Only white blocks would move: a push must move a coloured block."),
        "code-wrong-white-place": _("The white block is not where the second part of the move says."),
        "code-unsolved": _("The board's moves end before it is solved."),
        "code-missing-position": _("The position of the solved board is not written down."),
        "code-wrong-position": _("The position written down is not the one that the moves lead to."),
    }
