"""New puzzles about what a person misses most: the right themes, proved, and not those that everybody has."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from random import Random
from typing import Any, cast

import pytest

from tengen.app.puzzle_files import SHIPPED_KINDS, shipped_puzzles
from tengen.app.weak_spots import WeakSpot, puzzles_for, weak_spots
from tengen.core.errors import TengenError
from tengen.engines.go.puzzles.life_problems import prove_life
from tengen.engines.go.puzzles.problem import Goal
from tengen.runtime.host import EngineHost
from tengen.store.deck import History
from tengen.store.scheduling import Answer
from tests.helpers.go_life import life_of

NOW = datetime(2026, 11, 19, tzinfo=UTC)


def answered(kind: str, theme: str, *answers: bool) -> History:
    return History(kind, kind.split("-")[0], tuple(Answer(right, NOW) for right in answers), (theme,))


def test_the_worst_theme_comes_first_with_the_kind_that_has_most_of_it() -> None:
    histories = [
        answered("clobber-win", "split", True),
        answered("go-life", "eye-shape", False),
        answered("go-life", "eye-shape", False),
        answered("go-capture", "net", False),
    ]
    assert weak_spots(histories) == [
        WeakSpot("go-life", "eye-shape"),
        WeakSpot("go-capture", "net"),
        WeakSpot("clobber-win", "split"),
    ]
    assert weak_spots(histories, ["clobber"]) == [WeakSpot("clobber-win", "split")]
    assert weak_spots([]) == [WeakSpot(kind) for kind in SHIPPED_KINDS]


def test_new_puzzles_have_the_theme_and_are_proved() -> None:
    nobody = cast("EngineHost", None)  # puzzles of Go need no engine
    histories = [answered("go-life", "eye-shape", False)]
    made = asyncio.run(puzzles_for(histories, 2, nobody, asyncio.to_thread, random=Random(4)))
    assert len(made) == 2
    known = {one.digest for one in shipped_puzzles("go-life")}
    for puzzle in made:
        assert puzzle.kind == "go-life"
        assert "eye-shape" in puzzle.themes
        assert puzzle.digest not in known
        goal = Goal.KILL if "kill" in puzzle.task else Goal.LIVE
        problem = prove_life(str(puzzle.options["board"]).split()[0], goal, life_of(9, 9))
        assert problem is not None
        assert problem.right == puzzle.right


@pytest.mark.parametrize("made_before", [0, 2])
def test_puzzles_made_before_an_error_are_kept(made_before: int) -> None:
    ready = list(shipped_puzzles("go-life")[:made_before])

    async def run(*_args: Any) -> Any:
        if not ready:
            raise TengenError("the helper process died")
        return ready.pop(0)

    histories = [answered("go-life", "eye-shape", False)]
    made = puzzles_for(histories, 5, cast("EngineHost", None), run)
    if made_before:
        assert asyncio.run(made) == list(shipped_puzzles("go-life")[:made_before])
    else:
        with pytest.raises(TengenError, match="the helper process died"):
            asyncio.run(made)
