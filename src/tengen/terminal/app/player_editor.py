"""Editor of an engine player. Errors are shown beside the fields; the name defaults to one from the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Button, Footer, Input, Select, Static, Switch

from tengen.core.errors import OptionError
from tengen.engines import registry
from tengen.players.config import THREADS, WEAKNESS_STEP_PERCENT, EngineConfig, Level
from tengen.players.configure import config_name, configure
from tengen.players.player import EnginePlayer
from tengen.search.tunables import JUDGEMENT, VISION, Tunable, with_current_names
from tengen.terminal.app.app_session import AppSession
from tengen.terminal.app.option_fields import Row

if TYPE_CHECKING:
    from tengen.terminal.app.main import TengenApp

_LEVELS = (
    ("seconds", "seconds for a move; give at least one of these three", float),
    ("nodes", "positions or simulations for a move", int),
    ("depth", "moves ahead, for engines that count them", int),
)
_PER_CENT = [str(value) for value in range(100, 55, -WEAKNESS_STEP_PERCENT)]


class PlayerEditor(Screen[None]):
    """Creates or edits an engine player. Stored games keep the settings they were played with."""

    CSS = """
    PlayerEditor VerticalScroll { padding: 0 2; }
    PlayerEditor .head { color: $accent; text-style: bold; margin-top: 1; }
    PlayerEditor #settings { height: auto; }
    PlayerEditor #engine { width: 1fr; max-width: 62; }
    PlayerEditor #engine-row .note { width: 0; }
    PlayerEditor #buttons { height: auto; margin-top: 1; }
    PlayerEditor Button { margin-right: 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save"),
        Binding("escape", "app.pop_screen", "Back"),
    ]

    def __init__(self, session: AppSession, player: EnginePlayer | None = None) -> None:
        super().__init__()
        self.session = session
        self.player = player
        self._config = player.config if player else configure("uct", Level(seconds=1.0))

    @property
    def _app(self) -> TengenApp:
        return cast("TengenApp", self.app)

    @property
    def engine(self) -> str:
        return str(self.query_one("#engine", Select).value)

    def compose(self) -> ComposeResult:
        config = self._config
        engines = [(_label(name), name) for name in registry.names()]
        if config.engine not in registry.names():  # a user-defined engine
            engines.append((config.engine, config.engine))
        # A name generated from the settings is not kept: it is generated again from the new ones.
        name = "" if self.player is None or self.player.name == config_name(config) else self.player.name
        with VerticalScroll():
            yield Static("Engine player" if self.player is None else f"Edit {self.player.name}", classes="head")
            yield Row("Name", Input(name, id="name", compact=True), id="row-name")
            yield Row(
                "Engine",
                Select(engines, value=config.engine, allow_blank=False, id="engine", compact=True),
                id="engine-row",
            )
            yield Static("Level", classes="head")
            for key, help_text, _ in _LEVELS:
                value = getattr(config.level, key)
                yield Row(key.capitalize(), _text(value, f"level-{key}"), help_text, id=f"row-level-{key}")
            yield Static("Settings", classes="head")
            yield Vertical(*self._tunables(config.engine), id="settings")
            yield Row("Book", Switch(config.book, id="book"), "plays openings from a book, where there is one")
            for weakness in (VISION, JUDGEMENT):
                value = str(getattr(config, weakness.name))
                field = Select([(f"{v} %", v) for v in _PER_CENT], value=value, allow_blank=False, compact=True)
                field.id = weakness.name
                yield Row(weakness.name.capitalize(), field, weakness.help)
            yield Row("Threads", _text(config.threads, "threads"), THREADS.help, id="row-threads")
            with Horizontal(id="buttons"):
                yield Button("Save", variant="primary", id="save", compact=True)
                yield Button("Back", id="back", compact=True)
        yield Footer(show_command_palette=False)

    def _tunables(self, engine: str) -> list[Widget]:
        """A field for each tunable of the engine."""
        if engine not in registry.names():
            return []
        now = dict(self._config.settings) if engine == self._config.engine else {}
        found: list[Widget] = []
        tunables = registry.engine_class(engine).tunables
        now = with_current_names(engine, tunables, now)
        for tunable in tunables:
            value = now.get(tunable.name, tunable.default)
            name = f"set-{tunable.name}"
            field = Switch(bool(value), id=name) if isinstance(value, bool) else _text(value, name)
            found.append(Row(tunable.name, field, _help(tunable), id=f"row-{name}"))
        return found

    @on(Select.Changed, "#engine")
    async def change_engine(self) -> None:
        place = self.query_one("#settings", Vertical)
        await place.remove_children()
        await place.mount(*self._tunables(self.engine))
        self.read()

    @on(Input.Changed)
    @on(Switch.Changed)
    @on(Select.Changed)
    def changed(self) -> None:
        self.read()

    def read(self) -> EngineConfig | None:
        """The config that the fields describe; None if a value is invalid, with errors shown beside the fields."""
        problems: dict[str, str] = {}
        level: dict[str, Any] = {}
        for key, _, kind in _LEVELS:
            text = self.query_one(f"#level-{key}", Input).value.strip()
            problem = None
            if text:
                try:
                    level[key] = kind(text)
                    Level(**{key: level[key]})
                except (ValueError, OptionError) as error:
                    what = "a whole number" if kind is int else "a number"
                    problem = str(error) if isinstance(error, OptionError) else f"{key} should be {what}"
                    problems[key] = problem
            self.query_one(f"#row-level-{key}", Row).show_error(problem)
        if not level and not problems:
            problems["level"] = "a level should limit seconds, nodes or depth"
            self.query_one("#row-level-seconds", Row).show_error(problems["level"])
        settings = self._read_settings(problems)
        threads = self._read_one(THREADS, "threads", problems)
        if problems:
            return None
        weaknesses: dict[str, Any] = {
            name: int(str(self.query_one(f"#{name}", Select).value)) for name in ("vision", "judgement")
        }
        book = self.query_one("#book", Switch).value
        try:
            if self.engine not in registry.names():
                config = EngineConfig(
                    self.engine, Level(**level), self._config.settings, book, threads=threads, **weaknesses
                )
                config.level.check_machine_limits()
            else:
                config = configure(
                    self.engine, Level(**level), book=book, threads=threads, **weaknesses, **settings
                )
        except OptionError as error:  # over a limit, or only a depth for an engine without depth limits
            self.query_one("#row-level-depth", Row).show_error(str(error))
            return None
        self.query_one("#name", Input).placeholder = config_name(config)
        return config

    def _read_settings(self, problems: dict[str, str]) -> dict[str, Any]:
        ours = self.engine in registry.names()
        tunables = registry.engine_class(self.engine).tunables if ours else ()
        shown = [tunable for tunable in tunables if self.query(f"#set-{tunable.name}")]
        return {tunable.name: self._read_one(tunable, f"set-{tunable.name}", problems) for tunable in shown}

    def _read_one(self, tunable: Tunable, name: str, problems: dict[str, str]) -> Any:
        field = self.query_one(f"#{name}", Widget)
        assert isinstance(field, Input | Switch)
        problem, value = None, None
        try:
            value = tunable.check(field.value)
        except OptionError as error:
            problem = problems[tunable.name] = str(error)
        self.query_one(f"#row-{name}", Row).show_error(problem)
        return value

    @on(Button.Pressed, "#save")
    def action_save(self) -> None:
        config = self.read()
        if config is None:
            self._app.show_error("Something is not right yet: see the notes beside the fields")
            return
        name = self.query_one("#name", Input).value.strip() or config_name(config)
        try:
            player = EnginePlayer(name, config)
            if self.player is not None:
                player = EnginePlayer(name, config, self.player.id)
        except OptionError as error:
            self.query_one("#row-name", Row).show_error(str(error))
            return
        self._app.run_in_background(
            lambda: self.session.store.save_player(player),
            lambda _: self.app.pop_screen(),
            lambda error: self.query_one("#row-name", Row).show_error(str(error)),
        )

    @on(Button.Pressed, "#back")
    def back(self) -> None:
        self.app.pop_screen()


def _label(engine: str) -> str:
    games = registry.games_of(engine)
    only = f" ({', '.join(games)} only)" if games else ""
    return f"{engine}{only}: {registry.engine_class(engine).summary}"


def _text(value: object, name: str) -> Input:
    text = "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
    return Input(text, id=name, compact=True)


def _help(tunable: Tunable) -> str:
    if isinstance(tunable.default, bool):
        return tunable.help
    return f"{tunable.low:g} to {tunable.high:g}: {tunable.help}"
