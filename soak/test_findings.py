"""What a review of a running server found, tried again from outside: a line of figures for each, then a verdict.

Findings that need more than a few seconds have files of their own: imports side by side and a game of 20,000 moves
in test_web_imports.py, watchers in test_web_watchers.py, a full disk and a frozen database in test_web_faults.py.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import stat
import struct
import subprocess
import sys
import threading
import time
import zipfile
import zlib
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import httpx
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from soak.helpers import (
    STRAW,
    GameClient,
    Prober,
    RunningServer,
    command_line,
    long_go_game,
    memory_mb,
    report,
    request,
    running_server,
    sgf_of,
    wait_until,
)
from tests.helpers.web_site import Visitor, chromium

from tengen.players.opponents import analysis_player
from tengen.store.store import Store

PING_LIMIT_S = 1.0  # another visitor's small request, while the server reads a file: generous on a busy machine
SMALL_CLOBBER = {"size": "3x4"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    with running_server(tmp_path) as found:
        yield found


@contextlib.contextmanager
def pings(server: RunningServer) -> Iterator[Prober]:
    """Another visitor, who asks for something small all the time."""
    with server.client(timeout_s=60) as client:
        client.get("/rules")
        with Prober("GET /rules meanwhile", lambda: request(client, "GET", "/rules"), pause_s=0.1) as prober:
            yield prober


def engine_replies(server: RunningServer, timeout_s: float = 60.0) -> tuple[bool, str]:
    """Whether an engine moves in a new game."""
    began = time.monotonic()
    with server.client(timeout_s=timeout_s) as client:
        made = request(
            client,
            "POST",
            "/games",
            json={"game": "clobber", "options": SMALL_CLOBBER, "players": ["Ann", STRAW]},
        )
        if made.status != 201:
            return False, f"a new game is refused ({made})"
        found = made.json()
        game = GameClient(client, found["state"]["id"], tuple(found["keys"]), found["state"])
        game.play()
        moved = game.wait_for_move(2, timeout_s)
    return moved, f"{'a reply' if moved else 'no reply'} after {time.monotonic() - began:.1f} s"


# ---- 1: a long clock ends the engine host


@pytest.mark.parametrize("control", ["1000h/move", "1000h", "1000h+1000h"])
def test_1_a_long_clock_does_not_stop_all_engines(server: RunningServer, control: str) -> None:
    with server.client() as client:
        body = {"game": "clobber", "options": SMALL_CLOBBER, "players": [STRAW, STRAW], "time": control}
        made = request(client, "POST", "/games", json=body)
        time.sleep(3)
        moved, told = engine_replies(server, 20)
    report(f"finding 1: two engines at {control}: {made.status}; then an engine in another game: {told}")
    assert made.status in (201, 422)
    assert moved
    assert "OverflowError" not in server.log_text()


# ---- 2: regular expressions


HOSTILE_TEXTS = {
    "text, blanks in a tag": '[Game "clobber"]\n[board "XOXO"]\n\n[{}'.format(" " * 6_000),
    "text, blanks in a tag, 60 KB": '[Game "clobber"]\n[board "XOXO"]\n\n[{}'.format(" " * 60_000),
    "text, quotes in a tag": '[Game "clobber"]\n' + '[a "' * 15_000,
    "transcript, blanks": "1" + " " * 60_000 + "x",
    "transcript, digits": "f5 " + "1 - " * 15_000,
    "SGF, blanks in its encoding": "(;GM[1]CA[" + " " * 4_000,
    "SGF, many encodings": "(;GM[1]" + "CA [" * 1_000,
    "SGF, blanks": "(;" + " " * 60_000 + "GM[1",
}


@pytest.mark.parametrize("kind", HOSTILE_TEXTS)
def test_2_hostile_text_does_not_hold_the_interpreter_lock(server: RunningServer, kind: str) -> None:
    text = HOSTILE_TEXTS[kind]
    with server.client(timeout_s=60) as client:
        request(client, "POST", "/records", json={"text": "f5d6c3"})  # the process that reads files has started
        with pings(server) as prober:
            answer = request(client, "POST", "/records", json={"text": text})
    worst = prober.latencies.quantile(1.0)
    report(f"finding 2: {kind} ({len(text):,} bytes): {answer}; worst request meanwhile {worst:.2f} s")
    assert answer.status in (200, 413, 422)
    assert answer.seconds < 10
    assert worst < PING_LIMIT_S


# ---- 3: games of thousands of moves


def test_3_a_game_of_12000_moves_opens_without_freezing_the_server(server: RunningServer) -> None:
    sgf = sgf_of(long_go_game(12_000), 13)
    with server.client(timeout_s=200) as client:
        request(client, "POST", "/records", json={"text": sgf_of(long_go_game(20), 13)})  # kernels are loaded
        before = server.memory_mb()
        with pings(server) as prober:
            imported = request(client, "POST", "/records", json={"text": sgf})
            listed = [one for one in client.get("/games").json() if one["moves"] == 12_000]
            state = opened = None
            if listed:
                state = request(client, "GET", f"/games/{listed[0]['id']}")
                with server.client(timeout_s=200, api=False) as pages:
                    opened = request(pages, "GET", f"/analysis/{listed[0]['id']}")
        grown = server.peak_memory_mb() - before
        worst = prober.latencies.quantile(1.0)
    report(
        f"finding 3: 12,000 moves ({len(sgf):,} bytes): import {imported}, GET /games/{{id}} {state}, /analysis "
        f"{opened or 'not opened: ' + imported.text[:120]}, {grown:.0f} MB more, "
        f"worst request meanwhile {worst:.2f} s"
    )
    assert worst < PING_LIMIT_S
    assert grown < 200


# ---- 4: a stranger marks dead stones


def test_4_a_strangers_count_changes_nothing(server: RunningServer) -> None:
    with server.client() as client:
        game = GameClient.create(client, "go", ["Ann", "Bob"], options={"size": 9, "rules": "japanese"})
        for move in ("C3", "G7", "pass", "pass"):
            game.play(move)
        assert game.refresh()["counting"], game.state
        time.sleep(5)  # the Go player marks stones by itself at first
        game.post("count", 0, dead=["A1"])  # no stone there: only that somebody agrees
        game.post("count", 0, dead=[])
        with server.client() as stranger:
            refused = request(stranger, "POST", f"/games/{game.id}/count", json={"dead": ["C3", "G7"]})
        agreed = game.post("count", 1, dead=[])
        state = game.refresh()
    ended = f"has ended: {state['result']}" if state["result"] else "still waits: the stranger undid the first"
    report(
        f"finding 4: a stranger's count: {refused.status}; after both players agreed on no dead stones the "
        f"game {ended}"
    )
    assert refused.status == 403
    assert agreed.status == 200
    assert state["result"]


# ---- 6: nodes


def test_6_millions_of_nodes_are_refused(server: RunningServer) -> None:
    text = "(" + ";" * 5_900_000 + ")"
    with server.client(timeout_s=300) as client:
        request(client, "POST", "/records", json={"text": sgf_of(long_go_game(20), 13)})
        before = server.memory_mb()
        peak_of_helpers = 0.0
        with pings(server) as prober:
            done = threading.Event()

            def sample() -> None:
                nonlocal peak_of_helpers
                while not done.wait(0.2):
                    with contextlib.suppress(OSError):
                        peak_of_helpers = max(
                            peak_of_helpers, *(memory_mb(child) for child in server.children()), 0.0
                        )

            sampler = threading.Thread(target=sample)
            sampler.start()
            answer = request(client, "POST", "/records", json={"text": text})
            done.set()
            sampler.join()
        grown = server.peak_memory_mb() - before
        worst = prober.latencies.quantile(1.0)
    report(
        f"finding 6: 5.9 MB of ';': {answer} ({answer.text[:100]}), {grown:.0f} MB more in the server, largest "
        f"helper {peak_of_helpers:.0f} MB, worst request meanwhile {worst:.2f} s"
    )
    assert answer.status in (200, 413, 422)
    assert grown < 300
    assert peak_of_helpers < 800


# ---- 7, 12, 17: pages, in a real browser


def test_7_a_guests_hint_does_not_unrate_a_game(server: RunningServer) -> None:
    with chromium() as browser:
        ann, guest = Visitor.arrive(browser, server.address), Visitor.arrive(browser, server.address)
        body = {"game": "clobber", "options": {"size": "4x4"}, "players": ["Ann", "Bob"], "rated": True}
        made = ann.context.request.post(f"{server.address}/api/games", data=body).json()
        game_id, moves = made["state"]["id"], made["state"]["legal"]
        guest.go(f"/join/{game_id}/{made['keys'][1]}")
        guest.page.get_by_role("button").filter(has_text="Sit down").or_(
            guest.page.get_by_role("button").filter(has_text="Join game")
        ).first.click()
        guest.page.wait_for_url("**/game/*")
        guest.wait_for_board()
        ann.context.request.post(f"{server.address}/api/games/{game_id}/moves", data={"move": moves[0]})
        guest.wait_for_ply(1)
        guest.page.wait_for_timeout(500)
        offered = guest.can_press("Hint")
        if offered:
            guest.press("Hint")
            guest.page.wait_for_timeout(5_000)
        ann.leave()
        guest.leave()
    with Store.open(str(server.folder / "tengen.db")) as store:
        rated = store.load(game_id).rated
    report(
        f"finding 7: a guest in a rated game {'presses Hint' if offered else 'is offered no Hint'}: "
        f"the game is {'still rated' if rated else 'not rated any more'}"
    )
    assert rated


def test_12_a_killed_helper_of_the_clobber_page_is_replaced(server: RunningServer) -> None:
    """Killed while it solves a board: the page says something, and the next board is solved."""
    with chromium() as browser:
        ann = Visitor.arrive(browser, server.address)
        before = set(server.children())
        ann.go("/clobber?board=XOXO")
        ann.page.wait_for_selector(".tg-outcome")
        # Helpers look like engine workers from outside: all are killed, each is to be replaced.
        started = [
            child for child in server.children() if child not in before and "spawn_main" in command_line(child)
        ]
        for number in (signal.SIGSTOP, signal.SIGKILL):  # so that each is at work when it is killed
            for child in started:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, number)
            if number == signal.SIGSTOP:
                ann.page.locator("input").first.fill("XOOXXOXOXX")
                ann.page.wait_for_timeout(2_000)
        ann.page.wait_for_timeout(15_000)
        told = ann.page.locator(".tg-card").last.inner_text().replace("\n", " ")
        ann.go("/clobber?board=XOXOXOX")
        with contextlib.suppress(Exception):
            ann.page.wait_for_selector(".tg-outcome", timeout=60_000)
        answered = ann.page.locator(".tg-outcome").count() > 0
        ann.leave()
    report(
        f"finding 12: {len(started)} helpers of /clobber killed at work: the page says {told[:90]!r}; the next "
        f"board is {'solved' if answered else 'not solved'}; {server.tracebacks()} tracebacks in the log"
    )
    assert started
    assert answered
    assert "Solving" not in told
    assert server.tracebacks() == 0


def test_17_a_guest_cannot_make_players(server: RunningServer) -> None:
    with chromium() as browser:
        ann, guest = Visitor.arrive(browser, server.address), Visitor.arrive(browser, server.address)
        body = {"game": "clobber", "options": SMALL_CLOBBER, "players": ["Ann", "Bob"]}
        made = ann.context.request.post(f"{server.address}/api/games", data=body).json()
        guest.go(f"/join/{made['state']['id']}/{made['keys'][1]}")
        guest.page.get_by_role("button").filter(has_text="Sit down").or_(
            guest.page.get_by_role("button").filter(has_text="Join game")
        ).first.click()
        guest.page.wait_for_url("**/game/*")
        guest.go("/players/new")
        saved = guest.can_press("Save")
        if saved:
            guest.page.get_by_label("Name").first.fill("Intruder")
            guest.page.get_by_label("Name").first.press("Tab")
            guest.page.wait_for_timeout(500)
            guest.press("Save")
            guest.page.wait_for_timeout(3_000)
        names = [one["name"] for one in ann.context.request.get(f"{server.address}/api/players").json()]
        ann.leave()
        guest.leave()
    report(
        f"finding 17: a guest {'may' if saved else 'may not'} press Save at /players/new; "
        f"the player {'is' if 'Intruder' in names else 'is not'} there"
    )
    assert "Intruder" not in names


# ---- 10: an analysis that nobody waits for


def test_10_an_abandoned_analysis_ends(server: RunningServer) -> None:
    abandoned = 4
    with server.client(timeout_s=120) as client:
        question = {"game": "othello", "engine": "uct", "seconds": 0.1}
        request(client, "POST", "/analyse", json=question)  # compiled and loaded
        quick = request(client, "POST", "/analyse", json=question)
        for _ in range(abandoned):
            with contextlib.suppress(httpx.TimeoutException), server.client(timeout_s=0.5) as impatient:
                impatient.post("/analyse", json={**question, "seconds": 25})
        time.sleep(0.5)
        after = request(client, "POST", "/analyse", json=question)
    report(
        f"finding 10: an analysis of 0.1 s: {quick}; behind {abandoned} of 25 s whose callers have gone: {after}"
    )
    assert after.status == 200
    assert after.seconds < 5


# ---- 11: TCP_NODELAY


def test_11_answers_of_a_busy_connection_are_not_delayed(server: RunningServer) -> None:
    with server.client() as client:
        game = GameClient.create(client, "clobber", ["Ann", "Bob"], options=SMALL_CLOBBER)
        path = f"/games/{game.id}"
        times = sorted(request(client, "GET", path).seconds for _ in range(60))
    report(f"finding 11: GET {path[:6]}/… on one connection: median {1000 * times[30]:.1f} ms of 60")
    assert times[30] < 0.035


# ---- 13: owners


def test_13_the_first_of_20001_games_keeps_its_owner(tmp_path: Path) -> None:
    with running_server(tmp_path) as server, server.client() as client:
        game = GameClient.create(client, "clobber", ["Ann", STRAW], options=SMALL_CLOBBER)
    path = tmp_path / "web.json"
    data = json.loads(path.read_text()) if path.exists() else {}
    if "seats" in data:
        one = data["seats"].get(game.id)
        if one is not None:
            others = {f"{number:032x}": one for number in range(20_000)}
            data["seats"] = {game.id: one, **others}
            path.write_text(json.dumps(data))
    with running_server(tmp_path) as server, server.client() as client:
        created = []
        for _ in range(3):
            began = time.monotonic()
            GameClient.create(client, "clobber", ["Ann", STRAW], options=SMALL_CLOBBER)
            created.append(time.monotonic() - began)
        with server.client() as stranger:
            stranger.headers["X-Forwarded-For"] = "203.0.113.9"  # the owner of the machine may delete any game
            deleted = request(stranger, "DELETE", f"/games/{game.id}")
    left = len(list(tmp_path.glob(".web-*")))
    report(
        f"finding 13: after 20,000 more games a stranger's DELETE of the first: {deleted.status}; a new game "
        f"takes {1000 * min(created):.0f} ms then; {left} files .web-* are left"
    )
    assert deleted.status == 403
    assert left == 0


# ---- 15: the guard


def test_15_the_guard(tmp_path: Path) -> None:
    token = "a-right-token"
    with running_server(tmp_path, "--token", token) as server:
        statuses = []
        for number in range(25):
            headers = {"Authorization": f"Bearer wrong{number}", "X-Forwarded-For": f"10.0.0.{number}"}
            statuses.append(httpx.get(f"{server.address}/api/rules", headers=headers).status_code)
        time.sleep(1)
        chosen = "a" * 32
        wait_until(
            lambda: httpx.get(f"{server.address}/?token={token}", follow_redirects=False).status_code == 303, 60, 2
        )
        found = httpx.get(
            f"{server.address}/?token={token}", cookies={"tengen-browser": chosen}, follow_redirects=False
        )
        kept = any("tengen-browser=" + chosen in one for one in found.headers.get_list("set-cookie"))
        headers = {name for name in ("x-frame-options", "content-security-policy") if name in found.headers}
        malformed = httpx.get(
            f"{server.address}/api/rules", headers={"Authorization": f"Bearer {token}", "Origin": "http://["}
        ).status_code
    report(
        f"finding 15: 25 wrong tokens by rotating X-Forwarded-For: {statuses.count(429)} refused with 429; a "
        f"chosen browser id {'survives' if kept else 'does not survive'} the login; Origin 'http://[': "
        f"{malformed}; the redirect has {len(headers)} of 2 security headers"
    )
    assert statuses.count(429) > 5
    assert not kept
    assert malformed == 403
    assert len(headers) == 2


# ---- 16: memory of workers


def test_16_the_memory_of_a_worker_is_bounded(tmp_path: Path) -> None:
    budget_mb = 400
    with running_server(tmp_path, limits={"engine_memory_mb": budget_mb}) as server, server.client() as client:
        sizes = []
        for number in range(18):
            name = ("othello", "go")[number % 2]
            options = {"size": 9} if name == "go" else {}
            game = GameClient.create(client, name, ["Ann", analysis_player(name).name], options=options)
            game.play()
            game.wait_for_move(2, 90)
            sizes.append(max((memory_mb(child) for child in server.children()), default=0.0))
    report(
        f"finding 16: the largest worker after 1, 6, 12 and 18 games: "
        f"{', '.join(f'{sizes[at]:.0f}' for at in (0, 5, 11, 17))} MB (engine_memory_mb = {budget_mb})"
    )
    assert sizes[-1] < budget_mb + 350  # the interpreter and compiled code are not part of the budget


# ---- 18: crafted books


def _checked(magic: bytes, layout: str, content: bytes) -> bytes:
    head = struct.pack(layout, magic, 1, len(content))
    return head + content + blake2b(head + content, digest_size=16).digest()


def _book(parameters: bytes) -> bytes:
    """A valued book without positions, whose head says anything."""
    head = struct.pack("<8sII", b"TENGENBK", 1, len(parameters)) + parameters
    end = struct.pack("<II", 0, 0) + blake2b(head, digest_size=16).digest()
    return head + struct.pack("<I", zlib.crc32(head)) + end


def _zipped(content: bytes, *, zeros_mb: int = 0) -> bytes:
    """A zip file with one entry. Zeros are packed bit by bit: programs that we start count our memory, too."""
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file,
        file.open("A", "w", force_zip64=True) as entry,
    ):
        entry.write(content)
        for _ in range(zeros_mb):
            entry.write(b"\0" * (1 << 20))
    return packed.getvalue()


def _blanks(megabytes: int) -> bytes:
    """An empty list in JSON with many blanks in it, packed."""
    packer = zlib.compressobj()
    parts = [packer.compress(b"["), *(packer.compress(b" " * (1 << 20)) for _ in range(megabytes))]
    return b"".join([*parts, packer.compress(b"]"), packer.flush()])


def _crafted() -> dict[str, bytes]:
    encrypted = bytearray(_zipped(b"\0\0\0\2"))
    encrypted[6] |= 1  # the flag that says so, here and in the directory
    encrypted[encrypted.index(b"PK\1\2") + 8] |= 1
    return {
        "bomb.nbb": _zipped(struct.pack(">i", 2), zeros_mb=1024),
        "encrypted.nbb": bytes(encrypted),
        "cut.nbb": _zipped(struct.pack(">i", 2) + b"\1" * 30),
        "root.nbb": _zipped(struct.pack(">iQQ", 2, (1 << 64) - 1, (1 << 64) - 1) + b"\0" * 40),
        "bomb.stats": _checked(b"TENGENST", "<8sIQ", _blanks(1024)),
        "nested.stats": _checked(b"TENGENST", "<8sIQ", zlib.compress(b"[" * 200_000)),
        "sections.stats": _checked(
            b"TENGENST", "<8sIQ", zlib.compress(b'[{"game":"othello","depth":3,"progress":{}},[]]')
        ),
        "json.book": _book(b"{"),
        "nested.book": _book(b"[" * 200_000),
        "list.book": _book(b"[]"),
        "huge.book": _book(
            json.dumps(
                {
                    "game": "othello",
                    "options": {},
                    "horizon": 10**30,
                    "grain": 1e308,
                    "proved": True,
                    "positions": 0,
                }
            ).encode()
        ),
    }


def test_18_crafted_books_are_refused_in_one_line(tmp_path: Path) -> None:
    bad = []
    for name, content in _crafted().items():
        path = tmp_path / name
        path.write_bytes(content)
        read = "read_statistics" if name.endswith(".stats") else "read_book"
        if name.endswith(".stats"):
            words = ["-c", _READ_STATISTICS, str(path)]
        elif name.endswith(".nbb"):
            words = ["-m", "tengen", "book", "import", str(path), "--book", str(tmp_path / f"{name}.out.book")]
        else:
            words = ["-m", "tengen", "book", "stats", "--book", str(path)]
        began = time.monotonic()
        with (tmp_path / "errors").open("w+") as output:
            process = subprocess.Popen(
                [sys.executable, *words],
                env={**os.environ, "TENGEN_DATA": str(tmp_path)},
                stdout=subprocess.DEVNULL,
                stderr=output,
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            errors = output.read()
        peak = usage.ru_maxrss / 1024
        lines = errors.strip().splitlines() or [""]
        is_bad = "Traceback" in errors or process.returncode < 0 or peak > 600
        bad += [name] if is_bad else []
        report(
            f"finding 18: {name} ({len(content):,} bytes, {read}): exit {process.returncode} after "
            f"{time.monotonic() - began:.1f} s, {peak:.0f} MB: "
            f"{'TRACEBACK ' if 'Traceback' in errors else ''}{lines[-1].replace(str(tmp_path), '')[:110]}"
        )
    assert bad == []


_READ_STATISTICS = """
import sys
from pathlib import Path
from tengen.books.statistics_file import read_statistics
from tengen.core.errors import TengenError
try:
    read_statistics(Path(sys.argv[1]))
except TengenError as error:
    sys.exit(str(error))
"""


# ---- 19: modes of files


def test_19_data_and_kernels_belong_to_their_owner_only(tmp_path: Path) -> None:
    """With umask 0, in new folders."""
    data, cache = tmp_path / "data", tmp_path / "cache"
    code = "import tengen; g = tengen.game('clobber', board='XOXO'); p = g.start(); print(len(p.legal_moves))"
    umask_zero = f"import os; os.umask(0)\n{code}"
    variables = {**os.environ, "TENGEN_DATA": str(data), "TENGEN_CACHE": str(cache)}
    subprocess.run([sys.executable, "-c", umask_zero], env=variables, check=True, capture_output=True)
    store = (
        "import os; os.umask(0)\nfrom tengen.store.store import Store\n"
        f"import tengen\nStore.open({str(data / 'tengen.db')!r}).close()"
    )
    subprocess.run([sys.executable, "-c", store], env=variables, check=True, capture_output=True)
    modes = {
        str(path.relative_to(tmp_path)): stat.S_IMODE(path.stat().st_mode)
        for path in sorted(tmp_path.rglob("*"))
        if path.is_dir() or path.suffix.startswith(".db")
    }
    kernels = [path for path in cache.rglob("*") if path.is_file()]
    modes["a kernel"] = max((stat.S_IMODE(path.stat().st_mode) for path in kernels), default=0)
    open_to_others = {  # games are private; kernels may be read by others, but never written
        name: oct(mode) for name, mode in modes.items() if mode & (0o077 if name.startswith("data") else 0o022)
    }
    report(f"finding 19: {len(kernels)} kernels; open to others with umask 0: {open_to_others or 'nothing'}")
    assert kernels
    assert open_to_others == {}


def test_19_a_planted_kernel_does_not_run(tmp_path: Path) -> None:
    """A file with a right checksum in a cache that everybody may write to: whoever put it there is not known."""
    cache, proof = tmp_path / "cache", tmp_path / "proof"
    code = "import tengen; g = tengen.game('clobber', board='XOXO'); p = g.start(); print(len(p.legal_moves))"
    variables = {**os.environ, "TENGEN_DATA": str(tmp_path / "data"), "TENGEN_CACHE": str(cache)}
    subprocess.run([sys.executable, "-c", code], env=variables, check=True, capture_output=True)
    kernels = [path for path in cache.rglob("*") if path.is_file() and path.stat().st_size > 100]
    assert kernels
    subprocess.run([sys.executable, "-c", _PLANT, str(proof), *map(str, kernels)], env=variables, check=True)
    for path in (cache, *cache.rglob("*")):
        path.chmod(0o777)
    again = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True)
    report(
        f"finding 19: {len(kernels)} planted kernels in a cache with mode 777: "
        f"{'they RAN' if proof.exists() else 'none ran'}, exit {again.returncode}"
    )
    assert not proof.exists()
    assert again.returncode == 0, again.stderr


_PLANT = """
import hashlib, os, pickle, sys
from tengen.core.compiled import cache

class Evil:
    def __reduce__(self):
        return (open, (sys.argv[1], "w"))

payload = pickle.dumps(Evil())
for name in sys.argv[2:]:
    with open(name, "wb") as file:
        file.write(cache._MAGIC + hashlib.sha256(payload).digest() + payload)
"""
