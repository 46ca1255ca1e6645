"""The built-in opponents as data: ten levels per game, from weak to strong, and the opponents of earlier versions.

Ratings are Elo within a game, measured by `tengen calibrate`; level 1 has 600 by convention. The method and the
errors are in docs/measurements/opponents.md. Levels are limited by depth or nodes, so that their strength does not
depend on the machine. Weak levels do not know opening books.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tengen.core.translation import mark


@dataclass(frozen=True)
class LevelEntry:
    """A level: an opponent's name, configuration as `parse_config` reads it, and character."""

    name: str
    config: str
    character: str


class Measured(NamedTuple):
    """The measured strength of a level: the rating, half its 95 % interval relative to level 1, the mean loss per
    move in the game's unit, if measured.
    """

    rating: int
    error: int
    loss: float | None


@dataclass(frozen=True)
class FormerEntry:
    """An opponent of an earlier version; its id never changes, because games and ratings are stored under it."""

    id: str
    config: str


AVATARS = ("snail", "chick", "mouse", "rabbit", "frog", "cat", "fox", "bear", "owl", "dragon")  # by level

LEVELS: dict[str, tuple[LevelEntry, ...]] = {
    "clobber": (
        LevelEntry("Dot", "casual:depth1,overlook=1,book=off", mark("Captures whatever comes first")),
        LevelEntry("Bump", "casual:depth2,haste=0.5,book=off", mark("Looks at your reply every other time")),
        LevelEntry("Tumble", "alphabeta:depth5,book=off", mark("Looks five moves ahead")),
        LevelEntry("Nudge", "alphabeta:depth6,book=off", mark("Looks six moves ahead")),
        LevelEntry("Pebble", "clobber:200nodes", mark("Splits the board into small fights")),
        LevelEntry("Jostle", "clobber:700nodes", mark("Wins short strips without mistakes")),
        LevelEntry("Bramble", "clobber:3000nodes", mark("Solves strips, struggles on wide boards")),
        LevelEntry("Rumble", "clobber:8000nodes", mark("Solves most endgames early")),
        LevelEntry("Granite", "clobber:20000nodes", mark("Solves endgames before you see them")),
        LevelEntry("Basalt", "clobber:60000nodes", mark("Hardly ever gives a won game away")),
    ),
    "go": (
        LevelEntry("Mochi", "casual:depth1,overlook=1,greed=1,local=0.7,book=off", mark("Takes every capture")),
        LevelEntry(
            "Udon", "casual:depth1,overlook=0.8,greed=1,local=0.3,book=off", mark("Loves captures, misses a lot")
        ),
        LevelEntry(
            "Yuzu", "casual:depth1,overlook=0.35,book=off", mark("Saves stones in atari, does not read ahead")
        ),
        LevelEntry(
            "Soba", "casual:40nodes,simple=off,overlook=0.6,book=off", mark("Reads a little, misses quiet moves")
        ),
        LevelEntry("Matcha", "go:50nodes,resign=0.05", mark("Plays good shapes, misreads fights")),
        LevelEntry("Miso", "go:100nodes,resign=0.05", mark("Knows life and death of small groups")),
        LevelEntry("Wasabi", "go:220nodes,resign=0.05", mark("Attacks every weak group")),
        LevelEntry("Bento", "go:500nodes,resign=0.05", mark("Calm and exact in the endgame")),
        LevelEntry("Katsu", "go:1200nodes,resign=0.05", mark("Reads most fights to the end")),
        LevelEntry("Dashi", "go:3000nodes,resign=0.05", mark("Punishes every slack move")),
    ),
    "othello": (
        LevelEntry("Flip", "casual:depth1,greed=1,book=off", mark("Always flips as many discs as possible")),
        LevelEntry(
            "Button", "casual:depth1,greed=0.5,overlook=0.5,book=off", mark("Loves big flips, misses corners")
        ),
        LevelEntry(
            "Pepper", "casual:depth1,greed=0.15,overlook=0.5,book=off", mark("Overlooks every second move")
        ),
        LevelEntry(
            "Domino", "casual:depth1,overlook=0.25,book=off", mark("Likes corners, never looks at your reply")
        ),
        LevelEntry("Inky", "casual:depth2,haste=0.4,overlook=0.1,book=off", mark("Moves too fast now and then")),
        LevelEntry("Cookie", "casual:depth3,haste=0.2,book=off", mark("Keeps its options open")),
        LevelEntry("Marble", "casual:depth4,haste=0.1,book=off", mark("Leaves you with few moves")),
        LevelEntry("Piano", "othello:depth5", mark("Plays edges well")),
        LevelEntry("Eclipse", "othello:depth7", mark("Strong edges and a strong endgame")),
        LevelEntry("Midnight", "othello:depth10", mark("Plays the endgame perfectly")),
    ),
    "pente": (
        LevelEntry("Pip", "casual:depth1,overlook=1,book=off", mark("Overlooks most rows")),
        LevelEntry("Dibs", "casual:depth1,overlook=0.96,greed=1,book=off", mark("Takes every capture")),
        LevelEntry(
            "Twig", "casual:depth1,overlook=0.85,greed=0.3,book=off", mark("Builds rows, often forgets to block")
        ),
        LevelEntry("Jolly", "casual:depth1,overlook=0.6,book=off", mark("Blocks some of your rows")),
        LevelEntry("Acorn", "casual:depth1,overlook=0.25,book=off", mark("Blocks most of your rows")),
        LevelEntry(
            "Rascal", "casual:depth2,haste=0.6,overlook=0.25,book=off", mark("Looks at your reply now and then")
        ),
        LevelEntry("Quill", "casual:depth3,haste=0.2,overlook=0.15,book=off", mark("Sets traps for your pairs")),
        LevelEntry("Saffron", "pente:1500nodes", mark("Combines rows and captures")),
        LevelEntry("Cobalt", "pente:6000nodes", mark("Finds forced wins")),
        LevelEntry("Quintus", "pente:30000nodes", mark("Finds long forced wins")),
    ),
}

# By level; None if not measured yet.
MEASURED: dict[str, tuple[Measured | None, ...]] = {
    "clobber": (
        Measured(600, 0, 0.20),
        Measured(780, 69, 0.28),
        Measured(942, 104, 0.32),
        Measured(1104, 130, None),
        Measured(1226, 149, 0.14),
        Measured(1415, 171, None),
        Measured(1604, 187, None),
        Measured(1688, 198, None),
        Measured(1765, 212, None),
        Measured(1902, 221, None),
    ),
    "go": (
        Measured(600, 0, 7.50),
        Measured(848, 76, 4.82),
        Measured(1002, 113, 6.26),
        Measured(1313, 150, 1.22),
        Measured(1653, 179, 1.60),
        Measured(1744, 188, 1.13),
        Measured(1890, 200, 1.72),
        Measured(2043, 208, 1.18),
        Measured(2189, 216, 0.63),
        Measured(2318, 222, 0.52),
    ),
    "othello": (
        Measured(600, 0, 9.37),
        Measured(822, 86, 7.01),
        Measured(964, 115, 4.53),
        Measured(1367, 160, 2.92),
        Measured(1610, 182, 1.28),
        Measured(1848, 199, 2.10),
        Measured(2010, 215, 0.84),
        Measured(2243, 226, 0.79),
        Measured(2491, 236, 0.37),
        Measured(2769, 256, 0.14),
    ),
    "pente": (
        Measured(600, 0, 0.25),
        Measured(817, 87, 0.15),
        Measured(947, 119, 0.13),
        Measured(1145, 149, 0.20),
        Measured(1416, 174, 0.12),
        Measured(1587, 191, 0.12),
        Measured(1858, 211, 0.08),
        Measured(2155, 235, 0.06),
        Measured(2309, 245, 0.04),
        Measured(2593, 262, 0.02),
    ),
}

GENERIC_LEVELS = (  # of games from plugins
    LevelEntry("Random 1 node", "random:1nodes", mark("Plays random moves")),
    LevelEntry("Flat 500 nodes", "flat:500nodes", mark("Tries every move a few times")),
    LevelEntry("Uct 2000 nodes", "uct:2000nodes", mark("Looks a few moves ahead")),
    LevelEntry("Uct 1 s", "uct:1s", mark("Thinks for a second")),
    LevelEntry("Uct 5 s", "uct:5s", mark("Thinks for five seconds")),
)

_RANDOM = FormerEntry("577f98da-b15b-5be6-9fe9-40afc3b60331", "random:1nodes")
_FLAT = FormerEntry("8992890a-a924-56f7-94ee-acfba2e0f538", "flat:500nodes")
_UCT = FormerEntry("c7a3cb8f-4499-5ee6-b283-98d2ea9014e2", "uct:2000nodes")

GENERIC_IDS = (
    _RANDOM.id, _FLAT.id, _UCT.id, "4ff9fa2c-57e6-58f4-90e8-c31c0dc776bf", "c17ceecd-17ab-5811-8b1c-86205192a6be",
)  # fmt: skip

# From weak to strong. The last two have one and five seconds per move: they give hints and analyse.
FORMER: dict[str, tuple[FormerEntry, ...]] = {
    "clobber": (
        _RANDOM,
        FormerEntry("fb5c544a-a0bc-56a3-845f-b932e0af3496", "alphabeta:depth1"),
        FormerEntry("86876a0e-bb24-5f94-aff7-089a4321ccbd", "alphabeta:depth3"),
        FormerEntry("fd1a3096-37df-538b-90f8-26a3ecb96f65", "clobber:1s"),
        FormerEntry("129943bf-a3e0-50c4-85c6-5f3b67814707", "clobber:5s"),
    ),
    "go": (
        _RANDOM,
        _FLAT,
        _UCT,
        FormerEntry("a17ef124-3261-59f5-a8b9-c778138e7359", "go:100nodes,error=0.15,resign=0.05"),
        FormerEntry("91d9f380-c0b8-53d0-9a44-67b290811248", "go:200nodes,error=0.05,resign=0.05"),
        FormerEntry("3009b997-da49-5f0a-833e-5c982e837fa9", "go:400nodes,resign=0.05"),
        FormerEntry("59fc0a34-ddb0-5c55-a5c9-94a5523a0865", "go:2000nodes,resign=0.05"),
        FormerEntry("1093b1c6-7a82-5eeb-a958-3949b0433544", "go:10000nodes,resign=0.05"),
        FormerEntry("cdc61e8a-a47b-51f7-9126-593b83b3b6a1", "go:1s,resign=0.05"),
        FormerEntry("b91c9030-2495-5c8e-9716-ecc7ec33a096", "go:5s,resign=0.05"),
    ),
    "othello": (
        _RANDOM,
        FormerEntry("3814d25c-6865-5758-b0b8-e3078c438bc0", "othello:depth1,error=12,greed=0.5"),
        FormerEntry("b1173a1b-2319-579e-86cf-087122329985", "othello:depth1,error=6,greed=0.25"),
        FormerEntry("b5b996e8-c8ae-58cb-a940-dcb085db1684", "othello:depth2,error=3"),
        FormerEntry("f17d4362-ad5f-5dde-8f91-5b38b18d415c", "othello:depth4,error=1.5"),
        FormerEntry("a1e6dcd6-318d-5633-9994-1b4a0b6bfa19", "othello:depth6"),
        FormerEntry("f36a4882-6a53-5256-9062-658a19756999", "othello:depth10"),
        FormerEntry("2c900651-c0ac-5e28-a104-f6f2d0438bfc", "othello:1s"),
        FormerEntry("002cbafe-1c31-5613-a1ab-32328de19422", "othello:5s"),
    ),
    "pente": (
        _RANDOM,
        FormerEntry("c0b8f241-e28e-556c-b7c9-79d5c63b43c0", "classic:depth1,vision=60,judgement=60"),
        FormerEntry("de98e3a7-b07e-5395-8f28-7edf2235d6b1", "classic:depth1,vision=70"),
        FormerEntry("0970f029-c7e8-59b0-90e4-749d32ba8dfd", "classic:depth2,vision=80"),
        FormerEntry("d445cbff-da1c-5e0e-8283-c94ffd14cd2a", "classic:depth3,vision=90"),
        FormerEntry("64425875-4bca-54aa-bf10-f8e94941d2d3", "classic:depth4"),
        FormerEntry("e99cb402-ece8-565c-88af-fd783df3297d", "classic:depth6"),
        FormerEntry("a69a1b2e-404e-5d12-8dfa-bcf5cf74bbb8", "pente:20000nodes"),
        FormerEntry("5e5c6b1c-94e6-5213-b107-419cbaac9379", "pente:200000nodes"),
        FormerEntry("36110798-eadf-5ab9-9757-9afe4ffb195b", "pente:1s"),
        FormerEntry("2bf2e98d-cde5-5963-8df2-fb63599aac12", "pente:5s"),
    ),
}
