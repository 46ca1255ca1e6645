"""The public API: the names in `dir(tengen)` and what they do in a few lines."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import tengen
from tengen.books import installed

PUBLIC = [
    "EngineConfig", "Game", "Limits", "Move", "Outcome", "Player", "Position", "Record", "Report", "Value",
    "__version__", "analyse", "book", "errors", "game", "match", "player", "read", "review", "rows", "solve",
    "thermograph", "write",
]  # fmt: skip
OTHELLO = tengen.game("othello", size=4)


def test_the_public_names_are_these() -> None:
    assert dir(tengen) == PUBLIC == tengen.__all__
    for name in PUBLIC:
        public = getattr(tengen, name)
        if inspect.isfunction(public) or inspect.isclass(public):
            assert public.__doc__, name
        if inspect.isfunction(public):
            assert "return" in public.__annotations__, name
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = tengen.nothing  # type: ignore[attr-defined]


def test_importing_tengen_loads_nothing_heavy() -> None:
    code = "import sys, tengen; dir(tengen); print(*sorted({'numpy', 'numba', 'sqlalchemy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_games_are_written_and_read(tmp_path: Path) -> None:
    position = tengen.game("othello").start().play_all(["f5", "d6", "c3"])
    path = tmp_path / "game.sgf"
    assert tengen.write(position, path) == []
    (record,) = tengen.read(path)
    assert isinstance(record, tengen.Record)
    assert record.positions()[-1] == position
    tengen.write([record, record], tmp_path / "two.sgf")
    assert len(tengen.read(str(tmp_path / "two.sgf"))) == 2


def test_analysis_takes_limits_engines_and_lines() -> None:
    start = OTHELLO.start()
    report = tengen.analyse(start, depth=3, lines=2)
    assert report.engine == "othello"
    assert len(report.candidates) >= 2
    assert tengen.analyse(start, "random", nodes=1).engine == "random"
    assert tengen.analyse(start, tengen.player("uct:20nodes")).nodes == 20
    assert tengen.analyse(start, tengen.EngineConfig("uct"), nodes=30).nodes == 30
    with pytest.raises(tengen.errors.OptionError, match="no engine"):
        tengen.analyse(start, "deep")


def test_solving_proves_values() -> None:
    report = tengen.solve(OTHELLO.start())
    assert str(report.value) == "-10 discs (exact)"
    strip = tengen.game("clobber", board="XOXO").start()
    assert all(one.value.kind == "exact" for one in tengen.solve(strip, every_move=True).candidates)


def test_a_review_finds_the_losing_move() -> None:
    position = OTHELLO.start()
    while not position.is_over:
        position = position.play(position.legal_moves[-1])
    review = tengen.review(position, depth=12)
    assert [move.number for move in review.moves] == list(range(1, position.ply + 1))
    assert all(move.is_exact for move in review.moves)
    assert sum(move.loss or 0 for move in review.moves) > 0


def test_a_match_alternates_colours_and_is_repeatable() -> None:
    first = tengen.match("alphabeta:depth1", "random:1nodes", OTHELLO, rounds=3, seed=1)
    again = tengen.match("alphabeta:depth1", "random:1nodes", OTHELLO, rounds=3, seed=1)
    assert sum(first.results(0)) == 6
    assert first.results(0) == again.results(0)
    assert [game.first for game in first.counted()] == [0, 1] * 3


def test_books_are_installed_or_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = Path(installed.__file__).parent / "shipped"
    monkeypatch.setattr(installed, "SHIPPED_FOLDER", shipped)
    book = tengen.book("othello")
    assert book is not None
    assert book.options(tengen.game("othello").start())
    assert tengen.book("clobber") is None
    from_file = tengen.book("othello", installed.shipped_path(tengen.game("othello")))
    assert from_file is not None
    assert len(from_file) == len(book)


def test_players_have_a_level_and_a_name() -> None:
    assert tengen.player("uct:nodes=5", rave=3).name == "Uct 5 nodes, rave 3"
    assert tengen.player(tengen.player("uct")).config.limits.seconds == 1.0
    with pytest.raises(tengen.errors.OptionError, match="a player needs an engine"):
        tengen.player()


# ---- notebooks


@pytest.mark.parametrize("name", ["clobber", "go", "othello", "pente"])
def test_positions_are_pictures_in_notebooks(name: str) -> None:
    position = tengen.game(name).start()
    position = position.play(position.legal_moves[0])
    picture = ElementTree.fromstring(position._repr_svg_())
    fills = [one.get("fill") for one in picture.iter() if one.tag.endswith("circle")]
    stones = sum(stone != 0 for row in position.diagram().stones for stone in row)
    assert fills.count("url(#tengen-stone-1)") + fills.count("url(#tengen-stone-2)") == stones > 0
    assert {"tengen-stone-1", "tengen-stone-2"} <= {one.get("id") for one in picture.iter()}


def test_reports_and_reviews_are_tables_and_thermographs_pictures() -> None:
    report = tengen.analyse(OTHELLO.start(), depth=2, lines=2)
    table = ElementTree.fromstring(report._repr_html_())
    assert len(table.findall("tr")) == 1 + len(report.candidates)
    position = OTHELLO.start()
    review = tengen.review(position.play(position.legal_moves[0]), depth=1)
    assert ElementTree.fromstring(review._repr_html_()).tag == "table"
    graph = tengen.thermograph("{3|-1}")
    assert ElementTree.fromstring(graph._repr_svg_()).tag.endswith("svg")
    assert (graph.mean, graph.temperature) == (1, 2)
