"""Books as people use them: commands, engines that play from them, NBoard."""

import random

import pytest
from typer.testing import CliRunner

import tengen
from tengen.books import NodeKind, ValuedBook, evaluate_book, installed
from tengen.books.book_file import read_book, write_book
from tengen.books.probe import ProbeTable
from tengen.books.statistics import StatisticsBook
from tengen.books.statistics_file import write_statistics
from tengen.cli import app
from tengen.engines import registry
from tengen.games import records
from tengen.games.records import Record
from tengen.players.config import EngineConfig
from tengen.players.syntax import parse_config, write_config
from tengen.protocols.nboard import NBoard
from tengen.runtime.book_updates import learn_game
from tengen.runtime.turn import BookTaste, book_report, valued_candidates
from tengen.search.limits import Limits
from tengen.search.report import Kind
from tests.helpers.book_stub import Stub, play_out
from tests.helpers.protocol_client import Talk

OTHELLO = tengen.game("othello")
SMALL = ["--rules", "size=4"]


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path))
    return tmp_path


def run(*words, code=0):
    result = CliRunner().invoke(app, ["book", *map(str, words)])
    assert result.exit_code == code, (result.output, result.exception)
    return result.output


def games_file(path, game, count, length=60):
    rng = random.Random(4)
    lines = [play_out(game, [rng.randrange(20) for _ in range(length)])[-1] for _ in range(count)]
    records.write([Record.of(line, result="B+2") for line in lines], path)
    return path


def test_a_book_from_games_to_export(data):
    game = tengen.game("othello", size=4)
    file = games_file(data / "games.sgf", game, 3)
    assert "consistent" in run("add", file, "--horizon", 8)
    path = installed.valued_path(game)
    assert path.exists()
    assert "best unplayed move is not known" in run("check", *SMALL, code=1)
    assert "negamaxed" in run("value", *SMALL, "--depth", 12, "--processes", 1)
    assert not path.with_suffix(".jobs").exists()
    assert "negamaxed" in run("check", *SMALL)
    assert "0 values changed" in run("negamax", *SMALL)
    before = len(read_book(path))
    assert "new branches" in run("grow", *SMALL, "--loss", 20, "--most", 3, "--depth", 12, "--processes", 1)
    assert len(read_book(path)) > before
    assert "branches" in run("stats", *SMALL)
    assert "b1" in run("show", *SMALL)
    other = data / "other.book"
    run("export", other, *SMALL)
    assert other.read_bytes() == path.read_bytes()
    assert "0 positions added" in run("merge", other, *SMALL)
    assert "negamaxed" in run("prune", "--loss", 0, *SMALL)
    assert "positions" in run("import", other)
    assert len(read_book(path)) >= len(read_book(other))


def test_commands_take_the_name_of_the_game(data):
    """Every command: a game first, then its options, then its own arguments."""
    small = ["othello", "size=4"]
    assert "new branches" in run("grow", *small, "--loss", 4, "--max-branches", 2, "--depth", 4, "--processes", 1)
    path = installed.valued_path(tengen.game("othello", size=4))
    before = len(read_book(path))
    assert before > 2
    assert "negamaxed" in run("check", *small)
    assert "all positions are evaluated" in run("value", *small)
    assert "negamaxed" in run("value", *small, "--again", "--depth", 6, "--processes", 1)
    assert "values changed" in run("negamax", *small)
    assert f"{len(read_book(path))} positions" in run("stats", *small)
    assert "a1" in run("show", *small, "b1")
    assert "bytes" in run("export", *small, data / "copy.book")
    assert "0 positions added" in run("merge", *small, data / "copy.book")
    assert "negamaxed" in run("prune", *small, "--loss", 2)
    assert "positions" in run("import", "othello", data / "copy.book")
    (data / "games.txt").write_text("f5d6c3\nf5d6a1\nf5f6e6\n")
    assert "skipped: game 2" in run("add", "othello", data / "games.txt", "--book", data / "new.book")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["grow", "othelo"], "there is no game 'othelo'; choose clobber, go, othello, pente"),
        (["check", "my.book"], "name a book by --book my.book"),
        (["grow", "--bogus"], "No such option: --bogus"),
        (["export"], "Missing argument"),
        (["export", "othello"], "give one file, not 0"),
        (["merge", "othello", "a", "b"], "give one other book"),
        (["add", "othello"], "give a file of games"),
        (["make", "chess"], "no book is shipped for chess"),
    ],
)
def test_errors_point_to_the_help_of_the_command(data, capfd, words, message):
    from tengen.cli import run as whole

    assert whole(["book", *words]) == 2
    shown = " ".join(capfd.readouterr().err.split())
    assert message in shown
    assert f"(see: tengen book {words[0]} --help)" in shown


def test_the_named_game_must_be_that_of_the_book(data, capfd):
    from tengen.cli import run as whole

    write_book(ValuedBook(OTHELLO), data / "my.book")
    assert whole(["book", "stats", "--book", str(data / "my.book")]) == 0
    before = (data / "my.book").read_bytes()
    for words in (
        ["stats", "go"],
        ["prune", "go"],
        ["negamax", "go"],
        ["merge", "go", str(data / "my.book")],
        ["grow", "go"],
    ):
        assert whole(["book", *words, "--book", str(data / "my.book")]) == 2
        assert "is a book of othello, not of go" in " ".join(capfd.readouterr().err.split())
    assert whole(["book", "import", "go", str(data / "my.book")]) == 2
    assert "is a book of othello, not of go" in " ".join(capfd.readouterr().err.split())
    assert whole(["book", "import", "othello", "size=6", str(data / "my.book")]) == 2
    assert "is a book of othello, not of othello size=6" in " ".join(capfd.readouterr().err.split())
    assert (data / "my.book").read_bytes() == before


def test_the_default_game_counts_if_it_is_named(data, capfd):
    from tengen.cli import run as whole

    write_book(ValuedBook(tengen.game("othello", size=6)), data / "small.book")
    write_book(ValuedBook(tengen.game("go", size=9)), data / "go.book")
    for words in (["stats"], ["stats", "othello"], ["stats", "othello", "size=6"], ["stats", "--game", "othello"]):
        assert whole(["book", *words, "--book", str(data / "small.book")]) == 0
    assert whole(["book", "stats", "go", "--book", str(data / "go.book")]) == 0, "its size is that of the file"
    assert whole(["book", "stats", "go", "size=13", "--book", str(data / "go.book")]) == 2
    capfd.readouterr()
    for words in (["stats", "othello"], ["negamax", "--game", "othello"], ["prune", "othello"]):
        assert whole(["book", *words, "--book", str(data / "go.book")]) == 2
        assert "is a book of go width=9 height=9, not of othello" in " ".join(capfd.readouterr().err.split())


@pytest.mark.parametrize("command", [["grow", "othello"], ["import", "my.book"], ["add", "games.sgf"]])
def test_a_missing_folder_is_not_created(data, capfd, command):
    from tengen.cli import run as whole

    missing = data / "missing" / "my.book"
    assert whole(["book", *command, "--book", str(missing)]) == 2
    assert "folder not found" in capfd.readouterr().err
    assert not missing.parent.exists()


def test_novello_files_and_errors(data):
    book = ValuedBook(OTHELLO)
    book.add(play_out(OTHELLO, [1, 2, 3]))
    evaluate_book(book, Stub())
    installed.valued_path(OTHELLO).parent.mkdir()
    write_book(book, installed.valued_path(OTHELLO))
    run("export", data / "book.nbb")
    assert f"{len(book)} positions" in run("import", data / "book.nbb", "--book", data / "again.book")
    assert (data / "again.book").read_bytes() == installed.valued_path(OTHELLO).read_bytes()
    from tengen.cli import run as whole

    assert whole(["book", "check", "--book", str(data / "none.book")]) == 2
    assert whole(["book", "import", str(data / "none.nbb")]) == 2
    assert whole(["book", "export", str(data / "nowhere" / "book.nbb")]) == 2
    assert whole(["book", "show", "f5 f6 f7 g8", "--game", "othello"]) == 2


def test_engines_move_at_once_in_the_book(data):
    book = ValuedBook(OTHELLO)
    assert book_report(OTHELLO.start(), Limits(seconds=1)) is None
    book.add(play_out(OTHELLO, [0] * 20))
    evaluate_book(book, Stub())
    installed.valued_path(OTHELLO).parent.mkdir()
    write_book(book, installed.valued_path(OTHELLO))
    report = book_report(OTHELLO.start(), Limits(seconds=1))
    assert report.engine == "book"
    assert report.value.amount == book.lookup(OTHELLO.start()).value
    assert OTHELLO.start().play(report.best)
    assert book_report(OTHELLO.start(), Limits(seconds=1, lines=3)) is None, "who asks for lines wants thoughts"
    assert learn_game(play_out(OTHELLO, [1, 1, 1])[-1], depth=1) > 0
    assert len(installed.valued.book(OTHELLO)) > len(book), "what was learned is seen"


def test_variety_and_draw_avoidance(data):
    book = ValuedBook(OTHELLO)
    start = OTHELLO.start().play("f5")
    book.add(start.line())
    for move, value in (("d6", 0), ("f4", 3), ("f6", 1)):  # for the player after the move
        book.put(start.play(move), NodeKind.LEAF, value)
    book.nodes.array[: len(book)]["move"][:2] = book.nodes.images.forward[
        book.nodes.find(start).image, OTHELLO.read_move("d6", start)
    ]
    book.negamax()
    assert book.lookup(start).value == 0

    def chosen(**taste):
        moves = {valued_candidates(book, start, BookTaste(**taste), random.Random(n))[0].move for n in range(30)}
        return sorted(moves)

    assert chosen() == ["d6"]
    assert chosen(variety=1) == ["d6", "f6"]
    assert chosen(variety=3) == ["d6", "f4", "f6"]
    assert chosen(variety=1, contempt=0.5) == ["f6"], "the draw is avoided"
    assert chosen(variety=3, contempt=-0.5) == ["d6"], "the draw is sought"
    assert chosen(contempt=0.5) == ["d6"], "nothing else is as good"
    config = parse_config("othello:1s,variety=2,seed=3")
    assert config.variety == 2
    assert parse_config(write_config(config)) == config
    assert EngineConfig.from_dict(config.to_dict()) == config
    assert "variety" not in EngineConfig("othello").to_dict(), "readable by earlier versions"


def test_a_search_takes_the_values_of_positions_near_its_root():
    start = OTHELLO.start()
    engine = registry.create("othello", table=1)
    plain = engine.search(start, Limits(depth=6)).value.amount
    assert abs(plain) < 8
    book = ValuedBook(OTHELLO)
    reply = start.play_all(["f5", "d6"])
    book.put(reply, NodeKind.LEAF, -20)  # whoever begins loses by that reply, wherever they begin
    engine = registry.create("othello", table=1)
    engine.book = ProbeTable.from_book(book)
    found = engine.search(start, Limits(depth=6))
    assert found.value.amount <= -20
    assert found.value.kind is Kind.HEURISTIC
    book.put(start, NodeKind.LEAF, 30)
    engine = registry.create("othello", table=1)
    engine.book = ProbeTable.from_book(book)
    assert engine.search(start, Limits(depth=6)).value.amount <= -20, "the root itself is not looked up"


def test_statistics_by_command_and_in_play(data):
    pente = tengen.game("pente")
    lines = [pente.start().play_all(["K10", "L11", "N10"]) for _ in range(3)]
    file = data / "games.sgf"
    records.write([Record.of(line, result="B+R") for line in lines], file)
    assert "3 games added" in run("add", "--statistics", file)
    assert "K10" in run("show", "--game", "pente")
    found = {getattr(book_report(pente.start(), Limits(seconds=1)), "best", None) for _ in range(20)}
    assert "K10" in found
    assert installed.statistics.book(pente).options(pente.start())[0].games == 3
    empty = StatisticsBook("pente")
    write_statistics(empty, installed.statistics_path(pente))
    installed.statistics.book(pente)
    installed.statistics.wait()
    assert book_report(pente.start(), Limits(seconds=1)) is None


def test_nboard_tells_and_learns(data):
    book = ValuedBook(OTHELLO)
    book.add(play_out(OTHELLO, [0] * 6))
    evaluate_book(book, Stub())
    installed.valued_path(OTHELLO).parent.mkdir()
    write_book(book, installed.valued_path(OTHELLO))
    talk = Talk(lambda inbox, write: NBoard(inbox, write, EngineConfig("alphabeta")))
    talk.say("set depth 1")
    first = book.move(OTHELLO.start())[0]
    assert f"=== {OTHELLO.write_move(first).upper()}/" in talk.say("go")
    assert "book F5 " in talk.say("hint 4")
