"""nugget deal: what a number stands for, as a layout, as a picture, as JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deploy.cli import main
from verifier import RULES, Rejected, setup_of, verify
from verifier.deal import deal

DEALT = [rules.id for rules in RULES.values() if "deal" in rules.headers]

MAZE_1 = """\
puzzle: maze
layout:
8S AD 5H 7C 8D . 5D QC .
8C . JC AH . AS . 5S .
2D QD JD 4H 2S QS 6H 2H 3H
6S AC 7S 9H 3D 9D 3C JH TH
9C TD 9S 2C 5C JS 6C 3S 7D
TC 4C 7H QH 6D 4D 8H 4S TS

# deal 1:
#   8S/1   AD/2   5H/3   7C/4   8D/5   ./6    5D/7   QC/8   ./9
#   8C/10  ./11   JC/12  AH/13  ./14   AS/15  ./16   5S/17  ./18
#   2D/19  QD/20  JD/21  4H/22  2S/23  QS/24  6H/25  2H/26  3H/27
#   6S/28  AC/29  7S/30  9H/31  3D/32  9D/33  3C/34  JH/35  TH/36
#   9C/37  TD/38  9S/39  2C/40  5C/41  JS/42  6C/43  3S/44  7D/45
#   TC/46  4C/47  7H/48  QH/49  6D/50  4D/51  8H/52  4S/53  TS/54
"""
KLONDIKE_7 = """\
puzzle: piecepack-klondike
layout:
AN
C4 AA
M5 A3 A5
M4 C3 S4 A2
CA CN A4 S3 S2
C5 SN M3 S5 MN SA

# deal 7:
# Towers
# 1  AN
# 2  (C4)  AA
# 3  (M5)  (A3)  A5
# 4  (M4)  (C3)  (S4)  A2
# 5  (CA)  (CN)  (A4)  (S3)  S2
# 6  (C5)  (SN)  (M3)  (S5)  (MN)  SA
# Foundations
#    S  M  C  A
# F  .  .  .  .
"""
BRAIN_BURN_7 = """\
puzzle: brain-burn
layout:
M2/N MA/4 C5/5 SA/3 C2/5
S5/5 AA/2 CA/4 A4/N C3/2
. A5/3 AN/A SN/3 A2/N
C4/2 S3/5 CN/A M5/A M3/2
S4/N A3/4 M4/4 S2/3 MN/A

# deal 7:
#    1     2     3     4     5
# 1  M2/N  MA/4  C5/5  SA/3  C2/5
# 2  S5/5  AA/2  CA/4  A4/N  C3/2
# 3  .     A5/3  AN/A  SN/3  A2/N
# 4  C4/2  S3/5  CN/A  M5/A  M3/2
# 5  S4/N  A3/4  M4/4  S2/3  MN/A
"""


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [("maze 1", MAZE_1), ("piecepack-klondike 007", KLONDIKE_7), ("brain-burn 7", BRAIN_BURN_7)],
)
def test_the_worked_examples_are_printed(arguments: str, printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deal", *arguments.split()]) == 0
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize("id", DEALT)
def test_json_says_the_same(id: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deal", id, "12", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    setup = setup_of(id, "deal: 12")
    assert setup
    assert (found["puzzle"], found["deal"], found["layout"]) == (id, 12, setup.text.split("\n"))
    assert found["view"]["panels"]


@pytest.mark.parametrize("id", DEALT)
@given(number=st.integers(0, 2**53 - 1))
def test_what_is_printed_is_the_head_of_a_record_from_that_deal(id: str, number: int) -> None:
    head = str(deal(id, str(number)))
    assert verify(head.encode()).puzzle == id
    written = setup_of(id, head.partition("\n")[2])
    assert written == setup_of(id, f"deal: {number}")


@pytest.mark.parametrize(
    ("puzzle", "number", "code"),
    [
        ("maze", str(2**53), "unknown-deal"),
        ("maze", "9" * 10_000, "unknown-deal"),
        ("maze", "-1", "malformed"),
        ("maze", "1\nlayout:", "malformed"),
        ("maze", "\u0661", "malformed"),
        ("maze", "", "malformed"),
        ("chess", "1", "unknown-puzzle"),
        ("jc-golden-nugget", "1", "unknown-puzzle"),
    ],
)
def test_what_is_no_deal_is_refused(puzzle: str, number: str, code: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Rejected) as refused:
        deal(puzzle, number)
    assert refused.value.code == code
    if not number.startswith("-"):
        assert main(["deal", puzzle, number]) == 2
        assert capsys.readouterr().err.startswith("nugget deal: ")


def test_the_largest_deal_and_leading_zeros() -> None:
    assert deal("maze", "0" * 5000 + "9007199254740991").number == 2**53 - 1
    assert deal("maze", "000").number == 0
