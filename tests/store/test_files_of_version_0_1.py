"""Files that version 0.1 wrote still open: a store, players, books and the checkpoint of a match.

They were written by that version's own code: a store with five players, an unfinished game of Go with a variation
and an Othello game that was resigned; a proved book of 4x4 Othello, statistics of one game counted twice, and a
match of four games between `random:nodes=1` and `alphabeta:depth=1` on a Clobber strip of 10.
"""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

import tengen
from tengen.arena.engine_match import EngineMatch
from tengen.books.book_file import read_book
from tengen.books.statistics_file import read_statistics
from tengen.play.match import Match
from tengen.players.configure import configured, engine_player
from tengen.players.opponents import former_opponents
from tengen.players.player import EnginePlayer, Person
from tengen.players.syntax import parse_config
from tengen.runtime.turn import create_engine
from tengen.store.store import Store
from tests.helpers.paths import ROOT

GOLDEN = ROOT / "tests" / "golden"
GO_GAME, OTHELLO_GAME = "02a018df-8a98-473e-a694-5dbbaf13c94e", "f06a1a0d-f264-4662-a7f4-5b7c27adef94"


@pytest.fixture
def old_store(tmp_path: Path) -> str:
    file = tmp_path / "tengen.db"
    file.write_bytes(gzip.decompress((GOLDEN / "store-0.1.db.gz").read_bytes()))
    return str(file)


def test_players_keep_their_ids_and_play(old_store: str) -> None:
    with Store.open(old_store) as store:
        players = {player.name: player for player in store.players()}
        built_in, other = former_opponents("go")[3], former_opponents("othello")[2]
        assert set(players) == {"Ann", "Tuned", "Gnu", built_in.name, other.name}
        assert isinstance(players["Ann"], Person)
        stored = players[built_in.name]
        assert isinstance(stored, EnginePlayer)
        assert stored.id == built_in.id
        assert configured(stored.config) == built_in.config, "new names, and defaults of new settings"
        program = players["Gnu"]
        assert isinstance(program, EnginePlayer)
        assert program.config.program is not None
        assert program.config.program.timeout_s == 7.0
        tuned = players["Tuned"]
        assert isinstance(tuned, EnginePlayer)
        assert dict(tuned.config.settings)["prior_games"] == 4.0
        assert dict(tuned.config.settings).items() <= dict(configured(tuned.config).settings).items()
        assert create_engine(tuned.config, tengen.game("go", size=5)).settings["prior_games"] == 4.0
        store.save_player(built_in)  # it is updated, not refused as another player of that name


def test_games_are_resumed_with_their_variations(old_store: str) -> None:
    with Store.open(old_store) as store:
        entry = store.load(GO_GAME)
        match = Match.open(entry, save=store.save)
        assert match.result is None
        assert match.live.write_moves(match.live.moves) == ["C3", "B2", "D2"]
        first = match.record.root.children[0]
        assert [child.comment for child in first.children if child.comment] == ["a variation"]
        match.start()
        match.play("C2")
        match.adjourn()
    with Store.open(old_store) as store:
        assert Match.open(store.load(GO_GAME)).live.ply == 4
        ended = Match.open(store.load(OTHELLO_GAME))
        assert ended.result is not None
        assert ended.result.winner == 0


def test_books_open() -> None:
    game = tengen.game("othello", size=4)
    book = read_book(GOLDEN / "othello-0.1.book")
    assert book.game == game
    assert len(book) == 7
    assert any(move.value is not None for move in book.options(game.start()))
    statistics = read_statistics(GOLDEN / "othello-0.1.stats")
    assert [move.games for move in statistics.options(game.start())] == [2]


@pytest.mark.usefixtures("jobs_in_threads")
def test_a_match_resumes_from_its_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError("every game was played before")

    monkeypatch.setattr("tengen.arena.engine_match.play_game", refuse)
    checkpoint = tmp_path / "match.jobs"
    shutil.copy(GOLDEN / "match-0.1.jobs", checkpoint)
    first, second = (
        engine_player(configured(parse_config(text))) for text in ("random:nodes=1", "alphabeta:depth=1")
    )
    with Store.in_memory() as store:
        match = EngineMatch(tengen.game("clobber", size=10), (first, second), 4, seed=1)
        score = match.play(store, checkpoint=checkpoint)
    assert sum(score.results(0)) == 4
    assert score.results(0) == (2, 0, 2)
