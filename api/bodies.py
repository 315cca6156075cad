"""The bytes of a request: all of them, or an error.

Servers hand a view a silently shortened body when the client hangs up. So a body is read here before any view runs:
a Content-Length is required and must be met. Views and the framework's own parsers then find all of it in memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from threading import Condition
from typing import Any, Protocol
from urllib.parse import unquote_to_bytes

from flask import Flask, current_app, g, request
from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder, NeedData

from api.problems import Problem, invalid
from verifier import verify
from verifier.record import LIMIT

AROUND = 64 * 1024
"""What the other fields of a form, and the lines between them, may add to a record."""

LIMITS = {"multipart/form-data": LIMIT + AROUND, "application/x-www-form-urlencoded": 3 * LIMIT + AROUND}
"""Bytes of a body by its media type; a byte may be written as three in the second. Any other body is a bare record."""

POLITE = 2
"""A body up to so many times its limit is read before it is refused: some clients only listen when they have spoken."""

MOMENT = 0.5
"""Seconds that a request waits for a place."""

RECORD_FORM = re.compile(rb"(?:[A-Za-z0-9_.%+-]+=[^&\s]*&)*record=")
"""How a form with the field `record` begins. No record that could be accepted begins so: white space, a comment, a
header (`key:`) or `{` stand first in it. So one that is sent as curl does by default, as x-www-form-urlencoded, is
never taken for a form."""


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


def init_app(app: Flask, threads: int) -> None:
    """Read every body before its view. Half of the threads may wait for bodies, a quarter for those of one address."""
    app.extensions["bodies"] = Places(max(1, threads // 2), max(1, threads // 4))
    app.before_request(take)


class Places:
    """How many bodies are being received: in all, and from each address.

    A thread that reads from a client waits as long as the client likes: the server knows no time limit for bodies.
    """

    def __init__(self, most: int, most_of_one: int):
        self.most, self.most_of_one = most, most_of_one
        self.taken: Counter[str] = Counter()
        self.changed = Condition()

    @contextmanager
    def place(self, address: str) -> Iterator[None]:
        """Hold a place; if there is none within a moment, say so as a problem."""
        with self.changed:
            if not (self._free(address) or self.changed.wait_for(lambda: self._free(address), MOMENT)):
                raise Problem("too-many-uploads", "Please try again in a moment.", headers={"Retry-After": "2"})
            self.taken[address] += 1
        try:
            yield
        finally:
            with self.changed:
                self.taken[address] -= 1
                if not self.taken[address]:
                    del self.taken[address]
                self.changed.notify_all()

    def _free(self, address: str) -> bool:
        return self.taken.total() < self.most and self.taken[address] < self.most_of_one


def take() -> None:
    """Read the body, and put it where the framework looks for it."""
    environ = request.environ
    if request.method in ("GET", "HEAD", "OPTIONS") or request.routing_exception:
        return
    if request.method == "DELETE" and not environ.get("CONTENT_LENGTH") and "HTTP_TRANSFER_ENCODING" not in environ:
        return  # it has no body, and need not say so
    if environ.get("HTTP_CONTENT_ENCODING", "identity").strip().lower() != "identity":
        raise Problem("bad-encoding", "Send the bytes as they are, without a Content-Encoding.")
    g.body = whole(LIMITS.get(request.mimetype, LIMIT))
    environ["wsgi.input"] = BytesIO(g.body)


def whole(limit: int) -> bytes:
    """Every byte that the client promised, or an error; never a part of them."""
    promised = request.content_length
    if promised is None or "HTTP_TRANSFER_ENCODING" in request.environ:
        raise Problem("length-required", "Send a Content-Length; a chunked body is not taken.")
    if promised > POLITE * limit:
        raise too_large(limit)
    if not promised:
        return b""
    with current_app.extensions["bodies"].place(request.remote_addr or ""):
        size, body = _read(request.environ["wsgi.input"], promised, limit)
    if size < promised:
        raise Problem("body-cut-short", f"{promised} bytes were promised, {size} came; nothing was stored.")
    if size > limit:
        raise too_large(limit)
    return body


def _read(stream: Stream, promised: int, limit: int) -> tuple[int, bytes]:
    """How many bytes came, and the first of them, up to the limit."""
    size, body = 0, bytearray()
    while size < promised and (part := stream.read(min(promised - size, 64 * 1024))):
        size += len(part)
        body += part[: max(0, limit - len(body))]
    return size, bytes(body)


def too_large(limit: int) -> Problem:
    """The problem; with the verdict that a record of this size would get."""
    verdict = verify(bytes(LIMIT + 1)).to_json()
    return Problem("too-large", f"At most {limit} bytes are taken.", verdict=verdict)


def record() -> bytes:
    """The record that the request brings, as the very bytes: the body, or a form's field `record` (a file or text).

    What the media type says of the record itself doesn't matter: the verifier judges its bytes.
    """
    data = _field(parts()) if is_form() else g.body
    if len(data) > LIMIT:
        raise too_large(LIMIT)
    return data


def is_form() -> bool:
    """Whether the body is a form, rather than a record that is only labelled as one."""
    if request.mimetype == "application/x-www-form-urlencoded":
        return bool(RECORD_FORM.match(g.body))
    return request.mimetype == "multipart/form-data"


def parts() -> list[tuple[str, bytes]]:
    """A form's fields and files in their order, as the very bytes: (name, content)."""
    if request.mimetype == "multipart/form-data":
        return list(_multipart(request.mimetype_params.get("boundary", "").encode("latin-1", "replace"), g.body))
    pairs = (part.partition(b"=") for part in g.body.replace(b"+", b" ").split(b"&"))
    return [(unquote_to_bytes(name).decode(errors="replace"), unquote_to_bytes(value)) for name, _, value in pairs]


def _field(found: list[tuple[str, bytes]]) -> bytes:
    records = [content for name, content in found if name == "record"]
    if not records:
        raise invalid("The form has no field `record`.", pointer="/record")
    # A page's form has a field for a file and one for text, of which one stays empty.
    filled = [content for content in records if content] or records[:1]
    if len(filled) > 1:
        raise invalid("The form has more than one record.", pointer="/record")
    return filled[0]


def _multipart(boundary: bytes, body: bytes) -> Any:
    if not boundary:
        raise Problem("bad-form", "The Content-Type names no boundary.")
    decoder = MultipartDecoder(boundary, max_parts=100)
    decoder.receive_data(body)
    decoder.receive_data(None)
    name, content = "", bytearray()
    try:
        while not isinstance(event := decoder.next_event(), (Epilogue, NeedData)):
            if isinstance(event, (Field, File)):
                name, content = event.name or "", bytearray()
            elif isinstance(event, Data):
                content += event.data
                if not event.more_data:
                    yield name, bytes(content)
    except ValueError:
        raise Problem("bad-form", "The body is not the multipart form that its Content-Type promises.") from None
