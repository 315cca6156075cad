"""The children that verify for nobody in particular: limited from outside, replaced when they fail."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from api import dry_run
from api.dry_run import Busy, Child, Failed, Pool
from tests.api.conftest import RECORD
from verifier import verify

HANGS = """
def answer(question, data):
    if data == b"hang":
        while True:
            pass
    if data == b"die":
        import os
        os.abort()
    if data == b"eat":
        kept = []
        while True:
            kept.append(bytearray(10_000_000))
    return {"accepted": True}
"""
"""A child whose verifier has faults that ours, we hope, has not."""


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    """One child, a verifier with faults behind the real protocol and the real limits."""
    package = tmp_path / "api"
    package.mkdir()
    (package / "__init__.py").touch()
    own = Path(dry_run.__file__).read_text()
    (package / "dry_run.py").write_text(
        own.replace('if __name__ == "__main__":', HANGS + '\nif __name__ == "__main__":')
    )
    monkeypatch.setattr(dry_run, "ROOT", tmp_path)
    monkeypatch.setattr(dry_run, "CHILDREN", 1)
    pool = Pool()
    yield pool
    pool.close()


def ask(pool: Pool, data: bytes) -> object:
    return pool.ask({"do": "verify"}, data)


@pytest.mark.parametrize("fault", [b"hang", b"die", b"eat"])
def test_a_child_that_fails_is_replaced(pool: Pool, fault: bytes) -> None:
    assert ask(pool, b"") == {"accepted": True}
    with pytest.raises(Failed):
        ask(pool, fault)
    assert ask(pool, b"") == {"accepted": True}


def test_a_child_that_was_killed_while_idle_is_replaced(pool: Pool) -> None:
    ask(pool, b"")
    child = pool.places.get()
    assert child
    pool.places.put(child)
    os.kill(child.process.pid, signal.SIGKILL)
    child.process.wait()
    assert ask(pool, b"") == {"accepted": True}


def test_when_all_are_at_work(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dry_run, "PATIENCE", 0.1)
    monkeypatch.setattr(dry_run, "SECONDS", 3.0)

    def hang() -> None:
        with pytest.raises(Failed):
            ask(pool, b"hang")

    other = Thread(target=hang)
    other.start()
    while not pool.places.empty():
        time.sleep(0.01)
    with pytest.raises(Busy):
        ask(pool, b"")
    other.join()
    assert ask(pool, b"") == {"accepted": True}


@pytest.fixture
def child() -> Iterator[Child]:
    child = Child()
    yield child
    child.end()


def test_the_verdict_is_the_verifiers_own(child: Child) -> None:
    for data in (RECORD, b"", b"\xff", b"#" * 2**20):
        assert child.ask({"do": "verify"}, data) == verify(data).to_json()


def test_a_child_knows_nothing_of_the_service(child: Child) -> None:
    child.ask({"do": "verify"}, b"")  # by its answer it has loaded everything and closed the files
    environment = Path(f"/proc/{child.process.pid}/environ").read_bytes()
    assert {line.partition(b"=")[0] for line in environment.split(b"\0") if line} == {
        b"PYTHONPATH",
        b"PYTHONDONTWRITEBYTECODE",
    }
    opened = {os.readlink(link) for link in Path(f"/proc/{child.process.pid}/fd").iterdir()}
    assert {target.partition(":")[0] for target in opened} == {"/dev/null", "socket"}


def test_a_child_ends_with_its_parent(child: Child) -> None:
    child.ask({"do": "verify"}, b"")
    child.socket.close()
    assert child.process.wait(5) == 0


def test_the_records_asked_for_last_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dry_run, "films", {})
    monkeypatch.setattr(dry_run, "KEPT_OPEN", 2 * len(RECORD) + 10)
    one, two, three = (RECORD + more for more in (b"", b"#", b"##"))
    first = dry_run.film(one)
    dry_run.film(two)
    assert dry_run.film(one) is first
    dry_run.film(three)
    assert list(dry_run.films) == [one, three]
