"""Books that ship: how they are made, that the user's own come first, and that games enter as they are played."""

import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import tengen
from tengen.app.live_books import LiveBooks
from tengen.arena import selfplay, shipped_books
from tengen.books import ConsistencyLevel, ValuedBook, check, evaluate_book, installed
from tengen.books.book_file import read_book, write_book
from tengen.books.container import book_lock
from tengen.books.errors import BookError
from tengen.books.explorer import explore_books
from tengen.books.statistics_file import read_statistics
from tengen.cli import run
from tengen.core.game import Move
from tengen.games import records
from tengen.games.records import Record
from tengen.play.match import Match
from tengen.players.player import Person
from tengen.runtime.book_updates import learn_game
from tengen.runtime.turn import book_report
from tengen.search.limits import Limits
from tengen.store.store import Store
from tests.helpers.book_stub import Stub, play_out

OTHELLO, PENTE = tengen.game("othello"), tengen.game("pente")
QUICKLY = Limits(seconds=1)


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """A data folder without books, and a folder of books that ship."""
    shipped = tmp_path / "shipped"
    shipped.mkdir()
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(installed, "SHIPPED_FOLDER", shipped)
    return shipped


def valued(*games):
    book = ValuedBook(OTHELLO)
    for choices in games:
        book.add(play_out(OTHELLO, choices))
    evaluate_book(book, Stub())
    return book


def test_the_books_in_the_package(monkeypatch):
    """They are whole, proved, small and come with their origin."""
    monkeypatch.setattr(installed, "SHIPPED_FOLDER", Path(installed.__file__).parent / "shipped")
    places = {"othello": installed.shipped_path(OTHELLO), "pente": installed.shipped_games_path("pente")}
    for name, path in places.items():
        told = json.loads(path.with_suffix(".json").read_text())
        assert told["bytes"] == path.stat().st_size < 500_000
        assert told["games"] == shipped_books.GAMES[name]
        assert told["command"].startswith(f"tengen book make {name} --seed {told['seed']}")
    book = read_book(places["othello"])
    told = json.loads(places["othello"].with_suffix(".json").read_text())
    assert check(book).level is ConsistencyLevel.NEGAMAXED
    assert len(book) == told["positions"]
    assert len(book.options(OTHELLO.start())) == 4
    games = list(records.parse(gzip.decompress(places["pente"].read_bytes())))
    assert len(games) == shipped_books.GAMES["pente"]
    assert all(game.result and all(game.ratings) for game in games)


def test_the_users_book_begins_as_a_copy_and_the_shipped_one_helps_where_it_is_silent(folders):
    assert book_report(OTHELLO.start(), QUICKLY) is None
    assert learn_game(play_out(OTHELLO, [0] * 10)[-1], depth=1) == 0, "nothing to begin with"
    write_book(valued([0] * 20), installed.shipped_path(OTHELLO))
    own = installed.valued_path(OTHELLO)
    assert book_report(OTHELLO.start(), QUICKLY).engine == "book"
    assert run(["book", "check"]) == 0
    assert run(["book", "value"]) == 0
    assert not own.exists(), "who only reads, or has nothing to value, makes no book"
    line = play_out(OTHELLO, [3] * 8)
    assert learn_game(line[-1], depth=1) > 0
    assert len(read_book(own)) > len(read_book(installed.shipped_path(OTHELLO)))
    assert installed.valued.book(OTHELLO).lookup(line[-1]) is not None, "what was learned is on the shelf"
    # A newer program brings another book: the user's is asked first, and nothing of it is lost.
    before = own.read_bytes()
    write_book(valued([2] * 20), installed.shipped_path(OTHELLO))
    only_new = play_out(OTHELLO, [2] * 12)[-1]
    explore_books(only_new)
    installed.shipped.wait()
    assert installed.valued.book(OTHELLO).lookup(only_new) is None
    assert "Book" in explore_books(only_new)
    assert book_report(only_new, QUICKLY) is not None
    assert own.read_bytes() == before
    assert run(["book", "merge"]) == 0
    assert read_book(own).lookup(only_new) is not None
    assert read_book(own).lookup(line[-1]) is not None


def test_a_changed_book_is_read_beside_the_game(folders):
    own = installed.valued_path(OTHELLO)
    own.parent.mkdir(parents=True)
    write_book(valued([0] * 5), own)
    small = installed.valued.book(OTHELLO)
    write_book(valued([0] * 5, [1] * 9), own)
    assert len(installed.valued.book(OTHELLO)) >= len(small), "the old one until the new one is there"
    installed.valued.wait()
    assert len(installed.valued.book(OTHELLO)) > len(small)
    with (
        book_lock(own),
        pytest.raises(BookError, match="being changed by another"),
        book_lock(own, timeout_s=0.05),
    ):
        pass


def test_shipped_games_are_counted_once_and_the_players_own_as_they_end(folders):
    lines = [PENTE.start().play_all(["K10", "L11", second]) for second in ("N10", "K14", "N13", "G10", "K6")]
    games = [Record.of(line, result="B+R", ratings=("1500", "1400")) for line in lines]
    text = records.serialise(games, "pente.org").data
    installed.shipped_games_path("pente").write_bytes(gzip.compress(text))
    path = installed.statistics_path("pente")

    def first_move():
        return read_statistics(path).options(PENTE.start())[0]

    assert run(["book", "show", "--game", "pente"]) == 0  # counts them, where nobody has
    for _ in range(2):  # another start finds them counted
        with Store.in_memory() as store:
            books = LiveBooks(store)
            assert books.wait(120)
            books.close()
        assert (first_move().games, first_move().best) == (5, 1500.0)
    with Store.in_memory() as store:
        books = LiveBooks(store, [])
        match = Match.new(PENTE, (Person("Ann"), Person("Bob")), save=store.save)
        match.start()
        match.play("K10")
        match.play("L11")  # before each side has moved, a game is not rated
        match.resign(1)
        match.set_comment(match.tree.root, "well played")  # saved again
        other = Match.new(tengen.game("go", size=5), (Person("Ann"), Person("Bob")), save=store.save)
        other.start()
        other.resign(0)
        assert books.wait()
        books.close()
        assert store.ratings("pente")
    assert first_move().games == 6
    assert first_move().wins == 6
    assert first_move().best > 1500
    assert not installed.statistics_path("go").exists(), "nobody began a book of that game"
    installed.statistics.book(PENTE)
    installed.statistics.wait()
    assert "Statistics" in explore_books(PENTE.start())


def test_books_are_made_the_same_again(tmp_path, capsys):
    options = ["--games", "1", "--depth", "1", "--processes", "1", "--output", str(tmp_path)]
    assert run(["book", "make", "othello", *options]) == 0
    book = read_book(tmp_path / "othello.book")
    assert check(book).level is ConsistencyLevel.NEGAMAXED
    (played,) = selfplay.play_games(selfplay.OTHELLO, 1, 0, 1)
    line = list(OTHELLO.start().play_all([Move(move) for move in played.moves]).line())
    assert all(book.lookup(position) is not None for position in line[: book.horizon])
    assert not list(tmp_path.glob("*.jobs"))
    quick = selfplay.SelfPlayStyle("pente", "pente", openings=(3, 3), players=((1, 1), (1, 2)))
    games = selfplay.play_games(quick, 1, 0, 3)
    assert games == selfplay.play_games(quick, 1, 0, 3)
    found = shipped_books.records_of(quick, games)
    assert {len(game.moves()) for game in found} == {len(game.moves) for game in games}
    assert all(game.result in ("B+", "W+", "0") for game in found), [game.result for game in found]
    assert run(["book", "make", "chess"]) == 2
    assert run(["book", "make", "pente", "--depth", "3"]) == 2
    assert run(["book", "make", "pente", "-o", str(tmp_path / "none")]) == 2
    capsys.readouterr()


class StoppingBar:
    """A progress bar that interrupts the run when it is shown for the `last` time."""

    def __init__(self, last=None):
        self.shown, self.last = 0, last

    def __call__(self, label):
        return self

    def __enter__(self):
        self.shown += 1
        if self.shown == self.last:
            raise KeyboardInterrupt
        return lambda progress: None

    def __exit__(self, *error):
        return None


def test_a_grown_book_is_reproducible_and_resumes(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped_books, "GROWTH_BRANCHES", 30)

    def make(name, bar):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        with ThreadPoolExecutor(1) as executor:
            return shipped_books.make_othello(
                folder, seed=3, count=1, depth=1, executor=executor, bar=bar, positions=200
            )

    once = make("once", StoppingBar())
    with pytest.raises(KeyboardInterrupt):
        make("twice", StoppingBar(6))
    assert list(tmp_path.rglob("*.jobs"))
    assert make("twice", StoppingBar()).read_bytes() == once.read_bytes()
    facts = json.loads(once.with_suffix(".json").read_text())
    assert facts["positions"] >= 200
    assert facts["level"] == "negamaxed"
    assert facts["command"] == "tengen book make othello --seed 3 --games 1 --depth 1 --positions 200"
    assert not list(tmp_path.rglob("*.jobs"))
