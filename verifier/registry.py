"""One line for each puzzle and game."""

from verifier.games.admiral_battleboats import AdmiralBattleboats
from verifier.games.big_bang import BigBang
from verifier.games.dark_knight_fight import DarkKnightFight
from verifier.games.dominate import Dominate
from verifier.games.fast_knight_fight import FastKnightFight
from verifier.games.flag_rush import FlagRush
from verifier.games.forky import Forky
from verifier.games.fourmate import Fourmate
from verifier.games.knight_fight import KnightFight
from verifier.games.knights_64 import Knights64
from verifier.games.mad_chess import MadChess
from verifier.games.num_bears import NumBears
from verifier.games.risky_die import RiskyDie
from verifier.games.rush import Rush
from verifier.games.war_of_13 import WarOf13
from verifier.puzzles.brain_burn import BrainBurn
from verifier.puzzles.jc_golden_nugget import JcGoldenNugget
from verifier.puzzles.maze import Maze
from verifier.puzzles.piecepack_klondike import PiecepackKlondike
from verifier.rules import Rules

ALL: tuple[Rules, ...] = (
    JcGoldenNugget(),
    BrainBurn(),
    PiecepackKlondike(),
    Maze(),
    Forky(),
    RiskyDie(),
    FlagRush(),
    MadChess(),
    BigBang(),
    Fourmate(),
    Dominate(),
    KnightFight(),
    DarkKnightFight(),
    FastKnightFight(),
    Knights64(),
    NumBears(),
    AdmiralBattleboats(),
    Rush(),
    WarOf13(),
)

RULES: dict[str, Rules] = {rules.id: rules for rules in ALL}
