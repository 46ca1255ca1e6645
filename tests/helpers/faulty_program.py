"""An external program that misbehaves: `python faulty_program.py PROTOCOL MODE FOLDER`.

It plays the first free point (in Othello F5), and notes its process id, and those of its children, in FOLDER.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PROTOCOL, MODE, FOLDER = sys.argv[1], sys.argv[2], Path(sys.argv[3])
LETTERS = "ABCDEFGHJKLMNOPQRST"


def note(name: str, pid: int) -> None:
    (FOLDER / f"{name}-{pid}").write_text(str(pid))


def say(text: str) -> None:
    print(text, flush=True)


def misbehave() -> None:
    """Misbehave as `MODE` says, instead of moving."""
    if MODE == "crash":
        sys.exit("out of luck")
    if MODE == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if MODE == "crash once" and not (FOLDER / "crashed").exists():
        (FOLDER / "crashed").write_text("")
        sys.exit(3)
    if MODE == "hang later" and (FOLDER / "asked").exists():
        time.sleep(1000)
    (FOLDER / "asked").write_text("")
    if MODE == "hang":
        time.sleep(1000)
    if MODE == "stubborn":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        while True:
            time.sleep(1000)
    if MODE == "flood":  # an endless line
        while True:
            sys.stdout.write("x" * 65536)
    if MODE == "noise":  # endless lines
        while True:
            sys.stdout.write("MESSAGE still thinking\n" * 1000)
    if MODE == "deaf":  # closes its output and keeps running
        os.close(1)
        time.sleep(1000)


def start() -> None:
    note("engine", os.getpid())
    if MODE == "dies at start":
        sys.exit("no licence")
    if MODE == "silent":
        time.sleep(1000)
    if MODE == "children":
        sleeper = [sys.executable, "-c", "import time; time.sleep(1000)"]
        note("child", subprocess.Popen(sleeper).pid)
        # A signal to the process group does not reach this one.
        note("child", subprocess.Popen(sleeper, start_new_session=True).pid)


def gtp() -> None:
    size, taken = 19, set()
    for line in sys.stdin:
        number, command, *words = line.split()
        if command == "list_commands":
            say(f"={number} boardsize\nclear_board\nkomi\nplay\ngenmove\ntime_settings\nquit\n")
        elif command == "boardsize":
            size, taken = int(words[0]), set()
            say(f"={number} \n")
        elif command == "clear_board":
            taken = set()
            say(f"={number}\n")
        elif command == "play":
            if MODE == "refuses":
                say(f"?{number} I do not like\tthat\n")
                continue
            taken.add(words[1].upper())
            say(f"={number}\n")
        elif command == "time_settings":
            (FOLDER / "time").write_text(" ".join(words))
            say(f"={number}\n")
        elif command == "genmove":
            misbehave()
            points = (f"{LETTERS[c]}{r + 1}" for r in range(size) for c in range(size))
            move = next((point for point in points if point not in taken), "pass")
            move = {"illegal": next(iter(taken), "A1"), "off the board": "Z99", "nonsense": "\x1b[2J?!",
                    "empty": "", "resigns": "resign", "refuses": "pass"}.get(MODE, move)  # fmt: skip
            taken.add(move)
            say(f"some noise of its own\n={number} {move}\n")
        elif command == "quit":
            if MODE == "stays":
                time.sleep(1000)
            say(f"={number}\n")
            return
        else:
            say(f"={number}\n")


def nboard() -> None:
    depth = "7"
    for line in sys.stdin:
        word, *words = line.split()
        if word == "nboard":
            say("set myname Fake")
        elif word == "ping":
            say(f"pong {words[0]}")
        elif [word, *words[:1]] == ["set", "depth"]:
            depth = words[1]
        elif word == "go":
            misbehave()
            say(f"status thinking\nnodestats 12 0.1\nsearch F5 1.5 0 {depth}")
            say({"illegal": "=== A1", "nonsense": "=== ???", "empty": "==="}.get(MODE, "=== F5 -1.25 0.1"))


def gomocup() -> None:
    taken: set[str] = set()
    collecting = False
    size = 15
    for line in sys.stdin:
        word, *words = line.split()
        if collecting and word != "DONE":
            taken.add(",".join(word.split(",")[:2]))
            continue
        if word == "ABOUT":
            say('name="Fake"')
        elif word == "START":
            size, taken = int(words[0]), set()
            say("OK")
        elif word == "BOARD":
            collecting, taken = True, set()
        elif word in ("BEGIN", "TURN", "DONE"):
            collecting = False
            taken.update(words)
            misbehave()
            points = (f"{c},{r}" for r in range(size) for c in range(size))
            move = next(point for point in points if point not in taken)
            move = {"illegal": next(iter(taken), "0,0"), "off the board": "99,99", "nonsense": "seven",
                    "refuses": "ERROR no"}.get(MODE, move)  # fmt: skip
            taken.add(move)
            say(f"SUGGEST {move}" if MODE == "suggests" else f"MESSAGE hm\nDEBUG hm\n{move}")
        elif word == "PLAY":
            say(words[0])
        elif word == "END":
            return


start()
{"gtp": gtp, "nboard": nboard, "gomocup": gomocup}[PROTOCOL]()
