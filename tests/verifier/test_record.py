"""How records are read, text and JSON, as docs/FORMATS.md tells it: which error comes first, and where it is."""

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

from tests.verifier.matches import error
from verifier import verify

ROOT = Path(__file__).parents[2]
FORKY = "puzzle: forky\n"
LAID = "layout:\n16 2\n26 35 14 13 05 03 23 06 04 56\n24 25 46 34 01 36 02 15 45 12"
"""Its lines 2 to 5 where it follows on the line with the puzzle."""


@pytest.mark.parametrize(
    ("record", "code", "line", "column"),
    [
        pytest.param("", "unknown-puzzle", 1, 1, id="nothing"),
        pytest.param("\ufeff", "unknown-puzzle", 1, 1, id="a byte-order mark alone"),
        pytest.param("\ufeff\ufeffpuzzle: forky", "malformed", 1, 1, id="a second byte-order mark is a character"),
        pytest.param("\ufeffpuzzle: forks", "unknown-puzzle", 1, 9, id="the first one counts in no column"),
        pytest.param("resigns\npuzzle: forky", "unknown-puzzle", 1, 1, id="a body before the puzzle"),
        pytest.param("puzzle:\ndeal: 1", "unknown-puzzle", 1, 1, id="no value: the place of the key"),
        pytest.param("puzzle: rus\u017fh", "unknown-puzzle", 1, 9, id="a long s is no s"),
        pytest.param("\u212aey: 1\npuzzle: forky", "malformed", 1, 1, id="a Kelvin sign is no k"),
        pytest.param("puzzle: forky\rdeal: 1", "unknown-puzzle", 1, 9, id="a CR ends no line"),
        pytest.param(",puzzle: forky", "malformed", 1, 1, id="a comma is no white space"),
        pytest.param(" \t: 1", "malformed", 1, 3, id="a colon alone"),
        pytest.param("deal: x\npuzzle: forks", "unknown-puzzle", 2, 9, id="headers wait for the puzzle"),
        pytest.param("deal: x\nfoo: 1\npuzzle: forky", "malformed", 2, 1, id="but not those that no puzzle knows"),
        pytest.param("deal: x\ndeal: 1\npuzzle: forky", "malformed", 2, 1, id="nor the second of two"),
        pytest.param("deal: x\nseed: 1\npuzzle: forky", "malformed", 1, 7, id="then they come in their order"),
        pytest.param("deal: 1\nseed: x\npuzzle: forky", "unknown-deal", 2, 1, id="the second setup before its value"),
        pytest.param("size: x\npuzzle: forky", "malformed", 1, 1, id="another puzzle's header"),
        pytest.param("layout:\n16\npuzzle: forky", "unknown-puzzle", 1, 1, id="a layout does not wait"),
        pytest.param("puzzle: forky\npuzzle: forks", "malformed", 2, 1, id="the puzzle twice"),
        pytest.param(f"{FORKY}deal: 1\nDEAL : 1", "malformed", 3, 1, id="a key twice in other letters"),
        pytest.param(f"{FORKY}resigns", "unknown-deal", 1, 1, id="no setup"),
        pytest.param(f"{FORKY}deal:\t-1", "malformed", 2, 7, id="a sign"),
        pytest.param(f"{FORKY}deal: \u0661", "malformed", 2, 7, id="an Arabic digit"),
        pytest.param(f"{FORKY}deal: 9007199254740992", "unknown-deal", 2, 7, id="2^53"),
        pytest.param(f"{FORKY}deal: {'9' * 9000}", "unknown-deal", 2, 7, id="more digits than an int may have"),
        pytest.param(f"{FORKY}deal: 1 # no. 1\nseed: 1", "unknown-deal", 3, 1, id="deal and seed"),
        pytest.param(f"{FORKY}deal: x\nseed: 1", "malformed", 2, 7, id="the first line is the first error"),
        pytest.param(f"{FORKY}seed: {'a' * 65}", "malformed", 2, 7, id="65 digits"),
        pytest.param(f"{FORKY}seed:", "malformed", 2, 1, id="an empty seed"),
        pytest.param(f"{FORKY}deal: 1\nlayout: 16", "unknown-deal", 3, 1, id="deal and layout, before what it says"),
        pytest.param(f"{FORKY}layout: 16", "malformed", 2, 9, id="something on the layout's line"),
        pytest.param(f"{FORKY}layout:", "malformed", 2, 1, id="no entries"),
        pytest.param(f"{FORKY}{LAID[:-3]}", "malformed", 5, 25, id="an entry too few: the last one"),
        pytest.param(f"{FORKY}{LAID[:-3]}\ndeal: 1", "malformed", 6, 1, id="lines are read until there are enough"),
        pytest.param(f"{FORKY}{LAID} 77", "malformed", 5, 31, id="the first entry too many"),
        pytest.param(f"{FORKY}{LAID} 77".replace("45", "44"), "bad-layout", 5, 25, id="entries before their number"),
        pytest.param(f"{FORKY}{LAID}\ndeal: 1", "unknown-deal", 6, 1, id="a deal behind the layout"),
        pytest.param(f"{FORKY}{LAID}\nseed: x", "malformed", 6, 7, id="a header behind the layout"),
        pytest.param(f"{FORKY}{LAID}\nseed: 38", "wrong-draw", 3, 1, id="a layout is compared when the headers end"),
        pytest.param(f"{FORKY}deal: 1\nplayers: Ann", "malformed", 3, 10, id="one name"),
        pytest.param(f"{FORKY}deal: 1\nplayers: Ann, , ", "malformed", 3, 10, id="empty names"),
        pytest.param(f"{FORKY}deal: 1\nresult: 2-0", "malformed", 3, 9, id="no result"),
        pytest.param(f"{FORKY}deal: 1\nresult: 2, 1", "malformed", 3, 9, id="places of two"),
    ],
)  # fmt: skip
def test_the_header_of_a_text(record: str, code: str, line: int, column: int) -> None:
    assert error(record) == (code, None, line, column)


@pytest.mark.parametrize(
    ("body", "code", "move", "line", "column"),
    [
        pytest.param("", "not-finished", 1, 2, 7, id="the last header's value"),
        pytest.param("\r\n\r\n# no\n", "not-finished", 1, 2, 7, id="comments are no tokens"),
        pytest.param("\n\x0bresigns", "malformed", 1, 3, 1, id="a vertical tab is a character"),
        pytest.param("\n\xa0resigns", "malformed", 1, 3, 1, id="a space that does not break, too"),
        pytest.param("\nre\0signs", "malformed", 1, 3, 1, id="and U+0000"),
        pytest.param("\n\t\U0001f3b2\U0001f3b2 \ufeffpass", "malformed", 1, 3, 2, id="columns are characters"),
        pytest.param("\n,, , 11#22\n,33", "illegal-move", 1, 3, 6, id="a comment inside a word"),
        pytest.param("\nresigns resigns", "illegal-move", 1, 3, 9, id="after the end"),
        pytest.param("\nresigns\nresult: 1-0", "illegal-move", 1, 4, 1, id="no headers in the body"),
        pytest.param("\nresigns result: 1-0", "malformed", None, 3, 1, id="a colon before the first token's line ends"),
        pytest.param("\nresult: 1/2-1/2\nresigns", "wrong-result", None, 3, 9, id="the result is judged last"),
    ],
)
def test_the_body_of_a_text(body: str, code: str, move: int | None, line: int, column: int) -> None:
    assert error(f"{FORKY}deal: 1{body}") == (code, move, line, column)


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [(b"puzzle: forky\n# \xff", 2, 3), (b"\xef\xbb\xbf\xe2\x82", 1, 1), ("é\n\u20ac".encode() + b"\xed\xa0\x80", 2, 2)],
)
def test_the_first_ill_formed_byte(data: bytes, line: int, column: int) -> None:
    found = verify(data).error
    assert found
    assert (found.code, found.line, found.column) == ("malformed", line, column)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("{}", "unknown-puzzle", id="an empty object"),
        pytest.param('{"Puzzle": "forky"}', "unknown-puzzle", id="keys are in lower case"),
        pytest.param('{"puzzle": "forky", "de\\u0061l": 1, "deal": 1}', "malformed", id="a key twice"),
        pytest.param('{"puzzle": "forky", "deal": 1, "moves": ["resigns"]} {}', "malformed", id="trailing text"),
        pytest.param('{"puzzle": "forky", "deal": 1, "moves": ["resigns"]}\0', "malformed", id="a trailing U+0000"),
        pytest.param('{"puzzle": "forky", "deal": 1, "moves": ["res\nigns"]}', "malformed", id="a control character"),
        pytest.param('{"puzzle": "forky", "seed": NaN}', "malformed", id="NaN"),
        pytest.param('{"puzzle": "nope", "x": [[[[[1]]]]]}', "malformed", id="six levels"),
        pytest.param('{"puzzle": "nope", "x": [[[[1]]]]}', "unknown-puzzle", id="five levels"),
        pytest.param('{"a":' * 100_000, "malformed", id="a hundred thousand levels"),
    ],
)
def test_json_as_a_whole(text: str, code: str) -> None:
    assert error(text) == (code, None, None, None)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        pytest.param({"puzzle": 7}, "malformed", id="the puzzle is a string"),
        pytest.param({"puzzle": "nope", "foo": 1}, "unknown-puzzle", id="the puzzle before unknown keys"),
        pytest.param({"deal": -1, "foo": 1}, "malformed", id="unknown keys before values"),
        pytest.param({"deal": 1.0}, "malformed", id="1.0"),
        pytest.param({"deal": True}, "malformed", id="true"),
        pytest.param({"deal": "1"}, "malformed", id="a string"),
        pytest.param({"deal": -1}, "unknown-deal", id="below 0"),
        pytest.param({"deal": 10**5000 + 1}, "unknown-deal", id="more digits than an int may have"),
        pytest.param({"deal": -1, "seed": "x"}, "malformed", id="forms before ranges"),
        pytest.param({"deal": -1, "layout": [1]}, "malformed", id="types before ranges"),
        pytest.param({"deal": 1, "seed": "1"}, "unknown-deal", id="a setup twice"),
        pytest.param({"moves": 1}, "unknown-deal", id="no setup, before the moves"),
        pytest.param({"layout": ["77", 1]}, "malformed", id="types before entries"),
        pytest.param({"layout": ["11"], "moves": 1}, "bad-layout", id="the setup before the moves"),
        pytest.param({"layout": "16 2"}, "malformed", id="a layout is a list"),
        pytest.param({"deal": 1, "players": ["Ann, Bob", "Cy"]}, "malformed", id="a comma in a name"),
        pytest.param({"deal": 1, "players": ["Ann", " "]}, "malformed", id="an empty name"),
        pytest.param({"deal": 1, "result": [1, 2]}, "malformed", id="places of two"),
        pytest.param({"deal": 1}, "malformed", id="no moves"),
        pytest.param({"deal": 1, "moves": "resigns"}, "malformed", id="moves are a list"),
        pytest.param({"deal": 1, "moves": ["11", None]}, "malformed", id="types before moves"),
    ],
)
def test_the_keys_of_json_are_judged_in_one_order_however_they_stand(fields: dict[str, Any], code: str) -> None:
    items = list(({"puzzle": "forky"} | fields).items())
    for form in (items, items[::-1]):
        text = ", ".join(f"{json.dumps(key)}: {_written(value)}" for key, value in form)
        assert error(f"{{{text}}}") == (code, None, None, None)


def _written(value: Any) -> str:
    """As JSON has it; Python writes only so many digits."""
    return "1" + "0" * 5000 if isinstance(value, int) and value > 10**100 else json.dumps(value)


def test_the_moves_of_json() -> None:
    def judged(*moves: str) -> tuple[str, int | None]:
        return error(json.dumps({"puzzle": " FORKY\n", "deal": 1, "moves": moves}))[:2]

    assert judged() == ("not-finished", 1)
    assert judged("") == ("malformed", 1)
    assert judged("\ud800") == ("malformed", 1)
    assert judged("resigns # comment") == ("illegal-move", 1)
    assert judged("RESIGNS", "") == ("illegal-move", 1)
    assert judged("11 xx") == ("illegal-move", 1)


def test_the_examples_of_the_formats() -> None:
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", (ROOT / "docs" / "FORMATS.md").read_text(), re.MULTILINE)
    match, chain, as_json = (textwrap.dedent(block).strip() for block in blocks[:3])
    assert verify(match.encode()).score == {"result": "0-1", "points": [39, 34], "turns": 7}
    assert verify(as_json.split("\n")[0].encode()).score == verify(match.encode()).score
    assert error(chain) == ("unsolved", None, 5, 1)
