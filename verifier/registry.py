"""One line for each puzzle and game."""

from verifier.games.knight_fight import KnightFight
from verifier.puzzles.brain_burn import BrainBurn
from verifier.puzzles.jc_golden_nugget import JcGoldenNugget
from verifier.rules import Rules

ALL: tuple[Rules, ...] = (
    JcGoldenNugget(),
    BrainBurn(),
    KnightFight(),
)

RULES: dict[str, Rules] = {rules.id: rules for rules in ALL}
