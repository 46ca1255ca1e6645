"""A web server whose PostgreSQL stands still: requests end in time, and so does the server at SIGTERM."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.helpers.frozen_postgres import frozen
from tests.helpers.postgres_server import new_database, running

REQUEST_LIMIT_S = 40.0  # the promise is 15 s on an idle machine
END_LIMIT_S = 40.0  # a few seconds on an idle machine


@pytest.mark.skipif(sys.platform != "linux", reason="stops processes")
def test_a_server_ends_although_its_database_is_frozen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running(tmp_path / "postgres") as port:
        environment = {
            **os.environ,
            "TENGEN_DATA": str(tmp_path / "data"),
            "TENGEN_DATABASE": new_database(port),
            "PYTHONUNBUFFERED": "1",
        }
        command = [sys.executable, "-m", "tengen", "web", "--no-browser", "--workers", "1", "--port", "0"]
        with (tmp_path / "log").open("w") as log:
            server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
        assert server.stdout is not None
        try:
            address = None
            for line in server.stdout:
                found = re.search(r"at (http://[^/\s]+)/", line)
                if found:
                    address = found[1]
                    break
            assert address is not None, (tmp_path / "log").read_text()
            with urllib.request.urlopen(f"{address}/api/games", timeout=60) as answer:
                assert answer.status == 200
            with frozen(port):
                began = time.monotonic()
                with pytest.raises(urllib.error.HTTPError) as refused:
                    urllib.request.urlopen(f"{address}/api/games", timeout=120)
                waited = time.monotonic() - began
                refused.value.close()
                assert refused.value.code in (422, 503)
                assert waited < REQUEST_LIMIT_S
                began = time.monotonic()
                server.send_signal(signal.SIGTERM)
                server.wait(120)
                ended = time.monotonic() - began
                assert ended < END_LIMIT_S
        finally:
            server.kill()
            server.wait()
            server.stdout.close()
    with capsys.disabled():
        print(f"\nfrozen PostgreSQL: a request ended after {waited:.1f} s, the server after {ended:.1f} s")
