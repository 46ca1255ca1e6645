"""Kills, a frozen database and a full disk under a server that is played on.

Whatever happens, a move that was answered with 200 is there afterwards, and what cannot be stored is not answered
with 200. Everything is done over HTTP, with signals, and with a file system that is full.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from soak.helpers import (
    STRAW,
    Answer,
    GameClient,
    RunningServer,
    child_processes,
    command_line,
    fill_disk,
    needs_root,
    report,
    request,
    running_server,
    small_disk,
    start_server,
    wait_until,
)
from tests.helpers import postgres_server

from tengen.players.opponents import analysis_player

KILLS = 4
HANG_S = 40.0  # no request may take longer, whatever the database does
RECOVERY_S = 90.0
OTHELLO = "othello"


# ---- databases


@dataclass
class Postgres:
    """A PostgreSQL server of our own, to be frozen, killed and started again."""

    folder: Path
    programs: Path
    port: int

    @property
    def url(self) -> str:
        return f"postgresql://tengen@127.0.0.1:{self.port}/postgres"

    def pids(self) -> list[int]:
        pid = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        return [pid, *child_processes(pid)]

    def send(self, number: int) -> None:
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def start(self) -> None:
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)  # of the one that was killed
        words = f"-c port={self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        data = self.folder / "data"
        postgres_server._run(
            self.folder,
            self.programs / "pg_ctl",
            "start",
            "-w",
            "-D",
            data,
            "-l",
            self.folder / "log",
            "-o",
            words,
        )

    def stop(self) -> None:
        with contextlib.suppress(AssertionError, OSError):
            postgres_server._run(
                self.folder, self.programs / "pg_ctl", "stop", "-m", "immediate", "-D", self.folder / "data"
            )


@contextlib.contextmanager
def public_folder() -> Iterator[Path]:
    """A folder that PostgreSQL's user can enter; pytest's own are for the user of the tests only."""
    folder = Path(tempfile.mkdtemp(prefix="tengen-postgres-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def own_postgres(folder: Path) -> Iterator[Postgres]:
    programs, port = postgres_server._start(folder)
    found = Postgres(folder, programs, port)
    try:
        yield found
    finally:
        with contextlib.suppress(OSError, ValueError, IndexError):
            found.send(signal.SIGCONT)
        found.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """What is given as the store: nothing for a file in the data folder, or a URL."""
    if request.param == "sqlite":
        yield ""
        return
    with public_folder() as folder, own_postgres(folder) as postgres:
        yield postgres.url


# ---- play


@dataclass
class Player:
    """Plays games of two people over the API, and notes what the server has acknowledged."""

    server: RunningServer
    acknowledged: dict[str, list[str]] = field(default_factory=dict)
    keys: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)
    answers: list[Answer] = field(default_factory=list)

    def play_until(self, done: threading.Event, games: int = 3) -> None:
        rng = random.Random(1)
        with self.server.client(timeout_s=HANG_S) as client:
            open_games: list[GameClient] = []
            while not done.is_set():
                if len(open_games) < games:
                    made = request(client, "POST", "/games", json={"game": OTHELLO, "players": ["Ann", "Bob"]})
                    if made.status != 201:
                        continue
                    found = made.json()
                    game = GameClient(client, found["state"]["id"], tuple(found["keys"]), found["state"])
                    self.acknowledged[game.id] = []
                    open_games.append(game)
                game = rng.choice(open_games)
                if not game.state["legal"]:
                    open_games.remove(game)
                    continue
                self.note(game, game.play(rng.choice(game.state["legal"])))

    def note(self, game: GameClient, answer: Answer) -> None:
        self.answers.append(answer)
        if answer.status == 200:
            self.acknowledged[game.id] = answer.json()["moves"]

    def lost(self, server: RunningServer) -> list[str]:
        """Acknowledged moves that a server does not have."""
        found = []
        with server.client() as client:
            for game_id, moves in self.acknowledged.items():
                answer = request(client, "GET", f"/games/{game_id}")
                have = answer.json()["moves"] if answer.status == 200 else []
                if answer.status != 200 or have[: len(moves)] != moves:
                    found.append(f"{game_id[:8]}: {answer.status}, {len(moves)} acknowledged, {len(have)} there")
        return found

    @property
    def acknowledged_moves(self) -> int:
        return sum(map(len, self.acknowledged.values()))


def test_no_acknowledged_move_is_lost_when_the_server_is_killed(tmp_path: Path, database: str) -> None:
    rng = random.Random(7)
    moves, games, restarts = 0, 0, []
    for _ in range(KILLS):
        server = start_server(tmp_path, database=database)
        player, done = Player(server), threading.Event()
        thread = threading.Thread(target=player.play_until, args=(done,))
        thread.start()
        wait_until(lambda: player.acknowledged_moves > 5, 120)  # noqa: B023
        time.sleep(rng.uniform(0.2, 3))
        server.kill()
        done.set()
        thread.join()
        began = time.monotonic()
        with running_server(tmp_path, database=database) as again:
            restarts.append(time.monotonic() - began)
            lost = player.lost(again)
        moves += player.acknowledged_moves
        games += len(player.acknowledged)
        assert lost == []
    report(
        f"SIGKILL of the server {KILLS} times in play, {_kind(database)}: {games} games, {moves} acknowledged "
        f"moves, none lost; started again within {max(restarts):.1f} s"
    )


def test_killed_workers_and_helpers_are_replaced(tmp_path: Path, database: str) -> None:
    """Workers in mid-search, and idle helpers; each time a game against an engine and a count go on."""
    waits = []
    with running_server(tmp_path, database=database) as server, server.client() as client:
        thinker = analysis_player(OTHELLO).name
        _count_a_game(client)  # the helper that marks dead stones has started
        killed = 0
        for number in range(4):
            game = GameClient.create(client, OTHELLO, ["Ann", thinker if number % 2 else STRAW])
            game.play()
            time.sleep(0.2 if number % 2 else 1)
            for child in server.children():
                if "spawn_main" in command_line(child):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(child, signal.SIGKILL)
                        killed += 1
            began = time.monotonic()
            assert game.wait_for_move(2, 120), "the engine does not move any more"
            waits.append(time.monotonic() - began)
            _count_a_game(client)
        tracebacks = server.tracebacks()
    report(
        f"SIGKILL of {killed} workers and helpers, {_kind(database)}: the engine moved after "
        f"{', '.join(f'{wait:.1f}' for wait in waits)} s; {tracebacks} tracebacks in the log"
    )
    assert killed
    assert tracebacks == 0, server.log_text()[-3000:]


def _count_a_game(client: Any) -> None:
    """A game of Go in which dead stones are marked by a helper process, and agreed on."""
    game = GameClient.create(client, "go", ["Ann", "Bob"], options={"size": 9, "rules": "japanese"})
    for move in ("C3", "G7", "pass", "pass"):
        assert game.play(move).status == 200
    for side in (0, 1):
        assert game.post("count", side, dead=[]).status == 200
    time.sleep(1)
    for side in (0, 1):  # the helper's marks may have come between
        game.post("count", side, dead=[])
    assert wait_until(lambda: game.refresh()["result"], 60), "the game cannot be counted"


# ---- the database


def test_a_frozen_postgresql_hangs_nobody(tmp_path: Path) -> None:
    with public_folder() as place, own_postgres(place) as postgres:
        folder = tmp_path / "data"
        folder.mkdir()
        server = start_server(folder, database=postgres.url)
        with (
            server.client(timeout_s=HANG_S + 30) as client,
            server.client(timeout_s=HANG_S + 30, api=False) as pages,
        ):
            game = GameClient.create(client, OTHELLO, ["Ann", "Bob"])
            player = Player(server, {game.id: []})
            for _ in range(3):
                player.note(game, game.play())
            postgres.send(signal.SIGSTOP)
            try:
                rules = request(client, "GET", "/rules")
                moved = game.play()
                player.note(game, moved)
                listed = request(client, "GET", "/games")
                page = request(pages, "GET", "/library")
            finally:
                postgres.send(signal.SIGCONT)
            back = _recover(game, player)
        kept = player.lost(server)
        postgres.send(signal.SIGSTOP)
        try:
            stopped = server.stop(HANG_S)
        finally:
            postgres.send(signal.SIGCONT)
    report(
        f"PostgreSQL frozen by SIGSTOP: GET /rules {rules}; a move {moved} ({moved.text[:100]!r}); GET /games "
        f"{listed}; /library {page}; a move {back:.1f} s after SIGCONT; SIGTERM while frozen: "
        f"{'had to be killed' if stopped is None else f'ended after {stopped:.1f} s'}; lost: {kept or 'nothing'}"
    )
    assert rules.status == 200
    assert moved.status in (200, 503)
    assert all(answer.seconds < HANG_S for answer in (rules, moved, listed, page))
    assert listed.status == 503
    assert page.status in (200, 503)
    assert kept == []
    assert stopped is not None


def test_a_killed_postgresql_loses_nothing_acknowledged(tmp_path: Path) -> None:
    with public_folder() as place, own_postgres(place) as postgres:
        folder = tmp_path / "data"
        folder.mkdir()
        server = start_server(folder, database=postgres.url)
        with (
            server.client(timeout_s=HANG_S + 30) as client,
            server.client(timeout_s=HANG_S + 30, api=False) as pages,
        ):
            game = GameClient.create(client, OTHELLO, ["Ann", "Bob"])
            player = Player(server, {game.id: []})
            for _ in range(3):
                player.note(game, game.play())
            postgres.send(signal.SIGKILL)
            down = []
            for _ in range(3):
                game.refresh()  # the server goes on with a move that it said is not saved
                down.append(game.play())
                player.note(game, down[-1])
            listed = request(client, "GET", "/games")
            page = request(pages, "GET", "/library")
            start = request(pages, "GET", "/")
            time.sleep(1)
            postgres.start()
            back = _recover(game, player)
        server.kill()
        with running_server(folder, database=postgres.url) as again:
            lost = player.lost(again)
        tracebacks = server.tracebacks()
    report(
        f"PostgreSQL killed: moves {[answer.status for answer in down]} ({down[0].text[:100]!r}), GET /games "
        f"{listed.status}, /library {page.status}, / {start.status}; a move {back:.1f} s after it was back; after "
        f"a kill of the server lost: {lost or 'nothing'}; {tracebacks} tracebacks in the log"
    )
    assert lost == []
    assert {answer.status for answer in down} == {503}
    assert listed.status == 503
    assert page.status in (200, 503)
    assert start.status in (200, 503)
    assert tracebacks == 0, server.log_text()[-3000:]


def _recover(game: GameClient, player: Player) -> float:
    """The seconds until a move is acknowledged again."""
    began = time.monotonic()

    def try_again() -> bool:
        answer = request(game.client, "GET", f"/games/{game.id}")
        if answer.status != 200:
            return False
        game.state = answer.json()
        if not game.state["legal"]:
            return False
        moved = game.play()
        player.note(game, moved)
        return moved.status == 200

    assert wait_until(try_again, RECOVERY_S, 0.3), f"no move is stored any more: {player.answers[-1]}"
    return time.monotonic() - began


# ---- the disk


@needs_root
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_full_disk_loses_nothing_acknowledged(tmp_path: Path, kind: str) -> None:
    """Full while people play, then a kill; and full, then space again without a restart."""
    data = tmp_path / "data"
    data.mkdir()
    with contextlib.ExitStack() as stack:
        if kind == "sqlite":
            disk = stack.enter_context(small_disk(data, 40))
            database = ""
        else:
            disk = stack.enter_context(small_disk(stack.enter_context(public_folder()), 400))
            database = stack.enter_context(own_postgres(disk)).url
        log = tmp_path / "server.log"
        server = start_server(data, database=database, log=log)
        lost: list[str] = []
        with server.client(timeout_s=HANG_S) as client, server.client(timeout_s=HANG_S, api=False) as pages:
            game = GameClient.create(client, OTHELLO, ["Ann", "Bob"])
            player = Player(server, {game.id: []})
            for _ in range(3):
                player.note(game, game.play())
            filler = fill_disk(disk)
            full = [_move_or_new_game(client, game, player) for _ in range(20)]
            page_statuses = {path: request(pages, "GET", path).status for path in ("/", "/library", "/players")}
            imported = request(client, "POST", "/records", json={"text": "f5d6c3d3c4f4f6"})
            filler.unlink()
            back = _recover(game, player)
            filler = fill_disk(disk)
            again = [_move_or_new_game(client, game, player) for _ in range(10)]
        server.kill()
        filler.unlink()
        with running_server(data, database=database, log=log) as restarted:
            lost = player.lost(restarted)
        left = [path.name for path in data.glob(".web-*")]
        tracebacks = server.tracebacks()
    statuses = [answer.status for answer in full + again]
    told = next((answer.text[:140] for answer in full + again if answer.status >= 400), "")
    report(
        f"a full disk, {kind}: {len(statuses)} moves and new games: "
        f"{', '.join(f'{statuses.count(one)} x {one}' for one in sorted(set(statuses)))} ({told!r}); pages "
        f"{page_statuses}; an import {imported.status}; a move {back:.1f} s after there was space; after a kill "
        f"lost: {lost or 'nothing'}; files left {left}; {tracebacks} tracebacks in the log"
    )
    assert lost == []
    assert set(statuses) <= {200, 201, 503}
    assert kind == "postgresql" or 503 in statuses  # PostgreSQL has room for a while in the files that it has
    assert imported.status in ((200, 503) if kind == "postgresql" else (503,))
    assert set(page_statuses.values()) <= {200, 503}
    assert left == []
    assert tracebacks == 0, log.read_text()[-3000:]


def _move_or_new_game(client: Any, game: GameClient, player: Player) -> Answer:
    """A move if the game as the server has it can go on; else a new game, which needs more space."""
    if len(player.answers) % 3 == 2:
        made = request(client, "POST", "/games", json={"game": OTHELLO, "players": ["Ann", "Bob"]})
        if made.status == 201:
            player.acknowledged[made.json()["state"]["id"]] = []
        player.answers.append(made)
        return made
    state = request(client, "GET", f"/games/{game.id}")
    if state.status == 200:
        game.state = state.json()
    answer = game.play()
    player.note(game, answer)
    return answer


def _kind(database: str) -> str:
    return "PostgreSQL" if database else "SQLite"
