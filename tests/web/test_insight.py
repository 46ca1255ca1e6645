"""What is shown beside a board and on it: strings of Go, counts of Pente, losses, an engine's view of a game."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen.app.game_reports import ReportIndex
from tengen.app.go_groups import find_group_reasons
from tengen.app.pente_player_settings import PentePlayerSettings
from tengen.app.pente_puzzles import to_puzzle
from tengen.app.puzzles import puzzle_kinds
from tengen.app.value_graph import final_share, losses
from tengen.core.errors import TengenError
from tengen.core.position import Position
from tengen.engines.go.positions import with_side_to_move
from tengen.engines.go.reading.status import StatusTracker
from tengen.engines.go.strings.engine import STATUS_LABELS, StringEngine
from tengen.engines.pente.overlays import threat_overlays
from tengen.engines.pente.puzzles import shipped_puzzles
from tengen.engines.pente.root_position import RootPosition
from tengen.jobs.helper_pool import HelperPool
from tengen.play.game_tree import MatchError
from tengen.play.match import Match
from tengen.players.configure import configure, engine_player
from tengen.players.opponents import CAPTURE_PREFERENCES, analysis_player
from tengen.players.player import Person
from tengen.runtime.host import EngineHost
from tengen.runtime.messages import Request
from tengen.search.limits import Limits
from tengen.search.report import Candidate, Report, Value
from tengen.store.store import Store
from tengen.web import live_analysis as live_analysis
from tengen.web.board_data import line_preview, stone_letters
from tengen.web.game_sessions import GameSessions
from tengen.web.go_strings import read_group_lines, read_strings
from tengen.web.live_analysis import LiveAnalysis
from tengen.web.pages.go_strings_panel import move_value_rows
from tengen.web.pente_evaluation import pente_evaluation
from tengen.web.visitor_cache import VisitorCache

CAUGHT = "......./..XX.../.XOO.../..XX.../......./......./....... "


# ---- strings of Go


@pytest.mark.parametrize("player", "XO")
def test_strings_are_shown_with_their_status_and_with_lines_that_can_be_played(player: str) -> None:
    position = tengen.game("go", board=CAUGHT + player).start()
    reading = read_strings(Request.from_position(position))
    by_points = {frozenset(string.points): string for string in reading.strings}
    for status in StatusTracker(position.game).update(position):  # type: ignore[arg-type]
        assert by_points.pop(status.stones).sign == STATUS_LABELS.get(status.status, "?")
    assert not by_points
    urgent = reading.strings[0]
    assert urgent.kind == "urgent", "what is urgent comes first"
    for line, first in ((urgent.capture, 0), (urgent.save, 1)):
        assert line is not None
        assert line.player == first
        after = with_side_to_move(position, first).play_all(line.moves)
        assert line.ahead["stones"] == stone_letters(after)
    drawn = reading.overlay(position.to_move, position.game.players)["strings"][0]
    mine = urgent.capture if player == "X" else urgent.save
    assert mine is not None
    assert drawn["stones"] == mine.ahead["stones"], "the line of who is to move is played out"
    assert {overlay.name for overlay in reading.influence} == {"territory", "moyo", "area"}


def test_groups_are_shown_with_the_moves_that_kill_and_save_them() -> None:
    board = "...XO..../XXXXO..../OOOO...../........./........./........./........./........./......... X"
    position = tengen.game("go", board=board).start()
    kill, save = read_group_lines(Request.from_position(position))[:2]
    for line, player, words in ((kill, 1, "White kills it"), (save, 0, "Black saves it")):
        assert line.move is not None
        assert (line.group.player, line.kind, line.group.words) == (
            0,
            "urgent",
            "urgent: depends on who moves first, not proved",
        )
        assert (line.move.player, line.move.move) == (player, "B9")
        assert line.describe(position.game.players) == f"Group of 5 Black stones at A8: {words}"
        assert line.ahead == line_preview(with_side_to_move(position, player), ("B9",))


def test_what_a_move_does_to_groups_is_a_reason() -> None:
    board = "...XO..../XXXXO..../OOOOO..../........./........./........./........./........./......... "
    for side, move, text in (
        ("O", "B9", "kills a group of 5 stones at A8"),
        ("X", "F9", "lets White kill a group of 5 stones at A8 by B9"),
    ):
        position = tengen.game("go", board=board + side).start()
        assert [(one.text, one.is_fact) for one in find_group_reasons(position, move)] == [(text, False)]


def test_moves_are_listed_by_worth_with_their_reasons_and_the_pass_is_not() -> None:
    position = tengen.game("go", board=CAUGHT + "O").start()
    report = StringEngine(big=3).search(position, Limits(nodes=1000))
    rows = move_value_rows(position, report)
    urgent = next(row for row in rows if row["why"].startswith("urgent"))
    assert urgent["why"] == "urgent: saves 2 stones at C5", "its worth stands before it"
    assert urgent["line"][0] == "E5"
    assert [float(row["value"]) for row in rows] == sorted((float(row["value"]) for row in rows), reverse=True)
    assert all(row["line"] != ["pass"] and row["kind"] == "heuristic" for row in rows)


# ---- Pente


def test_threats_and_captures_are_drawn_on_the_disc_of_their_side() -> None:
    position = tengen.game("pente", size=9).start().play_all(["E5", "F6", "G5", "E6", "F5"])
    view = pente_evaluation(Request.from_position(position))
    expected = {
        (c, r, label, side)
        for overlay in threat_overlays(position, RootPosition(position))
        for side, colour in enumerate(position.game.players)
        if overlay.name.startswith(colour)
        for c, r, label in overlay.points
    }
    assert expected == {label for layer in view.layers.values() for label in map(tuple, layer["labels"])}
    assert view.sides[0].windows[2] == 3, "three stones in a row stand in three windows"
    over = pente_evaluation(Request.from_position(tengen.game("pente", size=9, variant="connect6").start()))
    assert over.sides == ()
    assert over.verdict


def test_puzzles_that_ship_are_offered_with_every_solution_and_a_line_that_wins() -> None:
    for found in shipped_puzzles()[::20]:
        puzzle = to_puzzle(found)
        position = tengen.game(puzzle.game, **puzzle.options).start().play_all(puzzle.moves)
        legal = {position.game.write_move(move) for move in position.legal_moves}
        assert set(puzzle.right) <= legal
        assert {one.move for one in puzzle.report.candidates} == set(puzzle.right)
        outcome = position.play_all(puzzle.report.line).outcome
        assert outcome is not None
        assert outcome.winner == position.to_move
    assert "pente-game" in {kind.name for kind in puzzle_kinds()}


features = st.builds(
    PentePlayerSettings,
    speed=st.integers(1, 10),
    vision=st.sampled_from(range(60, 105, 5)),
    book=st.booleans(),
    width=st.integers(1, 30),
    captures=st.sampled_from(sorted(CAPTURE_PREFERENCES)),
)


@settings(max_examples=60, deadline=None)
@given(features)
def test_a_player_has_the_features_that_it_was_made_by(made: PentePlayerSettings) -> None:
    assert PentePlayerSettings.from_config(made.to_player("Robin").config) == made


def test_a_player_with_other_settings_has_no_such_features() -> None:
    assert PentePlayerSettings.from_config(configure("classic", Limits(depth=4), divide=True)) is None
    assert PentePlayerSettings.from_config(configure("classic", Limits(seconds=1.0))) is None
    assert PentePlayerSettings.from_config(configure("uct", Limits(nodes=4))) is None


# ---- what a game came to


def valued(move: str, value: Value, points: float | None = None) -> Report:
    candidate = Candidate(move, value, (move,), points=points)
    return Report("test", move, value, (candidate,), 1, 0.0)


def test_losses_are_told_in_points_where_they_are_known_else_in_shares_of_a_win() -> None:
    go = list(tengen.game("go", size=5).start().play_all(["C3", "A1"]).line())
    rate = {
        (): valued("C3", Value.heuristic(0.6, "win rate"), 3.0),
        ("C3",): valued("C4", Value.heuristic(0.4, "win rate"), -3.0),
        ("C3", "A1"): valued("B2", Value.heuristic(0.9, "win rate"), 9.5),
    }
    assert {ply: loss.short for ply, loss in losses(go, ReportIndex(rate)).items()} == {2: "−6.5"}
    without = {moves: valued(one.best, one.value) for moves, one in rate.items()}
    assert losses(go, ReportIndex(without))[2].words == "lost about 30 % wins"
    othello = list(tengen.game("othello").start().play_all(["f5", "d6"]).line())
    discs = {("f5",): valued("f6", Value.exact(4, "discs")), ("f5", "d6"): valued("c3", Value.exact(2, "discs"))}
    assert losses(othello, ReportIndex(discs))[2].words == "lost 6.0 discs"


def test_a_game_with_dead_stones_is_counted_as_the_players_agreed_and_not_before() -> None:
    game = tengen.game("go", board="O.XO./XXXO./..XOO/XXXO./..XO. O", rules="japanese")
    match = Match.new(game, (Person("Ann"), Person("Bea")))
    match.start()
    match.play("pass")
    match.play("pass")
    position = match.live
    share, sure, words = final_share(position, match)
    assert not sure
    assert words.startswith("Not counted yet")
    match.finish_counting(["A5"])
    counted, sure, words = final_share(match.live, match)
    assert sure
    assert counted != share, "a dead stone is a prisoner"
    assert match.result is not None
    assert match.result.code in words


# ---- an engine's view while playing


class _Company:
    """Sessions with a game of Othello against an engine, and a live analysis by an instant engine."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, second: Any) -> None:
        helper = engine_player(configure("alphabeta", Limits(depth=2)))
        monkeypatch.setattr(live_analysis, "analysis_player", lambda game: helper)
        self.players = (Person("Ann"), second)

    async def __aenter__(self) -> _Company:
        self.store, self.host = Store.in_memory(), EngineHost(1)
        self.sessions = GameSessions(self.store, self.host, VisitorCache(None))
        self.session = await self.sessions.create(tengen.game("othello", size=4), self.players, "ann")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.sessions.close()
        self.host.close()
        self.store.close()


STRAW = engine_player(configure("random", Limits(nodes=1)))


def test_the_companion_values_the_position_looked_at_and_then_the_whole_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def look() -> None:
        async with _Company(monkeypatch, STRAW) as company:
            session = company.session
            await company.sessions.run_in_thread(session.start, "ann")
            assert company.store.load(session.id).rated
            known: list[Position] = []
            beside = await LiveAnalysis.open(company.sessions, session, "ann", "helper", lambda: None)
            for move in (session.match.live.legal_moves[0],):
                await company.sessions.run_in_thread(session.play, "ann", session.match.game.write_move(move))
            while session.match.live.ply < 2:
                await asyncio.sleep(0.02)
            session.watchers.add(lambda news: known.append(session.match.live))
            beside.show_position(session.match.live)
            while len(session.game_reports.index) < 3:
                await asyncio.sleep(0.02)
            assert beside.report is not None
            assert {len(moves) for moves in session.game_reports.index} == {0, 1, 2}
            beside.close()
            assert not company.store.load(session.id).rated, "somebody was helped"

    asyncio.run(look())


def test_an_engines_view_is_for_who_plays_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async def look() -> None:
        async with _Company(monkeypatch, Person("Bea")) as company:
            session = company.session
            seats = session.seating.seats
            assert seats is not None
            seats.holders[1].clear()
            seats.assign(1, "bea")
            assert not session.seating.may_use_engine("ann")
            with pytest.raises(MatchError, match="after the game has ended"):
                await LiveAnalysis.open(company.sessions, session, "ann", "helper", lambda: None)
            await company.sessions.run_in_thread(session.start, "ann")
            await company.sessions.run_in_thread(session.resign, "ann")
            assert session.seating.may_use_engine("ann")

    asyncio.run(look())


def test_a_question_beside_the_server_answers_or_says_in_words_why_not() -> None:
    async def ask() -> None:
        pool = HelperPool("test")
        try:
            assert await pool.run(divmod, 7, 2) == (3, 1)
            with pytest.raises(TengenError, match="nothing"):
                await pool.run(tengen.game, "nothing")
        finally:
            pool.close()
        with pytest.raises(TengenError, match="have been stopped"):
            await pool.run(divmod, 7, 2)

    asyncio.run(ask())


def test_every_game_has_an_engine_that_can_keep_company() -> None:
    for game in ("clobber", "go", "othello", "pente"):
        assert analysis_player(game).config.limits.seconds is not None
