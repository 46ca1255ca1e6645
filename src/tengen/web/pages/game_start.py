"""Starts games with given settings, for the form of a new game and for the home page."""

from __future__ import annotations

import random

from tengen.app.chosen_opening import read_opening
from tengen.app.game_options import read_options
from tengen.app.player_level import Suggestion, suggest_opponent
from tengen.core.errors import OptionError, TengenError
from tengen.core.game import Game
from tengen.core.translation import gettext as _
from tengen.play.player_lookup import candidates
from tengen.play.time_control import TimeControl
from tengen.players.opponents import levels, with_opening
from tengen.players.player import GUEST_NAME, EnginePlayer, Person, Player
from tengen.web.game_session import GameSession
from tengen.web.last_settings import GameSettings, remember_settings
from tengen.web.pages.layout import Visit
from tengen.web.permissions import check_players, may_play_as


class OptionProblems(TengenError):
    """Options of a game are invalid; `problems` has the errors by name, "" for those that concern several."""

    def __init__(self, problems: dict[str, str]) -> None:
        super().__init__(_("Please fix the marked fields"))
        self.problems = problems


class Players:
    """The players of a game among whom a visitor may choose, and who the visitor is."""

    def __init__(self, visit: Visit, game: str, found: list[Player], suggestion: Suggestion) -> None:
        self.people = [player for player in found if isinstance(player, Person)]
        self.engines = [player for player in found if isinstance(player, EnginePlayer)]
        self.levels = levels(game)
        self.suggestion = suggestion
        self.me = _myself(visit, self.people)
        if self.me not in self.people:
            self.people.insert(0, self.me)

    @classmethod
    async def find(cls, visit: Visit, game: str) -> Players:
        return await visit.sessions.run_in_thread(cls._find, visit, game)

    @classmethod
    def _find(cls, visit: Visit, game: str) -> Players:
        store, visitor = visit.sessions.store, visit.visitor
        owners = store.player_owners()
        found = [
            one
            for one in candidates(store, game)
            if may_play_as(visitor, one, owners.get(one.id), is_stored=one.id in owners)
        ]
        me = _myself(visit, [one for one in found if isinstance(one, Person)])
        return cls(visit, game, found, suggest_opponent(store, me.id if me.id in owners else None, game))

    @property
    def everyone(self) -> list[Player]:
        return [*self.people, *self.engines]

    @property
    def other_engines(self) -> list[EnginePlayer]:
        """Engine players that the user added."""
        built_in = {opponent.id for opponent in self.levels}
        return [player for player in self.engines if player.id not in built_in]

    def engine(self, identity: str) -> EnginePlayer:
        """The engine player with this id; the suggested opponent if there is none."""
        return next((one for one in self.engines if one.id == identity), self.suggestion.opponent.player)

    def friend(self, name: str) -> Person:
        """The person with this name who plays against the visitor, maybe a new one."""
        wanted = name.strip() or _("Friend")
        return next((one for one in self.people if one.name.casefold() == wanted.casefold()), Person(wanted))


def _myself(visit: Visit, people: list[Person]) -> Person:
    named = [one for one in people if one.name.casefold() == visit.name.casefold()]
    if named or (people and not visit.preferences.name):
        return (named or people)[0]
    return Person(visit.name)


def check_options(game: str, settings: GameSettings) -> Game:
    """The game with the options of the settings. Raises `OptionProblems`."""
    found, problems = read_options(game, settings.all_options(game))
    if found is None:
        raise OptionProblems(problems)
    return found


async def start_game(
    visit: Visit,
    name: str,
    settings: GameSettings,
    players: Players,
    *,
    me: Player | None = None,
    remember: bool = True,
) -> GameSession:
    """Start a game and `remember` its settings. `me` plays the visitor's side, by default the visitor."""
    game, control = check_options(name, settings), TimeControl.parse(settings.clock)
    mine: Player = me or players.me
    other: Player
    if settings.opponent == "engine":
        other = players.engine(settings.engine)
        if settings.opening:
            opening = await visit.sessions.run_in_thread(read_opening, game, settings.opening)
            other = with_opening(other, opening)
    elif settings.opponent == "friend":
        other = players.friend(settings.friend)
        if other == mine:
            raise OptionError(_("Give your friend another name than yours"))
    else:
        other = Person(GUEST_NAME)
    is_second = settings.colour == "second" or (settings.colour == "random" and random.random() < 0.5)
    sides: tuple[Player, Player] = (other, mine) if is_second else (mine, other)
    by_link = settings.opponent == "link"
    sessions = visit.sessions
    await sessions.run_in_thread(check_players, sessions.store, visit.visitor, sides, other if by_link else None)
    session = await sessions.create(
        game,
        sides,
        visit.browser,
        control=control,
        rated=settings.rated,
        ponder=settings.ponder,
        invited_side=sides.index(other) if by_link else None,
    )
    if remember:
        remember_settings(sessions.visitors, visit.browser, name, settings)
    return session
