"""The web app without a browser: what is drawn, who may do what, what is remembered."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, MagicMock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen.app import clobber_analysis
from tengen.app.dead_stones import judge_dead
from tengen.app.game_options import describe_game
from tengen.app.game_reports import ReportIndex
from tengen.app.move_preview import string_at
from tengen.app.review import summarise
from tengen.app.value_display import short_value
from tengen.app.value_graph import graph
from tengen.core.errors import OptionError, TengenError
from tengen.core.position import Position
from tengen.games.go.territory import territory
from tengen.games.records import Node, Record
from tengen.jobs.helper_pool import HelperPool
from tengen.play import events
from tengen.play.game_tree import GameTree, MatchError
from tengen.play.match import Match
from tengen.play.view import View
from tengen.players.player import Person
from tengen.runtime.host import EngineHost
from tengen.runtime.messages import Request
from tengen.search.report import Candidate, Kind, Overlay, Report, Value
from tengen.store.game_entry import GameEntry
from tengen.store.store import Store
from tengen.web import server
from tengen.web.api.routes import build_api
from tengen.web.board_data import (
    board_data,
    candidate_overlay,
    candidate_rows,
    dead_stone_overlay,
    describe_ending,
    ghost_stones,
    line_preview,
    overlay_data,
)
from tengen.web.elements import _changed_range
from tengen.web.game_session import GameSession
from tengen.web.game_sessions import GameSessions
from tengen.web.move_list import Annotation, MoveListRows
from tengen.web.pages import layout
from tengen.web.permissions import NotAllowed
from tengen.web.preferences import Preferences
from tengen.web.visitor_cache import Seats, VisitorCache

GAMES = [tengen.game("othello", size=6), tengen.game("go", size=5), tengen.game("pente", size=7)]
GAMES += [tengen.game("clobber", size=12), tengen.game("clobber", size="3x4")]


def report(best: str, *values: tuple[str, float]) -> Report:
    found = tuple(Candidate(move, Value.heuristic(value, "discs"), (move,)) for move, value in values)
    return Report("test", best, found[0].value, found, 1, 0.0)


# ---- pictures


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.describe())
def test_a_picture_has_what_the_diagram_and_the_rules_say(game: tengen.core.game.Game) -> None:
    position, rng = game.start(), random.Random(1)
    for _ in range(6):
        if position.is_over:
            break
        shown = json.loads(json.dumps(board_data(position, playable=True)))
        width = len(shown["columns"])
        for row, stones in enumerate(position.diagram().stones):
            assert shown["stones"][row * width : (row + 1) * width] == "".join(".XO"[stone] for stone in stones)
        for text, *points in shown["moves"]:
            assert game.points(game.read_move(text, position)) == tuple(map(tuple, points))
        assert len(shown["moves"]) == sum(bool(game.points(move)) for move in position.legal_moves)
        assert board_data(position, playable=False)["moves"] == []
        position = position.play(rng.choice(position.legal_moves))
    assert game.title in describe_game(game)


def test_a_line_is_shown_played_out_and_as_ghosts_as_far_as_it_is_legal() -> None:
    start = tengen.game("othello").start()
    after = start.play("f5").play("d6")
    shown = line_preview(start, ["f5", "d6", "a1", "c3"])
    assert shown["stones"] == board_data(after, playable=False)["stones"]
    assert sorted(number for _, _, number in shown["numbers"]) == [1, 2]
    assert ghost_stones(start, ["f5", "d6"]) == [(5, 4, 0, "1"), (3, 5, 1, "2")]


def test_values_are_short_and_keep_their_kind() -> None:
    cases = [
        (Value.heuristic(0.543, "win rate"), "54 %"),
        (Value.heuristic(-0.6, "wins"), "20 %"),
        (Value.exact(1, "wins"), "win"),
        (Value.exact(-1, "wins"), "loss"),
        (Value.exact(4, "discs"), "+4"),
        (Value.proved(2, "points", low=True, high=False), "≥+2"),
        (Value.proved(2, "points", low=False, high=True), "≤+2"),
    ]
    for value, text in cases:
        assert short_value(value) == text
    rows = candidate_rows(report("f5", ("f5", 1.0)))
    assert rows[0]["kind"] == Kind.HEURISTIC
    assert "estimate" in rows[0]["words"]


def test_overlays_become_heat_and_labels_and_candidates_labels_or_arrows() -> None:
    sides = ("Black", "White")
    made = overlay_data(Overlay("influence", ((0, 0, -4.0), (1, 0, 2.0), (2, 0, 0.0), (3, 0, "A"))), sides)
    assert made["heat"] == [(0, 0, -1.0, "-4"), (1, 0, 0.5, "2")]
    assert made["labels"] == [(3, 0, "A")]
    assert "maximum 4" in made["legend"]
    shares = overlay_data(Overlay("ownership", ((0, 0, -0.5), (1, 0, 0.25))), sides)
    assert [spot[2] for spot in shares["heat"]] == [-0.5, 0.25], "what is at most 1 is drawn as it is"
    assert shares["legend"].startswith("■ Black, ◆ White")
    othello = tengen.game("othello").start()
    assert candidate_overlay(othello, report("f5", ("f5", 1.0), ("zz", 0.0)))["candidates"] == [(5, 4, "+1.0", 1)]
    strip = tengen.game("clobber", size=4).start()
    assert candidate_overlay(strip, report("1-2", ("1-2", 1.0)))["arrows"] == [(0, 0, 1, 0, 1)]


# ---- the tree


def grow(seed: int, size: int) -> tuple[Node, Position]:
    """A tree of legal moves of a game, with branches and comments here and there."""
    rng = random.Random(seed)
    start = tengen.game("othello", size=6).start()
    root = Node()
    places = [(root, start)]
    for _ in range(size):
        node, position = rng.choice(places[-6:])
        if position.is_over:
            continue
        move = rng.choice(position.legal_moves)
        if any(child.move == move for child in node.children):
            continue
        child = node.add(Node(move, position.to_move))
        child.comment = "!" if rng.random() < 0.2 else ""
        places.append((child, position.play(move)))
    return root, start


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 60))
def test_every_move_of_a_tree_is_listed_once_and_leads_to_its_place(seed: int, size: int) -> None:
    root, start = grow(seed, size)
    tree = MoveListRows(GameTree(root, start.game), start.game)
    listed = [move["id"] for row in tree.rows for move in row.get("moves", ())]
    nodes = [node for node in root.walk() if node.move is not None]
    assert sorted(listed) == list(range(len(nodes)))
    assert sum(row["kind"] == "comment" for row in tree.rows) == sum(bool(node.comment) for node in nodes)
    assert len({row["key"] for row in tree.rows}) == len(tree.rows)
    for node in nodes:
        found = tree.find(tree.number(node))
        assert found.node is node
    main = [move["id"] for row in tree.rows if row["kind"] == "pair" for move in row["moves"]]
    node, expected = root, []
    while node.children:
        node = node.children[0]
        expected.append(tree.number(node))
    assert main == expected


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 80))
def test_a_move_list_that_follows_every_edit_equals_one_that_is_built_anew(seed: int, size: int) -> None:
    rng = random.Random(seed)
    match = Match.new(tengen.game("othello", size=6), (Person("Ann"), Person("Bea")))
    match.start()
    view = View(match)
    followed = MoveListRows(match.tree, match.game)
    shown: list[dict[str, Any]] = []
    for _ in range(size):
        with suppress(TengenError):
            what = rng.random()
            moves = view.position.legal_moves
            if what < 0.4 and match.live.legal_moves:
                match.play(rng.choice(match.live.legal_moves))
            elif what < 0.8 and moves:
                view.show(match.add_variation(view.node, rng.choice(moves)))
            elif what < 0.85:
                match.set_comment(view.node, rng.choice(["!", ""]))
            elif what < 0.9:
                match.delete_variation(view.node)
            elif what < 0.93:
                match.take_back()
            else:
                view.go_to(rng.randrange(len(view.line)))
        marks = {ply: Annotation("mistake", "?", "-1") for ply in range(1, match.live.ply) if rng.random() < 0.1}
        followed.update(match.tree, marks)
        first, end = _changed_range(shown, followed.rows)
        shown[first : len(shown) - end] = followed.rows[first : len(followed.rows) - end]
        assert shown == followed.rows
        fresh = MoveListRows(match.tree, match.game, marks)
        assert [_row_text(row) for row in followed.rows] == [_row_text(row) for row in fresh.rows]
        for row in followed.rows:
            for move in row.get("moves", ()):
                node = followed.find(move["id"]).node
                assert followed.number(node) == move["id"]
                assert match.game.write_move(node.move) == move["text"]


def _row_text(row: dict[str, Any]) -> object:
    """A row without the numbers of its moves."""
    moves = [{**move, "id": None} for move in row.get("moves", ())]
    return {**row, "key": None, "moves": moves}


def test_moves_that_gave_much_away_are_marked_and_the_best_one_never_is() -> None:
    start = tengen.game("othello").start()
    line = list(start.play_all(["f5", "d6", "c3"]).line())
    reports = {
        (): report("e6", ("e6", 2.0), ("f5", 1.9)),  # nearly as good
        ("f5",): report("d6", ("d6", -1.9)),  # the best, though less came of it
        ("f5", "d6"): report("c5", ("c5", 20.0)),
        ("f5", "d6", "c3"): report("d3", ("d3", 5.0)),  # good for the other one
    }
    match = Match.open(GameEntry(Record.of(line[-1])))
    summary = summarise(line, ReportIndex(reports).for_line(line))
    assert {one.number: one.judgement for one in summary.mistakes} == {3: "blunder"}
    drawn = graph(line, ReportIndex(reports), match, 2)
    assert [value["mark"] for value in drawn["values"]] == ["", "", "", "blunder"]
    assert drawn["values"][2]["share"] > 0 > drawn["values"][3]["share"]


# ---- preferences


def test_options_outlive_the_server(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "games.db")) as store:
        visitors = VisitorCache(store)
        visitors.set_options("ann", theme="dark", lines=5, confirm="nonsense", depth=99)
        assert visitors.options("ann")["lines"] == 5, "at once"
        visitors.close()
    with Store.open(str(tmp_path / "games.db")) as store:
        again = VisitorCache(store)
        options = Preferences.load(again, "ann")
        assert (options.theme, options.lines) == ("dark", 5)
        assert (options.confirm, options.depth) == ("touch", 0)  # what makes no sense is as usual
        assert Preferences.load(again, "bea") == Preferences()
        again.close()


# ---- sessions


@pytest.fixture
def link_game() -> Iterator[tuple[GameSession, list[object]]]:
    """Ann's game against a guest who has yet to come by the link, and what watchers are told."""
    loop = asyncio.new_event_loop()
    store, host, pool, visitors = Store.in_memory(), EngineHost(1), HelperPool("test"), VisitorCache(None)
    match = Match.new(
        tengen.game("go", size=5, rules="japanese"), (Person("Ann"), Person("Guest")), save=store.save
    )
    seats = Seats("ann", open=(False, True))
    seats.assign(0, "ann")
    store.set_seats(match.id, seats)
    session = GameSession(match, store, host, pool, visitors, loop)
    told: list[object] = []
    session.watchers.add(told.append)
    yield session, told
    session.close()
    pool.close()
    host.close()
    store.close()
    loop.close()


def test_only_its_players_change_a_game(link_game: tuple[GameSession, list[object]]) -> None:
    session, _ = link_game
    assert session.seating.unclaimed_side == 1
    session.start("ann")
    assert not session.match.is_running  # the guest is not there
    with pytest.raises(MatchError, match="not joined"):
        session.play("ann", "C3")
    seats = session.seating.seats
    assert seats is not None
    with pytest.raises(NotAllowed):
        session.join("wrong", "eve")
    assert session.join(seats.keys[1], "bea") == 1
    session.start("ann")
    assert session.match.is_running
    for work in (session.resign, session.take_back, session.draw, session.pause, session.agree):
        with pytest.raises(NotAllowed):
            work("eve")
    with pytest.raises(NotAllowed):
        session.play("eve", "C3")
    with pytest.raises(MatchError, match="not your move"):
        session.play("bea", "C3")
    session.play("ann", "C3", 0)
    with pytest.raises(MatchError, match="position has changed"):
        session.play("bea", "D3", 0)
    session.play(seats.keys[1], "D3")  # a program shows the key with each move
    assert session.match.live.ply == 2
    assert not session.seating.may_change("eve")
    assert session.seating.may_change("bea")


def test_a_guest_does_not_take_the_name_of_the_host(link_game: tuple[GameSession, list[object]]) -> None:
    session, _ = link_game
    assert session.seating.seats is not None
    key = session.seating.seats.keys[1]
    with pytest.raises(MatchError, match="choose another"):
        session.join(key, "bea", " ANN ")
    assert session.seating.unclaimed_side == 1, "the seat is still free"
    session.join(key, "bea", "Anna")
    assert session.match.record.names[1] == "Anna"


def test_what_needs_the_other_players_consent_is_asked_for(link_game: tuple[GameSession, list[object]]) -> None:
    session, _ = link_game
    assert session.seating.seats is not None
    session.join(session.seating.seats.keys[1], "bea")
    session.start("bea")
    session.play("ann", "C3")
    session.take_back("ann")
    assert session.match.live.ply == 1
    with pytest.raises(MatchError):
        session.answer_offer("ann", True)  # nobody accepts their own offer
    session.answer_offer("bea", False)
    assert session.match.live.ply == 1
    session.take_back("ann")
    session.answer_offer("bea", True)
    assert session.match.live.ply == 0
    session.pause("bea")
    assert session.match.is_running
    session.answer_offer("ann", True)
    assert not session.match.is_running


@pytest.fixture
def counted_game(link_game: tuple[GameSession, list[object]]) -> GameSession:
    """A game of Ann and Bea after two passes."""
    session, _ = link_game
    assert session.seating.seats is not None
    session.join(session.seating.seats.keys[1], "bea")
    session.start("ann")
    for who, move in (("ann", "C3"), ("bea", "A1"), ("ann", "pass"), ("bea", "pass")):
        session.play(who, move)
    assert session.match.is_counting
    return session


def test_both_agree_on_dead_stones_before_they_are_counted(counted_game: GameSession) -> None:
    session = counted_game
    with pytest.raises(NotAllowed):
        session.mark("eve", (0, 4))
    session.mark("ann", (0, 4))
    session.agree("ann")
    assert session.match.result is None
    session.mark("bea", (0, 4))  # alive again: so Ann has to look again
    session.agree("bea")
    assert session.match.result is None
    session.mark("ann", (0, 4))
    session.agree("bea")
    session.agree("ann")
    assert session.match.result is not None
    assert session.match.result.winner == 0
    shown = dead_stone_overlay(session.match.live, session.dead_stones.points())
    assert session.dead_stones.is_shown, "everybody should see why it ended so"
    assert shown["dead"] == [(0, 4)]
    assert {share > 0 for *_, share, _ in shown["heat"]} == {True}, "all is Black's"
    assert len(shown["heat"]) == 24


def test_nothing_stays_marked_of_a_game_that_was_resigned(counted_game: GameSession) -> None:
    session = counted_game
    session.mark("ann", (0, 4))
    session.resign("bea")
    assert not session.dead_stones.is_shown
    assert session.dead_stones.points() == []


@pytest.mark.parametrize(
    ("board", "dead", "black", "white"),
    [
        (".X.O./.X.O./.X.O./.X.O./.X.O.", [], 5, 5),  # the middle is nobody's
        ("OX.O./.X.O./.X.O./.X.O./.X.O.", [(0, 0)], 5, 5),
        ("OX.O./.X.O./.X.O./.X.O./.X.O.", [], 0, 5),
        ("...../...../...../...../.....", [], 0, 0),
        ("...../...../..X../...../.....", [], 24, 0),
    ],
)
def test_territory_is_what_only_one_side_touches(
    board: str, dead: list[tuple[int, int]], black: int, white: int
) -> None:
    owners = list(territory(tengen.game("go", board=f"{board} X").start().diagram(), dead).values())
    assert (owners.count(0), owners.count(1)) == (black, white)


def test_who_may_end_a_game_by_a_pass_is_told_what_comes_of_it() -> None:
    start = tengen.game("go", size=5, komi=7.5).start().play("C3")
    assert describe_ending(start, "pass") == ""
    assert "dead stones" in describe_ending(start.play("pass"), "pass")
    japanese = tengen.game("go", size=5, rules="japanese").start().play("pass")
    assert "dead stones" in describe_ending(japanese, "pass")


def test_views_of_several_people_do_not_disturb_the_game_nor_each_other() -> None:
    store = Store.in_memory()
    match = Match.new(tengen.game("othello"), (Person("Ann"), Person("Bea")), save=store.save)
    told: list[events.Event] = []
    match.watch(told.append)
    match.start()
    match.play("f5")
    one, two = View(match), View(match)
    one.show(match.add_variation(one.node, "d6"))
    two.show(match.add_variation(two.node, "f4"))
    match.set_comment(two.node, "or so")
    one.go_to(0)
    match.play("f6")
    assert [position.ply for position in (one.position, two.position, match.live)] == [0, 2, 2]
    assert match.live.write_moves(match.live.moves) == ["f5", "f6"]
    again = Match.open(store.load(match.id))
    assert again.live.moves == match.live.moves
    assert {child.comment for child in again.record.root.children[0].children} >= {"or so"}
    match.delete_variation(two.node)
    with pytest.raises(MatchError):
        match.delete_variation(match.tree.current)  # a move of the game itself
    edits = [type(event).__name__ for event in told if isinstance(event, events.TreeEdited)]
    assert edits == ["VariationAdded", "VariationAdded", "CommentChanged", "VariationDeleted"]
    store.close()


def test_the_explorer_tells_own_games_from_imported_ones() -> None:
    with Store.in_memory() as store:
        start = tengen.game("othello").start()
        store.import_records([Record.of(start.play("f5")), Record.of(start.play("d3"))])
        match = Match.new(start.game, (Person("Ann"), Person("Bea")), save=store.save)
        match.start()
        match.play("f5")
        everything, own = store.explore(start), store.explore(start, played_here=True)
        assert {count.text: count.games for count in everything.moves} == {"f5": 2, "d3": 1}
        assert {count.text: count.games for count in own.moves} == {"f5": 1}
        store.delete(match.id)
        assert store.explore(start, played_here=True).games == 0


# ---- the rest


def test_clobber_answers_agree_with_a_search_by_hand() -> None:
    def wins(board: str, player: str) -> bool:
        """Whether the player to move wins: the definition of the game, and nothing else."""
        other = "O" if player == "X" else "X"
        for index, stone in enumerate(board):
            for target in (index - 1, index + 1):
                if stone == player and 0 <= target < len(board) and board[target] == other:
                    after = list(board)
                    after[index], after[target] = ".", player
                    if not wins("".join(after), other):
                        return True
        return False

    async def ask() -> None:
        for board in ("XO", "XXO.OX", "XOXXO.OXO", "OOXX.XO", "X..O"):
            found = await clobber_analysis.analyse_board(host, board)
            by_sums = clobber_analysis.analyse_as_sum(board)
            assert by_sums.wins == found.wins
            assert [part.outcome for part in by_sums.parts] == [part.outcome for part in found.parts]
            assert [set(moves) for moves in by_sums.moves] == [set(moves) for moves in found.moves]
            assert found.wins == (wins(board, "X"), wins(board, "O")), board
            for part in found.parts:
                assert part.outcome == clobber_analysis.outcome_class(wins(part.board, "X"), wins(part.board, "O"))
            for player, moves in zip("XO", found.moves, strict=True):
                assert bool(moves) == wins(board, player)
        with pytest.raises(OptionError):
            await clobber_analysis.analyse_board(host, "XO" * 80)
        with pytest.raises(TengenError):
            await clobber_analysis.analyse_board(host, "<script>")

    with EngineHost(1) as host:
        asyncio.run(ask())
    assert [part.simplest for part in clobber_analysis.analyse_as_sum("XXO.OX.XXOO").parts] == ["^", "*", "0"]


def test_a_server_asks_the_solver_of_sums() -> None:
    with EngineHost(1) as host, clobber_analysis.sum_solver():
        found = asyncio.run(clobber_analysis.analyse_board(host, "XO" * 20 + ".XXO"))
    assert found.wins == (True, False)
    assert found.parts[1].simplest == "^"


def test_another_solver_can_take_its_place() -> None:
    async def stub(host: EngineHost, board: str) -> clobber_analysis.BoardAnalysis:
        return clobber_analysis.BoardAnalysis(
            (clobber_analysis.Part(board, "first", "*"),), (True, True), (("1-2",), ("2-1",))
        )

    clobber_analysis.set_solver(stub)
    try:
        with EngineHost(1) as host:
            assert asyncio.run(clobber_analysis.analyse_board(host, "XO")).parts[0].simplest == "*"
    finally:
        clobber_analysis.set_solver(clobber_analysis.analyse_by_search)


def test_a_server_that_others_can_reach_has_accounts_or_a_token() -> None:
    alone = server.secured(server.Settings())
    assert alone.token is None
    assert not alone.accounts
    assert server.secured(server.Settings(accounts=True)).accounts
    assert server.secured(server.Settings(address="0.0.0.0")).accounts
    assert server.secured(server.Settings(proxies=("127.0.0.1",))).accounts  # others come through the proxy
    shared = server.secured(server.Settings(address="0.0.0.0", token="mine"))
    assert shared.token == "mine"
    assert not shared.accounts
    for wrong in (server.Settings(token="mine", accounts=True), server.Settings(address="0.0.0.0", token="")):
        with pytest.raises(OptionError):
            server.secured(wrong)


def test_a_port_that_is_taken_is_said_and_the_usual_one_gives_way() -> None:
    with server.listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OptionError, match=str(port)):
            server.listen("127.0.0.1", port)
        with server.listen("127.0.0.1", None) as other:
            assert server.address_of(server.Settings(), other).startswith("http://127.0.0.1:")
    with pytest.raises(OptionError, match="cannot resolve"):
        server.listen("no such host.invalid", None)


def test_a_record_of_somebody_elses_can_be_studied_on_a_copy() -> None:
    store = Store.in_memory()
    record = Record.of(tengen.game("othello").start().play("f5"))
    store.import_records([record])
    identity = store.list_games().games[0].id
    copy = Match.open(store.load(identity))
    copy.add_variation(copy.tree.current, "d6")
    assert len(store.load(identity).record.moves()) == 1
    assert not store.load(identity).record.root.children[0].children
    store.close()


def test_the_description_of_the_api_is_complete() -> None:
    async def describe_api() -> dict[str, Any]:
        sessions = GameSessions(store, host, VisitorCache(None))
        found = build_api(sessions).openapi()
        await sessions.close()
        return found

    with Store.in_memory() as store, EngineHost(1) as host:
        schema = asyncio.run(describe_api())
    assert "/api/analyse" in schema["info"]["description"]
    assert {"/games", "/games/{game_id}/moves", "/analyse", "/explore", "/puzzles/{kind}/next"} <= set(
        schema["paths"]
    )
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            where = f"{method} {path}"
            assert operation["description"], where
            good = {code: answer for code, answer in operation["responses"].items() if code.startswith("2")}
            assert len(good) == 1 or set(good) == {"200", "204"}, where  # something, or nothing
            for answer in good.values():
                for content in answer.get("content", {}).values():
                    assert content.get("schema") != {}, where
            assert {"403", "404", "422"} <= set(operation["responses"]), where
            for part in re.findall(r"#/components/schemas/(\w+)", str(operation)):
                assert part in schema["components"]["schemas"], where


def test_stones_that_playouts_let_live_are_dead_if_reading_says_so() -> None:
    moves = "C3 C4 B4 D3 D4 C2 B3 D2 B2 E4 C5 B1 A2 D5 E5 E3 D5 pass C1 D1 E1 A1 C1 pass pass"
    position = tengen.game("go", size=5, rules="aga", komi=5.5).start().play_all(moves.split())
    dead = [one.point for one in judge_dead(Request.from_position(position)) if one.is_dead]
    assert any((4, 1) in string_at(position.diagram(), point) for point in dead)  # the one on E4


def test_what_playouts_take_for_dead_is_marked_and_people_correct_it() -> None:
    loop = asyncio.new_event_loop()
    game = tengen.game("go", board="O.XO./XXXO./..XOO/XXXO./..XO. O", rules="japanese")
    store, host, pool = Store.in_memory(), EngineHost(1), HelperPool("test")
    match = Match.new(game, (Person("Ann"), Person("Bea")), save=store.save)
    visitors, seats = VisitorCache(None), Seats("ann")
    seats.assign(0, "ann")
    seats.assign(1, "ann")
    store.set_seats(match.id, seats)
    session = GameSession(match, store, host, pool, visitors, loop)
    try:
        match.start()
        match.play("pass")
        match.play("pass")
        assert match.is_counting
        assert session.dead_stones.is_engine_marking
        for _ in range(600):
            if not session.dead_stones.is_engine_marking:
                break
            time.sleep(0.1)
        assert session.dead_stones.points() == [(0, 0)]
        session.mark("ann", (0, 0))
        assert session.dead_stones.points() == []
    finally:
        session.close()
        pool.close()
        host.close()
        store.close()
        loop.close()


@pytest.mark.parametrize("left", [False, True])
def test_nothing_more_is_made_for_a_visitor_who_has_left(monkeypatch: pytest.MonkeyPatch, left: bool) -> None:
    client = MagicMock(is_deleted=left, connected=AsyncMock())
    drawn = MagicMock()
    monkeypatch.setattr(layout, "NOTICE_DELAY_S", 0)
    monkeypatch.setattr(layout, "context", SimpleNamespace(client=client))
    monkeypatch.setattr(layout, "ui", drawn)
    monkeypatch.setattr(layout, "_visits", {client: MagicMock()})
    monkeypatch.setattr(layout, "build_navigation", MagicMock())
    notice = drawn.element().__enter__()
    drawn.reset_mock()

    async def work() -> str:
        await asyncio.sleep(0.05)
        return "done"

    if left:
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(layout.await_with_notice(work()))
    else:
        assert asyncio.run(layout.await_with_notice(work())) == "done"
    assert notice.delete.called is not left
