"""The file by which other commands find a running server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tengen.core.running_server import FILE, announced, running_server


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def test_a_server_is_found_while_it_runs() -> None:
    assert running_server() is None
    with announced("http://127.0.0.1:1/"):
        found = running_server()
        assert found is not None
        assert (found.pid, found.address) == (os.getpid(), "http://127.0.0.1:1/")
    assert running_server() is None


def test_a_killed_server_is_not_found(folder: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    folder.mkdir()
    (folder / FILE).write_text(json.dumps({"pid": ended.pid, "address": "http://127.0.0.1:1/"}))
    assert running_server() is None


def test_a_server_that_was_started_later_stays_announced(folder: Path) -> None:
    with announced("http://127.0.0.1:1/"):
        (folder / FILE).write_text(json.dumps({"pid": os.getpid(), "address": "http://127.0.0.1:2/"}))
    found = running_server()
    assert found is not None
    assert found.address == "http://127.0.0.1:2/"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": "x", "address": 3}', '{"pid": 1}'])
def test_a_damaged_file_means_no_server(folder: Path, content: str) -> None:
    folder.mkdir()
    (folder / FILE).write_text(content)
    assert running_server() is None
