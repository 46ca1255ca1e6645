"""A run of the arena in a real browser: started with the form, watched, stopped, resumed, with workers killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tengen.store.listing import Filter
from tengen.store.store import Store
from tests.helpers.web_site import Visitor

TIMEOUT_S = 600.0


def start_match(visitor: Visitor, first: str, second: str, games: int, size: int = 10) -> str:
    """Fill the form for a match of Clobber on a strip; returns the address of the run's page."""
    page = visitor.page
    visitor.go("/arena/new?kind=matches")
    page.get_by_role("button", name="Clobber").click()
    page.get_by_role("button", name="Other …").click()
    page.get_by_label("Size").last.fill(str(size))
    for field, text in (("First player", first), ("Second player", second)):
        page.get_by_label(field).fill(text)
        page.get_by_label(field).press("Enter")
    page.get_by_label("Games", exact=True).fill(str(games))
    page.get_by_label("Moves", exact=True).fill("2")
    visitor.press("Start")
    page.wait_for_url("**/arena/matches/*")
    return page.url


def run_status(visitor: Visitor, url: str) -> dict[str, Any]:
    """The run as the API tells it."""
    path = url[url.index("/arena/") :]
    return _get(visitor, path)


def _get(visitor: Visitor, path: str) -> dict[str, Any]:
    """An answer of the API; asked again if the server closes an idle connection just then."""
    found: dict[str, Any] = visitor.context.request.get(f"{visitor.address}/api{path}", max_retries=3).json()
    return found


def wait_for_games(visitor: Visitor, url: str, games: int, *, state: str = "") -> dict[str, Any]:
    """Wait until a run has so many games, or is in a state."""
    until = time.monotonic() + TIMEOUT_S
    while True:
        found = run_status(visitor, url)
        if found["state"] == state or (not state and found["done"] >= games):
            return found
        assert found["state"] not in ("failed", "stopped"), found
        assert time.monotonic() < until, found
        time.sleep(0.3)


def wait_for_new_games(visitor: Visitor, url: str, before: dict[str, Any]) -> None:
    """Wait until a run that was started again plays: processes that it did not have before have finished games."""
    known = {row["name"] for row in before["workers"]}
    until = time.monotonic() + TIMEOUT_S
    while not any(row["calls"] and row["name"] not in known for row in run_status(visitor, url)["workers"]):
        assert time.monotonic() < until, run_status(visitor, url)
        time.sleep(0.3)


def kill_game_worker(server: int) -> int:
    """Kill a process that plays games: a grandchild of the server, below the process that plays the run."""
    until = time.monotonic() + TIMEOUT_S
    while time.monotonic() < until:
        for child in _children(server):
            for worker in _children(child):
                if "spawn_main" in _command(worker):
                    with suppress(ProcessLookupError):
                        os.kill(worker, signal.SIGKILL)
                        return worker
        time.sleep(0.1)
    raise AssertionError("no process plays games")


def check_results(folder: Path, visitor: Visitor, url: str, games: int) -> None:
    """Check that each game was played and stored once: in the status, the list of games, and the library."""
    path = url[url.index("/arena/") :]
    found = run_status(visitor, url)
    assert (found["done"], found["result"]["games"]) == (games, games)
    listed = []
    while len(listed) < games:
        more = _get(visitor, f"{path}/games?offset={len(listed)}&limit=1000")
        assert more["total"] == games
        listed += more["games"]
    assert sorted(game["number"] for game in listed) == list(range(1, games + 1))
    ids = {game["id"] for game in listed}
    assert len(ids) == games
    with Store.open(str(folder / "tengen.db")) as store:
        stored = [one.id for one in store.all_games(Filter(game="clobber"))]
    assert sorted(stored) == sorted(ids)


def stop_and_resume(visitor: Visitor) -> None:
    page = visitor.page
    visitor.press("Stop")
    expect(page.locator(".tg-state")).to_have_text("stopped")
    visitor.press("Resume")
    expect(page.locator(".tg-state")).to_have_text("running")


def server_pid(folder: Path) -> int:
    return int(json.loads((folder / "server.json").read_text())["pid"])


def _children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(word) for word in found.stdout.split()]


def _command(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""
