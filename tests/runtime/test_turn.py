"""One turn of an engine: the book first if its configuration allows, otherwise a search."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import tengen
from tengen.books import installed
from tengen.books.statistics import StatisticsBook
from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.players.config import EngineConfig
from tengen.players.program import ExternalProgram
from tengen.runtime import turn
from tengen.runtime.engine_runner import EngineRunner
from tengen.runtime.turn import create_engine, take_turn
from tengen.search.limits import Limits
from tengen.search.report import Candidate, Report, Value

OTHELLO = tengen.game("othello")
RANDOM = EngineConfig("random")
VALUE = Value.heuristic(0.5, "win rate")
BOOK_REPORT = Report("book", "f5", VALUE, (Candidate("f5", VALUE, ("f5",)),), 0, 0.0)


@pytest.fixture
def book(monkeypatch: pytest.MonkeyPatch) -> None:
    """A book that knows every position."""

    def report(position: Position, limits: Limits, seed: int, taste: object) -> Report:
        return BOOK_REPORT

    monkeypatch.setattr(turn, "book_report", report)


@pytest.mark.usefixtures("book")
def test_the_book_answers_unless_the_configuration_forbids_it() -> None:
    start, limits = OTHELLO.start(), Limits(nodes=1)
    for config, by_book in ((EngineConfig("random"), True), (EngineConfig("random", book=False), False)):
        report = take_turn(create_engine(config, OTHELLO), config, start, limits)
        assert (report is BOOK_REPORT) == by_book
        runner = EngineRunner(config, OTHELLO)
        assert (runner.play(start, limits) is BOOK_REPORT) == by_book
        assert runner.search(start, limits).engine == "random", "an analysis never comes from the book"


def test_a_seeded_turn_draws_the_same_move_from_a_statistics_book(monkeypatch: pytest.MonkeyPatch) -> None:
    go = tengen.game("go", size=9)
    book = StatisticsBook("go")
    for move in ("C3", "D4", "E5", "D5", "C4"):
        book.add([*go.start().play(move).line()], winner=0)
    monkeypatch.setattr(installed.statistics, "book", lambda game: book)

    def drawn(seed: int) -> str:
        return take_turn(create_engine(RANDOM, go), replace(RANDOM, seed=seed), go.start(), Limits(nodes=1)).best

    moves = {seed: drawn(seed) for seed in range(1, 30)}
    assert moves == {seed: drawn(seed) for seed in moves}
    assert len(set(moves.values())) > 3
    assert len({drawn(0) for _ in range(30)}) > 1, "without a seed the draws differ"


def test_a_seeded_match_with_a_statistics_book_is_repeatable(monkeypatch: pytest.MonkeyPatch) -> None:
    clobber = tengen.game("clobber", size=8)
    book = StatisticsBook("clobber", depth=20)
    for first in clobber.start().legal_moves:
        for second in clobber.start().play(first).legal_moves:
            book.add([*clobber.start().play(first).play(second).line()], winner=None)
    monkeypatch.setattr(installed.statistics, "book", lambda game: book)
    once, again = (tengen.match("random:nodes=1", "random:nodes=1", clobber, rounds=6, seed=3) for _ in range(2))
    assert [game.moves for game in once.games.values()] == [game.moves for game in again.games.values()]


def test_a_runner_changes_engines_with_the_game() -> None:
    runner = EngineRunner(EngineConfig(limits=Limits(nodes=1)), OTHELLO)
    assert runner.name == "othello"
    assert runner.search(tengen.game("go", size=5).start(), Limits(nodes=1)).best
    assert runner.name == "go"
    with pytest.raises(OptionError, match="does not play"):
        EngineRunner(EngineConfig("othello"), OTHELLO).engine_for(tengen.game("go", size=5))


def test_overrides_are_limited_to_settings_of_the_engine() -> None:
    runner = EngineRunner(EngineConfig("uct", settings={"memory": 64}), OTHELLO)
    first = runner.engine
    runner.override(memory=16, unknown=3)
    assert runner.engine is not first
    assert runner.engine.settings["memory"] == 16
    runner.reset(tengen.game("go", size=5))
    assert runner.engine.settings["memory"] == 16, "until the controller says otherwise"
    assert dict(runner.requested.settings)["memory"] == 64


def test_an_unknown_protocol_is_named(tmp_path: Path) -> None:
    config = EngineConfig("smoke", program=ExternalProgram("smoke", (str(tmp_path / "signals"),)))
    with pytest.raises(OptionError, match="the protocol smoke is not installed"):
        create_engine(config, OTHELLO)
