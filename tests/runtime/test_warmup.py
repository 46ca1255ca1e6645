"""Kernels compiled in advance: what is listed, in which order, by whom, and what a user reads meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import config
from numba.extending import overload

import tengen
from tengen import cli, games
from tengen.books import installed, statistics_file
from tengen.books.statistics import StatisticsBook
from tengen.cli.doctor import _kernels
from tengen.core.compiled import cache
from tengen.core.compiled import kernel as kernel_module
from tengen.core.compiled.kernel import (
    expect_background_compilation,
    kernel,
    missing_kernel_listener,
    record_kernels,
)
from tengen.core.compiled.position_kernels import describe
from tengen.core.errors import OptionError, TengenError
from tengen.core.file_lock import try_lock, unlock
from tengen.core.folders import cache_folder
from tengen.core.interrupt import run_interruptible
from tengen.core.resource_limits import resource_limits
from tengen.jobs.processes import available_cores
from tengen.players.config import EngineConfig
from tengen.players.opponents import default_opponent, opponents
from tengen.runtime import background_warmup, warmup
from tengen.runtime import kernel_groups as groups_module
from tengen.runtime.background_warmup import BackgroundWarmUp
from tengen.runtime.kernel_groups import (
    BOOK,
    RULES,
    KernelGroup,
    first_groups,
    groups_of_player,
    kernel_groups,
    likely_groups,
)
from tengen.runtime.memory_plan import workers_that_fit
from tengen.runtime.preparing import preparing_listener
from tengen.runtime.turn import create_engine
from tengen.runtime.warmup import (
    NeededKernel,
    compile_group,
    needed_kernels,
    preparing_text,
)

FLAT = KernelGroup.of_engine("clobber", EngineConfig("flat"))


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("TENGEN_CACHE", str(tmp_path))
    cache.kernel_folder.cache_clear()
    needed_kernels.cache_clear()
    yield tmp_path
    cache.kernel_folder.cache_clear()
    needed_kernels.cache_clear()


def in_new_process(code: str, folder: Path, *arguments: str) -> str:
    """Run code with the cache in this folder; returns its output."""
    environment = {**os.environ, "TENGEN_CACHE": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- plain rules

WHOLE_GAMES = """
import random, sys
import tengen
from tengen.core.compiled.cache import compile_listener
from tengen.core.compiled.kernel import expect_background_compilation
from tengen.games.records import Record
from tengen.games.records.replay import check
GAMES = [
    ("clobber", {}), ("clobber", {"size": "10x10"}), ("go", {"size": 3, "ko": "positional"}),
    ("go", {"size": 5}), ("othello", {}), ("pente", {"size": 9}),
]
is_plain, compiled = sys.argv[1] == "plain", []
with compile_listener(compiled.append):
    expect_background_compilation(is_plain)
    for name, options in GAMES:
        position, rng = tengen.game(name, **options).start(), random.Random(3)
        while not position.is_over and position.ply < 100:
            position = position.play(rng.choice(position.legal_moves))
        check(Record.of(position))
        print(name, options, position.is_over)
        for one in position.line():
            print(one.key, one.repeat_key, one.to_move, one.is_over, one.final_score, one.legal_moves)
assert not (is_plain and compiled), compiled
"""


def test_rules_run_uncompiled_with_the_same_results(tmp_path: Path) -> None:
    plain = in_new_process(WHOLE_GAMES, tmp_path, "plain")
    assert plain == in_new_process(WHOLE_GAMES, cache_folder(), "compiled")
    assert plain.count("} True") == 6, "all games are played to their end"


ONE_PLY = """
import tengen
from tengen.core.compiled.cache import compile_listener
from tengen.core.compiled.kernel import expect_background_compilation
from tengen.players.opponents import opponents
from tengen.runtime.turn import create_engine, take_turn
from dataclasses import replace
compiled = []
with compile_listener(compiled.append):
    expect_background_compilation()
    for game in ("othello", "pente"):
        config = replace(opponents(game)[2].config, book=False)
        position = tengen.game(game).start()
        print(take_turn(create_engine(config, position.game), config, position, config.search_limits()).best)
assert compiled == [] or {name.rpartition(".")[2] for name in compiled} <= {"_fill_edge_table"}, compiled
"""


def test_one_ply_searches_need_no_compilation_and_give_the_same_moves(tmp_path: Path) -> None:
    plain = in_new_process(ONE_PLY, tmp_path).split()
    for game, best in zip(("othello", "pente"), plain, strict=True):
        config = default_opponent(game).config
        position = tengen.game(game).start()
        engine = create_engine(config, position.game)
        assert engine.search(position, config.search_limits()).best == best


def test_a_compiled_version_is_used_as_soon_as_it_is_in_the_cache(empty_cache: Path) -> None:
    calls = []

    def counted(state):  # type: ignore[no-untyped-def]
        return state[0] + 1

    counted.__module__ = "tengen.games.counted"
    made = kernel(counted)
    expect_background_compilation()
    try:
        with missing_kernel_listener(lambda kernel, signature: calls.append(kernel)):
            assert made(np.arange(3)) == 1
            assert not made.overloads  # type: ignore[attr-defined]
            other = kernel(counted)  # kept, because what it compiles belongs to no module that can be imported
            other.compile((made.typeof_pyval(np.arange(3)),))  # type: ignore[attr-defined]
            made._checked_at.clear()  # type: ignore[attr-defined]
            assert made(np.arange(3)) == 1
            assert made.overloads  # type: ignore[attr-defined]
    finally:
        expect_background_compilation(False)
    assert calls == []


def test_a_kernel_that_nobody_compiles_is_compiled_by_its_caller(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def awaited(state):  # type: ignore[no-untyped-def]
        return state[0] + 1

    awaited.__module__ = "tengen.games.awaited"
    made = kernel(awaited)
    expect_background_compilation()
    try:
        assert made(np.arange(3)) == 1
        assert not made.overloads  # type: ignore[attr-defined]
        monkeypatch.setattr(kernel_module, "MAX_UNCOMPILED_S", 0.0)
        assert made(np.arange(3)) == 1
    finally:
        expect_background_compilation(False)
    assert made.overloads  # type: ignore[attr-defined]


# ---- lists


@pytest.mark.parametrize("books", ["no books", "statistics"])
@pytest.mark.parametrize("game", games.names())
def test_the_list_has_every_kernel_that_a_game_loads(
    game: str, books: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path))
    if books == "statistics":
        path = installed.statistics_path(game)
        path.parent.mkdir()
        statistics_file.write_statistics(StatisticsBook(game), path)
    listed, loaded = (
        set(
            subprocess.run(
                [sys.executable, "-c", code, game], capture_output=True, text=True, check=True
            ).stdout.splitlines()
        )
        for code in (LISTED, LOADED)
    )
    assert loaded
    assert loaded <= listed


LISTED = """
import sys
from tengen.runtime.kernel_groups import first_groups
from tengen.runtime.warmup import needed_kernels
for group in first_groups(sys.argv[1]):
    for one in needed_kernels(group):
        print(one.kernel.py_func.__module__, one.kernel.__name__, one.signature)
"""
LOADED = """
import gc, sys
import tengen
from tengen.core.compiled.kernel import Kernel
from tengen.players.opponents import default_opponent
from tengen.runtime.turn import create_engine, take_turn
for options in [{"size": 9}, {"size": 7}] if sys.argv[1] == "go" else [{}]:
    game = tengen.game(sys.argv[1], **options)
    config, position = default_opponent(game.name).config, game.start()
    engine = create_engine(config, game)
    for _ in range(4):
        position = position.play(take_turn(engine, config, position, config.search_limits()).best)
for made in gc.get_objects():
    if isinstance(made, Kernel):
        for signature in made.overloads:
            print(made.py_func.__module__, made.__name__, signature)
"""


def test_recording_compiles_nothing(empty_cache: Path) -> None:
    state = tengen.game("clobber", size=6)
    with record_kernels() as found:
        position = state.start()
        assert position.play(position.legal_moves[0]).ply == 1
    assert [path for path in empty_cache.rglob("*") if path.is_file()] == []
    assert {one.py_func.__module__ for one, _ in found} <= {describe.__module__, "tengen.games.clobber.rules"}


def test_recording_concerns_only_its_own_context() -> None:
    made = kernel(_is_plain)
    results: list[bool] = []
    with record_kernels() as found:
        assert made(1)
        assert run_interruptible(lambda stop: made(2)), "in a thread of the same context"
        other = threading.Thread(target=lambda: results.append(made(3)))
        other.start()
        other.join()
    assert len(found) == 1
    assert results == [False], "a thread that was not recorded runs compiled code"


def _is_plain(number):  # type: ignore[no-untyped-def]
    return type_kind(number) == 1


def type_kind(number: object) -> int:
    """1 as plain Python, 2 if compiled."""
    return 1


@overload(type_kind)
def _compiled_kind(number):  # type: ignore[no-untyped-def]
    return lambda number: 2


def test_the_default_opponents_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = likely_groups("pente")
    assert groups[0] == first_groups("pente")[0]
    assert set(kernel_groups()) <= set(groups)
    assert len(groups) == len(set(groups))
    assert kernel_groups(["Clobber"]) == kernel_groups(["clobber"])
    rest = [
        group for group in groups if group not in {one for name in games.names() for one in first_groups(name)}
    ]
    assert groups[-len(rest) :] == rest
    monkeypatch.setattr(groups_module, "has_books", lambda game: True)
    assert KernelGroup("othello", BOOK) not in first_groups("othello"), "the default opponent knows no openings"
    strongest = opponents("othello")[-1].config
    assert groups_of_player(games.game("othello"), strongest)[0] == KernelGroup("othello", BOOK)
    assert KernelGroup("go", RULES) in first_groups("go")


def test_a_game_of_another_package_that_cannot_be_loaded_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = likely_groups("go")
    broken = EntryPoint("broken", "no_such_module:Broken", games.PLUGIN_GROUP)
    monkeypatch.setattr(games, "plugins", lambda group: {"broken": broken})
    assert "broken" in games.names()
    assert likely_groups("go") == expected
    with pytest.raises(OptionError, match="no_such_module"):
        kernel_groups(["broken"])


# ---- compilation


def test_two_processes_compile_a_group_together(empty_cache: Path) -> None:
    code = (
        "from tengen.core.compiled.cache import compile_listener\n"
        "from tengen.runtime.kernel_groups import KernelGroup\n"
        "from tengen.runtime.warmup import compile_group\n"
        "from tengen.players.config import EngineConfig\n"
        "names = []\n"
        "with compile_listener(names.append):\n"
        "    compile_group(KernelGroup.of_engine('clobber', EngineConfig('flat')))\n"
        "print(*names)\n"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    names = [name for process in processes for name in process.communicate()[0].split()]
    assert len(names) == len(set(names)), "no kernel was compiled twice"
    assert any(name.endswith(".sample") for name in names)
    texts: list[str] = []
    with preparing_listener(texts.append):
        compile_group(FLAT)
    assert texts == []


def test_a_complete_group_is_not_examined_again(empty_cache: Path) -> None:
    warm_up = BackgroundWarmUp(lambda: [FLAT])
    try:
        while warm_up.is_running:
            time.sleep(0.05)
    finally:
        warm_up.close()
    assert FLAT.is_complete
    needed_kernels.cache_clear()
    again = BackgroundWarmUp(lambda: [FLAT])
    again._thread.join(60)
    again.close()
    assert needed_kernels.cache_info().misses == 0


def test_a_group_that_another_program_finishes_is_marked(empty_cache: Path) -> None:
    largest = needed_kernels(FLAT)[0]
    lock = largest.kernel._cache._path(largest.signature, largest.kernel.targetctx.codegen())
    lock = lock.with_name(f".lock-{lock.name}")
    lock.parent.mkdir(parents=True, mode=0o755)
    with lock.open("ab") as other_program:
        assert try_lock(other_program)
        with closing(BackgroundWarmUp(lambda: [FLAT])) as warm_up:
            while sum(one.is_ready for one in needed_kernels(FLAT)) < len(needed_kernels(FLAT)) - 1:
                time.sleep(0.05)
            time.sleep(0.3)
            assert warm_up.pending() == [FLAT]
            assert not FLAT.is_complete
            unlock(other_program)
            while warm_up.is_running:
                time.sleep(0.05)
    assert FLAT.is_complete


def test_kernels_that_cannot_be_stored_do_not_count_as_compiled(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "write_failures", failures := ["disk: No space left on device"])
    monkeypatch.setattr(background_warmup, "write_failures", failures)
    with pytest.raises(TengenError, match="No space left"):
        background_warmup._compile_next(FLAT)
    assert not FLAT.is_complete


def test_warm_up_waits_while_a_user_searches_and_prefers_the_chosen_game(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[KernelGroup] = []
    busy = True

    class Pool:
        def __init__(self, name: str, workers: int = 1) -> None:
            pass

        def submit(self, function: object, group: KernelGroup) -> Future[Any]:
            asked.append(group)
            done: Future[Any] = Future()
            done.set_result(background_warmup._Outcome.COMPLETE)
            return done

        def close(self) -> None:
            pass

    monkeypatch.setattr(background_warmup, "HelperPool", Pool)
    warm_up = BackgroundWarmUp(lambda: likely_groups("othello"), lambda: busy)
    try:
        while not warm_up.pending():
            time.sleep(0.01)
        warm_up.prefer("go")
        time.sleep(0.3)
        assert asked == []
        busy = False
        while warm_up.is_running:
            time.sleep(0.01)
    finally:
        warm_up.close()
    assert asked[0] == first_groups("go")[0]
    assert set(asked) == set(likely_groups("othello"))


def test_texts_for_users() -> None:
    assert preparing_text("Go", 3.2) == "Preparing Go (first time only), 4 s left"
    assert preparing_text("Othello") == "Preparing Othello (first time only)"


# ---- `tengen warm` and `tengen doctor`


def test_warm_compiles_on_all_cores_once_and_doctor_lists_what_is_ready(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pools: list[int] = []

    class Pool(background_warmup.HelperPool):
        def __init__(self, name: str, workers: int = 1) -> None:
            pools.append(workers)
            super().__init__(name, workers)

    monkeypatch.setattr(background_warmup, "HelperPool", Pool)
    monkeypatch.setattr(groups_module, "kernel_groups", lambda names=None: [FLAT, KernelGroup("clobber", RULES)])
    assert "nothing" in _kernels().state
    assert "tengen warm" in _kernels().advice
    assert cli.run(["warm", "clobber"]) == 0
    assert pools == [workers_that_fit(resource_limits(), available_cores())]
    assert _kernels().state.endswith("ready: Clobber: flat, rules")
    assert _kernels().advice == ""
    assert cli.run(["warm", "clobber"]) == 0
    assert len(pools) == 1, "the second time there is nothing to do"
    assert capfd.readouterr().out.split("\n") == 2 * ["All kernels are compiled."] + [""]
    assert not list(cache.kernel_folder().glob(".lock-*"))


def test_warm_without_a_compiler_marks_nothing(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    cache.kernel_folder().mkdir(parents=True)
    assert cli.run(["warm", "clobber"]) != 0
    assert "NUMBA_DISABLE_JIT" in capfd.readouterr().err
    with closing(BackgroundWarmUp(lambda: [FLAT])) as warm_up:
        warm_up._thread.join(60)
    assert not FLAT.is_complete


def test_a_process_with_compilation_on_demand_compiles_nothing_itself(tmp_path: Path) -> None:
    in_new_process(ON_DEMAND, tmp_path)


ON_DEMAND = """
from contextlib import closing
import tengen
from tengen.core.compiled.cache import compile_listener
from tengen.runtime.background_warmup import BackgroundWarmUp
from tengen.core.compiled.kernel import kernel
from tengen.search.perft import perft
from tengen.search.kernels.perft import count_lines
if __name__ == "__main__":
    compiled = []
    with compile_listener(compiled.append), closing(BackgroundWarmUp(lambda: [], compiles_on_demand=True)):
        assert perft(tengen.game("clobber", size=6).start(), 1) > 0
        assert count_lines.overloads
        assert compiled == [], compiled

        @kernel
        def only_here(number):
            return number + 1

        assert only_here(1) == 2, "a helper process cannot import it"
        assert len(compiled) == 1
"""


def test_a_user_who_waits_reads_each_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not every time that a process looks whether another one has finished."""
    kernels = [NeededKernel(describe, (), seconds) for seconds in (4.0, 2.0)]
    missing = [kernels, kernels, kernels, kernels[1:], kernels[1:], []]
    monkeypatch.setattr(warmup, "missing_kernels", lambda group: missing.pop(0))
    monkeypatch.setattr(warmup, "compile_next", lambda group: False)
    monkeypatch.setattr(warmup, "available_cores", lambda: 1)
    monkeypatch.setattr(warmup, "POLL_S", 0.0)
    texts: list[str] = []
    with preparing_listener(texts.append):
        compile_group(FLAT)
    assert texts == [preparing_text("Clobber", 6.0), preparing_text("Clobber", 2.0)]
