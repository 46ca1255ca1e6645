"""NBoard's protocol, command by command, and noise."""

from __future__ import annotations

import re

import pytest

import tengen
from tengen.books.book_move import BookMove
from tengen.players.config import EngineConfig
from tengen.players.syntax import parse_limits
from tengen.protocols.nboard import NBoard
from tests.helpers.protocol_client import Pipes, Talk, seconds_to_stop
from tests.helpers.protocol_fuzz import GGF, check_nboard, fuzz, nboard_talk

ALPHABETA = EngineConfig("alphabeta", book=False)
SQUARE = "(?:[A-H][1-8]|PA)"


def talk(config: EngineConfig = ALPHABETA) -> Talk:
    return Talk(lambda input_queue, write: NBoard(input_queue, write, config))


class Board:
    """The same, with the position at hand."""

    def __init__(self, config: EngineConfig = ALPHABETA) -> None:
        self.talk = talk(config)
        assert isinstance(self.talk.protocol, NBoard)
        self.protocol = self.talk.protocol

    def say(self, line: str) -> str:
        return self.talk.say(line)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("nboard 2", r"set myname Tengen \(alphabeta\)\n"),
        ("nboard 1", r"set myname Tengen \(alphabeta\)\nstatus expected protocol version 2, not [^\n]+\n"),
        ("nboard", r"set myname Tengen \(alphabeta\)\nstatus expected protocol version 2, not [^\n]+\n"),
        ("  nboard   2  ", r"set myname [^\n]+\n"),
        ("set depth 4", ""),
        ("set depth 1000", ""),
        ("set depth deep", r"status error in set: expected a depth, not 'deep'\n"),
        ("set contempt -3", ""),
        ("set book off", ""),
        ("set book maybe", r"status error in set: expected on or off, not 'maybe'\n"),
        ("set contempt", r"status error in set: [^\n]+\n"),
        ("set colour blue", ""),
        ("set", ""),
        ("move F5", ""),
        ("move f5/1.5/0.3", ""),
        ("move F5 1.5 0.3", ""),
        ("move A1", r"status error in move: a1 is illegal: it turns no disc over\n"),
        ("move Z9", r"status error in move: [^\n]+\n"),
        ("move", r"status error in move: [^\n]+\n"),
        ("move PA", r"status error in move: pass is illegal[^\n]+\n"),
        (f"set game {GGF}", ""),
        ("set game", r"status error in set: [^\n]+\n"),
        ("set game (;GM[Othello]", r"status error in set: [^\n]+\n"),
        ("set game (;GM[Go];)", r"status error in set: [^\n]+\n"),
        ("ping 17", r"pong 17\n"),
        ("ping", r"pong\n"),
        ("learn", r"learned\n"),
        ("go", rf"status Thinking\n=== {SQUARE}/-?\d+\.\d\d/\d+\.\d\d\nstatus\n"),
        ("hint 3", rf"status Analysing\n(?:search {SQUARE}+ -?\d+\.\d\d 0 \d+\n)+nodestats \d+ [\d.]+\nstatus\n"),
        ("hint", r"status Analysing\n(?:search [^\n]+\n)+nodestats \d+ [\d.]+\nstatus\n"),
        ("hint all", r"status error in hint: [^\n]+\n"),
        ("analyze", r"status Analysing the game\nstatus\n"),  # something waits behind it, which ends it
        ("no such line", ""),
        ("", ""),
        ("PING 5", ""),
    ],
)
def test_every_command_as_it_should_be_answered(line: str, answer: str) -> None:
    assert re.fullmatch(answer, talk().say(line)), talk().say(line)


def test_quit_ends_it() -> None:
    session = talk()
    session.say("quit")
    assert not session.open


def test_a_game_is_set_and_goes_on() -> None:
    board = Board(EngineConfig("random"))
    board.say(f"set game {GGF}")
    assert board.protocol.position == tengen.game("othello").start().play_all(["f5", "d6"])
    found = re.search(r"=== (\w\d)/", board.say("go"))
    assert found
    assert board.protocol.position.ply == 2  # a move of ours counts when we are told of it
    board.say(f"move {found[1]}/0.00/1.0")
    assert board.protocol.position.ply == 3


def test_forced_passes_are_moves() -> None:
    board = Board(EngineConfig("random"))
    squares = "-XO-----" + "-" * 55 + "X"
    rows = " ".join(squares[8 * row : 8 * row + 8] for row in range(8)).replace("X", "*")
    board.say(f"set game (;GM[Othello]PB[]PW[]TY[8]BO[8 {rows} O];)")
    assert "=== A1/" in board.say("go")
    # Now Black has nothing to turn over; then the game is over.
    board.say("move A1")
    assert board.protocol.position.is_over
    assert board.say("go") == "status the game is over\n"
    assert board.say("hint 1") == "status the game is over\n"


def test_an_exact_value_is_marked() -> None:
    """On the last squares of a game alpha-beta sees the end."""
    position = tengen.game("othello").start()
    while sum(len(row) - sum(map(bool, row)) for row in position.diagram().stones) > 5 and not position.is_over:
        position = position.play(position.legal_moves[position.ply % len(position.legal_moves)])
    assert not position.is_over
    lines: list[str] = []
    session = Pipes(lambda input_queue, write: NBoard(input_queue, write, ALPHABETA))
    session.send("set depth 20\n")
    for move in position.write_moves(position.moves):
        session.send(f"move {'PA' if move == 'pass' else move.upper()}\n")
    session.send("hint 1\n")
    lines = session.until(lambda line: line == "status")
    assert any(re.fullmatch(rf"search {SQUARE}+ -?\d+\.00 0 100%", line) for line in lines)
    session.hang_up()


def test_a_whole_game_is_analysed_from_its_end() -> None:
    session = Pipes(
        lambda input_queue, write: NBoard(input_queue, write, EngineConfig("alphabeta", parse_limits("depth1")))
    )
    session.send(f"set game {GGF}\nanalyze\n")
    lines = session.until(lambda line: line == "status")
    assert [line.split()[:2] for line in lines[1:-1]] == [["analysis", str(ply)] for ply in (2, 1, 0)]
    session.hang_up()


def test_a_ping_ends_thinking_and_comes_last() -> None:
    session = Pipes(
        lambda input_queue, write: NBoard(input_queue, write, EngineConfig("uct", parse_limits("600s")))
    )
    session.send("go\nping 1\n")
    lines = session.until(lambda line: line == "pong 1")
    assert sum(line.startswith("===") for line in lines) == 1
    taken = seconds_to_stop(session, "hint 1\n", lambda line: line.startswith("search"), "ping 2\n", "pong 2")
    assert taken < 60, "the search of ten minutes was not stopped"
    session.hang_up()


def test_two_thousand_lines_of_noise() -> None:
    session, lines = nboard_talk()
    fuzz(session, lines, check_nboard, 2000, "nboard")


def test_the_othello_engine_tells_how_selective_it_was_and_takes_contempt() -> None:
    session = Pipes(lambda input_queue, write: NBoard(input_queue, write, EngineConfig("othello", book=False)))
    session.send("set depth 8\nhint 1\n")
    lines = session.until(lambda line: line == "status")
    assert any(re.fullmatch(rf"search {SQUARE}+ -?\d+\.\d\d 0 8@73%", line) for line in lines)
    session.hang_up()
    board = Board(EngineConfig("othello", book=False))
    board.say("set contempt 250")
    assert board.protocol.runner.engine.settings["contempt"] == 0.99


def test_the_book_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def explore(position: tengen.Position) -> dict[str, tuple[BookMove, ...]]:
        asked.append(str(position.ply))
        return {"Book": (BookMove(position.legal_moves[0], "d3", "leaf"),)}

    monkeypatch.setattr("tengen.protocols.nboard.explore_books", explore)
    board = Board(EngineConfig("alphabeta"))
    board.say("set depth 2")
    assert "book D3" in board.say("hint 1")
    board.say("set book off")
    assert not board.protocol.runner.config.uses_book
    assert "book" not in board.say("hint 1")
    board.say("set book on")
    assert board.protocol.runner.config.uses_book
    assert "book D3" in board.say("hint 1")
    assert len(asked) == 2
