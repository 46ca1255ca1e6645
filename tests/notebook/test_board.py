"""The board for notebooks: clicks, an opponent, stepping, analysis, messages of the browser."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest

import tengen
from tengen import games
from tengen.core.compiled.kernel import record_kernels
from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.games.records import Record
from tengen.notebook import Board
from tengen.notebook.clicks import after_click

OTHELLO = tengen.game("othello", size=4)
GAME = OTHELLO.start().play_all(["b1", "a1", "a2"])


def test_a_click_makes_a_move() -> None:
    board = Board(OTHELLO)
    assert board.status == "Black to move."
    board.click(0, 0)
    assert board.status.startswith("No move there.")
    board.click(1, 0)
    assert board.position == OTHELLO.start().play("b1")
    assert board.status == "1. b1. White to move."
    circles = [one for one in ElementTree.fromstring(board.svg).iter() if one.tag.endswith("circle")]
    assert sum(str(one.get("fill")).startswith("url(#tengen-stone") for one in circles) == 5


def test_a_move_of_two_points_needs_two_clicks() -> None:
    board = Board(tengen.game("clobber", size="3x4"))
    board.click(0, 0)
    assert board.chosen == [[0, 0]]
    assert board.targets == [[0, 1], [1, 0]]
    board.click(2, 0)  # another stone is chosen instead
    assert board.chosen == [[2, 0]]
    board.click(2, 1)
    assert (board.chosen, board.shown) == ([], 1)


@pytest.mark.parametrize("name", games.all_names())
def test_every_move_of_every_game_can_be_clicked(name: str) -> None:
    random = Random(1)
    with record_kernels():
        position = games.game(name).start()
        for _ in range(6):
            for move in position.legal_moves:
                points = position.game.points(move)
                assert not points or clicked(position, points) == points
            position = position.play(random.choice(position.legal_moves))
            if position.is_over:
                break


def clicked(position: Position, points: tuple[Any, ...]) -> Any:
    """The points of the move made by clicking these; the last one twice if a longer move begins like that."""
    chosen: tuple[Any, ...] = ()
    for point in (*points, points[-1]):
        found = after_click(position, chosen, point)
        if found.move is not None:
            return position.game.points(found.move)
        assert found.chosen == (*chosen, point)
        chosen = found.chosen
    return None


def test_an_opponent_answers() -> None:
    board = Board(OTHELLO, opponent="uct:20nodes")
    board.play("b1")
    assert len(board.line) == 3
    assert board.position.to_move == 0
    second = Board(OTHELLO, opponent="random:1nodes", you=1)
    assert len(second.line) == 2
    second.click(*next(iter(second.position.game.points(second.position.legal_moves[0]))))
    assert len(second.line) >= 3
    second.take_back()
    assert second.position.to_move == 1


def test_in_a_notebook_the_opponent_thinks_in_the_background() -> None:
    async def play() -> Board:
        board = Board(OTHELLO, opponent="uct:2000nodes")
        board.play("b1")
        assert board.busy
        assert board.status.endswith("The engine is thinking …")
        board.click(0, 0)
        board.go(0)
        with pytest.raises(OptionError, match="still thinking"):
            board.play("a1")
        while board.busy:
            await asyncio.sleep(0.01)
        return board

    board = asyncio.run(play())
    assert (len(board.line), board.shown) == (3, 2)


@pytest.mark.parametrize("start", [GAME, Record.of(GAME)], ids=["position", "record"])
def test_a_game_is_stepped_through(start: Any) -> None:
    board = Board(start)
    assert (board.shown, board.length) == (3, 3)
    board.go(1)
    assert board.position == OTHELLO.start().play("b1")
    board.go(99)
    board.go(-5)
    assert (board.shown, len(board.line)) == (0, 4)
    board.play("a2")
    assert len(board.line) == 2


def test_analysis_numbers_the_best_moves() -> None:
    board = Board(GAME, engine="othello:depth4")
    board.go(1)
    board.analyse()
    report = board.reports[board.position]
    texts = [one.text for one in ElementTree.fromstring(board.svg).iter() if one.tag.endswith("text")]
    assert {"1", "2"} <= set(texts)
    assert board.details == report._repr_html_()
    board.go(0)
    assert board.details == ""
    board.go(1)
    assert board.details


def test_moves_without_a_point_are_buttons() -> None:
    board = Board(tengen.game("go", size=3))
    assert board.named_moves == ["pass"]
    board.play("pass")
    board.play("pass")
    assert "wins" in board.status
    assert board.named_moves == []


def test_messages_of_the_browser() -> None:
    board = Board(OTHELLO)
    for message in (
        {"action": "click", "value": [1, 0]},
        {"action": "play", "value": "a9"},
        {"action": "nothing"},
        {},
    ):
        board._on_message(board, message, [])
    assert board.shown == 1
    assert "a9" in board.status
    board._on_message(board, {"action": "take_back"}, [])
    assert board.shown == 0
    board._on_message(board, {"action": "go", "value": 0}, [])


def test_errors() -> None:
    with pytest.raises(OptionError, match="you should be 0"):
        Board(OTHELLO, you=2)
    with pytest.raises(OptionError, match="no engine"):
        Board(OTHELLO, opponent="deep")
