"""The kill test of tests/books/test_book_file.py at 120 random moments of valuing, growing, learning, counting."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
KILLS = 120
SECONDS = 240.0


def test_many_kills_leave_whole_books(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    command = [
        sys.executable,
        "-m",
        "tests.helpers.book_crashes",
        str(tmp_path),
        str(KILLS),
        str(SECONDS),
        str(seed),
    ]
    told = json.loads(subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, timeout=900).stdout)
    with capsys.disabled():
        print(
            f"\nbooks: {told['kills']} kills ({told['within']} of them in the midst of work) of {told['changed']} "
            f"changes in {told['seconds']} s, seed {seed}: always the old book or the new one; given again, each "
            "came to its end"
        )
    assert told["within"] >= KILLS // 4, "too few kills in the time to say anything"
