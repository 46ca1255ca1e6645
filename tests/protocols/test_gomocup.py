"""Gomocup's protocol with Yixin's additions, command by command, and noise."""

from __future__ import annotations

import re

import pytest

import tengen
from tengen.core.errors import OptionError
from tengen.players.config import EngineConfig
from tengen.players.syntax import parse_limits
from tengen.protocols.gomocup import Gomocup
from tests.helpers.protocol_client import Pipes, Talk
from tests.helpers.protocol_fuzz import check_gomocup, fuzz, gomocup_talk

RANDOM = EngineConfig("random")
UCT = EngineConfig("uct", parse_limits("30nodes"))
POINT = r"\d+,\d+\n"
THOUGHT = r"(?:MESSAGE [^\n]+\n)+"


class Board:
    """A session, with the game at hand."""

    def __init__(self, config: EngineConfig = RANDOM, **options: object) -> None:
        self.talk = Talk(lambda input_queue, write: Gomocup(input_queue, write, config, options))
        assert isinstance(self.talk.protocol, Gomocup)
        self.protocol = self.talk.protocol

    def say(self, *lines: str) -> str:
        return "".join(self.talk.say(line) for line in lines)

    def stones(self) -> int:
        assert self.protocol.position is not None
        return sum(bool(stone) for row in self.protocol.position.diagram().stones for stone in row)


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["ABOUT"], r'name="Tengen", version="[^"]+", author="[^"]+"\n'),
        (["START 15"], r"OK\n"),
        (["  start   15  "], r"OK\n"),
        (["START 20"], r"ERROR [^\n]+ 5 to 19, not 20\n"),
        (["START"], r"ERROR expected the size of the board, not ''\n"),
        (["START x"], r"ERROR [^\n]+\n"),
        (["RECTSTART 15,15"], r"OK\n"),
        (["RECTSTART 15,12"], r"ERROR only square boards are supported\n"),
        (["RECTSTART 15"], r"ERROR [^\n]+\n"),
        (["BEGIN"], r"ERROR no game: send START first\n"),
        (["TURN 1,1"], r"ERROR no game: send START first\n"),
        (["START 15", "BEGIN"], r"OK\n" + THOUGHT + POINT),
        (["START 15", "BEGIN", "BEGIN"], r"OK\n" + THOUGHT + POINT + r"ERROR the game has already begun\n"),
        (["START 15", "TURN 7,7"], r"OK\n" + THOUGHT + POINT),
        (["START 15", "TURN 7 , 7"], r"OK\n" + THOUGHT + POINT),
        (["START 15", "TURN 15,0"], r"OK\nERROR 15,0 is not on the board of 15x15\n"),
        (["START 15", "TURN 7"], r"OK\nERROR expected a point as 7,7, not '7'\n"),
        (["START 15", "TURN -1,7"], r"OK\nERROR [^\n]+\n"),
        (["START 15", "PLAY 7,7"], r"OK\n7,7\n"),
        (["START 15", "PLAY 7,7", "TURN 7,7"], r"OK\n7,7\nERROR H8 is illegal: there is a stone\n"),
        (["START 15", "PLAY 7,7", "TAKEBACK 7,7", "PLAY 7,7"], r"OK\n7,7\nOK\n7,7\n"),
        (["START 15", "PLAY 7,7", "TAKEBACK 7,8"], r"OK\n7,7\nERROR only the last move can be taken back\n"),
        (["START 15", "TAKEBACK 7,7"], r"OK\nERROR only the last move can be taken back\n"),
        (["START 15", "PLAY 7,7", "RESTART", "PLAY 7,7"], r"OK\n7,7\nOK\n7,7\n"),
        (["RESTART"], r"ERROR [^\n]+\n"),
        (["START 15", "BOARD", "7,7,1", "8,8,2", "DONE"], r"OK\n" + THOUGHT + POINT),
        (["START 15", "BOARD", "DONE"], r"OK\n" + THOUGHT + POINT),
        (["START 15", "board", " 7,7,2", "done"], r"OK\n" + THOUGHT + POINT),
        (["START 15", "BOARD", "7,7,1", "DONE"], r"OK\nERROR it is not our turn[^\n]+\n"),
        (["START 15", "BOARD", "7,7,2", "7,7,1", "DONE"], r"OK\nERROR [^\n]+\n"),
        (["START 15", "BOARD", "7,7,3", "DONE"], r"OK\nERROR mark stones 1 \(own\) or 2 \(opponent\)\n"),
        (["START 15", "BOARD", "BEGIN", "7,7,2", "DONE"], r"OK\nERROR expected x,y,1 or x,y,2[^\n]+\n"),
        (["BOARD", "DONE"], r"ERROR no game: send START first\n"),
        (["START 15", "YXBOARD", "7,7,2", "DONE"], r"OK\n"),
        (["START 15", "YXBOARD", "7,7,2", "DONE", "YXNBEST 2"], r"OK\n" + THOUGHT + POINT),
        (["START 15", "YXNBEST 0"], r"OK\nERROR [^\n]+\n"),
        (["START 15", "YXNBEST some"], r"OK\nERROR [^\n]+\n"),
        (["YXSTOP"], ""),
        (["YXHASHCLEAR"], ""),
        (["START 15", "YXSHOWFORBID"], r"OK\nFORBID \.\n"),
        (["YXSHOWFORBID"], r"ERROR [^\n]+\n"),
        (["INFO timeout_turn 100", "INFO x", "INFO", "INFO timeout_turn soon", "INFO colour 3"], ""),
        (["INFO timeout_turn 100", "INFO max_depth 5", "YXSHOWINFO"],
         r"MESSAGE INFO MAX_DEPTH 5\nMESSAGE INFO TIMEOUT_TURN 100\n"),
        (["INFO rule 4", "START 15"], r"OK\n"),
        (["INFO rule 2", "START 15"], r"OK\n"),
        (["INFO rule 6", "START 15"], r"OK\n"),
        (["INFO rule 8", "START 15", "BEGIN"], r"OK\n" + THOUGHT + POINT),
        (["INFO rule 9", "START 15", "BEGIN"], r"OK\n" + THOUGHT + POINT),
        (["INFO rule 12", "START 15"], r"ERROR rule 12 asks for renju and caro, which exclude each other\n"),
        (["INFO rule 16", "START 15"], r"ERROR unknown rule 16: [^\n]+\n"),
        (["YXSTOPPONDER"], ""),
        (["INFO rule 8", "INFO rule 0", "START 15"], r"OK\n"),
        # Renju: two threes meet at 7,7.
        (["INFO rule 4", "START 15", "YXBOARD", "5,7,1", "0,0,2", "6,7,1", "0,2,2", "7,5,1", "0,4,2", "7,6,1",
          "0,6,2", "DONE", "YXSHOWFORBID"], r"OK\nFORBID 0707\.\n"),
        (["DONE"], r"UNKNOWN DONE\n"),
        (["FLY 7,7"], r"UNKNOWN FLY 7,7\n"),
        ([""], ""),
        (["START 15", "SWAP2BOARD", "DONE"], r"OK\n" + THOUGHT + r"\d+,\d+ \d+,\d+ \d+,\d+\n"),
        (["START 15", "SWAP2BOARD", "7,7", "8,8", "6,8", "DONE"],
         r"OK\n" + THOUGHT + r"(SWAP|\d+,\d+|\d+,\d+ \d+,\d+)\n"),
        (["START 15", "SWAP2BOARD", "7,7,1", "8,8,2", "6,8,1", "9,9,2", "3,3,1", "DONE"],
         r"OK\n" + THOUGHT + r"(SWAP|\d+,\d+)\n"),
        (["START 15", "SWAP2BOARD", "7,7", "DONE"], r"OK\nERROR swap2 needs 0, 3 or 5 stones, not 1\n"),
    ],
)  # fmt: skip
def test_every_command_as_it_should_be_answered(lines: list[str], answer: str) -> None:
    found = Board(UCT).say(*lines)
    assert re.fullmatch(answer, found), found


def test_end_ends_it() -> None:
    board = Board()
    board.say("END")
    assert not board.talk.open


@pytest.mark.parametrize("seed", range(12))
def test_swap2_goes_on_as_an_ordinary_game(seed: int) -> None:
    board = Board(EngineConfig("random", seed=seed))
    board.say("START 15", "SWAP2BOARD", "7,7", "8,8", "6,8")
    said = board.say("DONE").splitlines()[-1]
    assert board.stones() == {"SWAP": 3}.get(said, 3 + len(said.split()))
    if len(said.split()) < 2:  # after two more stones, the other side chooses
        assert re.search(POINT, board.say("TURN 0,0"))


def test_the_rule_says_which_gomoku() -> None:
    board = Board()
    board.say("INFO rule 1", "START 15")
    assert board.protocol.position is not None
    assert board.protocol.position.game == tengen.game("pente", variant="gomoku", size=15)
    board.say("INFO rule 0", "START 19")
    assert board.protocol.position.game == tengen.game("pente", variant="gomoku", exact=False, size=19)
    for rule, options in (
        (3, {"variant": "gomoku"}),
        (8, {"variant": "caro"}),
        (9, {"variant": "caro", "exact": True}),
    ):
        board.say(f"INFO rule {rule}", "START 15")
        assert board.protocol.position.game == tengen.game("pente", **options, size=15)


def test_a_variant_is_an_option_and_binds_both_sides() -> None:
    board = Board(variant="tournament")
    board.say("INFO rule 4", "START 19")
    assert board.protocol.position is not None
    assert board.protocol.position.game == tengen.game("pente", variant="tournament")
    assert "the first stone goes to the centre" in board.say("TURN 0,0")
    assert board.say("YXSHOWFORBID").count("0909") == 0
    board.say("PLAY 9,9", "PLAY 0,0")
    assert len(board.say("YXSHOWFORBID")) == len("FORBID .\n") + 4 * 24  # the central 5x5 but for its stone


@pytest.mark.parametrize("options", [{"variant": "connect6"}, {"opening": "swap2"}])
def test_games_that_the_protocol_has_no_words_for(options: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        Board(**options)


def test_captures_are_known_from_the_order_of_moves() -> None:
    board = Board(variant="freestyle")
    board.say("START 19", "BOARD", "5,5,2", "6,5,1", "0,0,2", "7,5,1", "8,5,2", "DONE")
    assert board.protocol.position is not None
    before = board.protocol.position.parent
    assert before is not None
    assert int(before.state.captured[0]) == 2
    assert "order" in board.say("BOARD", "5,5,2", "0,0,2", "6,5,1", "7,5,1", "8,5,2", "DONE")


def test_without_captures_any_order_is_understood() -> None:
    board = Board()
    board.say("START 15", "YXBOARD", "5,5,2", "0,0,2", "6,5,1", "DONE")
    assert board.stones() == 3
    assert board.protocol.position is not None
    assert board.protocol.position.to_move == 1


def test_the_end_of_a_game_is_an_error_not_a_move() -> None:
    board = Board()
    board.say("START 15")
    for column in range(4):
        board.say(f"PLAY {column},0", f"PLAY {column},2")
    assert board.say("TURN 4,0") == "ERROR the game is over\n"


def test_limits_of_time_and_memory() -> None:
    board = Board(EngineConfig("uct"))
    assert board.protocol.info.limits().seconds == 1.0
    board.say("INFO timeout_turn 10000")
    assert board.protocol.info.limits().seconds == pytest.approx(9.5)
    board.say("INFO timeout_turn 0")
    assert board.protocol.info.limits().seconds == 0.01
    board.say("INFO timeout_turn 5000", "INFO timeout_match 100000", "INFO time_left 3000")
    assert board.protocol.info.limits().thinking_time() == pytest.approx(0.1)
    board.say("INFO time_left -5")
    assert board.protocol.info.limits().thinking_time() == 0.0
    board.say("INFO max_node 500", "INFO max_depth 4", "INFO max_memory 20971520")
    assert (board.protocol.info.limits().nodes, board.protocol.info.limits().depth) == (500, 4)
    assert board.protocol.runner.engine.settings["memory"] == 10
    board.say("INFO hash_size 4096", "INFO thread_num 2")
    assert board.protocol.runner.engine.settings["memory"] == 4
    assert board.protocol.runner.engine.threads == 2


def test_yxstop_ends_a_search_with_a_move() -> None:
    session = Pipes(
        lambda input_queue, write: Gomocup(input_queue, write, EngineConfig("uct", parse_limits("600s")), {})
    )
    session.send("START 15\nBEGIN\nINFO max_depth 3\n")
    assert session.line() == "OK"
    session.send("YXSTOP\n")
    assert re.fullmatch(POINT, session.until(lambda line: not line.startswith("MESSAGE"))[-1] + "\n")
    session.send("TURN 0,14\nEND\n")
    assert re.fullmatch(POINT, session.until(lambda line: not line.startswith("MESSAGE"))[-1] + "\n")
    session.hang_up()


def test_pondering_ends_with_the_next_line() -> None:
    """The search after the answer has no limit that matters, so the next answer proves that it was ended."""
    session = Pipes(
        lambda input_queue, write: Gomocup(input_queue, write, EngineConfig("uct", parse_limits("50nodes")), {})
    )
    session.send("INFO pondering 1\nSTART 15\nBEGIN\n")
    is_move = re.compile(r"\d+,\d+").fullmatch
    assert is_move(session.until(lambda line: is_move(line) is not None)[-1])
    session.send("TURN 0,14\n")
    assert is_move(session.until(lambda line: is_move(line) is not None)[-1])
    session.hang_up()


def test_analysis_by_the_strong_player() -> None:
    """Several lines, best first, each with its value, its cost and how it goes on; then the best is played."""
    board = Board(EngineConfig("pente", parse_limits("3000nodes")), variant="standard")
    stones = ["9,9,1", "0,0,2", "9,10,1", "2,0,2", "9,11,1", "4,0,2"]
    said = board.say("START 19", "YXBOARD", *stones, "DONE", "INFO max_node 3000", "YXNBEST 3")
    lines = re.findall(r"MESSAGE \((\d)\) (.+) depth \d+ nodes \d+.* pv (\d+,\d+)(.*)\n", said)
    assert [line[0] for line in lines] == ["1", "2", "3"]
    assert len({line[2] for line in lines}) == 3
    assert "wins in 2" in lines[0][1]
    assert len(lines[0][3].split()) == 2  # an answer, and the row
    assert said.endswith(f"\n{lines[0][2]}\n")


def test_two_thousand_lines_of_noise() -> None:
    talk, lines = gomocup_talk()
    fuzz(talk, lines, check_gomocup, 2000, "gomocup")
