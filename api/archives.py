"""The archive of a published contest, and the key by which receipts are checked.

Each web process makes an archive when it is first asked for, into a temporary file without a name, in one moment of
the database and at the disk's pace. It is sent from there, so a slow client holds neither a transaction nor memory; how
many are sent at once is limited, and a part can be asked for again (Range). Another archive is made only when the
contest has changed.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from io import RawIOBase
from threading import BoundedSemaphore, Condition, Thread
from time import monotonic
from typing import Any

import structlog
from flask import Flask, Response, current_app, request
from werkzeug.wsgi import FileWrapper

from api import schemas
from api.contests import found
from api.openapi import Blueprint
from api.problems import Problem
from leaderboard import archive, db
from leaderboard.contests import Contest
from leaderboard.db import Unavailable, transaction
from leaderboard.receipts import Signer
from leaderboard.settings import Settings

log = structlog.get_logger()

bp = Blueprint("archives", __name__, url_prefix="/api/v1", description="Check a contest yourself.")

PATIENCE = 5.0
"""Seconds that a request waits for an archive that is being made."""
LONGEST = 15 * 60.0
"""Seconds that sending may take; then the client asks for the rest."""
KEPT = 4
"""Archives that a process keeps."""
PIECE = 64 * 1024


@dataclass(frozen=True)
class Made:
    """An archive in a temporary file, which is gone when nobody uses this any more."""

    stamp: str
    file: int
    """Its descriptor."""
    size: int
    sha256: str


class Archives:
    """The archives of a process, one being made at a time."""

    def __init__(self, settings: Settings, key: str) -> None:
        self.settings, self.key = settings, key
        self.made: dict[str, Made] = {}
        self.making: str | None = None
        self.changed = Condition()

    def get(self, contest: Contest, stamp: str) -> Made | None:
        """The archive as of that stamp; None if it is not made within the time that a request waits."""
        until = monotonic() + PATIENCE
        with self.changed:
            while (made := self.made.get(contest.slug)) is None or made.stamp != stamp:
                if self.making is None:
                    self.making = contest.slug
                    Thread(target=self._make, args=[contest.slug, stamp], daemon=True, name="archive").start()
                if not self.changed.wait(until - monotonic()) and monotonic() >= until:
                    return None
        return made

    def _make(self, slug: str, stamp: str) -> None:
        made = None
        try:
            made = self._made(slug, stamp)
        except (archive.NotYet, Unavailable, OSError) as error:
            log.warning("archive not made", contest=slug, reason=str(error))
        except Exception as error:
            log.error("archive not made", contest=slug, exc_info=error)
        with self.changed:
            self.making = None
            if made:
                self.made.pop(slug, None)
                self.made[slug] = made
                for old in list(self.made)[:-KEPT]:
                    del self.made[old]
            self.changed.notify_all()

    def _made(self, slug: str, stamp: str) -> Made:
        began = monotonic()
        with tempfile.TemporaryFile() as file:
            with db.connect(self.settings.database_url) as conn:
                archive.write(conn, slug, self.key, file)
            size = file.tell()
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            made = Made(stamp, os.dup(file.fileno()), size, digest)
        weakref.finalize(made, os.close, made.file)  # when the last one who sends it lets go of it
        log.info("archive made", contest=slug, size=size, seconds=round(monotonic() - began, 3))
        return made


class Reader(RawIOBase):
    """A file as one client reads it: at a place of its own, for a time. `end` is called when it is closed."""

    def __init__(self, made: Made, end: Callable[[], None]) -> None:
        self._made, self._end, self._at, self._until = made, end, 0, monotonic() + LONGEST

    def read(self, size: int = -1) -> bytes:
        if monotonic() > self._until:
            return b""  # fewer bytes than promised: the client knows
        part = os.pread(self._made.file, PIECE if size < 0 else size, self._at)
        self._at += len(part)
        return part

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset if whence == 0 else self._at + offset if whence == 1 else self._made.size + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def close(self) -> None:
        if not self.closed:
            self._end()
        super().close()


def init_app(app: Flask, settings: Settings) -> None:
    """At most a quarter of the threads send archives."""
    signer = app.extensions["signer"] = Signer(settings)
    app.extensions["archives"] = Archives(settings, signer.key)
    app.extensions["sending"] = BoundedSemaphore(max(1, settings.web_threads // 4))


RANGE = {"name": "Range", "in": "header", "schema": {"type": "string"}, "description": "`bytes=N-`: from byte N on."}


@bp.get("/contests/<slug:slug>/archive")
@bp.doc(parameters=[RANGE])
@bp.response(200, {"type": "string"}, content_type="application/x-tar", description="The archive.")
@bp.alt_response(206, description="The part that was asked for.", success=True)
@bp.alt_response(304, description="It is the one that the client has.", success=True)
@bp.problems("not-found", "not-published", "archive-not-ready", "bad-range")
def download(slug: str) -> Response:
    """Everything of a published contest in one tar file; `nugget reproduce` checks it."""
    with transaction() as conn:
        contest = found(conn, slug)
        if not contest.published:
            raise Problem("not-published", "Records are sealed until then.", phase=contest.phase)
        stamp = archive.stamp(conn, contest)
        ready = archive.ready(conn, contest)
    archives: Archives = current_app.extensions["archives"]
    made = archives.get(contest, stamp) if ready else None
    sending = current_app.extensions["sending"]
    if made is None or not sending.acquire(blocking=False):
        raise Problem("archive-not-ready", "Please try again in a moment.", headers={"Retry-After": "5"})
    body: Any = FileWrapper(Reader(made, sending.release), PIECE)  # type: ignore[arg-type]
    response = Response(body, content_type="application/x-tar", direct_passthrough=True)
    response.content_length = made.size
    response.set_etag(made.sha256)
    response.headers["Content-Disposition"] = f'attachment; filename="{contest.slug}.tar"'
    response.headers["Cache-Control"] = "no-cache"
    try:
        return response.make_conditional(request, accept_ranges=True, complete_length=made.size)  # type: ignore[return-value]
    except Exception:
        response.close()
        raise


@bp.get("/key")
@bp.response(200, schemas.Key)
def key() -> dict[str, str]:
    """The public key by which receipts are checked."""
    signer: Signer = current_app.extensions["signer"]
    return {"algorithm": "Ed25519", "key": signer.key, "pem": signer.pem}
