"""200 programs watch one fast game; how long do the requests of everybody else take meanwhile?"""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

from soak.helpers import (
    GameClient,
    Latencies,
    WatcherProcess,
    report,
    request,
    running_server,
    wait_until,
)

WATCHERS = 200
SECONDS = float(os.environ.get("TENGEN_SOAK_SECONDS", "30"))
TARGET_P95_S = 0.100
GO = {"size": 13}


def test_other_requests_are_quick_while_200_watch(tmp_path: Path) -> None:
    """A game of two programs that move as fast as the server answers, on a large board: each move is an event."""
    limits = {"sockets_per_visitor": WATCHERS + 50, "watchers_per_game": WATCHERS + 50}
    with (
        running_server(tmp_path, limits=limits) as server,
        server.client() as owner,
        server.client() as player,
        server.client() as reader,
    ):
        fast = GameClient.create(owner, "go", ["Ann", "Bob"], options=GO)
        other = GameClient.create(player, "othello", ["Cleo", "Dan"])
        request(reader, "GET", "/rules")
        alone = _measure(fast, other, reader, 5.0, plays=False)
        report(f"nobody watches, nothing happens: {alone['all']}")
        before_mb = server.memory_mb()
        with WatcherProcess(server.address, fast.id, WATCHERS) as watchers:
            wait_until(lambda: watchers.connected + watchers.refused >= WATCHERS, 120)
            assert watchers.connected == WATCHERS, f"{watchers.refused} were refused"
            told = watchers.messages
            found = _measure(fast, other, reader, SECONDS, plays=True)
            told = watchers.messages - told
            dropped = watchers.dropped
        grown = server.memory_mb() - before_mb
    moves = len(found["fast move"].seconds)
    report(
        f"{WATCHERS} watchers of a game of {moves / SECONDS:.1f} moves a second on 13x13, "
        f"{told / SECONDS:.0f} messages a second, {dropped} watchers dropped, {grown:.0f} MB more",
        *(found[name] for name in ("fast move", "GET /rules", "GET /games/{id}", "move elsewhere", "all")),
    )
    assert not found["all"].failures
    assert not found["fast move"].failures
    assert told >= 0.5 * moves * (WATCHERS - dropped)  # a slow reader gets the newest only
    assert dropped == 0
    assert found["all"].quantile(0.95) < TARGET_P95_S


def _measure(
    fast: GameClient, other: GameClient, reader: httpx.Client, seconds: float, *, plays: bool
) -> dict[str, Latencies]:
    """Times of small requests, one after the other, of three visitors; `fast` is played meanwhile if wanted."""
    names = ("fast move", "GET /rules", "GET /games/{id}", "move elsewhere", "all")
    found = {name: Latencies(name) for name in names}
    found["all"].name = "all but the fast moves"
    done = threading.Event()

    def play() -> None:
        game = fast
        while not done.is_set():
            legal = game.state["legal"]
            if len(game.state["moves"]) >= 120 or not legal:  # back to the start: watchers stay
                game.post("take-back", 0)
                game.refresh()
                continue
            found["fast move"].add(game.play(legal[len(legal) // 2]))

    thread = threading.Thread(target=play)
    if plays:
        thread.start()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answers = {
            "GET /rules": request(reader, "GET", "/rules"),
            "GET /games/{id}": request(reader, "GET", f"/games/{fast.id}"),
        }
        if other.state["legal"]:
            answers["move elsewhere"] = other.play()
        else:
            other = GameClient.create(other.client, "othello", ["Cleo", "Dan"])
        for name, answer in answers.items():
            found[name].add(answer)
            found["all"].add(answer)
        time.sleep(0.05)
    done.set()
    if plays:
        thread.join()
    return found
