"""Thousands of games, analyses, reconnects and page visits: memory and open files of the server stay flat."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import re
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
import socketio
import websockets

sys.path.insert(0, str(Path(__file__).parents[1]))

from soak.helpers import (
    STRAW,
    Answer,
    GameClient,
    RunningServer,
    new_visitor,
    report,
    request,
    running_server,
    slope_per_sample,
)

SECONDS = float(os.environ.get("TENGEN_SOAK_SECONDS", "200"))
GAMES, ANALYSES, RECONNECTS, VISITS = 2_000, 500, 2_000, 300  # at most; the time ends it before
WARM_UP_SHARE = 0.4  # caches fill, threads start, the allocator finds its size
MOST_MB_PER_1000_ACTIONS = 15.0  # the allocator still grows a little in a run of minutes
MOST_FILES_PER_1000_ACTIONS = 10.0  # one for each game would be 100, one for each reconnect 700
KINDS: list[tuple[str, dict[str, object]]] = [
    ("clobber", {"size": "3x3"}),
    ("clobber", {"size": "3x4"}),
    ("go", {"size": 5}),
]


@dataclass
class Work:
    """What was done by all clients together."""

    games: int = 0
    moves: int = 0
    analyses: int = 0
    reconnects: int = 0
    visits: int = 0
    failures: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def actions(self) -> int:
        return self.games + self.analyses + self.reconnects + self.visits

    def check(self, answer: Answer, what: str) -> bool:
        if 200 <= answer.status < 300:
            return True
        with self.lock:
            self.failures.append(f"{what}: {answer} {answer.text[:200]}")
        return False


@pytest.mark.timeout(SECONDS + 600)
def test_memory_and_files_stay_flat(tmp_path: Path) -> None:
    work, done = Work(), threading.Event()
    # Games are closed soon after their players have left, so that the end of a game is part of what is measured.
    with running_server(tmp_path) as server:
        jobs = [threading.Thread(target=_play_games, args=(server, work, done, number)) for number in range(2)] + [
            threading.Thread(target=_analyse, args=(server, work, done)),
            threading.Thread(target=lambda: asyncio.run(_reconnect(server, work, done))),
            threading.Thread(target=lambda: asyncio.run(_visit(server, work, done))),
        ]
        for job in jobs:
            job.start()
        began = time.monotonic()
        samples: list[tuple[float, int, int, int, int]] = []
        while time.monotonic() - began < SECONDS and any(job.is_alive() for job in jobs):
            time.sleep(1)
            samples.append(_sample(server, work, began))
        done.set()
        for job in jobs:
            job.join()
        ended = _sample(server, work, began)
        time.sleep(100)  # nobody is there: idle games are closed after a minute and a half
        rested = _sample(server, work, began)
        workers = len(server.children())
        stopped = server.stop()
    steady = samples[int(WARM_UP_SHARE * len(samples)) :]
    actions_per_sample = (steady[-1][4] - steady[0][4]) / max(1, len(steady) - 1)
    per_1000 = 1000 / max(actions_per_sample, 1e-9)
    memory = slope_per_sample([sample[1] for sample in steady]) * per_1000
    files = slope_per_sample([sample[2] for sample in steady]) * per_1000
    report(
        f"{work.games} games ({work.moves} moves), {work.analyses} analyses, {work.reconnects} reconnects, "
        f"{work.visits} page visits in {ended[0]:.0f} s, {len(work.failures)} failed",
        f"  memory {samples[0][1]} MB at first, {steady[0][1]} MB after the warm-up, {ended[1]} MB at the end, "
        f"{rested[1]} MB after 100 s of rest: {memory:+.1f} MB in 1,000 actions",
        f"  open files {samples[0][2]}, {steady[0][2]}, {ended[2]}, {rested[2]}: {files:+.2f} in 1,000 actions; "
        f"threads {samples[0][3]}, {steady[0][3]}, {ended[3]}, {rested[3]}; {workers} child processes; "
        f"stopped after {stopped if stopped is None else round(stopped, 1)} s",
    )
    assert work.failures == []
    assert work.actions >= 500
    assert memory < MOST_MB_PER_1000_ACTIONS
    assert files < MOST_FILES_PER_1000_ACTIONS
    assert rested[2] <= samples[0][2] + 15
    assert stopped is not None
    assert server.tracebacks() == 0, server.log_text()[-3000:]


def _sample(server: RunningServer, work: Work, began: float) -> tuple[float, int, int, int, int]:
    return (
        time.monotonic() - began,
        round(server.memory_mb()),
        server.open_files(),
        server.threads(),
        work.actions,
    )


def _play_games(server: RunningServer, work: Work, done: threading.Event, seed: int) -> None:
    """Short games against an engine, each of a visitor of its own; some are left in the middle."""
    rng = random.Random(seed)
    while not done.is_set() and work.games < GAMES:
        with server.client() as client:
            kind, options = rng.choice(KINDS)
            made = request(
                client, "POST", "/games", json={"game": kind, "options": options, "players": ["Ann", STRAW]}
            )
            if not work.check(made, "a new game"):
                continue
            found = made.json()
            game = GameClient(client, found["state"]["id"], tuple(found["keys"]), found["state"])
            left_after = rng.choice([3, 100])
            for _ in range(12):
                if game.state["result"] is not None or game.state["counting"] or left_after <= 0 or done.is_set():
                    break
                if game.state["to_move"] != 0:
                    game.wait_for_move(len(game.state["moves"]) + 1, 60)
                    continue
                left_after -= 1
                if work.check(game.play(rng.choice(game.state["legal"])), "a move"):
                    with work.lock:
                        work.moves += 1
            with work.lock:
                work.games += 1


def _analyse(server: RunningServer, work: Work, done: threading.Event) -> None:
    with server.client() as client:
        while not done.is_set() and work.analyses < ANALYSES:
            question = {"game": "clobber", "options": {"size": "4x4"}, "engine": "uct", "seconds": 0.02}
            work.check(request(client, "POST", "/analyse", json=question), "an analysis")
            work.analyses += 1
            time.sleep(0.1)


async def _reconnect(server: RunningServer, work: Work, done: threading.Event) -> None:
    """WebSockets of the API, closed in order or just dropped."""
    with server.client() as client:
        game = await asyncio.to_thread(GameClient.create, client, "othello", ["Ann", "Bob"])
    url = server.address.replace("http", "ws", 1) + f"/api/games/{game.id}/events"
    while not done.is_set() and work.reconnects < RECONNECTS:
        try:
            socket = await websockets.connect(
                url, additional_headers={"Cookie": f"tengen-browser={new_visitor()}"}, open_timeout=60
            )
            await socket.recv()
            if work.reconnects % 2:
                await socket.close()
            else:
                socket.transport.abort()
            work.reconnects += 1
        except (OSError, websockets.WebSocketException, TimeoutError) as error:
            work.failures.append(f"a WebSocket: {error!r}")
        await asyncio.sleep(0.02)


async def _visit(server: RunningServer, work: Work, done: threading.Event) -> None:
    """Pages as a browser opens them, with their socket, and leaves again."""
    paths = ["/", "/library", "/new?game=othello", "/options", "/players", "/analysis"]
    while not done.is_set() and work.visits < VISITS:
        path = paths[work.visits % len(paths)]
        try:
            async with httpx.AsyncClient(timeout=60, cookies={"tengen-browser": new_visitor()}) as http:
                page = await http.get(server.address + path)
            if page.status_code != 200:
                work.failures.append(f"{path}: {page.status_code}")
            found = re.search(r"client_id['\"]?:\s*['\"]([0-9a-f-]{36})", page.text)
            if found is not None:
                socket = socketio.AsyncClient()
                socket.on("*", lambda *_: None)
                who = f"client_id={found[1]}&document_id=d{work.visits}&tab_id=t{work.visits}"
                await socket.connect(
                    f"{server.address}?{who}&next_message_id=0&implicit_handshake=true",
                    socketio_path="/_nicegui_ws/socket.io",
                    transports=["websocket"],
                    wait_timeout=60,
                )
                await asyncio.sleep(0.2)
                with contextlib.suppress(Exception):
                    await socket.disconnect()
            work.visits += 1
        except (httpx.HTTPError, OSError, socketio.exceptions.ConnectionError) as error:
            work.failures.append(f"{path}: {error!r}")
        await asyncio.sleep(0.1)
