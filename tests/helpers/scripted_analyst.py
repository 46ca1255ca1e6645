"""An external program that analyses: `python scripted_analyst.py PROTOCOL MODE FOLDER`.

It replays recorded answers of KataGo (JSON and GTP), an NBoard engine or Rapfi; MODE is `good` or a fault. Its
process id is noted in FOLDER.
"""

import json
import os
import sys
import time
from pathlib import Path

PROTOCOL, MODE, FOLDER = sys.argv[1], sys.argv[2], Path(sys.argv[3])
(FOLDER / f"engine-{os.getpid()}").write_text("")
OWNERSHIP = [0.5] * 25
INFO = (
    "info move C3 visits 120 winrate 0.62 scoreMean 3.1 scoreLead 3.25 prior 0.4 lcb 0.6 order 0 pv C3 C4 D4 pass "
    "pvVisits 120 60 3 1 info move B2 visits 30 winrate 0.41 scoreLead -1.5 prior 0.1 lcb 0.3 order 1 pv B2 "
    "rootInfo visits 151 winrate 0.6 ownership " + " ".join(map(str, OWNERSHIP))
)
STRANGE = (
    "info move Z99 visits many winrate 0.5 pv Z99 info move C3 winrate nan visits -3 pv "
    "info move B2 winrate 0.3 visits 1e99 pv B2 B2"
)
# Squares that are no moves at the start: some of them are, later in a game.
OTHERS = [
    f"{column}{row}" for column in "ABCDEFGH" for row in range(1, 9) if f"{column}{row}" not in "F5 D3 C4 E6"
]
PVS = [
    (("EVAL", "-27"), ("WINRATE", "0.466301"), ("BESTLINE", "9,7 7,9 7,8")),
    (("EVAL", "+M12"), ("WINRATE", "0.34"), ("BESTLINE", "6,7 7,8")),
]


def say(text: str) -> None:
    print(text, flush=True)


def misbehave() -> None:
    if MODE == "crash":
        sys.exit("out of memory")
    if MODE == "hang":
        time.sleep(1000)
    if MODE == "flood":
        while True:
            sys.stdout.write("x" * 65536)


def katago() -> None:
    for line in sys.stdin:
        query = json.loads(line)
        name, action = query["id"], query.get("action")
        if action == "query_version":
            say("not JSON at first")
            say(json.dumps({**query, "version": "1.16.0"}))
        elif action == "terminate":
            say(json.dumps({**query}))
            answer_katago(query["terminateId"], during=False)
        elif action is None:
            (FOLDER / "query").write_text(line)
            misbehave()
            say(json.dumps({"id": name, "field": "rules", "warning": "close enough"}))
            if MODE == "error":
                say(json.dumps({"id": name, "field": "komi", "error": "Must be a integer or half-integer"}))
                continue
            answer_katago("somebody else", during=False)
            answer_katago(name, during=True)
            if MODE != "slow":
                answer_katago(name, during=False)


def answer_katago(name: str, *, during: bool) -> None:
    moves = [
        {"move": "B2", "order": 1, "visits": 30, "winrate": 0.41, "scoreLead": -1.5, "prior": 0.1, "pv": ["B2"]},
        {"move": "C3", "order": 0, "visits": 120, "winrate": 0.62, "scoreLead": 3.25, "pv": ["C3", "C4", "C3"]},
    ]
    if MODE == "strange":
        moves = [
            {"move": "Z99", "winrate": 0.5},
            {"winrate": "high", "move": 3},
            7,
            {"move": "B2", "winrate": 0.3},
        ]  # type: ignore[list-item]
    answer = {"id": name, "turnNumber": 0, "isDuringSearch": during, "moveInfos": moves}
    answer |= {"rootInfo": {"visits": 151}, "ownership": OWNERSHIP, "policy": [0.04] * 24 + [-1, 0.04]}
    if MODE == "strange":
        answer |= {"rootInfo": [], "ownership": ["x"] * 25, "policy": 3}
    say(json.dumps(answer))


def gtp() -> None:
    known = ["boardsize", "clear_board", "komi", "play", "protocol_version", "kata-analyze", "quit"]
    for line in sys.stdin:
        number, command, *_ = line.split()
        if command == "list_commands":
            say(f"={number} " + "\n".join(known) + "\n")
        elif command.endswith("analyze"):
            misbehave()
            say(f"={number}")
            say(STRANGE if MODE == "strange" else INFO)
        elif command == "protocol_version":
            say(f"\n={number} 2\n")  # the end of the analysis, too
        else:
            say(f"={number}\n")


def nboard() -> None:
    for line in sys.stdin:
        word, *words = line.split()
        if word == "ping":
            say(f"pong {words[0]}")
        elif word == "hint":
            misbehave()
            if MODE == "strange":
                say("search\nsearch F5\nsearch A1 2 0 7\nsearch F5 many 0 7")
                say("search D3C3 1 0 -4\nsearch D3PAF5 0.5 0 99\nstatus")
                continue
            for square in OTHERS:
                say(f"search {square} -5 0 4")
            say("status Analysing\nsearch F5 2.00 0 8\nsearch D3C3 -1 0 10\nnodestats 1234 0.5")
            say("search F5F6 +1.50 0 10@73%")
            if MODE != "slow":
                say("status")


def gomocup() -> None:
    for line in sys.stdin:
        word, *_ = line.split()
        if word == "ABOUT":
            say('name="Rapfi", version="0"')
        elif word == "START":
            say("OK")
        elif word == "YXNBEST":
            misbehave()
            for rank, fields in enumerate(PVS):
                say(f"INFO PV {rank}\nINFO DEPTH 14\nINFO TOTALNODES 60298\nINFO NODES {9 - rank}")
                for name, value in fields if MODE != "strange" else [("WINRATE", "9"), ("BESTLINE", "99,99")]:
                    say(f"INFO {name} {value}")
                say("INFO PV DONE")
            if MODE != "slow":
                say("MESSAGE Speed 126K | Depth 14-24 | Eval 115\n6,7")
        elif word == "YXSTOP":
            say("6,7")


{"katago": katago, "gtp": gtp, "nboard": nboard, "gomocup": gomocup}[PROTOCOL]()
