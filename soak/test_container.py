"""The container without Docker: its installation in a fresh environment, and the commands of compose.yaml.

The scheduler, a worker, the web app and PostgreSQL run as processes on this machine, with the commands and
variables of docker/compose.yaml; only addresses differ. A game is played through the API, and an engine on the
worker answers.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import yaml
from sqlalchemy import make_url
from tests.helpers.paths import ROOT
from tests.helpers.postgres_server import new_database, running, shared_file

from tengen.client import Client

COMPOSE = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text())
DOCKERFILE = (ROOT / "docker" / "Dockerfile").read_text()


def test_installation_and_services(tmp_path: Path) -> None:
    programs = tmp_path / "venv" / "bin"
    run = [line for line in DOCKERFILE.splitlines() if line.startswith("RUN sh /install.sh")]
    assert run == ["RUN sh /install.sh /source /opt/tengen"]
    source = tmp_path / "source"
    source.mkdir()
    for line in DOCKERFILE.splitlines():
        words = line.split()
        if words[:1] == ["COPY"] and words[-1].startswith("/source"):
            for name in words[1:-1]:
                subprocess.run(["cp", "-r", str(ROOT / name), str(source)], check=True)
    subprocess.run(["sh", str(ROOT / "docker" / "install.sh"), str(source), str(programs.parent)], check=True)
    with ExitStack() as stack:
        url = make_url(new_database(stack.enter_context(running(shared_file(tmp_path)))))
        web, scheduler = _free_port(), _free_port()
        addresses = {
            "tcp://scheduler:8786": f"tcp://127.0.0.1:{scheduler}",
            "tcp://127.0.0.1:8786": f"tcp://127.0.0.1:{scheduler}",
            "0.0.0.0": "127.0.0.1",
            "8786": str(scheduler),
            "8564": str(web),
            "tengen": str(programs / "tengen"),
        }
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("TENGEN_", "PYTHONPATH"))
        }
        environment |= {"TENGEN_DATA": str(tmp_path / "data"), "TENGEN_CACHE": str(tmp_path / "cache")}
        logs: dict[str, Path] = {}

        def start(service: str) -> None:
            described = COMPOSE["services"][service]
            command = [addresses.get(word, _substituted(word)) for word in described["command"]]
            own = {}
            for name, value in described.get("environment", {}).items():
                own[name] = re.sub(r"//.*", f"//{url.username}@{url.host}:{url.port}/{url.database}", value)
            logs[service] = tmp_path / f"{service}.log"
            stack.enter_context(_running(command, environment | own, logs[service]))

        start("scheduler")
        check = COMPOSE["services"]["scheduler"]["healthcheck"]["test"][1:]
        status = [addresses.get(word, word) for word in check]
        _wait(lambda: subprocess.run(status, env=environment, capture_output=True).returncode == 0)
        start("worker")
        start("web")
        health = re.search(r'HEALTHCHECK.*\\\n\s*CMD \["python", "-c", "(.*)"\]', DOCKERFILE)
        assert health is not None
        probe = [str(programs / "python"), "-c", health[1].replace("8564", str(web))]
        _wait(lambda: subprocess.run(probe, capture_output=True).returncode == 0)
        assert httpx.get(f"http://127.0.0.1:{web}/api/games").status_code == 401, "accounts are required"
        assert re.search(r"http\S+/\S+", logs["web"].read_text()), "the link for the first account is printed"
        token = _owner_token(programs, environment | {"TENGEN_DATABASE": _database(url)})
        best = asyncio.run(_analyse(f"http://127.0.0.1:{web}", token))
        assert best
        found = subprocess.run(status, env=environment, capture_output=True, text=True, check=True).stdout
        assert "tcp://127.0.0.1" in found, found


async def _analyse(address: str, token: str) -> str:
    async with Client(address, token=token, timeout_s=300) as client:
        health = await client.health()
        assert health.status == "ok"
        game = await client.new_game("othello", ("Ann", "Flip"), options={"size": 6})
        await game.play((await game.state()).legal[0])
        assert len((await game.my_turn()).moves) >= 2
        assert game.id in [one.id for one in await client.games()]
        return (await client.analyse("othello", ["f5"], seconds=0.5)).best


def _owner_token(programs: Path, environment: dict[str, str]) -> str:
    """The token of a new owner, made on the command line as hosting.md says."""
    script = (
        "from tengen.store.store import Store\n"
        "import os\n"
        "from tests.helpers.web_accounts import open_account\n"
        "with Store.open(os.environ['TENGEN_DATABASE']) as store: open_account(store, 'Olga', 'owner')\n"
    )
    here = environment | {"PYTHONPATH": str(ROOT)}
    subprocess.run([str(programs / "python"), "-c", script], env=here, check=True)
    done = subprocess.run(
        [str(programs / "tengen"), "accounts", "token", "Olga"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return max(re.findall(r"[\w-]{20,}", done.stdout), key=len)


def _database(url: Any) -> str:
    return f"postgresql://{url.username}@{url.host}:{url.port}/{url.database}"


def _substituted(word: str) -> str:
    """A word with the defaults of its variables, as compose replaces them."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", word)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def _running(command: list[str], environment: dict[str, str], log: Path) -> Iterator[None]:
    with log.open("w") as out, subprocess.Popen(command, env=environment, stdout=out, stderr=out) as process:
        try:
            yield
        finally:
            process.terminate()
            process.wait(60)
            sys.stderr.write(f"--- {log.name}\n{log.read_text()[-2000:]}\n")


def _wait(condition: Any, timeout_s: float = 300) -> None:
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end, "not ready in time"
        time.sleep(1)
