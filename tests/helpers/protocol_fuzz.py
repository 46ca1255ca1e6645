"""Random and malformed lines for each protocol, and the form that every answer must have."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import tengen
from tengen.players.config import EngineConfig
from tengen.protocols.gomocup import Gomocup
from tengen.protocols.gtp.server import Gtp
from tengen.protocols.gtp.syntax import parse
from tengen.protocols.nboard import NBoard
from tests.helpers.protocol_client import Talk

GGF = (
    "(;GM[Othello]PC[x]PB[a]PW[b]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- "
    "-------- *]B[F5]W[D6/1.2/3];)"
)
_WORDS = """
    b w black white B W D4 A1 J9 T19 pass resign 0 1 2 9 19 25 -1 7.5 1e9 nan inf 99999999999999999999 interval
    maxmoves minmoves rootInfo true ownership avoid allow dead alive seki chinese {"ko":"SIMPLE"} byoyomi canadian
    absolute fischer none 3,4 0,0 7,7,1 8,8,2 18,18 DONE done F5 d3 PA F5/1/2 depth game contempt timeout_turn
    timeout_match time_left max_memory rule thread_num hash_size max_node max_depth 100 2147483648 é 囲
    碁 \x07 # = ?
"""
WORDS = tuple(_WORDS.split())
NBOARD = ("nboard 2", "set depth 3", f"set game {GGF}", "set contempt 5", "move F5", "move D6//1", "hint 2", "go",
          "learn", "analyze", "ping 7", "quit now")  # fmt: skip
GOMOCUP = ("START 9", "START 15", "BEGIN", "TURN 4,4", "PLAY 5,5", "BOARD", "4,4,1", "5,5,2", "3,3,2", "DONE",
           "YXBOARD", "SWAP2BOARD", "INFO timeout_turn 5", "INFO rule 1", "INFO max_memory 1000000", "ABOUT",
           "RESTART", "RECTSTART 9,9", "TAKEBACK 4,4", "YXNBEST 2", "YXSTOP", "YXSHOWFORBID", "YXHASHCLEAR",
           "YXSHOWINFO", "SUGGEST 1,1")  # fmt: skip


def noise(dice: random.Random, lines: tuple[str, ...]) -> str:
    """A line: valid, with other arguments, damaged, or arbitrary text. It names no file."""
    kind = dice.random()
    line = dice.choice(lines)
    if kind < 0.4:
        words = [line.split()[0], *(dice.choice(WORDS) for _ in range(dice.randrange(4)))]
        line = dice.choice((" ", "  ", "\t")).join(words)
    elif kind < 0.55:
        symbols = list(line)
        for _ in range(dice.randrange(1, 4)):
            symbols[dice.randrange(len(symbols))] = chr(
                dice.choice((0, 9, 13, 32, 35, 44, 127, 200, 0x1F600, 0xFFFD))
            )
        line = "".join(symbols)
    elif kind < 0.65:
        line = "".join(chr(dice.randrange(1, 0x500)) for _ in range(dice.randrange(40)))
    elif kind < 0.7:
        line = line * dice.randrange(2, 200)
    if dice.random() < 0.3:
        line = f"{dice.choice((0, 1, 17, 10**17, 10**30))} {line}"
    if not line.startswith("set game") and not line.startswith("move"):
        line = line.replace("/", "|")
    return line.replace("\n", " ")


def gtp_talk(game: str = "go", **options: object) -> tuple[Talk, tuple[str, ...]]:
    talk = Talk(lambda inbox, write: Gtp(inbox, write, tengen.game(game, **options), EngineConfig("random")))
    assert isinstance(talk.protocol, Gtp)
    commands = [name for name in talk.protocol.commands() if name not in ("quit", "printsgf", "loadsgf")]
    moves = ("play b D4", "play w E5", "play b pass", "genmove b", "genmove w", "undo", "boardsize 9")
    return talk, (*commands, *moves)


def nboard_talk() -> tuple[Talk, tuple[str, ...]]:
    return Talk(lambda inbox, write: NBoard(inbox, write, EngineConfig("random"))), NBOARD


def gomocup_talk() -> tuple[Talk, tuple[str, ...]]:
    return Talk(lambda inbox, write: Gomocup(inbox, write, EngineConfig("random"), {})), GOMOCUP


def check_gtp(line: str, answer: str) -> None:
    """Check that a command has one answer: `=` or `?` with its id, and no empty line but the last."""
    request = parse(line)
    if request is None:
        assert answer == ""
        return
    assert re.fullmatch(rf"[=?]{request.id}(?: [^\n]+)?\n(?:[^\n]+\n)*\n", answer), answer
    assert "internal error" not in answer


_NBOARD_FORMS = re.compile(
    r"(?:set myname [^\n]+|status(?: [^\n]+)?|nodestats \d+ \d+\.\d+|pong(?: \S+)?|learned|analysis \d+ -?\d+\.\d+"
    r"|search (?:[A-H][1-8]|PA)+ -?\d+\.\d+ 0 (?:\d+|100%W?)|=== (?:[A-H][1-8]|PA)/-?\d+\.\d+/\d+\.\d+)\n"
)
_GOMOCUP_FORMS = re.compile(
    r"(?:OK|\d+,\d+(?: \d+,\d+)*|SWAP|FORBID (?:\d{4})*\.|(?:UNKNOWN|ERROR|MESSAGE)(?: [^\n]+)?|name=[^\n]+)\n"
)


def _check_lines(form: re.Pattern[str]) -> Callable[[str, str], None]:
    def check(line: str, answer: str) -> None:
        for written in answer.splitlines(keepends=True):
            assert form.fullmatch(written), written
        assert "internal error" not in answer

    return check


check_nboard = _check_lines(_NBOARD_FORMS)
check_gomocup = _check_lines(_GOMOCUP_FORMS)


def fuzz(talk: Talk, lines: tuple[str, ...], check: Callable[[str, str], None], count: int, seed: str) -> None:
    """Send `count` lines and check each answer. Only the command to quit may end the conversation."""
    for number in range(count):
        line = noise(random.Random(f"{seed}/{number}"), lines)
        try:
            check(line, talk.say(line))
        except Exception as error:
            raise AssertionError(f"seed {seed}/{number}: {error!r} after {line!r}") from error
        ends = line.split()[:1] in (["quit"], ["END"], ["end"])
        assert talk.open or ends, f"seed {seed}/{number}: {line!r} ended it"
