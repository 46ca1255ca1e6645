"""The statistics book of Go: made from self-play and from a training run, and played from."""

import json
import math
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np
import pytest

import tengen
from tengen.arena import go_book, go_games
from tengen.arena.go_games import BookGame
from tengen.books import installed
from tengen.books.explorer import explore_books
from tengen.books.statistics import StatisticsBook
from tengen.books.statistics_file import read_statistics, write_statistics
from tengen.books.weighted_choice import choose_move
from tengen.cli import run
from tengen.core.errors import OptionError
from tengen.core.game import Move
from tengen.engines.go.training.network_games import NetworkGame
from tengen.engines.registry import create
from tengen.jobs import Checkpoint, CheckpointInUse
from tengen.jobs.checkpoint import encode
from tengen.players.config import EngineConfig
from tengen.runtime.turn import take_turn
from tengen.search.limits import Limits
from tests.arena.stopping_bar import StoppingBar

GO = tengen.game("go", size=9)
TINY = tengen.game("go", size=7)


@pytest.fixture
def quick(monkeypatch):
    """Searches that take no time, as the games are played in threads of this process."""
    monkeypatch.setattr(go_games, "OPENING_NODES", 40)
    monkeypatch.setattr(go_games, "NODES", 20)
    monkeypatch.setattr(go_book, "GROWTH_GAMES", 4)
    monkeypatch.setattr(go_book, "KEPT_GAMES", 2)
    go_games.opening_choices.cache_clear()
    yield
    go_games.opening_choices.cache_clear()


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """A data folder without books, and a folder of books that ship."""
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(installed, "SHIPPED_FOLDER", shipped)
    return shipped


def make(folder, bar=None, **options):
    folder.mkdir(exist_ok=True)
    given = {"seed": 1, "count": 6, **options}
    with ThreadPoolExecutor(1) as executor:
        return go_book.make_go(folder, TINY, executor=executor, bar=bar or StoppingBar(), **given)


def lines(book, *games):
    """Add games: moves, and the winner."""
    for moves, winner, count in games:
        for _ in range(count):
            book.add(list(GO.start().play_all(moves).line()), winner)


def test_games_are_repeatable_and_end_with_a_winner(quick):
    first = go_games.play_game(TINY, "1 1")
    assert first == go_games.play_game(TINY, "1 1")
    others = [go_games.play_game(TINY, f"1 {number}") for number in range(2, 8)]
    assert len({one.moves for one in others}) > 3, "openings are drawn"
    assert {one.winner for one in [first, *others]} <= {0, 1}
    assert TINY.start().play_all([Move(move) for move in first.moves]).ply == len(first.moves)


def test_a_book_is_reproducible_resumes_and_grows(quick, tmp_path):
    once = make(tmp_path / "once")
    bar = StoppingBar()
    bar.interrupt_after = 3
    with pytest.raises(KeyboardInterrupt):
        make(tmp_path / "twice", bar, count=3)
    checkpoint = tmp_path / "twice" / "go-games.jobs"
    with Checkpoint.existing(checkpoint).open() as stored:
        assert len(stored.ids()) == 3, "nothing is lost"
    resumed = StoppingBar()
    assert make(tmp_path / "twice", resumed).read_bytes() == once.read_bytes()
    assert resumed.last.resumed == 3
    assert not checkpoint.exists()
    facts = json.loads(once.with_suffix(".json").read_text())
    assert facts["command"] == "tengen book make go --seed 1 --games 6 size=7"
    assert (facts["games"], facts["bytes"]) == (6, once.stat().st_size)
    small = read_statistics(once)
    assert facts["positions"] == len(small)
    options = small.options(TINY.start())
    assert sum(option.games for option in options) == 6
    assert all(position for position in small.sections.values())
    wanted = len(small) + 4
    assert len(read_statistics(make(tmp_path / "grown", positions=wanted))) >= wanted
    facts = json.loads((tmp_path / "grown" / "go.json").read_text())
    assert facts["games"] > 6


def test_rare_positions_are_removed():
    book = StatisticsBook("go")
    lines(book, (["E5", "C3", "G7"], 0, 3), (["E5", "C4"], 1, 1))
    book.remove_rare(4)
    assert [option.games for option in book.options(GO.start())] == [4]
    assert [option.games for option in book.options(GO.start().play("E5"))] == [3, 1]
    assert not book.options(GO.start().play_all(["E5", "C3"]))


def network_game(moves, *, komi=7.5, random_moves=0, score=3.0, size=9):
    game = tengen.game("go", size=size, komi=komi)
    codes = [int(move) for move in game.start().play_all(moves).moves]
    values = [math.nan] * random_moves + [0.5] * (len(moves) + 1 - random_moves)
    empty = np.zeros((0, 24), np.int32)
    return NetworkGame(
        size,
        komi,
        np.array(codes, np.int16),
        np.array(values, np.float32),
        np.zeros(0, np.int16),
        empty.astype(np.int16),
        empty,
        np.zeros(size * size, np.int8),
        score,
    )


def training_run(folder, *games):
    folder.mkdir()
    for number, one in enumerate(games):
        with Checkpoint(folder / f"generation-{number // 3}.games", f"run {number // 3}").open() as stored:
            stored.append([(f"generation {number // 3}, game {number}", encode(one))])


def test_the_games_of_a_training_run_count(tmp_path):
    training_run(
        tmp_path / "run",
        network_game(["E5", "C3", "G7"], score=3.0),
        network_game(["E5", "C3", "G6"], komi=5.5, score=1.0),  # Black would have lost by a point with 7.5
        network_game(["A1", "J9", "E5"], random_moves=2, score=-2.0),
        network_game(["E5", "C3"], komi=12.5),
        network_game(["D4", "G6"], size=13),
    )
    found = go_games.training_games(tmp_path / "run", GO)
    assert [(one.uncounted, one.winner) for one in found] == [(0, 0), (0, 1), (2, 1)]
    book = StatisticsBook("go")
    for one in found:
        book.add(go_games.line_of(GO, one, 10), one.winner)
    (first,) = book.options(GO.start())
    assert (first.text, first.games, first.wins, first.losses) == ("E5", 2, 1, 1)
    assert not book.options(GO.start().play("A1")), "random moves are not counted"
    (answer,) = book.options(GO.start().play_all(["A1", "J9"]))
    assert (answer.text, answer.losses) == ("E5", 1)
    assert len(go_games.training_games(tmp_path / "run", tengen.game("go", size=13))) == 1


def test_a_book_of_a_training_run_only(tmp_path, folders, capsys):
    games = [network_game(["E5", "C3", corner]) for corner in ["G7", "C7", "G7", "G7", "C7"]]
    training_run(tmp_path / "run", *games)
    output = ["--output", str(tmp_path), "--processes", "1"]
    assert run(["book", "make", "go", "--games", "0", "--games-of", str(tmp_path / "run"), *output]) == 0
    facts = json.loads((tmp_path / "go.json").read_text())
    assert facts["command"] == "tengen book make go --seed 1 --games 0 --games-of FOLDER"
    assert facts["games_of_training"] == 5
    (first,) = read_statistics(tmp_path / "go.stats").options(GO.start())
    assert (first.text, first.games, first.wins) == ("E5", 5, 5)
    # Imported, it is the user's; a second time nothing changes.
    for _ in range(2):
        assert run(["book", "import", str(tmp_path / "go.stats")]) == 0
    assert "nothing new" in capsys.readouterr().out
    assert read_statistics(installed.statistics_path("go")).options(GO.start())[0].games == 5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["go", "--depth", "3"], "the book of go is made without --depth: omit it"),
        (["go", "komi=5"], "give only a size"),
        (["go", "--games", "0"], "--games 0 needs --games-of FOLDER"),
        (["go", "--games-of", "nowhere"], "has no games"),
        (["pente", "--games-of", "nowhere"], "the book of pente is made without --games-of"),
        (["othello", "size=6"], "the book of othello is made without a size"),
    ],
)
def test_errors(tmp_path, capfd, words, message):
    assert run(["book", "make", *words, "--output", str(tmp_path)]) == 2
    assert message in " ".join(capfd.readouterr().err.split())


def test_a_training_run_that_goes_on_is_refused_and_other_files_too(tmp_path):
    training_run(tmp_path / "run", network_game(["E5"]))
    with (
        Checkpoint.existing(tmp_path / "run" / "generation-0.games").open(),
        pytest.raises(CheckpointInUse, match="in use"),
    ):
        go_games.training_games(tmp_path / "run", GO)
    with Checkpoint(tmp_path / "run" / "generation-1.games", "other").open() as stored:
        stored.append([("game 1", encode(BookGame((), 0, None)))])
    with pytest.raises(OptionError, match="no games of a run"):
        go_games.training_games(tmp_path / "run", GO)


def test_only_frequent_good_moves_are_played_and_all_of_them():
    book = StatisticsBook("go", min_games=20)
    lines(
        book,
        *[(["E5"], 0, 60), (["E5"], 1, 40)],  # 60 of 100
        *[(["D4"], 0, 36), (["D4"], 1, 24)],  # 60 %, with a larger error
        *[(["C3"], 0, 45), (["C3"], 1, 55)],  # worse
        *[(["E3"], 0, 10), (["A1"], 0, 19)],  # too few games
    )
    random = Random(3)
    drawn = Counter(GO.write_move(choose_move(book, GO.start(), random).move) for _ in range(400))
    expected = {"E5": 250, "D4": 150}  # by games; D4 stands for its images
    assert sum(drawn.values()) == 400
    assert drawn["E5"] == pytest.approx(expected["E5"], abs=40)
    assert set(drawn) - {"E5"} <= {"D4", "D6", "F4", "F6"}
    assert len(book.options(GO.start())) == 5, "the explorer shows all"
    few = StatisticsBook("go", min_games=20)
    lines(few, (["E5"], 0, 19))
    assert choose_move(few, GO.start(), random).move is None
    bad = StatisticsBook("go", min_games=20)
    lines(bad, (["E5"], 0, 60), (["E5"], 1, 140))
    assert choose_move(bad, GO.start(), random).move is None, "a move that mostly loses is searched"


def test_the_shipped_book_is_played_and_shown(folders):
    book = StatisticsBook("go", min_games=20)
    lines(book, (["E5", "C3"], 0, 60), (["E5", "C3"], 1, 40), (["D4"], 0, 70), (["D4"], 1, 50))
    book.progress = {"go.stats 1": 220}
    write_statistics(book, installed.shipped_statistics_path(GO))
    first = {"E5", "D4", "D6", "F4", "F6"}
    start, limits = GO.start(), Limits(nodes=10)
    engine = create("go", GO)
    config = EngineConfig("go")
    reports = [take_turn(engine, config, start, limits) for _ in range(20)]
    assert {report.engine for report in reports} == {"book"}
    assert len({report.best for report in reports}) > 1, "games differ"
    assert {report.best for report in reports} <= first
    assert "games" in reports[0].candidates[0].reason
    assert take_turn(engine, EngineConfig("go", book=False), start, limits).engine != "book"
    assert take_turn(engine, config, tengen.game("go", size=13).start(), limits).engine != "book"
    shown = explore_books(start)["Statistics"]
    assert [(option.games, round(option.win_rate, 2)) for option in shown] == [(120, 0.58), (100, 0.6)]
    # Nearly the same komi has the same openings; a handicap or another komi has not.
    cgos = tengen.game("go", size=9, komi=7).start()
    assert take_turn(engine, config, cgos, limits).best in first
    for other in ({"komi": 5.5}, {"handicap": 2}):
        assert "Statistics" not in explore_books(tengen.game("go", size=9, **other).start())


def test_the_users_statistics_start_with_the_shipped_ones(folders, tmp_path, capsys):
    book = StatisticsBook("go", min_games=20)
    lines(book, (["E5", "C3"], 0, 60))
    book.progress = {"go.stats 1": 60}
    write_statistics(book, installed.shipped_statistics_path(GO))
    (tmp_path / "my.sgf").write_text("(;GM[1]SZ[9]RU[Chinese]KM[7.5]RE[W+R];B[ee];W[cc];B[gg])")
    assert run(["book", "show", "go", "size=9"]) == 0
    assert "60" in capsys.readouterr().out
    assert not installed.statistics_path("go").exists(), "who only reads has no book of one's own"
    for games in (61, 62):
        assert run(["book", "add", "--statistics", str(tmp_path / "my.sgf")]) == 0
        mine = read_statistics(installed.statistics_path("go"))
        assert mine.options(GO.start())[0].games == games
        assert mine.min_games == 20
