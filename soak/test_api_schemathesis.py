"""The API as Schemathesis sees it, fed with ids and keys of real games: no 5xx, no hang, answers as documented.

Values that no generator could guess (ids, keys, legal moves, names) are put into most of the generated requests,
so that they get past the first check. `TENGEN_SOAK_SECONDS=600` makes this ten minutes long.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import requests
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

sys.path.insert(0, str(Path(__file__).parents[1]))

from soak.helpers import STRAW, GameClient, RunningServer, new_visitor, report, request, running_server

SECONDS = float(os.environ.get("TENGEN_SOAK_SECONDS", "150"))
HANG_S = 30.0
CHECKS = [not_a_server_error, response_schema_conformance, content_type_conformance]
SETTINGS = hypothesis.settings(
    max_examples=12,
    deadline=None,
    database=None,
    phases=[hypothesis.Phase.generate],
    suppress_health_check=list(hypothesis.HealthCheck),
)

pytestmark = pytest.mark.filterwarnings("ignore")  # Schemathesis and its dependencies warn of their own code


@dataclass
class KnownGame:
    """A game whose keys are known, or None for an engine's side."""

    id: str
    keys: tuple[str | None, str | None]


@dataclass
class Findings:
    """What the requests came to."""

    statuses: Counter[str] = field(default_factory=Counter)
    by_operation: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, str] = (0.0, "")
    server_errors: list[str] = field(default_factory=list)
    hangs: list[str] = field(default_factory=list)
    lies: Counter[str] = field(default_factory=Counter)  # where an answer is not as the schema says

    def note(self, operation: str, status: int, seconds: float) -> None:
        self.statuses[str(status)] += 1
        self.by_operation[f"{operation} {'ok' if status < 300 else 'refused'}"] += 1
        if seconds > self.slowest[0]:
            self.slowest = (seconds, operation)


class RealValues:
    """Replaces generated values with real ones, most of the time."""

    def __init__(self, server: RunningServer, seed: int) -> None:
        self.rng = random.Random(seed)
        self._server = server
        self.games: list[KnownGame] = []
        self.puzzles: list[str] = []
        self.questions: list[str] = []
        self.legal: dict[str, list[str]] = {}
        with server.client() as client:
            self.opponents = {one["name"]: one["opponents"] for one in client.get("/rules").json()}
            self.kinds = [one["name"] for one in client.get("/puzzles").json()]
            self._make_games(client)

    def _make_games(self, client: Any) -> None:
        """Games in every state: under way, being counted, ended, with an offer, paused, deleted, of engines."""
        under_way = GameClient.create(client, "othello", ["Ann", "Bob"], time="5m+3s")
        for _ in range(4):
            under_way.play()
        engine = GameClient.create(client, "clobber", ["Ann", STRAW], options={"size": "4x4"})
        engine.play()
        counted = GameClient.create(client, "go", ["Ann", "Bob"], options={"size": 9, "rules": "japanese"})
        for move in ("C3", "G7", "pass", "pass"):
            counted.play(move)
        ended = GameClient.create(client, "pente", ["Ann", "Bob"])
        ended.play()
        ended.post("resign", 0)
        offered = GameClient.create(client, "go", ["Ann", "Bob"], options={"size": 5})
        offered.play()
        offered.post("draw", 0)
        paused = GameClient.create(client, "othello", ["Ann", STRAW], time="10m")
        paused.post("pause", 0)
        watched = GameClient.create(client, "othello", [STRAW, STRAW])
        deleted = GameClient.create(client, "clobber", ["Ann", "Bob"], options={"size": "3x3"})
        deleted.client.delete(f"/games/{deleted.id}", headers={"X-Tengen-Key": str(deleted.keys[0])})
        for game in (under_way, engine, counted, ended, offered, paused, watched, deleted):
            self.games.append(KnownGame(game.id, game.keys))
            self.legal[game.id] = list(game.state["legal"])

    def learn(self, operation: str, found: Any) -> None:
        """Take over ids of what an answer has made."""
        if not isinstance(found, dict):
            return
        if "keys" in found and "state" in found:
            self.games.append(KnownGame(found["state"]["id"], tuple(found["keys"])))
            del self.games[8:-40]
            found = found["state"]
        if "legal" in found and "id" in found:
            self.legal[found["id"]] = list(found["legal"])
        if "task" in found:
            place = self.questions if "drill" in operation else self.puzzles
            place.append(found["id"])

    def feed(self, case: Any) -> None:
        rng = self.rng
        parameters = case.path_parameters or {}
        game = rng.choice(self.games)
        if "game_id" in parameters and rng.random() < 0.9:
            parameters["game_id"] = game.id
            keys = [key for key in game.keys if key] + [new_visitor()]
            if case.headers is not None and rng.random() < 0.9:
                case.headers["X-Tengen-Key"] = keys[0] if rng.random() < 0.5 else rng.choice(keys)
        if "form" in parameters and rng.random() < 0.7:
            parameters["form"] = rng.choice(["sgf", "json", "ggf", "txt", "pgn", "text", "transcript"])
        if "kind" in parameters and self.kinds and rng.random() < 0.7:
            parameters["kind"] = rng.choice(self.kinds)
        if "puzzle_id" in parameters and self.puzzles and rng.random() < 0.8:
            parameters["puzzle_id"] = rng.choice(self.puzzles)
        if "question_id" in parameters and self.questions and rng.random() < 0.8:
            parameters["question_id"] = rng.choice(self.questions)
        for place in (case.query, case.body):
            if isinstance(place, dict):
                self._feed_values(place, game)

    def _feed_values(self, place: dict[str, Any], game: KnownGame) -> None:
        rng = self.rng
        name = rng.choice(list(self.opponents))
        if "game" in place and rng.random() < 0.85:
            place["game"] = name
        if "players" in place and rng.random() < 0.8:
            place["players"] = [rng.choice(["Ann", "Bob", STRAW, self.opponents[name][0]]) for _ in range(2)]
        if "options" in place and rng.random() < 0.8:
            small = {"go": {"size": 5}, "clobber": {"size": "3x4"}, "pente": {"size": 9}}.get(name, {})
            place["options"] = small if isinstance(place["options"], dict) else ""
        if "time" in place and rng.random() < 0.7:
            place["time"] = rng.choice(
                ["none", "10m", "5m+3s", "10m+3x30s", "10m+25/10m", "30s/move", "1000h/move"]
            )
        if "move" in place and self.legal.get(game.id) and rng.random() < 0.8:
            place["move"] = rng.choice(self.legal[game.id])
        if "moves" in place and rng.random() < 0.7:
            place["moves"] = [] if isinstance(place["moves"], list) else ""
        if "engine" in place and rng.random() < 0.8:
            place["engine"] = rng.choice(["uct", "random", "alphabeta", STRAW])
        if "seconds" in place:  # an analysis may last a minute: that is not what is looked for here
            place["seconds"] = rng.choice([0.01, 0.05, 0.2, -1, 1e9, 1e-300])
        if "dead" in place and rng.random() < 0.5:
            place["dead"] = rng.sample(["C3", "G7", "A1", "c3", "Z99"], rng.randint(0, 3))
        if "text" in place and rng.random() < 0.5:
            place["text"] = rng.choice(["f5d6c3d3c4", "(;GM[1]SZ[9];B[cc];W[gg])", '[Game "clobber"]\n\n1. 1-2'])
        if "depth" in place:  # a book that grows for hours does not end with this test
            place["depth"], place["most"], place["rounds"] = 1, 1, 1
        if "order" in place and rng.random() < 0.7:
            place["order"] = rng.choice(["changed", "date", "moves", "result", "name"])


@pytest.mark.timeout(SECONDS + 600)
def test_no_server_error_and_no_hang(tmp_path: Path) -> None:
    seed = int(os.environ.get("TENGEN_SOAK_SEED", "1"))
    found = Findings()
    with running_server(tmp_path, limits={"requests_per_visitor": 64}) as server:
        schema = schemathesis.openapi.from_url(f"{server.address}/api/openapi.json")
        values = RealValues(server, seed)
        operations = [one.ok() for one in schema.get_all_operations()]
        modes = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
        strategies = [[one.as_strategy(generation_mode=mode) for mode in modes] for one in operations]
        began, rounds = time.monotonic(), 0
        while time.monotonic() - began < SECONDS:
            order = list(range(len(operations)))
            values.rng.shuffle(order)
            for number in order:
                wrong = values.rng.random() < 0.2
                _try_operation(strategies[number][wrong], values, found, rounds * 1000 + number)
                if time.monotonic() - began > SECONDS:
                    break
            rounds += 1
        _run_links(schema, values, found)
        with server.client(timeout_s=HANG_S) as client:
            alive = request(client, "GET", "/rules")
        tracebacks = server.tracebacks()
        log = server.log_text()
    total = sum(found.statuses.values())
    never = sorted(
        {one.label for one in operations} - {label[:-3] for label in found.by_operation if label[-2:] == "ok"}
    )
    report(
        f"Schemathesis with ids and keys of real games: {total} requests to {len(operations)} operations in "
        f"{time.monotonic() - began:.0f} s, seed {seed}: {dict(sorted(found.statuses.items()))}, slowest "
        f"{found.slowest[0]:.1f} s ({found.slowest[1]}); {len(found.server_errors)} server errors, "
        f"{len(found.hangs)} hangs, {tracebacks} tracebacks in the log",
        f"  never accepted: {never}",
        *(f"  not as the schema says, {count} times: {what}" for what, count in found.lies.most_common(20)),
        *(f"  server error: {what}" for what in found.server_errors[:10]),
    )
    assert total > 200
    assert found.server_errors == []
    assert found.hangs == []
    assert alive.status == 200
    assert tracebacks == 0, log[-3000:]
    assert not found.lies


def _try_operation(strategy: Any, values: RealValues, found: Findings, seed: int) -> None:
    session = requests.Session()
    session.cookies.set("tengen-browser", new_visitor())

    @hypothesis.seed(seed)
    @SETTINGS
    @hypothesis.given(case=strategy)
    def run(case: Any) -> None:
        values.feed(case)
        _call(case, session, values, found)

    try:
        run()
    except hypothesis.errors.Unsatisfiable:
        pass  # nothing that is wrong can be sent to this operation
    finally:
        session.close()


def _call(case: Any, session: requests.Session, values: RealValues, found: Findings) -> Any:
    label = case.operation.label
    began = time.monotonic()
    try:
        response = case.call(session=session, timeout=HANG_S)
    except (requests.Timeout, TimeoutError) as error:
        found.hangs.append(f"{label}: {error}")
        return None
    except (requests.RequestException, ValueError, UnicodeError):
        return None  # what was generated is no request at all
    _check(case, response, time.monotonic() - began, values, found)
    return response


def _check(case: Any, response: Any, seconds: float, values: RealValues, found: Findings) -> None:
    label = case.operation.label
    found.note(label, response.status_code, seconds)
    if response.status_code == 503 and "retry-after" in response.headers:
        return  # it is not ready yet, and says so
    if response.status_code >= 500:
        found.server_errors.append(
            f"{label}: {response.status_code} {response.text[:200]} {case.as_curl_command()}"
        )
        return
    try:
        case.validate_response(response, checks=CHECKS)
    except FailureGroup as group:
        for one in group.exceptions:
            found.lies[f"{label}: {response.status_code}: {_first_line(one)}"] += 1
    except Failure as one:
        found.lies[f"{label}: {response.status_code}: {_first_line(one)}"] += 1
    if response.status_code < 300 and response.text and "json" in str(response.headers.get("content-type", "")):
        values.learn(label, response.json())


def _first_line(error: Any) -> str:
    return (
        f"{getattr(error, 'title', type(error).__name__)}: {str(getattr(error, 'message', error)).strip()[:160]}"
    )


def _run_links(schema: Any, values: RealValues, found: Findings) -> None:
    """Sequences of requests that Schemathesis itself links, by ids in answers."""

    class Machine(schema.as_state_machine()):  # type: ignore[misc]
        def before_call(self, case: Any) -> None:
            if isinstance(case.body, dict):
                values._feed_values(case.body, values.rng.choice(values.games))
            if case.headers is not None and case.path_parameters:
                wanted = case.path_parameters.get("game_id")
                for game in values.games:
                    if game.id == wanted:
                        case.headers["X-Tengen-Key"] = game.keys[0] or game.keys[1] or ""

        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            return {"timeout": HANG_S}

        def validate_response(self, response: Any, case: Any, **_: Any) -> None:
            _check(case, response, response.elapsed, values, found)

    # A server has a state: the same requests get other answers the next time, which Hypothesis does not expect.
    # What they must not get is noted by `_check`.
    with suppress(hypothesis.errors.Flaky):
        Machine.run(
            settings=hypothesis.settings(
                SETTINGS, max_examples=max(4, int(SECONDS / 30)), stateful_step_count=12, phases=SETTINGS.phases
            )
        )
