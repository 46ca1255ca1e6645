"""KataGo's analysis protocol: conversations, errors, priorities and termination, on a host without processes."""

from __future__ import annotations

import itertools
import json
import math
from concurrent.futures import Future
from typing import Any

import pytest

import tengen
from tengen.engines.go.mcts.engine import GoEngine
from tengen.games.go import Go
from tengen.players.config import EngineConfig
from tengen.protocols.katago.query import QueryError, read_query
from tengen.protocols.katago.rules import go_options, parse_rules
from tengen.protocols.katago.server import AnalysisServer
from tengen.protocols.line_protocol import InputQueue
from tengen.runtime.messages import Progress, Stage
from tengen.search.limits import Limits
from tengen.search.report import Report

QUERY = {"id": "q", "moves": [["B", "C3"]], "rules": "chinese", "komi": 7, "boardXSize": 5, "boardYSize": 5}


class _Search:
    """A requested search, which runs when the test says so."""

    def __init__(self, config: EngineConfig, position: tengen.Position, limits: Limits, on_progress: Any) -> None:
        self.future: Future[Report] = Future()
        self.position, self.limits, self.on_progress = position, limits, on_progress
        self.is_stopped = False

    def stop(self) -> None:
        self.is_stopped = True

    def report(self) -> Report:
        return GoEngine(seed=1).search(self.position, Limits(nodes=30, moves=self.limits.moves))


class FakeHost:
    """An engine host with one worker."""

    workers = 1

    def __init__(self) -> None:
        self.searches: list[_Search] = []

    def search(self, config: Any, position: Any, limits: Any, *, game_id: str, on_progress: Any) -> _Search:
        self.searches.append(_Search(config, position, limits, on_progress))
        return self.searches[-1]

    def finish_one(self) -> None:
        search = next(one for one in self.searches if not one.future.done())
        search.future.set_result(search.report())


class Conversation:
    """A server, and its answers so far."""

    def __init__(self) -> None:
        self.host = FakeHost()
        self.lines: list[str] = []
        self.server = AnalysisServer(
            InputQueue(),
            self.lines.append,
            self.host,
            EngineConfig("go"),
            default=Limits(nodes=30),  # type: ignore[arg-type]
        )

    def ask(self, **fields: Any) -> None:
        assert self.server.handle(json.dumps(QUERY | fields))

    def act(self, **fields: Any) -> None:
        assert self.server.handle(json.dumps({"id": "a"} | fields))

    def end(self) -> list[dict[str, Any]]:
        """All answers, after every open search has finished."""
        while any(not one.future.done() for one in self.host.searches):
            self.host.finish_one()
        self.server.end()
        return [json.loads(line) for line in self.lines]


def test_an_analysis_has_the_fields_of_the_protocol() -> None:
    talk = Conversation()
    talk.ask(analyzeTurns=[0, 1], includePolicy=True, includeOwnership=True, analysisPVLen=2)
    first, second = talk.end()
    assert [(one["id"], one["turnNumber"], one["isDuringSearch"]) for one in (first, second)] == [
        ("q", 0, False),
        ("q", 1, False),
    ]
    for answer, mover in ((first, "B"), (second, "W")):
        root, moves = answer["rootInfo"], answer["moveInfos"]
        assert root["currentPlayer"] == mover
        assert root["visits"] == sum(one["visits"] for one in moves) > 0
        assert [one["order"] for one in moves] == list(range(len(moves)))
        assert all(0 <= one["winrate"] <= 1 and 0 <= one["prior"] <= 1 for one in moves)
        assert all(one["pv"][0] == one["move"] and len(one["pv"]) <= 3 for one in moves)
        assert {"scoreLead", "utility", "lcb"} <= set(root) & set(moves[0])
        assert len(answer["ownership"]) == 25
        assert all(-1 <= own <= 1 for own in answer["ownership"])
        assert len(answer["policy"]) == 26
        assert sum(share for share in answer["policy"] if share > 0) == pytest.approx(1, abs=1e-3)
        assert all(share == -1 or share >= 0 for share in answer["policy"])
    assert second["policy"][12] == -1  # the stone on C3


def test_values_are_reported_from_the_perspective_that_is_asked_for() -> None:
    answers = {}
    for perspective in ("BLACK", "WHITE", "SIDETOMOVE"):
        talk = Conversation()
        talk.ask(
            includeOwnership=True,
            overrideSettings={"reportAnalysisWinratesAs": perspective, "cpuctExploration": 1},
        )
        (answers[perspective],) = talk.end()
    black, white, mover = answers.values()
    assert white["moveInfos"] == mover["moveInfos"]
    assert white["ownership"] == mover["ownership"] == [-own for own in black["ownership"]]
    for ours, theirs in zip(black["moveInfos"], white["moveInfos"], strict=True):
        assert ours["winrate"] == pytest.approx(1 - theirs["winrate"])
        assert ours["scoreLead"] == -theirs["scoreLead"]
        assert theirs["lcb"] < theirs["winrate"]  # White is to move, so the bound is lower for White
        assert ours["lcb"] > ours["winrate"]


@pytest.mark.parametrize(
    ("fields", "field", "text"),
    [
        ({"boardXSize": 1}, "boardXSize", "Must provide an integer from 2 to 25"),
        ({"boardYSize": "9"}, "boardYSize", "Must provide an integer from 2 to 25"),
        ({"moves": [["B", "A6"]]}, "moves", "Could not parse board location: A6"),
        ({"moves": [["X", "A1"]]}, "moves", "Could not parse player: X"),
        ({"moves": [["B"]]}, "moves", 'Must be an array of pairs of the form: ["b" or "w", GTP board vertex]'),
        ({"moves": [["B", "A1"], ["W", "A1"]]}, "moves", "Illegal move 1: A1"),
        ({"initialStones": [["B", "pass"]]}, "initialStones", "Could not parse board location: pass"),
        ({"initialPlayer": "red"}, "initialPlayer", 'Must be "b" or "w"'),
        ({"rules": "ludo"}, "rules", "Could not parse rules: ludo"),
        ({"rules": {"ko": "SOMETIMES"}}, "rules", 'Could not parse rules: {"ko": "SOMETIMES"}'),
        ({"komi": 6.25}, "komi", "Must be a integer or half-integer from -400.0 to 400.0"),
        ({"komi": True}, "komi", "Must be a integer or half-integer from -400.0 to 400.0"),
        ({"analyzeTurns": [2]}, "analyzeTurns", "Invalid turn number: 2"),
        ({"analyzeTurns": 1}, "analyzeTurns", "Must specify an array of integers indicating turns to analyze"),
        ({"maxVisits": 0}, "maxVisits", "Must be an integer from 1 to 2^50"),
        ({"priority": 1, "priorities": [1]}, "priority", "Cannot specify both priority and priorities"),
        ({"priorities": [1]}, "priorities", "Can only specify when also specifying analyzeTurns"),
        ({"includePolicy": 1}, "includePolicy", "Must be a boolean"),
        ({"overrideSettings": []}, "overrideSettings", "Must be an object"),
        (
            {"overrideSettings": {"humanSLProfile": "rank_5k"}},
            "overrideSettings",
            "Could not set settings: humanSLProfile needs KataGo's human model, which Tengen does not have",
        ),
        ({"avoidMoves": [{"player": "W", "moves": ["C3"]}]}, "avoidMoves", "Must be a list of dicts"),
        (
            {"allowMoves": [{"player": "W", "moves": ["C3"], "untilDepth": 1}]},
            "allowMoves",
            "No legal move is left",
        ),
        ({"initialStones": [["B", "A1"], ["W", "A2"], ["W", "B1"]]}, "initialStones", "no liberty"),
    ],
)
def test_errors_name_the_field(fields: dict[str, Any], field: str, text: str) -> None:
    talk = Conversation()
    talk.ask(**fields)
    (answer,) = talk.end()
    assert (answer["id"], answer["field"]) == ("q", field)
    assert text in answer["error"]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("moves", "could not parse input line as json request"),
        ("[1]", "was not an object"),
        ("{}", 'Request must have a string "id" field'),
        ('{"id": 1}', 'Request must have a string "id" field'),
        ('{"id": "a", "action": "dance"}', "'action' field must be"),
        ('{"id": "a", "action": "terminate"}', 'must have a string "terminateId" field'),
        ('{"id": "a", "komi": NaN}', "could not parse"),
        ("[" * 100_000, "could not parse"),
    ],
)
def test_lines_that_are_no_queries(line: str, text: str) -> None:
    talk = Conversation()
    assert talk.server.handle(line)
    (answer,) = talk.end()
    assert text in answer["error"]


def test_warnings_do_not_stop_a_query() -> None:
    talk = Conversation()
    talk.ask(includeMovesOwnership=True, maxVisit=3, rules="aga-button", overrideSettings={"fast": 1})
    *warnings, answer = talk.end()
    assert [one["field"] for one in warnings] == ["rules", "overrideSettings", "includeMovesOwnership", "maxVisit"]
    assert all(one["id"] == "q" for one in warnings)
    assert answer["moveInfos"]


def test_actions_are_echoed() -> None:
    talk = Conversation()
    for action in ("query_version", "query_models", "clear_cache", "terminate_all"):
        talk.act(action=action, extra=1)
    answers = talk.end()
    assert [one["action"] for one in answers] == ["query_version", "query_models", "clear_cache", "terminate_all"]
    assert all(one["extra"] == 1 for one in answers)
    assert answers[0]["version"].endswith(tengen.__version__)


def test_higher_priorities_go_first() -> None:
    talk = Conversation()
    talk.ask(id="running")
    talk.ask(id="low", priority=-1)
    talk.ask(id="turns", analyzeTurns=[1, 0], priorities=[5, 7])
    talk.ask(id="normal")
    answers = [(one["id"], one["turnNumber"]) for one in talk.end()]
    assert answers == [("running", 1), ("turns", 0), ("turns", 1), ("normal", 1), ("low", 1)]


def test_termination() -> None:
    """A running analysis reports what it has, a waiting one nothing; each position is answered once."""
    talk = Conversation()
    talk.ask(id="running")
    talk.ask(id="waiting", analyzeTurns=[0, 1])
    talk.ask(id="other")
    talk.act(action="terminate", terminateId="waiting", turnNumbers=[1])
    talk.act(action="terminate", terminateId="running")
    assert talk.host.searches[0].is_stopped
    answers = talk.end()
    positions = [(one["id"], one["turnNumber"]) for one in answers if "action" not in one]
    assert sorted(positions) == [("other", 1), ("running", 1), ("waiting", 0), ("waiting", 1)]
    by_position = {(one["id"], one.get("turnNumber")): one for one in answers}
    assert by_position["waiting", 1] == {
        "id": "waiting",
        "turnNumber": 1,
        "isDuringSearch": False,
        "noResults": True,
    }
    assert by_position["running", 1]["moveInfos"]
    assert len(talk.host.searches) == 3


def test_a_failed_search_is_an_error_with_its_id() -> None:
    talk = Conversation()
    talk.ask()
    talk.ask(id="next")
    talk.host.searches[0].future.set_exception(tengen.errors.OptionError("the engine has a headache"))
    error, answer = talk.end()
    assert error == {"error": "the engine has a headache", "id": "q"}
    assert answer["id"] == "next"


def test_reports_during_the_search() -> None:
    talk = Conversation()
    talk.ask(reportDuringSearchEvery=1000, firstReportDuringSearchAfter=0.001)
    search = talk.host.searches[0]
    for _ in range(3):  # the first is due at once, the others in 1000 seconds
        while not talk.lines:
            search.on_progress(Progress(Stage.SEARCHING, search.report()))
        search.on_progress(Progress(Stage.SEARCHING, search.report()))
    partial, final = talk.end()
    assert (partial["isDuringSearch"], final["isDuringSearch"]) == (True, False)
    assert partial["moveInfos"]


def test_limits_of_a_query() -> None:
    default = Limits(nodes=500)
    assert read_query(QUERY, default).limits == default
    assert read_query(QUERY | {"maxVisits": 7}, default).limits == Limits(nodes=7)
    settings = {"maxTime": "2.5", "maxVisits": 9, "wideRootNoise": 0.04}
    assert read_query(QUERY | {"overrideSettings": settings}, default).limits == Limits(seconds=2.5, nodes=9)
    assert read_query(QUERY | {"maxVisits": 3, "overrideSettings": settings}, default).limits.nodes == 3
    restricted = read_query(
        QUERY | {"avoidMoves": [{"player": "W", "moves": ["A1", "pass"], "untilDepth": 1}]}, default
    )
    position = restricted.turns[1][0]
    moves = restricted.limits_at(position).moves
    assert moves is not None
    assert set(position.write_moves(position.legal_moves)) - set(position.write_moves(moves)) == {"A1", "pass"}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ("Tromp_Taylor", {"scoring": "area", "ko": "positional", "suicide": True, "bonus": "0", "komi": 7.5}),
        ("japanese", {"scoring": "territory", "ko": "simple", "suicide": False, "bonus": "0", "komi": 6.5}),
        ("new zealand", {"scoring": "area", "ko": "situational", "suicide": True, "bonus": "0", "komi": 7.5}),
        ({"scoring": "TERRITORY", "komi": 5.5}, {"scoring": "territory", "ko": "positional", "komi": 5.5}),
        ('{"whiteHandicapBonus":"N-1"}', {"bonus": "N-1"}),
    ],
)
def test_rules(given: object, options: dict[str, Any]) -> None:
    assert go_options(parse_rules(given))[0].items() >= options.items()


def _turn(**fields: Any) -> tengen.Position:
    ((position, _),) = read_query(QUERY | fields, Limits(nodes=1)).turns.values()
    return position


def _komi(position: tengen.Position) -> float:
    return int(position.state.komi) / 1000


def test_the_side_to_move() -> None:
    assert _turn(moves=[]).to_move == 0
    assert _turn(moves=[], initialPlayer="w").to_move == 1
    stones = [["B", "A1"], ["B", "E5"]]
    assert _turn(moves=[], initialStones=stones).to_move == 1
    assert _turn(moves=[["B", "C3"]], initialStones=stones).to_move == 1
    assert _turn(moves=[["B", "C3"], ["B", "C4"]]).to_move == 1
    assert _turn(moves=[["B", "pass"], ["W", "pass"]]).is_over is False


def test_handicap_and_prisoners_count_as_in_a_game() -> None:
    """Stones before White's first move are a handicap, set up or played; prisoners survive a change of turns."""
    stones = [["B", "A1"], ["B", "E5"]]
    assert _komi(_turn(moves=[], initialStones=stones)) == 9
    assert _komi(_turn(moves=[*stones, ["W", "C3"]])) == 9
    assert _komi(_turn(moves=[], initialStones=stones, whiteHandicapBonus="N-1")) == 8
    assert _komi(_turn(moves=[], initialStones=[*stones, ["W", "C3"]])) == 7
    capture = [["B", "A2"], ["W", "A1"], ["B", "B1"]]
    played = _turn(moves=[*capture, ["W", "E5"]], rules="japanese")
    assert _komi(played) - int(played.state.captured[0]) == 6
    switched = _turn(moves=[*capture, ["B", "E5"]], rules="japanese")  # Black twice in a row
    assert _komi(switched) - int(switched.state.captured[0]) == 6


def test_a_move_that_only_history_forbids_is_played() -> None:
    shape = [["B", "A1"], ["B", "B2"], ["B", "C1"], ["W", "C2"], ["W", "D1"]]
    moves = [["W", "B1"], ["B", "C1"], ["W", "B1"]]
    assert _turn(initialStones=shape, moves=moves, rules="japanese").diagram().stones[4][1] == 2
    with pytest.raises(QueryError):
        _turn(moves=[["B", "B2"], ["W", "B2"]])


def test_random_queries_are_answered_or_refused() -> None:
    """Fields with values of every type: an answer or an error for each, no exception."""
    values: list[Any] = [
        None,
        True,
        -1,
        0,
        1,
        2.5,
        1e400,
        "",
        "b",
        "C3",
        [],
        [[]],
        [1],
        [["B", "C3"]],
        {},
        {"a": 1},
    ]
    names = [*QUERY, "initialStones", "analyzeTurns", "maxVisits", "overrideSettings", "avoidMoves", "allowMoves"]
    names += ["priorities", "priority", "reportDuringSearchEvery", "whiteHandicapBonus", "initialPlayer", "foo"]
    talk = Conversation()
    for name, value in itertools.product(names, values):
        if isinstance(value, float) and math.isinf(value):
            assert talk.server.handle(json.dumps(QUERY | {"id": "q", name: 0}).replace("0", "1e400"))
        else:
            talk.ask(**{name: value})
    talk.act(action="terminate_all")
    answers = talk.end()
    finished = [one for one in answers if "warning" not in one and "action" not in one]
    assert len(finished) == len(names) * len(values) - 1  # an empty list of turns asks for nothing


def test_names_of_points() -> None:
    size = {"boardXSize": 25, "boardYSize": 25, "komi": 0}
    assert isinstance(_turn(**size).game, Go)
    for word in ("Z25", "z1", "(24,24)"):
        assert _turn(**size, moves=[["w", word]]).to_move == 0
    with pytest.raises(QueryError):
        _turn(**size, moves=[["w", "(25,0)"]])
