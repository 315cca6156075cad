"""nugget verify as a user calls it: a process, its output and its exit status."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases" / "jc-golden-nugget"
GOOD, BAD = CASES / "valid" / "full-20.txt", CASES / "invalid" / "token-P0.txt"


def nugget_verify(*arguments: object, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    # Isolated and without site-packages: there is nothing but the standard library.
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from verifier.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, *map(str, arguments)],
        input=data,
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_one_line_a_file_in_the_order_of_the_arguments() -> None:
    done = nugget_verify("--json", BAD, GOOD, "-", data=b"nothing")
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    assert [verdict["accepted"] for verdict in verdicts] == [False, True, False]
    assert verdicts[0]["error"]["code"] == "malformed"
    assert verdicts[2]["error"]["code"] == "unknown-puzzle"
    assert (done.returncode, done.stderr) == (1, b"")


def test_all_accepted_is_0_and_the_line_says_the_score() -> None:
    done = nugget_verify(GOOD, GOOD)
    assert done.returncode == 0
    assert (
        done.stdout.decode().splitlines()
        == [f"{GOOD}: accepted, jc-golden-nugget: boards 20, moves 577, mean 577/20"] * 2
    )


def test_a_file_that_cannot_be_opened_is_2_and_the_others_are_still_verified(tmp_path: Path) -> None:
    done = nugget_verify(tmp_path / "none", GOOD, tmp_path, BAD)
    assert done.returncode == 2
    assert len(done.stdout.splitlines()) == 2
    assert len(done.stderr.splitlines()) == 2


def test_only_what_the_record_needs_is_loaded() -> None:
    """Most of a call's time is imports (docs/BENCHMARKS.md)."""
    program = f"""import sys; sys.path.insert(0, {str(ROOT)!r}); from verifier.cli import main; main()
print(*sys.modules)"""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, GOOD], capture_output=True, text=True, timeout=60, check=True
    )
    loaded = set(done.stdout.splitlines()[1].split())
    assert "verifier.puzzles.jc_golden_nugget" in loaded
    assert not loaded & {"verifier.puzzles.maze", "verifier.games.forky", "argparse", "dataclasses", "json"}


def test_a_wrong_call_is_2() -> None:
    assert nugget_verify().returncode == 2
    assert nugget_verify("--jsn", GOOD).returncode == 2


def test_a_file_of_any_length_is_too_large_and_not_read_whole() -> None:
    done = nugget_verify("--json", "/dev/zero")
    assert json.loads(done.stdout)["error"]["code"] == "too-large"


def test_a_terminal_that_lacks_a_character_still_gets_the_line(tmp_path: Path) -> None:
    odd = tmp_path / "zażółć.txt"
    odd.write_bytes(BAD.read_bytes())
    command = [sys.executable, "-m", "verifier.cli", str(odd)]
    environment = {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"za\\u017c" in done.stdout
