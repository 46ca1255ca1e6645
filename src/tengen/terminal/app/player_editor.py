"""Editor of an engine player. Errors are shown beside the fields; the name defaults to one from the settings."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Button, Footer, Input, Select, Static, Switch

from tengen.app.player_form import (
    FIELD_NAMES,
    LIMIT_FIELDS,
    PERCENTAGES,
    read_player_form,
    setting_fields,
    write_field,
)
from tengen.core.errors import OptionError
from tengen.core.locale_format import percent
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.engines import registry
from tengen.players.config import EngineConfig
from tengen.players.configure import config_name, configure
from tengen.players.player import EnginePlayer
from tengen.search.limits import Limits
from tengen.search.tunables import JUDGEMENT, VISION
from tengen.terminal.app.app_screen import AppScreen
from tengen.terminal.app.app_session import AppSession
from tengen.terminal.app.option_fields import Row


class PlayerEditor(AppScreen):
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
        Binding("ctrl+s", "save", mark("Save")),
        Binding("escape", "app.pop_screen", mark("Back")),
    ]

    def __init__(self, session: AppSession, player: EnginePlayer | None = None) -> None:
        super().__init__()
        self.session = session
        self.player = player
        self._config = player.config if player else configure("uct", Limits(seconds=1.0))

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
            yield Static(
                _("Engine player") if self.player is None else _("Edit {name}").format(name=self.player.name),
                classes="head",
            )
            yield Row(_("Name"), Input(name, id="name", compact=True), id="row-name")
            yield Row(
                _("Engine"),
                Select(engines, value=config.engine, allow_blank=False, id="engine", compact=True),
                id="engine-row",
            )
            yield Static(_("Level"), classes="head")
            for key, help_text in LIMIT_FIELDS.items():
                value = getattr(config.limits, key)
                yield Row(_(FIELD_NAMES[key]), _text(value, f"level-{key}"), _(help_text), id=f"row-level-{key}")
            yield Static(_("Settings"), classes="head")
            yield Vertical(*self._tunables(config.engine), id="settings")
            yield Row(_("Book"), Switch(config.book, id="book"), _("plays from an opening book, if there is one"))
            for weakness in (VISION, JUDGEMENT):
                value = str(getattr(config, weakness.name))
                field = Select(
                    [(percent(v / 100), str(v)) for v in PERCENTAGES], value=value, allow_blank=False, compact=True
                )
                field.id = weakness.name
                yield Row(_(FIELD_NAMES[weakness.name]), field, _(weakness.help))
            with Horizontal(id="buttons"):
                yield Button(_("Save"), variant="primary", id="save", compact=True)
                yield Button(_("Back"), id="back", compact=True)
        yield Footer(show_command_palette=False)

    def _tunables(self, engine: str) -> list[Widget]:
        """A field for each setting of the engine."""
        rows: list[Widget] = []
        for field in setting_fields(engine, self._config):
            name = f"set-{field.tunable.name}"
            is_switch = isinstance(field.value, bool)
            widget = Switch(field.value, id=name) if is_switch else _text(field.value, name)
            rows.append(Row(field.tunable.name, widget, translate(field.help), id=f"row-{name}"))
        return rows

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
        settings = {
            str(field.id).removeprefix("set-"): field.value
            for field in self.query("#settings .field").results()
            if isinstance(field, Input | Switch)
        }
        config, problems = read_player_form(
            self._config,
            self.engine,
            {key: self.query_one(f"#level-{key}", Input).value for key in LIMIT_FIELDS},
            settings,
            book=self.query_one("#book", Switch).value,
            **{name: int(str(self.query_one(f"#{name}", Select).value)) for name in ("vision", "judgement")},
        )
        rows = {key: f"#row-level-{key}" for key in LIMIT_FIELDS} | {name: f"#row-set-{name}" for name in settings}
        for name, row in rows.items():
            self.query_one(row, Row).show_error(problems.get(name))
        if config is not None:
            self.query_one("#name", Input).placeholder = config_name(config)
        return config

    @on(Button.Pressed, "#save")
    def action_save(self) -> None:
        config = self.read()
        if config is None:
            self.tengen.show_error(_("Please fix the marked fields"))
            return
        name = self.query_one("#name", Input).value.strip() or config_name(config)
        try:
            player = EnginePlayer(name, config, *(() if self.player is None else (self.player.id,)))
        except OptionError as error:
            self.query_one("#row-name", Row).show_error(str(error))
            return
        self.tengen.run_in_background(
            lambda: self.session.store.save_player(player),
            lambda _: self.app.pop_screen(),
            lambda error: self.query_one("#row-name", Row).show_error(str(error)),
        )

    @on(Button.Pressed, "#back")
    def back(self) -> None:
        self.app.pop_screen()


def _label(engine: str) -> str:
    games = registry.games_of(engine)
    summary = _(registry.engine_class(engine).summary)
    if not games:
        return f"{engine}: {summary}"
    only = _("{games} only").format(games=", ".join(_(game.capitalize()) for game in games))
    return f"{engine} ({only}): {summary}"


def _text(value: object, name: str) -> Input:
    return Input(write_field(value), id=name, compact=True)
