"""Sekis: neither player fills them, and status and scores know that both sides live."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.helpers.go_groups import exhaustive_results
from tests.helpers.go_seki import Seki, sekis, to_move

from tengen.engines.go.mcts.dead_stones import judge_strings
from tengen.engines.go.mcts.engine import GoEngine
from tengen.engines.go.strings.engine import StringEngine
from tengen.search.engine import Engine
from tengen.search.limits import Limits

NODES = 3000


def test_small_sekis_are_sekis() -> None:
    """By a search of all positions: neither string is captured, though its owner always passes first."""
    for seki in sekis()[:21:3]:  # blocks of one column, as built
        ground = {(column, row) for column in range(5, 8) for row in range(3)}
        assert [exhaustive_results(seki.position, stone, ground)[0] for stone in seki.strings] == [0, 0]


@pytest.mark.timeout(3600)
def test_sekis() -> None:
    """Over a hundred positions. With `-s`, prints what was found."""
    counts: Counter[str] = Counter()
    engines: list[Engine] = [GoEngine(), StringEngine()]
    for number, seki in enumerate(sekis()):
        counts["positions"] += 1
        judged = {point: string for string in judge_strings(seki.position) for point in string.points}
        counts["alive"] += not any(judged[stone].is_dead for stone in seki.strings)
        counts["seki"] += all(judged[stone].in_seki for stone in seki.strings)
        for player in range(2) if len(seki.shared) < 3 else ():  # of three shared liberties one may be filled
            engine = engines[(number + player) % 2]
            counts[f"{engine.name} asked"] += 1
            counts[f"{engine.name} does not fill it"] += not _fills(engine, seki, player)
    print(dict(counts))
    assert counts["seki"] == counts["alive"] == counts["positions"]
    assert counts["strings does not fill it"] >= 0.98 * counts["strings asked"]
    assert counts["go does not fill it"] >= 0.9 * counts["go asked"], "it sacrifices large strings in a few"


def _fills(engine: Engine, seki: Seki, player: int) -> bool:
    """Whether a player fills a shared liberty; the komi makes the game even, so that the stones matter."""
    even = to_move(seki.position, player, 0.0).play("pass").play("pass").outcome
    assert even is not None
    assert even.score is not None
    position = to_move(seki.position, player, even.score + (0.5 if player else -0.5))
    report = engine.search(position, Limits(nodes=NODES))
    points = position.game.points(position.game.read_move(report.best, position))
    return bool(points) and points[0] in seki.shared
