"""Verifies records in a small pool of child processes, whose time and memory are limited from outside.

A child runs this very file as its program: it needs the verifier and nothing else, has none of our environment, and
ends when its socket closes. One that hangs or dies is replaced; the record that did it gets an error, the next a fresh
child.
"""

from __future__ import annotations

import atexit
import json
import resource
import signal
import socket
import struct
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, LifoQueue
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier import Film
    from verifier.replay import Frame

CHILDREN = 2
SECONDS = 4.0
"""That a record may take; the longest legal one takes a hundredth of it."""
PATIENCE = 1.0
"""Seconds to wait for a free child."""
MEMORY = 256 * 2**20
"""Bytes that a child may allocate. No record needs more than 100 MB."""
KEPT_OPEN = 2**20
"""Bytes of the records that a child keeps open for their replay; open they take some fifty times as much."""
ROOT = Path(__file__).parents[1]


class Busy(Exception):
    """All children are at work."""


class Failed(Exception):
    """The child gave no answer: it was killed, or died, over this record."""


def run(data: bytes) -> dict[str, Any]:
    """The verdict on a record, as docs/FORMATS.md has it. Raises Busy, Failed."""
    verdict: dict[str, Any] = _pool.ask({"do": "verify"}, data)
    return verdict


def explain(data: bytes) -> dict[str, Any]:
    """{"verdict"; "detail": its sentence as template and values; "layout": what an accepted play started from; "view"}.

    What does not apply is None. Raises Busy, Failed.
    """
    explained: dict[str, Any] = _pool.ask({"do": "explain"}, data)
    return explained


def replay(data: bytes, **part: int | None) -> dict[str, Any] | None:
    """Positions of a record's play as `verifier.Film.show` answers, `part` its arguments. Raises Busy, Failed.

    {"puzzle", "boards", "board", "total", "single", "players", "seats", "hides", "frames": [{"number", "token", "turn",
    "move", "seat", "due", "place": [line, column] or None, "view", "fault": {"error", "detail"} or None}, ...]}.
    """
    found: dict[str, Any] | None = _pool.ask({"do": "replay", **part}, data)
    return found


class Child:
    """A child process at the other end of a socket."""

    def __init__(self) -> None:
        self.socket, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "api.dry_run", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=ROOT,
                env={"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
            )
        resource.prlimit(self.process.pid, resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.prlimit(self.process.pid, resource.RLIMIT_CORE, (0, 0))

    def ask(self, question: dict[str, Any], data: bytes) -> Any:
        """The answer, or Failed; the child is then no longer of use."""
        until = monotonic() + SECONDS
        head = json.dumps(question).encode()
        try:
            self.socket.settimeout(SECONDS)
            self.socket.sendall(struct.pack(">II", len(head), len(data)) + head + data)
            (size,) = struct.unpack(">I", receive(self.socket, 4, until))
            return json.loads(receive(self.socket, size, until))
        except (OSError, EOFError, ValueError) as error:
            raise Failed(repr(error)) from None

    def end(self) -> None:
        self.socket.close()
        self.process.kill()
        self.process.wait()


class Pool:
    """Children that wait for work; each starts when it is first needed."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.places: LifoQueue[Child | None] = LifoQueue()
        for _ in range(CHILDREN):
            self.places.put(None)

    def ask(self, question: dict[str, Any], data: bytes) -> Any:
        with self.child() as child:
            return child.ask(question, data)

    @contextmanager
    def child(self) -> Iterator[Child]:
        try:
            child = self.places.get(timeout=PATIENCE)
        except Empty:
            raise Busy from None
        try:
            if child is not None and child.process.poll() is not None:
                child.end()
                child = None
            if child is None:
                child = Child()
            yield child
        except BaseException:
            if child is not None:
                child.end()
            child = None
            raise
        finally:
            self.places.put(child)

    def close(self) -> None:
        """End the children that wait for work."""
        with suppress(Empty):
            while True:
                if child := self.places.get_nowait():
                    child.end()


_pool = Pool()
atexit.register(_pool.close)


def receive(source: socket.socket, size: int, until: float | None = None) -> bytes:
    """So many bytes, by that time; or EOFError, OSError."""
    data = bytearray()
    while len(data) < size:
        if until is not None:
            source.settimeout(max(0.001, until - monotonic()))
        part = source.recv(min(size - len(data), 1 << 20))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


films: dict[bytes, Film] = {}
"""In a child: the records whose replay was asked for last, by their bytes."""


def answer(question: dict[str, Any], data: bytes) -> Any:
    """What the child does."""
    import verifier

    if question["do"] == "verify":
        return verifier.verify(data).to_json()
    if question["do"] == "explain":
        verdict = verifier.verify(data)
        error = verdict.error
        return {
            "verdict": verdict.to_json(),
            "detail": {"template": error.template, "values": error.values} if error else None,
            "layout": verdict.setup.text if verdict.setup else None,
            "view": verdict.view().to_json() if verdict.view else None,
        }
    del question["do"]
    try:
        found = film(data).show(**question)
    except verifier.Rejected:
        return None
    return {**found._asdict(), "frames": [told(frame) for frame in found.frames]}


def film(data: bytes) -> Film:
    """The record opened for looking at; the last ones are kept open, as somebody steps through them."""
    import verifier

    known = films.pop(data, None)
    if known is None:
        while films and sum(map(len, films)) + len(data) > KEPT_OPEN:
            films.pop(next(iter(films)))  # the one not asked for the longest
        known = verifier.Film(data)
    films[data] = known
    return known


def told(frame: Frame) -> dict[str, Any]:
    """A frame of a replay as it goes back."""
    at, fault = frame.at, frame.at.fault
    return {
        "number": frame.number,
        **{name: getattr(at, name) for name in ("token", "turn", "move", "seat", "due")},
        "place": frame.place,
        "view": frame.view.to_json(),
        "fault": fault
        and {
            "error": {"code": fault.code, "message": fault.message, **fault.places},
            "detail": {"template": fault.template, "values": fault.values},
        },
    }


def serve(connection: socket.socket) -> None:
    """The child's whole life: questions and answers, until the parent is gone."""
    while True:
        try:
            head, size = struct.unpack(">II", receive(connection, 8))
            question, data = json.loads(receive(connection, head)), receive(connection, size)
        except EOFError:
            return
        signal.alarm(int(SECONDS) + 2)  # whatever becomes of the parent
        reply = json.dumps(answer(question, data)).encode()
        connection.sendall(struct.pack(">I", len(reply)) + reply)
        signal.alarm(0)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
