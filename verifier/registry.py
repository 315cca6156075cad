"""One line for each puzzle and game."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.rules import Rules


class Registry(MutableMapping[str, "Rules"]):
    """Rules by id. A module is loaded when its rules are first asked for: a single record needs only its own."""

    def __init__(self, places: dict[str, str]) -> None:
        self._places = places
        self._loaded: dict[str, Rules] = {}

    def __getitem__(self, id: str) -> Rules:
        if id not in self._loaded:
            module, name = self._places[id].split(":")
            self[id] = getattr(import_module(f"verifier.{module}"), name)()
        return self._loaded[id]

    def __setitem__(self, id: str, rules: Rules) -> None:
        assert rules.id == id
        self._loaded[id] = rules
        self._places.setdefault(id, "")

    def __delitem__(self, id: str) -> None:
        del self._places[id]
        self._loaded.pop(id, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


RULES = Registry(
    {
        "jc-golden-nugget": "puzzles.jc_golden_nugget:JcGoldenNugget",
        "brain-burn": "puzzles.brain_burn:BrainBurn",
        "piecepack-klondike": "puzzles.piecepack_klondike:PiecepackKlondike",
        "maze": "puzzles.maze:Maze",
        "forky": "games.forky:Forky",
        "risky-die": "games.risky_die:RiskyDie",
        "flag-rush": "games.flag_rush:FlagRush",
        "mad-chess": "games.mad_chess:MadChess",
        "big-bang": "games.big_bang:BigBang",
        "fourmate": "games.fourmate:Fourmate",
        "dominate": "games.dominate:Dominate",
        "knight-fight": "games.knight_fight:KnightFight",
        "dark-knight-fight": "games.dark_knight_fight:DarkKnightFight",
        "fast-knight-fight": "games.fast_knight_fight:FastKnightFight",
        "knights-64": "games.knights_64:Knights64",
        "num-bears": "games.num_bears:NumBears",
        "admiral-battleboats": "games.admiral_battleboats:AdmiralBattleboats",
        "rush": "games.rush:Rush",
        "war-of-13": "games.war_of_13:WarOf13",
    }
)
