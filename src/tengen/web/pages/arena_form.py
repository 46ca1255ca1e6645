"""The form that starts a run of the arena: what is asked, the game, who plays, from which openings, how long."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import ui

from tengen import games
from tengen.app.arena_plans import (
    DEFAULT_SPRT,
    MatchPlan,
    Plan,
    TournamentPlan,
    TuningPlan,
    VariantsPlan,
    openings_from_text,
    plan_from_dict,
)
from tengen.app.game_options import options_of, read_options
from tengen.arena.pairings import KINDS as TOURNAMENT_KINDS
from tengen.arena.tuning.tuning_run import METHODS
from tengen.core.errors import OptionError, TengenError
from tengen.core.translation import gettext as _
from tengen.core.translation import mark, translate
from tengen.engines import registry
from tengen.jobs import available_cores
from tengen.play.player_lookup import candidates, find_engine_player
from tengen.players.opponents import DEFAULT_GAME
from tengen.players.player import EnginePlayer
from tengen.web.game_sessions import GameSessions
from tengen.web.icons import drawing
from tengen.web.pages.choices import ChoiceButtons, problem_label, show_problem
from tengen.web.pages.layout import Visit, add_page, page
from tengen.web.pages.option_fields import OptionFields
from tengen.web.pages.widgets import button, card, note
from tengen.web.permissions import check_arena

KINDS = {
    "matches": mark("Match"),
    "tests": mark("Sequential test"),
    "variants": mark("Variants"),
    "tournaments": mark("Tournament"),
    "tunings": mark("Tuning"),
}
_ABOUT = {
    "matches": mark("Two players, each opening with both colours. The Elo difference with its error bars."),
    "tests": mark("A match that ends as soon as one of two Elo differences is accepted (SPRT)."),
    "variants": mark(
        "Several versions of one idea against the same base. All of them together accept a useless one with at "
        "most the stated probability."
    ),
    "tournaments": mark("Several players: standings, ratings and who beat whom."),
    "tunings": mark("Looks for better settings of an engine by many games, and validates them in new ones."),
}
_OPENINGS = {
    "": mark("Balanced random moves"),
    "xot": mark("XOT (eight moves)"),
    "own": mark("My own"),
}
_GAMES_HINTS = {
    "matches": mark("an even number"),
    "tests": mark("at most; an even number"),
    "variants": mark("at most, for each variant; an even number"),
    "tournaments": mark("for each pair of players; an even number"),
    "tunings": mark("at a time; 0: what is usual for the method"),
}
_PLAYERS_HINT = mark("a player, or an engine such as uct:nodes=500,rave=100")


class Form:
    """The fields of all kinds of runs; those that a kind does not have are hidden."""

    def __init__(self, visit: Visit, kind: str, plan: Plan | None) -> None:
        self._visit = visit
        self._sessions = visit.sessions
        self._kind = kind if kind in KINDS else "matches"
        self._plan = plan
        self._game = DEFAULT_GAME if plan is None else plan.game
        self._parts: list[tuple[tuple[str, ...], Any]] = []  # kinds, and what only they show
        self._offered: frozenset[str] = frozenset()  # names of the players that the chosen game offers

    async def build(self) -> None:
        self._kinds = ChoiceButtons(_("Kind"), self._choose_kind)
        self._kinds.add_texts({kind: _(text) for kind, text in KINDS.items()})
        self._about = note("")
        self._games = ChoiceButtons(_("Game"), self._choose_game, "tg-games tg-games-small")
        for game in games.names():
            self._games.add(game, partial(_build_tile, game), "tg-tile")
        with card(_("Players")):
            self._build_players()
        with card(_("Games")):
            self._build_length()
        with card(_("Openings")):
            self._build_openings()
        with card():
            board = ui.element("div").classes("tg-stack")
        with card(), ui.expansion(_("Details")).props("dense").classes("tg-details"):
            self._build_details()
            with ui.element("div").classes("tg-fields"):
                details = ui.element("div").style("display: contents")
        self._options = OptionFields(board, details, lambda: None)
        with ui.element("div").classes("tg-start-bar"):
            with ui.element("div").classes("tg-grow"):
                self._summary = ui.label("").classes("tg-summary")
                self._problem = problem_label()
            self._start = button(_("Start"), self._begin, main=True).props("size=lg").mark("start")
        if self._plan is not None:
            self._fill(self._plan)
        self._choose_kind(self._kind)
        self._kinds.press(self._kind)
        await self._choose_game(self._game)

    # ---- parts

    def _only(self, element: Any, *kinds: str) -> Any:
        self._parts.append((kinds, element))
        return element

    def _build_players(self) -> None:
        def choose(label: str, *, several: bool = False) -> Any:
            made = ui.select([], label=label, with_input=True, multiple=several, new_value_mode="add-unique")
            made.props(f'outlined dense options-dense hide-dropdown-icon hint="{_(_PLAYERS_HINT)}"')
            return made.props("use-chips") if several else made

        with ui.element("div").classes("tg-fields"):
            self._first = self._only(choose(_("First player")).mark("first"), "matches", "tests")
            self._second = self._only(choose(_("Second player")).mark("second"), "matches", "tests")
            self._base = self._only(choose(_("Base")).mark("base"), "variants")
            self._variants = self._only(choose(_("Variants"), several=True).mark("variants"), "variants")
            self._several = self._only(choose(_("Players"), several=True).mark("players"), "tournaments")
            self._tuned = self._only(choose(_("Player to start from")).mark("tuned"), "tunings")
            self._tuned.on_value_change(self._offer_settings)
            settings = ui.select([], label=_("Settings to tune"), with_input=True, multiple=True)
            settings.props(f'outlined dense options-dense use-chips hint="{_("empty: all")}"')
            self._settings = self._only(settings.mark("settings"), "tunings")

    def _build_length(self) -> None:
        with ui.element("div").classes("tg-fields"):
            self._name = self._only(_text(_("Name"), "", ""), "tournaments")
            kinds = {kind: _(kind) for kind in TOURNAMENT_KINDS}
            form = ui.select(kinds, label=_("Form"), value=TOURNAMENT_KINDS[0]).props(
                "outlined dense options-dense"
            )
            self._form = self._only(form, "tournaments")
            self._rounds = self._only(_number(_("Rounds"), 0, _("of a Swiss tournament")), "tournaments")
            self._champions = self._only(_number(_("Champions"), 1, _("of a gauntlet")), "tournaments")
            method = ui.select(list(METHODS), label=_("Method"), value="spsa").props(
                "outlined dense options-dense"
            )
            self._method = self._only(method, "tunings")
            self._steps = self._only(_number(_("Steps"), 30, ""), "tunings")
            self._number = _number(_("Games"), 100, "").mark("games")
            self._validation = self._only(
                _number(_("Validation games"), 100, _("of the best against the start")), "tunings"
            )
            self._every = self._only(_number(_("Validate every"), 0, _("steps; 0: at the end")), "tunings")
            self._clock = _text(_("Clock"), "none", _("none: the limits of the players; or 100ms/move, 1m+1s"))
            elo0, elo1 = DEFAULT_SPRT.split(",")
            self._elo0 = self._only(
                _number("Elo 0", float(elo0), _("not worth it"), least=None), "tests", "variants"
            )
            self._elo1 = self._only(_number("Elo 1", float(elo1), _("worth it"), least=None), "tests", "variants")
            self._alpha = self._only(
                _number("alpha", 0.05, _("probability to accept Elo 1 if Elo 0 is true")), "tests", "variants"
            )
            self._beta = self._only(
                _number("beta", 0.05, _("probability to accept Elo 0 if Elo 1 is true")), "tests", "variants"
            )

    def _build_openings(self) -> None:
        self._openings = ChoiceButtons(_("Openings"), self._choose_openings)
        self._openings.add_texts({value: _(text) for value, text in _OPENINGS.items()})
        self._openings.press("")
        with ui.element("div").classes("tg-fields"):
            self._plies = _number(_("Moves"), None, _("of an opening; empty: four, of XOT eight"))
        self._own = ui.textarea(_("One opening per line, as moves; or games in any format")).classes("tg-openings")
        self._own.props("outlined dense autogrow").style("width: 100%").mark("own-openings")
        self._own.set_visibility(False)

    def _build_details(self) -> None:
        with ui.element("div").classes("tg-fields"):
            self._seed = _number(_("Seed"), 1, _("other openings and engine seeds"))
            cores = available_cores()
            hint = _("at most {count}; empty: one core is left free").format(count=cores)
            self._concurrency = _number(_("Games at a time"), None, hint)
            self._agreement = self._only(
                _number(_("End when both agree"), 0, _("for this many moves each; 0: play on")),
                *("matches", "tests", "variants", "tournaments"),
            )
            self._solver = self._only(
                _number(_("End when proved"), 0, _("by the solver within this many nodes; 0: play on")),
                *("matches", "tests", "variants", "tournaments"),
            )
            self._stored_as = self._only(_text(_("Name of the tuned player"), "", ""), "tunings")
        rated = ui.switch(_("Rated: the games count for the players' ratings"))
        self._rated = self._only(rated, "matches", "tests", "variants", "tournaments")

    # ---- choices

    def _choose_kind(self, kind: str) -> None:
        self._kind = kind
        self._about.set_text(_(_ABOUT[kind]))
        self._number.props(f'hint="{_(_GAMES_HINTS[kind])}"')
        for kinds, element in self._parts:
            element.set_visibility(kind in kinds)
        usual = {"matches": 100, "tests": 2000, "variants": 1000, "tournaments": 4, "tunings": 0}
        if self._plan is None and self._number.value in usual.values():
            self._number.set_value(usual[kind])
        self._summary.set_text(_(KINDS[kind]))

    async def _choose_game(self, game: str) -> None:
        self._game = game
        self._games.press(game)
        given = {} if self._plan is None or self._plan.game != game else self._plan.options
        self._options.show(game, {one.name: given.get(one.name, one.default) for one in options_of(game)})
        found = await self._sessions.run_in_thread(candidates, self._sessions.store, game)
        names = list(dict.fromkeys(one.name for one in found if isinstance(one, EnginePlayer)))
        usual = [*names[2:4], *names[:2]]
        for field, number in ((self._first, 0), (self._second, 1), (self._base, 0), (self._tuned, 0)):
            if field.value in self._offered and field.value not in names:
                field.set_value(None)  # a player of another game
            _offer(field, names, usual[number] if len(usual) > number else None)
        for several in (self._variants, self._several):
            several.set_value([one for one in several.value if one in names or one not in self._offered])
            _offer(several, names, [])
        self._offered = frozenset(names)

    def _choose_openings(self, value: str) -> None:
        self._own.set_visibility(value == "own")

    async def _offer_settings(self, _event: Any) -> None:
        """Offer the settings of the engine that is tuned."""
        text = self._tuned.value
        if not text:
            return
        try:
            player = await self._sessions.run_in_thread(find_engine_player, self._sessions.store, text, self._game)
        except OptionError:
            return
        if player.config.program is None:
            names = [one.name for one in registry.engine_class(player.config.engine).tunables]
            _offer(self._settings, names, [])

    def _fill(self, plan: Plan) -> None:
        """Show the values of a plan."""
        self._seed.set_value(plan.seed)
        self._clock.set_value(plan.time)
        self._number.set_value(plan.games)
        if isinstance(plan, TuningPlan):
            self._kind = "tunings"
            for field, value in (
                (self._method, plan.method),
                (self._steps, plan.steps),
                (self._validation, plan.validation),
                (self._every, plan.every),
                (self._stored_as, plan.name),
                (self._plies, plan.plies),
            ):
                field.set_value(value)
            _preset(self._tuned, plan.player)
            _preset(self._settings, list(plan.tune))
            return
        self._plies.set_value(plan.plies)
        self._rated.set_value(plan.rated)
        self._agreement.set_value(plan.adjudication.get("agreement", 0))
        self._solver.set_value(plan.adjudication.get("solver", 0))
        source = "own" if plan.moves else plan.openings
        self._openings.press(source)
        self._choose_openings(source)
        self._own.set_value("\n".join(plan.moves))
        if isinstance(plan, TournamentPlan):
            self._kind = "tournaments"
            self._name.set_value(plan.name)
            self._form.set_value(plan.kind_of)
            self._rounds.set_value(plan.rounds)
            self._champions.set_value(plan.champions)
            _preset(self._several, list(plan.players))
            return
        if plan.sprt:
            numbers = [float(word) for word in plan.sprt.split(",")]
            for field, number in zip((self._elo0, self._elo1, self._alpha, self._beta), numbers, strict=False):
                field.set_value(number)
        if isinstance(plan, VariantsPlan):
            self._kind = "variants"
            _preset(self._base, plan.base)
            _preset(self._variants, list(plan.variants))
        else:
            self._kind = "tests" if plan.sprt else "matches"
            _preset(self._first, plan.players[0])
            _preset(self._second, plan.players[1])

    # ---- starting

    async def _begin(self) -> None:
        show_problem(self._problem, None)
        self._options.show_problems({})
        self._start.disable()
        try:
            check_arena(self._visit.visitor)
            plan = await self._read()
            queued = await self._sessions.arena.add(plan, _whole(self._concurrency))
        except TengenError as error:
            show_problem(self._problem, translate(str(error)))
            self._start.enable()
            return
        ui.navigate.to(f"/arena/{queued.kind}/{queued.id}")

    async def _read(self) -> Plan:
        """The plan that the fields describe. Raises `OptionError`."""
        game, problems = read_options(self._game, self._options.values)
        if game is None:
            self._options.show_problems(problems)
            raise OptionError(_("Please fix the marked fields"))
        options = {name: value for name, value in self._options.values.items() if value != ""}
        seed, games_, clock = _whole(self._seed, 1), _whole(self._number, 0), str(self._clock.value or "none")
        plies = _whole(self._plies)
        if self._kind == "tunings":
            return TuningPlan(
                self._game,
                str(self._method.value),
                _player(self._tuned),
                options,
                tuple(self._settings.value or ()),
                steps=_whole(self._steps, 1),
                games=games_,
                time=clock,
                **({} if plies is None else {"plies": plies}),
                validation=_whole(self._validation, 0),
                every=_whole(self._every, 0),
                seed=seed,
                name=str(self._stored_as.value or "").strip(),
            )
        source = self._openings.value or ""
        moves: tuple[str, ...] = ()
        if source == "own":
            source = ""
            moves = await self._sessions.run_in_thread(openings_from_text, game, str(self._own.value or ""), plies)
        adjudication = {"agreement": _whole(self._agreement, 0), "solver": _whole(self._solver, 0)}
        common: dict[str, Any] = {
            "options": options,
            "games": games_,
            "time": clock,
            "openings": source,
            "moves": moves,
            "plies": plies,
            "seed": seed,
            "rated": bool(self._rated.value),
            "adjudication": adjudication if any(adjudication.values()) else {},
        }
        if self._kind == "tournaments":
            return TournamentPlan(
                self._game,
                tuple(self._several.value or ()),
                str(self._name.value or "").strip() or _("Tournament"),
                str(self._form.value),
                rounds=_whole(self._rounds, 0),
                champions=_whole(self._champions, 1),
                **common,
            )
        sprt = ",".join(f"{float(one.value or 0):g}" for one in (self._elo0, self._elo1, self._alpha, self._beta))
        if self._kind == "variants":
            return VariantsPlan(
                self._game, _player(self._base), tuple(self._variants.value or ()), sprt=sprt, **common
            )
        players = (_player(self._first), _player(self._second))
        return MatchPlan(self._game, players, sprt=sprt if self._kind == "tests" else "", **common)


def _text(label: str, value: str, hint: str) -> Any:
    return ui.input(label, value=value).props(f'outlined dense hint="{hint}"')


def _number(label: str, value: float | None, hint: str, *, least: float | None = 0) -> Any:
    return ui.number(label, value=value, min=least).props(f'outlined dense hint="{hint}"')


def _whole(field: Any, default: Any = None) -> Any:
    """The whole number of a field; the default if it is empty."""
    return default if field.value is None else int(field.value)


def _player(field: Any) -> str:
    if not field.value:
        raise OptionError(_("Choose the players"))
    return str(field.value)


def _offer(field: Any, names: list[str], usual: Any) -> None:
    """Set the choices of a field; what was chosen stays, otherwise `usual` is chosen."""
    chosen = field.value if field.value else usual
    extra = chosen if isinstance(chosen, list) else [chosen] if chosen else []
    field.set_options([*names, *(one for one in extra if one not in names)], value=chosen)


def _preset(field: Any, value: Any) -> None:
    field.set_options(value if isinstance(value, list) else [value], value=value)


def _build_tile(game: str) -> None:
    ui.html(drawing(game), sanitize=False)
    with ui.element("b"):
        ui.label(_(games.game_class(game).title))


def register(sessions: GameSessions) -> None:
    @add_page(sessions, "/arena/new")
    async def new(visit: Visit, kind: str = "matches", copy: str = "") -> None:
        check_arena(visit.visitor)
        plan = None
        if copy:
            old, _dash, identity = copy.partition("-")
            view = await sessions.arena.view(old, identity)
            plan = None if view.queued is None else plan_from_dict(view.queued.plan)
        with page(visit, _("New run"), "/arena"), ui.element("div").classes("tg-one-column"):
            await Form(visit, kind, plan).build()
