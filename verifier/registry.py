"""One line for each puzzle and game."""

from verifier.puzzles.jc_golden_nugget import JcGoldenNugget
from verifier.rules import Rules

ALL: tuple[Rules, ...] = (
    JcGoldenNugget(),  # the trailing comma keeps one on each line
)

RULES: dict[str, Rules] = {rules.id: rules for rules in ALL}
