"""What the terminal app draws and says, without a screen: pictures, aims, option fields, lines for scripts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tengen
from tengen.app.game_options import options_of, read_options
from tengen.app.move_preview import aim, moves_off_board, point_name, string_at
from tengen.app.value_display import for_first, write_value
from tengen.core.diagram import Diagram, Stone, letters
from tengen.core.position import Position
from tengen.play.game_tree import MatchError
from tengen.play.match import Match
from tengen.play.player_lookup import candidates
from tengen.play.view import View
from tengen.players.configure import configure, engine_player
from tengen.players.player import Person
from tengen.runtime.host import EngineHost
from tengen.search.limits import Limits
from tengen.search.report import Candidate, Report, Value
from tengen.store.store import Store
from tengen.terminal.app.board_drawing import BoardLayout, BoardMarks, draw
from tengen.terminal.app.match_snapshot import MatchSnapshot
from tengen.terminal.headless_match import EventWriter, run_match

ANN, BEA = Person("Ann"), Person("Bea")
RANDOM = engine_player(configure("random", Limits(nodes=1)))
FLAT = engine_player(configure("flat", Limits(nodes=20)))


def empty(columns: int, rows: int, kind: str) -> Diagram:
    stones = ((Stone.EMPTY,) * columns,) * rows
    return Diagram(stones, letters(columns), tuple(str(row + 1) for row in range(rows)), kind)  # type: ignore[arg-type]


@given(st.integers(1, 30), st.integers(1, 25), st.sampled_from(["points", "cells"]), st.integers(5, 150))
def test_every_point_is_found_where_it_is_drawn(columns: int, rows: int, kind: str, room: int) -> None:
    layout = BoardLayout.fit(empty(columns, rows, kind), room, room // 2)
    centres = set()
    for point in ((column, row) for column in range(columns) for row in range(rows)):
        x, y = layout.centre(point)
        assert layout.at(x, y) == point
        assert 0 <= x < layout.width
        assert 0 <= y < layout.height
        centres.add((x, y))
    assert len(centres) == columns * rows
    assert layout.at(0, 0) is None


@given(st.integers(1, 25), st.integers(1, 25), st.sampled_from(["points", "cells"]))
def test_the_drawing_has_the_size_that_the_layout_says(columns: int, rows: int, kind: str) -> None:
    layout = BoardLayout.fit(empty(columns, rows, kind), 80, 24)
    lines = draw(layout, BoardMarks(cursor=(columns - 1, rows - 1)))
    assert len(lines) == layout.height
    assert {len(line.plain) for line in lines} == {layout.width}


def test_a_larger_place_gets_a_larger_board() -> None:
    diagram = tengen.game("othello").start().diagram()
    assert [BoardLayout.fit(diagram, *size).scale for size in ((30, 12), (46, 20), (76, 36))] == [1, 2, 3]
    go = tengen.game("go").start().diagram()
    layout = BoardLayout.fit(go, 46, 20)  # beside the panel of a terminal of 80x24
    assert layout.width <= 46
    assert layout.height <= 20


def test_stones_marks_and_ghosts_are_drawn() -> None:
    position = tengen.game("go", size=5).start().play_all(("C3", "C4"))
    layout = BoardLayout.fit(position.diagram(), 20, 8)
    marks = BoardMarks(cursor=(0, 0), ghosts={(4, 4): (Stone.FIRST, "1")}, lost=frozenset({(2, 2)}))
    lines = [line.plain for line in draw(layout, marks)]
    symbols = {
        point: lines[layout.centre(point)[1]][layout.centre(point)[0]] for point in ((2, 2), (2, 1), (4, 4))
    }
    assert symbols == {(2, 2): "×", (2, 1): "◉", (4, 4): "1"}
    assert "[" in lines[1]
    lettered = [line.plain for line in draw(layout, BoardMarks(letters=True))]
    assert lettered[3][layout.centre((2, 2))[0]] == "X"
    assert lettered[2][layout.centre((2, 1))[0]] == "O"


def test_an_aim_says_what_a_move_would_do() -> None:
    go = tengen.game("go", size=5).start().play_all(["A1", "B1", "C3", "pass"])
    assert aim(go, (2, 2)).problem
    assert "there is a stone" in aim(go, (2, 2)).text
    captured = aim(tengen.game("go", size=5).start().play_all(["C3", "A1", "B1", "pass"]), (0, 3))
    assert captured.text == "A2, captures A1"
    assert captured.lost == {(0, 4)}
    othello = aim(tengen.game("othello").start(), (5, 4))
    assert othello.text == "f5, turns e5"
    assert othello.placed == (((5, 4), Stone.FIRST),)
    assert "turns no disc" in aim(tengen.game("othello").start(), (0, 0)).text


def test_in_clobber_a_stone_is_chosen_first() -> None:
    strip = tengen.game("clobber", board="XO.OX").start()
    first = aim(strip, (0, 0))
    assert first.chooses == (0, 0)
    assert first.targets == ((1, 0),)
    assert first.move is None
    second = aim(strip, (1, 0), (0, 0))
    assert second.move is not None
    assert second.text.startswith("1-2, captures 2")
    assert aim(strip, (2, 0), (0, 0)).problem
    assert aim(strip, (4, 0), (0, 0)).chooses == (4, 0)  # another stone instead
    assert aim(strip, (1, 0)).problem  # not one's own


@pytest.mark.parametrize(
    ("name", "options"), [("go", {"size": 5}), ("othello", {"size": 6}), ("pente", {"size": 7})]
)
def test_the_cursor_reaches_exactly_the_legal_moves(name: str, options: dict[str, int]) -> None:
    position = tengen.game(name, **options).start()
    for _ in range(6):
        diagram = position.diagram()
        points = [(column, row) for row in range(len(diagram.rows)) for column in range(len(diagram.columns))]
        reached = {found.move for found in (aim(position, point) for point in points) if found.move is not None}
        on_board = {move for move in position.legal_moves if position.game.points(move)}
        assert reached == on_board
        off = [position.game.write_move(move) for move in position.legal_moves if move not in on_board]
        assert moves_off_board(position) == off
        position = position.play(position.legal_moves[len(position.legal_moves) // 2])


def test_strings_hang_together_by_lines() -> None:
    diagram = tengen.game("go", size=5).start().play_all(["A1", "E5", "A2", "E4", "B2", "C3"]).diagram()
    assert {point_name(diagram, point) for point in string_at(diagram, (0, 4))} == {"A1", "A2", "B2"}
    assert string_at(diagram, (3, 4)) == frozenset()


def test_options_are_refused_beside_their_field() -> None:
    game, problems = read_options("go", {"size": "9", "rules": "japanese", "komi": "", "handicap": "2"})
    assert game is not None
    assert not problems
    assert game.options()["komi"] == 0.5
    _, problems = read_options("go", {"size": "99", "komi": "many"})
    assert set(problems) == {"size", "komi"}
    assert "1 to 25 lines" in problems["size"]
    _, problems = read_options("othello", {"size": "8", "board": "XO"})
    assert set(problems) == {"board"}
    assert read_options("clobber", {"size": "20", "board": "XOX", "first": "X"})[0] == tengen.game(
        "clobber", board="XOX"
    )


@pytest.mark.parametrize("name", ["clobber", "go", "othello", "pente"])
def test_the_usual_options_make_the_usual_game(name: str) -> None:
    given = {option.name: option.default for option in options_of(name)}
    assert read_options(name, given) == (tengen.game(name), {})


def test_values_always_tell_their_kind() -> None:
    values = {
        Value.exact(1, "wins"): "won (exact)",
        Value.proved(4, "discs", low=True, high=False): "at least +4 discs (proved)",
        Value.heuristic(0.543, "win rate"): "54.3 % wins (estimate)",
    }
    for value, text in values.items():
        assert write_value(value) == text


def test_bars_are_seen_from_the_first_player() -> None:
    def report(value: Value) -> Report:
        return Report("test", "f5", value, (Candidate("f5", value),), 1, 1.0)

    assert for_first(report(Value.heuristic(0.75, "win rate")), 0) == 0.5
    assert for_first(report(Value.heuristic(0.75, "win rate")), 1) == -0.5
    assert for_first(report(Value.exact(64, "discs")), 0) > for_first(report(Value.exact(2, "discs")), 0) > 0


def test_whose_turn_it_is_is_said() -> None:
    match = Match.new(tengen.game("othello", size=4), (ANN, FLAT))
    view = View(match, follow=True)
    assert MatchSnapshot.from_view(view).turn.startswith("Paused")
    match.start()
    assert MatchSnapshot.from_view(view).turn == "Your move, Ann"
    assert MatchSnapshot.from_view(view).can_play
    match.play(match.live.legal_moves[0])
    shown = MatchSnapshot.from_view(view)
    assert shown.turn == f"{FLAT.name} (White) is thinking"
    assert not shown.can_play
    assert shown.person == 0
    view.go_to(0)
    assert MatchSnapshot.from_view(view).can_play  # a variation


def test_who_can_sit_down() -> None:
    with Store.in_memory() as store:
        assert isinstance(candidates(store, "go")[0], Person)  # somebody, also at the first start
        store.save_player(ANN)
        store.save_player(FLAT)
        found = candidates(store, "go")
        assert found[0] == ANN
        assert FLAT in found
        assert len({player.id for player in found}) == len(found)


# ---- without a screen


def test_two_engines_play_without_a_screen() -> None:
    lines: list[str] = []
    with EngineHost(1) as host, Store.in_memory() as store:
        game = tengen.game("othello", size=4)
        match = Match.new(game, (RANDOM, FLAT), save=store.save)
        end = run_match(match, host, EventWriter(match, lines.append))
        assert end == match.result
        assert lines[0] == "started"
        assert lines[-1].startswith(f"ended {end.code} ")
        moved = [line.split() for line in lines if line.startswith("moved ")]
        assert [words[1] for words in moved] == [str(number + 1) for number in range(match.live.ply)]
        assert [words[3] for words in moved] == match.live.write_moves(match.live.moves)
        assert store.load(match.id).is_finished

        facts: list[dict[str, object]] = []
        # With superko, since by the simple one two random players may go round and round.
        japanese = tengen.game("go", size=2, rules="japanese", ko="positional")
        counted = Match.new(japanese, (RANDOM, RANDOM.renamed("Other")))
        lined = EventWriter(counted, lambda line: facts.append(json.loads(line)), as_json=True, thinking=True)
        assert run_match(counted, host, lined).code
        assert {"counting", "ended", "thinking"} <= {fact["event"] for fact in facts}


def test_without_a_screen_nobody_waits_for_a_person() -> None:
    with EngineHost(1) as host, pytest.raises(MatchError, match="needs two engine players"):
        run_match(Match.new(tengen.game("othello", size=4), (ANN, FLAT)), host)


def position_after(name: str, moves: str) -> Position:
    return tengen.game(name).start().play_all(moves.split())


def test_lines_are_lines_whatever_is_in_them() -> None:
    lines: list[str] = []
    match = Match.new(tengen.game("othello", size=4), (ANN, BEA))
    match.watch(EventWriter(match, lines.append))
    match.start()
    move = match.live.write_moves(match.live.legal_moves)[0]
    match.play(move)
    match.take_back()
    match.forfeit(0, "left\nthe room")
    assert lines[1].startswith(f"moved 1 Black {move} ")
    assert lines[2] == f"taken-back 0 {move}"
    assert lines[3] == "ended W+F White wins: left the room"
