"""A match: a game between two players, with its clock, from the first move until long after the last one.

It knows no user interface and no engine. Whoever plays calls `play`; whoever wants to know what happens calls
`watch`. It may be used from several threads: observers are told when the match is free again, so that they may
wait for each other, or for whoever is about to make a move.

Read `standing` first (what a match is, and what is always true of it), then `course` (how it is played).
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

from tengen.core.errors import TengenError
from tengen.core.game import Game, Move
from tengen.games.records import Record
from tengen.play import events
from tengen.play.clock import Clock
from tengen.play.course import Course
from tengen.play.game_tree import MatchError, Place, as_played, read_path, set_end_mark, write_path
from tengen.play.match_result import End
from tengen.play.rematch import presumed, rematch
from tengen.play.standing import VERSION, Save, acts
from tengen.play.time_control import TimeControl
from tengen.play.view import View
from tengen.players.player import Player
from tengen.runtime.messages import Progress
from tengen.store.game_entry import GameEntry


class Match(Course):
    """Make one with `new`, or go on with a stored one by `open`. The clock stands until `start`."""

    @classmethod
    def new(
        cls,
        game: Game,
        players: tuple[Player, Player],
        control: TimeControl | None = None,
        *,
        second: TimeControl | None = None,
        rated: bool = True,
        save: Save | None = None,
    ) -> Match:
        """A match from the start of a game, who goes first in front; `second` is a time control for the other."""
        today = datetime.now(UTC).date().isoformat()
        record = Record(game, names=(players[0].name, players[1].name), date=today)
        rated = rated and players[0].id != players[1].id
        match = cls(GameEntry(record, players, rated=rated), Clock.of(control or TimeControl(), second), save=save)
        match._changed()
        return match

    @classmethod
    def open(cls, entry: GameEntry, *, save: Save | None = None) -> Match:
        """Go on with a stored game, or look at it. Raises a `TengenError` if that cannot be done."""
        if not entry.state:
            entry.record = as_played(entry.record)
            moves = entry.record.nodes()[1:]
            times = [(node.player or 0, node.seconds or 0.0) for node in moves if node.move is not None]
            match = cls(entry, Clock.replay(TimeControl(), times), save=save)
        else:
            if entry.state.get("version") != VERSION:
                raise MatchError(
                    "the game was stored by a newer version of Tengen: it can be shown, not played on"
                )
            try:
                match = cls(entry, Clock.from_dict(entry.state["clock"]), save=save)
            except (ValueError, KeyError) as error:
                raise MatchError(f"the game's clock cannot be read: {error}") from None
            match._view.show(read_path(match._live.path()[0], entry.state["looked_at"]))
        match._end = End.recorded(entry.record, entry.end) or match._end_on_board()
        return match

    # ---- looking

    @acts
    def go_to(self, move: int) -> None:
        """Look at the position after so many moves of the line that is shown; the rest of it stays."""
        before = self.looked_at
        self._view.go_to(move)
        self._observers.post(self._look_from(before))

    @acts
    def go_to_live(self) -> None:
        """Look at where the game stands."""
        before = self.looked_at
        self._view.show(self._live)
        self._observers.post(self._look_from(before))

    @acts
    def enter(self, variation: int) -> None:
        """Look at the position after one of the moves that the tree has from here, 0 being the first."""
        before = self.looked_at
        self._view.enter(variation)
        self._observers.post(self._look_from(before))

    @acts
    def remove_variation(self) -> None:
        """Take the move looked at, and all that follows it, out of the tree; moves of the game itself stay."""
        if any(place.node is self.node for place in self._live.path()):
            raise MatchError("this is a move of the game itself: only variations can be removed")
        before = self.looked_at
        self._view.remove()
        self._changed(self._look_from(before))

    @acts
    def view(self) -> View:
        """Another view of the game, at where it stands: for one of several who look each at their own move."""
        return View(self._live)

    @acts
    def vary(self, view: View, move: Move | str) -> None:
        """Try a move at what this view shows. It becomes a variation, unless the tree has it; the game stays."""
        if view.vary(move).node is self._live.node:
            set_end_mark(self._live.node)
        self._changed(events.Annotated())

    @acts
    def prune(self, view: View) -> None:
        """Take the move that a view shows, and all that follows it, out of the tree; the game's own moves stay."""
        if any(place.node is view.place.node for place in self._live.path()):
            raise MatchError("this is a move of the game itself: only variations can be removed")
        view.remove()
        self._changed(events.Annotated())

    @acts
    def comment(self, view: View, text: str) -> None:
        """Say something about the move that a view shows."""
        view.place.node.comment = text
        self._changed(events.Annotated())

    @acts
    def remark(self, comment: str) -> None:
        """Say something about the move looked at."""
        self.node.comment = comment
        self._changed(self._look_from(self.looked_at))

    # ---- around the game

    @acts
    def save(self) -> None:
        """Keep which move is looked at, if it is another one than before. All else is kept at once."""
        if self._entry.state.get("looked_at") != write_path(self._view.place):
            self._changed()

    @acts
    def unrate(self) -> None:
        """Keep this game out of the ratings, because somebody was helped."""
        if self._entry.rated:
            self._entry.rated = False
            self._changed()

    @acts
    def change(
        self,
        *,
        players: tuple[Player, Player] | None = None,
        control: TimeControl | None = None,
        second: TimeControl | None = None,
        game: Game | None = None,
    ) -> None:
        """Other players, another clock or other rules for this same game, which keeps its id and is not rated.

        Raises a `TengenError`, with nothing changed, if the moves made are against the new rules.
        """
        self._check_in_time()
        what = []
        if game is not None and game != self.game:
            if game.name != self.game.name:
                raise MatchError(f"a game of {self.game.name} cannot become one of {game.name}")
            root = Place(self.record.root, game.start())
            live = root.game_end()  # raises if a move is illegal now, before anything has changed
            if [step.to_move for step in live.position.line()] != [step.to_move for step in self.live.line()]:
                raise MatchError("under these rules the moves made would be those of other players")
            looked_at = read_path(root, write_path(self._view.place))
            self._live, self.record.game = live, game
            self._view.show(looked_at)
            self._end = self._end_on_board()
            if self._end is not None:
                self._clock = self._clock.pause(time.monotonic())
            what.append("rules")
        if players is not None and players != self.players:
            self._entry.players = players
            self.record.names = (players[0].name, players[1].name)
            what.append("players")
        if control is not None:
            now = time.monotonic()
            paused = self._clock.pause(now).change(control, second)
            self._clock = paused.resume(now) if self.is_running else paused
            what.append("clock")
        if what:
            self._entry.rated = False
            told: list[events.Event] = [events.Altered(" and ".join(what))]
            self._changed(*told, *([] if self._end is None else [events.Ended(self._end)]))

    @acts
    def rematch(self) -> Match:
        """The next game between the two, by the same rules and times, not yet started.

        If this one is unfinished it is adjourned, and says who is presumed to have won it.
        """
        first, second = self.players
        if first is None or second is None:
            raise MatchError("a rematch needs two players, and a record has only their names")
        self.adjourn()
        if self._end is None:
            guess = presumed((first, second), self.live.to_move)
            self._entry.presumed = None if guess is None else guess.winner
            self._changed(events.Altered("presumed winner"))
        players = rematch((first, second), self._end)
        controls = self._clock.controls
        if players[0] is not first:
            controls = controls[::-1]
        return Match.new(
            self.game, players, controls[0], second=controls[1], rated=self._wants_rating, save=self._save
        )

    @acts
    def tell_thinking(self, progress: Progress) -> None:
        """Pass on news of the search for the next move."""
        if self.to_move is not None:
            self._observers.post(events.Thinking(self.live.to_move, self.live, progress))

    @acts
    def tell_trouble(self, error: TengenError) -> None:
        """The engine to move failed: stop the clock, and say so."""
        if self.to_move is not None:
            self.adjourn()
            self._observers.post(events.Trouble(self.live.to_move, error))
