"""Scripted clients for a running server, and how to measure it from outside: latency, memory, open files.

Everything here goes over HTTP, WebSockets, signals and `/proc`, so that the same test runs on any version of the
server and its figures can be compared.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import os
import random
import re
import secrets
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
import websockets

from tengen.players.configure import configure
from tengen.players.player import EnginePlayer
from tengen.search.limits import Limits
from tengen.store.store import Store

STRAW = "Straw man"  # an engine player that moves at random, at once
START_TIMEOUT_S = 300.0  # the first time, kernels are compiled
STOP_TIMEOUT_S = 60.0
_R = TypeVar("_R")


# ---- the server


@dataclass
class RunningServer:
    """A server in a process of its own. `folder` holds its data and `server.log`."""

    address: str
    process: subprocess.Popen[str]
    folder: Path
    log: Path

    def client(
        self, visitor: str = "", *, key: str = "", timeout_s: float = 120.0, api: bool = True
    ) -> httpx.Client:
        """An HTTP client of a visitor of its own; `visitor` is the browser's cookie, `key` that of a seat."""
        return httpx.Client(
            base_url=f"{self.address}/api" if api else self.address,
            timeout=timeout_s,
            cookies={"tengen-browser": visitor or new_visitor()},
            headers={"X-Tengen-Key": key} if key else {},
        )

    @property
    def port(self) -> str:
        return self.address.rpartition(":")[2]

    def memory_mb(self) -> float:
        """Resident memory of the server process, without its workers."""
        return memory_mb(self.process.pid)

    def peak_memory_mb(self) -> float:
        return memory_mb(self.process.pid, "VmHWM")

    def open_files(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def children(self) -> list[int]:
        """Processes that the server has started: engine workers and helpers."""
        return child_processes(self.process.pid)

    def log_text(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def tracebacks(self) -> int:
        return self.log_text().count("Traceback (most recent call last)")

    def kill(self) -> None:
        """SIGKILL, as a power cut; workers notice by themselves."""
        self.process.kill()
        self.process.wait(STOP_TIMEOUT_S)

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> float | None:
        """SIGTERM; the seconds until the server had ended, or None if it had to be killed."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGCONT)
        self.process.terminate()
        try:
            self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        return time.monotonic() - began


def start_server(
    folder: Path,
    *arguments: str,
    database: str = "",
    limits: Mapping[str, float] | None = None,
    environment: Mapping[str, str] | None = None,
    workers: int = 1,
    log: Path | None = None,
) -> RunningServer:
    """Start `tengen web` on a free port of this machine. `limits` are written to the data folder's limits.toml."""
    with Store.open(database or str(folder / "tengen.db")) as store:
        if not any(player.name == STRAW for player in store.players()):
            store.save_player(EnginePlayer(STRAW, configure("random", Limits(nodes=1))))
    if limits:
        (folder / "limits.toml").write_text("".join(f"{name} = {value}\n" for name, value in limits.items()))
    variables = {
        **os.environ,
        "TENGEN_DATA": str(folder),
        "TENGEN_BOOKS": os.devnull,
        "PYTHONUNBUFFERED": "1",
        **({"TENGEN_DATABASE": database} if database else {}),
        **(environment or {}),
    }
    command = [sys.executable, "-m", "tengen", "web", "--no-browser", "--workers", str(workers), *arguments]
    if "--port" not in arguments:
        command += ["--port", "0"]
    log = log or folder / "server.log"
    with log.open("a") as errors:
        process = subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=errors, text=True)
    assert process.stdout is not None
    watchdog = threading.Timer(START_TIMEOUT_S, process.kill)
    watchdog.start()
    for line in process.stdout:
        found = re.search(r"at (https?://[^/\s]+)/", line)
        if found:
            watchdog.cancel()
            threading.Thread(target=_drain, args=(process.stdout,), daemon=True).start()
            return RunningServer(found[1], process, folder, log)
    watchdog.cancel()
    raise AssertionError(f"the server did not start: {log.read_text()}")


def _drain(stream: Any) -> None:
    with contextlib.suppress(ValueError, OSError), stream:
        for _ in stream:
            pass


@contextlib.contextmanager
def running_server(folder: Path, *arguments: str, **options: Any) -> Iterator[RunningServer]:
    """A server for a block, which ends it; see `start_server`."""
    server = start_server(folder, *arguments, **options)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


def new_visitor() -> str:
    """The cookie of a browser that was never here."""
    return secrets.token_hex(16)


def memory_mb(process: int, field_name: str = "VmRSS") -> float:
    found = re.search(rf"{field_name}:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    return 0.0 if found is None else int(found[1]) / 1024


def child_processes(process: int) -> list[int]:
    """All descendants, the resource tracker of multiprocessing included."""
    found: list[int] = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in task.read_text().split():
                found += [int(child), *child_processes(int(child))]
    return found


def command_line(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


# ---- requests and games


@dataclass
class Answer:
    """What became of one request: `status` 0 if none came within the time."""

    status: int
    seconds: float
    text: str = ""

    def json(self) -> Any:
        return json.loads(self.text)

    def __str__(self) -> str:
        status = str(self.status) if self.status else f"no answer ({self.text[:40]})"
        return f"{status} after {self.seconds:.2f} s"


def request(client: httpx.Client, method: str, path: str, **more: Any) -> Answer:
    """Send a request and time it; a client's timeout or a broken connection is an `Answer` too."""
    began = time.monotonic()
    try:
        found = client.request(method, path, **more)
    except httpx.HTTPError as error:
        return Answer(0, time.monotonic() - began, f"{type(error).__name__}: {error}")
    return Answer(found.status_code, time.monotonic() - began, found.text)


@dataclass
class GameClient:
    """A game that this program made, with the keys of its sides."""

    client: httpx.Client
    id: str
    keys: tuple[str | None, str | None]
    state: dict[str, Any] = field(repr=False)

    @classmethod
    def create(cls, client: httpx.Client, game: str, players: Sequence[str], **more: Any) -> GameClient:
        made = client.post("/games", json={"game": game, "players": list(players), **more})
        assert made.status_code == 201, (made.status_code, made.text)
        found = made.json()
        first, second = found["keys"]
        return cls(client, found["state"]["id"], (first, second), found["state"])

    def refresh(self) -> dict[str, Any]:
        found = self.client.get(f"/games/{self.id}")
        assert found.status_code == 200, (found.status_code, found.text)
        self.state = found.json()
        return self.state

    def post(self, action: str, side: int | None = None, **body: Any) -> Answer:
        """Act for a side: the one to move if left out."""
        side = self.state["to_move"] if side is None else side
        key = self.keys[side or 0] or ""
        return request(
            self.client,
            "POST",
            f"/games/{self.id}/{action}",
            headers={"X-Tengen-Key": key},
            **({"json": body} if body else {}),
        )

    def play(self, move: str | None = None) -> Answer:
        """Make a move for the side to move, the first legal one if none is given."""
        answer = self.post("moves", move=move or self.state["legal"][0])
        if answer.status == 200:
            self.state = answer.json()
        return answer

    def wait_for_move(self, ply: int, timeout_s: float = 60.0) -> bool:
        """Wait until the game has at least `ply` moves or has ended."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            state = self.refresh()
            if len(state["moves"]) >= ply or state["result"] is not None:
                return True
            time.sleep(0.05)
        return False


def wait_until(condition: Callable[[], _R], timeout_s: float, pause_s: float = 0.1) -> _R:
    """What `condition` returns as soon as that is true, or its last result at the end of the time."""
    deadline = time.monotonic() + timeout_s
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(pause_s)
    return found


# ---- latency


@dataclass
class Latencies:
    """Times of requests of one kind, in seconds."""

    name: str
    seconds: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def add(self, answer: Answer) -> None:
        self.seconds.append(answer.seconds)
        if not 200 <= answer.status < 300:
            self.failures.append(f"{answer.status} {answer.text[:200]}")

    def quantile(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0

    def __str__(self) -> str:
        if not self.seconds:
            return f"{self.name}: none"
        p50, p95, worst = (1000 * self.quantile(share) for share in (0.5, 0.95, 1.0))
        failed = f", {len(self.failures)} failed ({self.failures[0]})" if self.failures else ""
        times = f"p50 {p50:.0f} ms, p95 {p95:.0f} ms, max {worst:.0f} ms"
        return f"{self.name}: {len(self.seconds)} requests, {times}{failed}"


class Prober:
    """Repeats a request in a thread while a block runs; `latencies` has the times."""

    def __init__(self, name: str, send: Callable[[], Answer], pause_s: float = 0.05) -> None:
        self.latencies = Latencies(name)
        self._send, self._pause_s = send, pause_s
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self._done.is_set():
            self.latencies.add(self._send())
            self._done.wait(self._pause_s)

    def __enter__(self) -> Prober:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()


def slope_per_sample(values: Sequence[float]) -> float:
    """The slope of the regression line through values at 0, 1, 2, …"""
    return statistics.linear_regression(range(len(values)), values).slope


# ---- watchers, in a process of their own so that they do not slow down whoever measures


class WatcherProcess:
    """Many WebSockets on one game, each of a visitor of its own."""

    def __init__(self, address: str, game_id: str, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._connected, self._messages = context.Value("i", 0), context.Value("q", 0)
        self._refused, self._dropped = context.Value("i", 0), context.Value("i", 0)
        self._done = context.Event()
        self._process = context.Process(
            target=_watch_all,
            args=(
                address,
                game_id,
                count,
                self._connected,
                self._messages,
                self._refused,
                self._dropped,
                self._done,
            ),
            daemon=True,
        )

    @property
    def connected(self) -> int:
        return int(self._connected.value)

    @property
    def messages(self) -> int:
        return int(self._messages.value)

    @property
    def refused(self) -> int:
        return int(self._refused.value)

    @property
    def dropped(self) -> int:
        """Connections that the server closed before the end."""
        return int(self._dropped.value)

    def __enter__(self) -> WatcherProcess:
        self._process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._process.join(30)
        if self._process.is_alive():
            self._process.kill()


def _watch_all(
    address: str, game_id: str, count: int, connected: Any, messages: Any, refused: Any, dropped: Any, done: Any
) -> None:
    os.nice(5)  # the server and who measures go first
    asyncio.run(_watch_game(address, game_id, count, connected, messages, refused, dropped, done))


async def _watch_game(
    address: str, game_id: str, count: int, connected: Any, messages: Any, refused: Any, dropped: Any, done: Any
) -> None:
    url = address.replace("http", "ws", 1) + f"/api/games/{game_id}/events"

    async def watch() -> None:
        try:
            async with websockets.connect(
                url,
                additional_headers={"Cookie": f"tengen-browser={new_visitor()}"},
                open_timeout=120,
                max_size=1 << 22,
                ping_interval=None,
            ) as socket:
                await socket.recv()
                connected.value += 1
                async for _ in socket:
                    messages.value += 1
                dropped.value += not done.is_set()
        except (OSError, websockets.WebSocketException, TimeoutError):
            refused.value += not done.is_set()

    watchers = [asyncio.ensure_future(watch()) for _ in range(count)]
    while not done.is_set():
        await asyncio.sleep(0.2)
    for watcher in watchers:
        watcher.cancel()
    await asyncio.gather(*watchers, return_exceptions=True)


# ---- records


GoMove = tuple[int, int] | None  # None is a pass


def long_go_game(moves: int, size: int = 13, seed: int = 1) -> list[GoMove]:
    """A legal game of Go of any length, by random moves that repeat no position and are no suicide.

    It is played by a plain board of our own, so that a server is not tested by its own rules.
    """
    rng = random.Random(seed)
    board = [0] * (size * size)
    keys = [[rng.getrandbits(64) for _ in range(3)] for _ in board]
    beside = [
        [
            y * size + x
            for x, y in ((c - 1, r), (c + 1, r), (c, r - 1), (c, r + 1))
            if 0 <= x < size and 0 <= y < size
        ]
        for r in range(size)
        for c in range(size)
    ]

    def string(point: int) -> tuple[list[int], bool]:
        """The stones of a string, and whether it has a liberty."""
        found, front, free = [point], [point], False
        seen = {point}
        while front:
            for other in beside[front.pop()]:
                if board[other] == 0:
                    free = True
                elif board[other] == board[point] and other not in seen:
                    seen.add(other)
                    found.append(other)
                    front.append(other)
        return found, free

    position, seen_positions, colour = 0, {0}, 1
    played: list[GoMove] = []
    while len(played) < moves:
        for point in rng.sample(range(len(board)), len(board)):
            if board[point]:
                continue
            board[point] = colour
            taken: list[int] = []
            for other in beside[point]:
                if board[other] == 3 - colour and other not in taken:
                    stones, free = string(other)
                    if not free:
                        taken += stones
            after = position ^ keys[point][colour]
            for stone in taken:
                after ^= keys[stone][3 - colour]
            if (not taken and not string(point)[1]) or after in seen_positions:
                board[point] = 0
                continue
            for stone in taken:
                board[stone] = 0
            position = after
            seen_positions.add(after)
            played.append((point % size, point // size))
            break
        else:
            assert played[-1] is not None, f"the game is over after {len(played)} moves: try a larger board"
            played.append(None)
        colour = 3 - colour
    return played


def sgf_of(moves: Sequence[GoMove], size: int = 9, name: str = "Ann") -> str:
    points = ["" if move is None else chr(97 + move[0]) + chr(97 + move[1]) for move in moves]
    nodes = "".join(f";{'BW'[i % 2]}[{point}]" for i, point in enumerate(points))
    return f"(;GM[1]FF[4]SZ[{size}]KM[7]RU[Chinese]PB[{name}]PW[Bob]{nodes})"


def sgf_collection(megabytes: float, seed: int) -> str:
    """Many short games of Go on 9x9, all different."""
    games: list[str] = []
    length = 0
    while length < megabytes * 1_000_000:
        one = sgf_of(long_go_game(60, 9, seed * 100_003 + len(games)), name=f"Ann {seed} {len(games)}")
        games.append(one)
        length += len(one) + 1
    return "\n".join(games)


# ---- what needs the right system


needs_root = pytest.mark.skipif(os.getuid() != 0 or not shutil.which("mount"), reason="mounts a small file system")


@contextlib.contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """A file system in memory that is soon full."""
    folder.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill_disk(folder: Path) -> Path:
    """Take all space that is left; delete the file to give it back."""
    path = folder / "filler"
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"\0" * 65536)
    with path.open("ab", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"\0" * 512)
    return path


def report(*lines: object) -> None:
    """Print figures in a form that goes into docs."""
    for line in lines:
        print(f"soak: {line}", flush=True)
