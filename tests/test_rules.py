"""What holds for every line of the registry."""

import ast
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import verifier
from verifier import RULES, View, steps, verify
from verifier.chance import Stream
from verifier.rules import Setup
from verifier.verdict import CODES

ROOT = Path(__file__).parents[1]
CASES = ROOT / "tests" / "cases"
EACH = pytest.mark.parametrize("id", RULES)
SETUPS = pytest.mark.parametrize("id", [name for name, rules in RULES.items() if "deal" in rules.headers])


def records(id: str) -> list[Path]:
    return sorted(CASES.glob(f"{id}/*/*"))


def accepted(id: str) -> list[Path]:
    stated = json.loads((CASES / id / "expected.json").read_text())
    return [CASES / id / name for name, verdict in stated.items() if verdict["accepted"]]


@EACH
@given(body=st.text())
def test_any_text_at_all_gets_a_verdict(id: str, body: str) -> None:
    verdict = verify(f"puzzle: {id}\n{body}".encode(errors="ignore"))
    assert verdict.puzzle == id
    assert json.dumps(verdict.to_json())


@given(data=st.binary())
def test_any_bytes_at_all_get_a_verdict(data: bytes) -> None:
    assert not verify(data).accepted


@EACH
@given(data=st.data())
def test_a_record_with_a_stretch_changed_gets_a_verdict_that_can_be_written_down(id: str, data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from(records(id))).read_bytes()[:20_000]
    at = data.draw(st.integers(0, len(whole)))
    other = data.draw(
        st.one_of(st.binary(max_size=8), st.text(max_size=8).map(lambda text: text.encode(errors="ignore")))
    )
    verdict = verify(whole[:at] + other + whole[at + data.draw(st.integers(0, 8)) :])
    written = json.dumps(verdict.to_json())
    assert verdict.error is None or (
        verdict.error.code in CODES and verdict.error.message in json.loads(written)["error"]["message"]
    )
    assert verdict.view is None or isinstance(verdict.view(), View)


@EACH
def test_every_record_can_be_looked_at_step_by_step(id: str) -> None:
    for record in records(id):
        data = record.read_bytes()
        for step in steps(data, limit=60):
            assert json.dumps(step.view.to_json())
        verdict = verify(data)
        assert verdict.view is not None or not verdict.accepted


@EACH
def test_an_accepted_record_has_a_key_of_whole_numbers(id: str) -> None:
    for record in accepted(id):
        score = verify(record.read_bytes()).score
        assert score is not None
        assert all(type(part) is int for part in RULES[id].key(score))


@EACH
def test_notation_does_not_change_what_was_played(id: str) -> None:
    """Upper case, lower case, commas and comments: the same play, so the same hash of it."""
    for record in accepted(id):
        text = record.read_text(encoding="utf-8-sig")
        if text.lstrip().startswith("{") or len(text) > 500_000:
            continue
        plays = {verify(form.encode()).play for form in (text, text.lower(), text.replace("\n", " # aside\n"))}
        assert len(plays) == 1, record
        assert None not in plays


@EACH
@pytest.mark.parametrize(
    "unit", [b" ", b"\n", b",\n", b"#\n", b"a ", b"1 ", b": ", b"layout:\n", "é ".encode(), b"\xf0\x9f\x8e\xb2"]
)
def test_a_megabyte_of_anything_takes_little_memory(id: str, unit: bytes) -> None:
    head = f"puzzle: {id}\n".encode()
    data = head + unit * ((1_048_576 - len(head)) // len(unit))
    tracemalloc.start()
    try:
        assert not verify(data).accepted
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


@SETUPS
@given(deal=st.integers(0, 2**53 - 1))
def test_a_deal_written_out_is_the_same_setup(id: str, deal: int) -> None:
    dealt = verifier.setup_of(id, f"deal: {deal}")
    assert isinstance(dealt, Setup)
    written = verifier.setup_of(id, f"layout:\n{dealt.text}")
    assert written == dealt
    assert isinstance(written, Setup)
    assert (dealt.name, written.name, written.text) == (f"deal {deal}", "", dealt.text)


@SETUPS
def test_equal_setups_have_equal_hashes_and_others_differ(id: str) -> None:
    setups = [verifier.setup_of(id, f"deal: {deal}") for deal in (1, 1, 2)]
    assert len({setup and setup.text for setup in setups}) == len(set(setups)) == 2


def test_the_core_needs_nothing_but_the_standard_library() -> None:
    for file in (ROOT / "verifier").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.split(".")[0] in {"verifier", *standard()}, (file, name)


def standard() -> frozenset[str]:
    import sys

    return sys.stdlib_module_names | {"__future__"}


def vectors() -> list[Any]:
    """What a fresh stream gives (verifier/draws.json)."""
    table = json.loads((Path(__file__).parent / "verifier" / "draws.json").read_text())
    return [pytest.param(row, id=f"{row['id']} {row['seed']}") for row in table]


@pytest.mark.parametrize("row", vectors())
def test_the_stream_gives_the_words_that_anyone_can_recompute(row: dict[str, Any]) -> None:
    def drawn(n: int, kind: str, *arguments: Any) -> list[int]:
        stream, found = Stream(row["id"], row["seed"]), []
        for _ in range(n):
            value, stream = getattr(stream, kind)(*arguments)
            found.append(value)
        return found

    assert [f"{word:016x}" for word in drawn(5, "word")] == row["words"]
    assert drawn(8, "below", 25) == row["below25"]
    assert drawn(12, "die") == row["die"]
    assert drawn(3, "below", 2**63 + 1) == row["large"]
    order, rest = Stream(row["id"], row["seed"]).shuffle(range(10))
    assert list(order) == row["shuffle"]
    assert rest.below(100)[0] == row["after"]
