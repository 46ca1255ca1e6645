"""A thousand concurrent queries in KataGo's analysis protocol, with random termination: each position is answered
once, and every answer is well-formed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import Counter
from random import Random
from typing import Any

import tengen

QUERIES = 1000


def test_a_thousand_queries_with_random_termination() -> None:
    random = Random(1)
    command = [sys.executable, "-m", "tengen", "katago", "analysis", "--analysis-threads", "2"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        lines: list[str] = []
        reader = threading.Thread(target=lambda: lines.extend(process.stdout))  # type: ignore[arg-type]
        reader.start()
        expected: Counter[tuple[str, int]] = Counter()
        sizes: dict[str, int] = {}
        actions = 0
        for number in range(QUERIES):
            query = _query(random, str(number))
            sizes[str(number)] = query["boardXSize"] * query["boardYSize"]
            expected.update((str(number), turn) for turn in query["analyzeTurns"])
            process.stdin.write(json.dumps(query) + "\n")
            if random.random() < 0.3:
                action = {
                    "id": f"action {number}",
                    "action": "terminate",
                    "terminateId": str(random.randint(0, number)),
                }
                if random.random() < 0.02:
                    action = {"id": f"action {number}", "action": random.choice(["terminate_all", "clear_cache"])}
                process.stdin.write(json.dumps(action) + "\n")
                actions += 1
        process.stdin.close()
        reader.join(1200)
        assert process.wait(60) == 0
    answers = [json.loads(line) for line in lines]
    final = [one for one in answers if one.get("isDuringSearch") is False]
    assert Counter((one["id"], one["turnNumber"]) for one in final) == expected
    assert sum("action" in one for one in answers) == actions
    assert not [one for one in answers if "error" in one or "warning" in one]
    for one in answers:
        if "action" not in one and not one.get("noResults"):
            _check(one, sizes[one["id"]])
    assert any(one.get("noResults") for one in final)
    print(f"{len(final)} positions, {sum(bool(one.get('noResults')) for one in final)} without results")


def _query(random: Random, name: str) -> dict[str, Any]:
    width, height = random.randint(2, 9), random.randint(2, 9)
    position = tengen.game("go", size=f"{width}x{height}", rules="japanese").start()
    moves = []
    for _ in range(random.randint(0, 12)):
        if position.is_over:
            break
        move = random.choice(position.legal_moves)
        moves.append(["BW"[position.to_move], position.game.write_move(move)])
        position = position.play(move)
    query = {"id": name, "moves": moves, "rules": "japanese", "boardXSize": width, "boardYSize": height}
    query |= {
        "analyzeTurns": sorted(random.sample(range(len(moves) + 1), random.randint(1, min(3, len(moves) + 1))))
    }
    query |= {"maxVisits": random.choice([1, 10, 100, 1 << 40]), "priority": random.randint(-3, 3)}
    query |= {"includePolicy": random.random() < 0.5, "includeOwnership": random.random() < 0.5}
    if random.random() < 0.3:
        query["reportDuringSearchEvery"] = random.choice([0.01, 0.3, 2])
    query["overrideSettings"] = {"maxTime": 0.1}
    return query


def _check(answer: dict[str, Any], area: int) -> None:
    assert {"id", "turnNumber", "isDuringSearch", "moveInfos", "rootInfo"} <= set(answer)
    assert answer["moveInfos"]
    assert [one["order"] for one in answer["moveInfos"]] == list(range(len(answer["moveInfos"])))
    for one in answer["moveInfos"]:
        assert 0 <= one["winrate"] <= 1
        assert one["pv"][0] == one["move"]
    assert len(answer.get("ownership", range(area))) == area
    assert len(answer.get("policy", range(area + 1))) == area + 1
