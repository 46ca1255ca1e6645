"""A match of 500 games in a real browser, with killed workers and a killed server: 500 results, no duplicates."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from playwright.sync_api import expect
from tests.helpers.arena_browser import (
    check_results,
    kill_game_worker,
    run_status,
    server_pid,
    start_match,
    stop_and_resume,
    wait_for_games,
    wait_for_new_games,
)
from tests.helpers.web_site import Visitor, chromium, serving

GAMES = 500


def test_five_hundred_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    began = time.monotonic()
    with chromium() as browser:
        with serving(tmp_path) as (address, server):
            visitor = Visitor.arrive(browser, address)
            url = start_match(visitor, "alphabeta:depth=1", "random:nodes=1", GAMES)
            wait_for_games(visitor, url, 40)
            kill_game_worker(server_pid(tmp_path))
            wait_for_games(visitor, url, 100)
            before = run_status(visitor, url)
            stop_and_resume(visitor)
            wait_for_new_games(visitor, url, before)
            wait_for_games(visitor, url, 160)
            kill_game_worker(server_pid(tmp_path))
            before = wait_for_games(visitor, url, 220)
            os.kill(server.pid, signal.SIGKILL)
            server.wait()
        port = address.rpartition(":")[2]
        with serving(tmp_path, "--port", port):
            visitor.go(url[url.index("/arena") :])
            wait_for_new_games(visitor, url, before)  # it went on by itself
            expect(visitor.page.locator(".tg-state")).to_have_text("running")
            kill_game_worker(server_pid(tmp_path))
            wait_for_games(visitor, url, GAMES, state="finished")
            expect(visitor.page.locator(".tg-state")).to_have_text("finished")
            check_results(tmp_path, visitor, url, GAMES)
    with capsys.disabled():
        print(f"\narena: {GAMES} games in {time.monotonic() - began:.0f} s, three workers and the server killed")
