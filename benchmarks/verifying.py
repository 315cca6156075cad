"""The verifier beside a plain one, and the start of `nugget verify` beside that of Python."""

import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import plain_verifier
from benchmarks.table import Row, ms, seconds
from verifier import verify

CASES = Path(__file__).parents[1] / "tests/cases/jc-golden-nugget/valid"


def record(name: str) -> bytes:
    """An accepted record of the tests."""
    return (CASES / f"{name}.txt").read_bytes()


def rows(quick: bool) -> Iterator[Row]:
    """Both verifiers on the best and the worst of the longest chains; a start of the command."""
    for name in ("best-200-full", "worst-200-of-99-full"):
        data = record(name)
        score = verify(data).score
        assert score is not None
        assert plain_verifier.score(data) == score
        pairs = [
            (seconds(partial(verify, data)), seconds(partial(plain_verifier.score, data)))
            for _ in range(3 if quick else 15)
        ]
        ours, plain = (sorted(each)[len(each) // 2] for each in zip(*pairs, strict=True))
        moves = score["moves"]
        yield Row(
            f"verify {name} ({moves:,} moves)",
            f"{ms(ours)}, {moves / ours / 1e6:.2f} M moves/s",
            f"plain verifier {ms(plain)}",
            f"{plain / ours:.1f} times as fast",
        )
    yield _start(3 if quick else 15)


def _start(times: int) -> Row:
    """One call of `nugget verify`, with the compiled byte code that any installation has after its first call."""
    command = [sys.executable, "-m", "deploy.cli", "verify", str(CASES / "best-20-short.txt")]
    if (script := Path(sys.executable).with_name("nugget")).exists():
        command = [str(script), *command[3:]]
    with TemporaryDirectory(prefix="gn-bench-") as folder:
        environ = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environ["PYTHONPYCACHEPREFIX"] = folder

        def run(command: list[str]) -> float:
            return seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environ))

        run(command)
        pairs = [(run(command), run([sys.executable, "-c", "pass"])) for _ in range(times)]
    ours, bare = (statistics.median(each) for each in zip(*pairs, strict=True))
    return Row(
        "nugget verify, start to end", ms(ours), f"python -c pass {ms(bare)}", f"{ours / bare:.1f}", "< 100 ms",
        ours < 0.1,
    )  # fmt: skip
