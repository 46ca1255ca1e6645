"""Games and engines of other packages, found through entry points of a distribution on `sys.path`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from textwrap import dedent

import pytest

import tengen
from tengen import games
from tengen.core import plugins
from tengen.core.errors import OptionError
from tengen.engines import registry
from tengen.players.config import EngineConfig
from tengen.runtime.host import EngineHost
from tengen.search.limits import Limits
from tests.helpers.paths import PLUGIN

NIM_GAME = PLUGIN / "tengen_nim" / "game.py"

ENTRY_POINTS = """
    [tengen.games]
    heap = plugin_heap:Nim
    go = plugin_heap:Nim
    wrong = plugin_heap:Nim
    missing = plugin_nowhere:Game

    [tengen.engines]
    taker = plugin_taker:Taker
    uct = plugin_taker:Taker
    raises = plugin_raises:Engine
    number = plugin_taker:NUMBER
"""

TAKER = """
    from tengen.search.simple import RandomPlayer

    NUMBER = 1

    class Taker(RandomPlayer):
        name = "taker"
        summary = "for heaps only"
        games = ("heap",)
"""


def _forget() -> None:
    plugins.plugins.cache_clear()
    plugins._installed.cache_clear()


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A distribution with working and broken plugins, as pip would install it."""
    tmp_path = tmp_path_factory.mktemp("plugin")
    info = tmp_path / "heap_plugin-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: heap-plugin\nVersion: 1.5\n")
    (info / "entry_points.txt").write_text(dedent(ENTRY_POINTS))
    # A record of its own: this process may have loaded the original game, too.
    source = NIM_GAME.read_text().replace('("heap", np.', '("pile", np.').replace('name = "nim"', 'name = "heap"')
    for state in ("state", "states[0]"):
        source = source.replace(f"{state}.heap", f"{state}.pile")
    (tmp_path / "plugin_heap.py").write_text(source)
    (tmp_path / "plugin_taker.py").write_text(dedent(TAKER))
    (tmp_path / "plugin_raises.py").write_text("raise RuntimeError('two\\nlines')\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(tmp_path))
        patch.delitem(games._GAMES, "heap", raising=False)  # other tests register it
        _forget()
        yield tmp_path
    _forget()


@pytest.mark.usefixtures("installed")
def test_a_plugin_game_and_its_engine_are_found_by_name() -> None:
    assert {"heap", "wrong", "missing", "go"} <= set(games.names())
    assert games.names() == sorted(set(games.names()))
    heap = tengen.game("heap", size=10)
    assert games.import_path("HEAP") == "plugin_heap:Nim"
    assert "taker" in registry.names()
    assert registry.games_of("taker") == ("heap",)
    assert registry.default_engine(heap) == "taker"
    assert registry.engines_for(heap)[0] == "taker"
    assert "uct" in registry.engines_for(heap)
    assert registry.create("taker", heap).search(heap.start(), Limits(nodes=1)).best
    with pytest.raises(OptionError, match="taker does not play othello"):
        registry.create("taker", tengen.game("othello"))
    with pytest.raises(OptionError, match="does not play othello"):
        registry.create("plugin_taker:Taker", tengen.game("othello"))


@pytest.mark.usefixtures("installed")
def test_built_in_names_cannot_be_overridden() -> None:
    assert games.import_path("go") == "tengen.games.go:Go"
    assert games.game_class("go").__module__.startswith("tengen.games.go")
    assert registry.engine_class("uct").__module__ == "tengen.search.uct"
    assert registry.names().count("uct") == games.names().count("go") == 1


@pytest.mark.usefixtures("installed")
def test_a_plugin_that_fails_is_named_with_its_package() -> None:
    package = r"of the package heap-plugin 1\.5"
    for name, problem in (
        (
            "missing",
            rf"'missing' \(tengen\.games\) {package} cannot be loaded: ModuleNotFoundError: .*plugin_nowhere",
        ),
        ("wrong", rf"'wrong' \(tengen\.games\) {package} is not a Game whose name is 'wrong'"),
    ):
        with pytest.raises(OptionError, match=problem):
            tengen.game(name)
    for name, problem in (
        ("raises", rf"'raises' \(tengen\.engines\) {package} cannot be loaded: RuntimeError: two lines$"),
        ("number", rf"'number' \(tengen\.engines\) {package} is not an engine"),
    ):
        with pytest.raises(OptionError, match=problem):
            registry.create(name)
        assert registry.games_of(name) == ()


@pytest.mark.usefixtures("installed")
def test_a_broken_engine_plugin_does_not_hide_the_others(caplog: pytest.LogCaptureFixture) -> None:
    othello = tengen.game("othello")
    assert registry.default_engine(othello) == "othello"
    assert {"othello", "uct"} <= set(registry.engines_for(othello))
    assert not {"raises", "number", "taker"} & set(registry.engines_for(othello))
    assert "cannot be loaded: RuntimeError" in caplog.text


@pytest.mark.usefixtures("installed")
def test_worker_processes_find_plugins_by_the_same_lookup() -> None:
    heap = tengen.game("heap", size=10)
    with EngineHost(1) as host:
        report = host.search(EngineConfig("taker", book=False), heap.start(), Limits(nodes=1), game_id="a").result(
            60
        )
    assert report.engine == "taker"


@pytest.mark.usefixtures("installed")
def test_plugins_are_looked_up_once_and_imported_on_use(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real = metadata.entry_points

    def counted() -> object:
        calls.append(1)
        return real()

    monkeypatch.setattr(plugins, "entry_points", counted)
    _forget()
    for _ in range(3):
        games.names()
        registry.names()
        registry.engine_class("random")
    assert len(calls) == 1
    script = (
        "from tengen import games; from tengen.engines import registry; registry.names();"
        "assert 'heap' in games.names() and not {'plugin_heap', 'plugin_taker'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}; {script}"], check=True)
