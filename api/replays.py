"""A record's play, position by position: as JSON, and as the pages show it."""

from __future__ import annotations

import gzip
from typing import Any

from flask import Response, current_app, jsonify, request
from markupsafe import Markup, escape

from api import dry_run, i18n, picture, schemas
from api.excerpt import around, lines_of
from api.i18n import _
from verifier.record import fold

CELLS = 2000
"""About so many cells are drawn at once: so an answer with pictures stays below a megabyte, and packs well."""
NEAR = 24
"""Characters shown before the token, so that it is in sight beside the picture and on a phone."""
SMALLEST = 1400
"""Bytes below which packing gains nothing."""


def answer(data: bytes, part: dict[str, Any]) -> Response:
    """What the replay routes answer, packed where the client takes that."""
    limit = part["limit"]
    seat = part["seat"] - 1 if part["seat"] else None
    found = dry_run.replay(data, board=part["board"], first=part["first"], limit=limit, seat=seat)
    body: dict[str, Any] = {"boards": 0, "board": part["board"], "total": 0, "players": [], "steps": [], "next": None}
    if found:
        frames = [frame for frame in found["frames"] if frame["number"] >= part["first"]]
        shown = Shown(found, data) if part["pictures"] else None
        end = part["first"] + limit
        body = {
            **{name: found[name] for name in ("boards", "board", "total", "players")},
            "steps": [step(frame, shown) for frame in frames],
            "next": end if end < found["total"] else None,
        }
    response = jsonify(schemas.Replay().dump(body))
    response.vary.update(("Cookie", "Accept-Language", "Accept-Encoding"))
    if request.accept_encodings["gzip"] and len(response.get_data()) > SMALLEST:
        response.set_data(gzip.compress(response.get_data(), 4, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    return response


def step(frame: dict[str, Any], shown: Shown | None) -> dict[str, Any]:
    """A step as `schemas.Step` dumps it: with its view, or as a page shows it."""
    line, column = frame["place"] or (None, None)
    told = {
        **{name: frame[name] for name in ("number", "token", "turn", "move")},
        **{name: None if frame[name] is None else frame[name] + 1 for name in ("seat", "due")},
        "line": line,
        "column": column,
        "error": frame["fault"] and frame["fault"]["error"],
    }
    return {**told, **shown.all_of(frame)} if shown else {**told, "view": frame["view"]}


class Shown:
    """A replay as pages show it, in the reader's language; `found` is what dry_run.replay answers."""

    def __init__(self, found: dict[str, Any], data: bytes):
        self.found = found
        self.lines = lines_of(data)
        self.template = current_app.jinja_env.get_template("verdict.html").module

    def all_of(self, frame: dict[str, Any]) -> dict[str, str]:
        """The parts of a page that change with the position."""
        return {
            "picture": self.picture(frame),
            "said": self.said(frame),
            "now": self.now(frame),
            "record": self.record(frame),
        }

    def picture(self, frame: dict[str, Any]) -> Markup:
        """The position, with its notes."""
        return picture.render(picture.view_of(frame["view"]), self.title(frame))

    def title(self, frame: dict[str, Any]) -> str:
        """Which position it is."""
        if frame["fault"]:
            if "move" not in frame["fault"]["error"]:
                return _("The position that the moves lead to.")
            return _("The position before the faulty move, which is marked.")
        if not frame["number"]:
            return _("The position at the start.")
        return _("The position after move {n}.", n=frame["turn"])

    def where(self, frame: dict[str, Any]) -> str:
        """Board and move."""
        several, n = self.found["boards"] > 1, frame["turn"]
        if not frame["number"]:
            return _("Board {board}, at the start", board=self.found["board"]) if several else _("At the start")
        return _("Board {board}, move {n}", board=self.found["board"], n=n) if several else _("Move {n}", n=n)

    def player(self, seat: int | None) -> str:
        """The name of a seat, and who sits there."""
        if seat is None:
            return ""
        seats, players = self.found["seats"], self.found["players"]
        called = i18n.word(seats[seat]) if seat < len(seats) else str(seat + 1)
        return f"{called} ({players[seat]})" if players else called

    def token(self, frame: dict[str, Any]) -> str:
        """The token of a position as the record writes it."""
        return self.written(frame) or str(frame["token"])

    def written(self, frame: dict[str, Any]) -> str:
        """The same, if it has a place and stands there; JSON may write it by escapes."""
        if not frame["place"]:
            return ""
        line, column = frame["place"]
        found = self.lines[line - 1][column - 1 :][: len(frame["token"])]
        return found if fold(found) == frame["token"] else ""

    def said(self, frame: dict[str, Any]) -> str:
        """What has happened, in a few sentences."""
        by = self.player(frame["seat"])
        head = ", ".join(filter(None, [self.where(frame), by if frame["number"] else ""]))
        token = self.token(frame)
        told = f"{head}: {token}." if token else f"{head}."
        if frame["fault"]:
            return f"{told} {i18n.sentence(frame['fault']['detail'], frame['fault']['error'])}"
        view = picture.view_of(frame["view"])
        signs = [sign for panel in view.panels[:2] for sign in picture.signs_of(panel)]
        due = [_("On turn: {player}.", player=self.player(frame["due"]))] if frame["due"] is not None else []
        return " ".join([told, *signs[:6], *map(picture.written, view.notes), *due])

    def now(self, frame: dict[str, Any]) -> Markup:
        """The same as a headline: where, who, and the token; what is wrong with it; who is on turn."""
        by, token = self.player(frame["seat"]), self.token(frame)
        parts = [Markup("<strong>{}</strong>").format(self.where(frame))]
        parts += [escape(by)] if by and frame["number"] else []
        parts += [Markup("<code>{}</code>").format(token)] * bool(token)
        html = Markup("<p>{}</p>").format(Markup(" · ").join(parts))
        if frame["fault"]:
            sentence = i18n.sentence(frame["fault"]["detail"], frame["fault"]["error"])
            html += Markup('<p class="note bad break">{}</p>').format(sentence)
        elif frame["due"] is not None:
            html += Markup('<p class="muted">{}</p>').format(_("On turn: {player}.", player=self.player(frame["due"])))
        return html

    def record(self, frame: dict[str, Any]) -> Markup:
        """The lines of the record around the token, which is marked, and where it stands; nothing for the start."""
        if not frame["place"]:
            return Markup()
        line, column = frame["place"]
        lines = around(self.lines, line, column, len(self.written(frame)), NEAR)
        marked = Markup(self.template.marked(lines, not frame["fault"]))  # type: ignore[attr-defined]  # noqa: S704
        where = _("Line {line}, column {column} of the record.", line=line, column=column)
        return marked + Markup('<p class="small muted">{}</p>').format(where)


def chunk(view: dict[str, Any]) -> int:
    """How many positions like this one are fetched at once."""
    cells = sum(len(row) for panel in view["panels"] for row in panel["rows"])
    return max(8, min(50, CELLS // max(1, cells)))
