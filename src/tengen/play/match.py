"""A match: one game between two players with its clock, result, move tree and storage.

A match of many games between engines is `arena.engine_match.EngineMatch`.

It knows no user interface and no engine. Players call `play`; observers subscribe with `watch`. Several threads
may use it: operations run one at a time, and observers are called after the operation has released the lock, so
they may wait for threads that use the match.

Invariants: the clock has as many moves as the game and waits for the player to move; a change is handed to the
store before observers are notified.

Its parts are in `game_tree` (the moves), `match_clock`, `match_result`, `match_setup`, `events` and `persistence`;
`view` is the cursor of a display.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from tengen.core.errors import TengenError
from tengen.core.game import Game, Move
from tengen.core.position import Position
from tengen.core.translation import mark
from tengen.games.records import Record
from tengen.play import events
from tengen.play.clock import Clock, TimeIsUp
from tengen.play.game_tree import GameTree, MatchError, TreeNode
from tengen.play.match_clock import MatchClock
from tengen.play.match_result import MatchResult
from tengen.play.match_setup import new_clock, new_entry, stored_clock
from tengen.play.persistence import MatchStorage, Save
from tengen.play.rematch import presumed, rematch
from tengen.play.time_control import TimeControl
from tengen.players.player import Person, Player
from tengen.runtime.messages import Progress
from tengen.store.game_entry import GameEntry

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _operation(method: Callable[Concatenate[Match, _P], _R]) -> Callable[Concatenate[Match, _P], _R]:
    """Run a method under the match's lock, then deliver the events that it posted. Operations may nest."""

    @wraps(method)
    def run(self: Match, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        with self._events.operation():
            return method(self, *args, **kwargs)

    return run


class Match:
    """Create one with `new`, or continue a stored one with `open`. The clock does not run before `start`."""

    def __init__(self, entry: GameEntry, clock: Clock, *, save: Save | None = None) -> None:
        """`entry.record` must have the form that `normalize_record` gives it."""
        self._events = events.EventQueue()
        self._storage = MatchStorage(entry, save)
        self._clock = MatchClock(clock)
        self._tree = GameTree(entry.record.root, entry.record.game)
        self._result: MatchResult | None = None

    @classmethod
    def new(
        cls,
        game: Game,
        players: tuple[Player, Player],
        control: TimeControl | None = None,
        *,
        second: TimeControl | None = None,
        rated: bool = True,
        opening: Sequence[Move] = (),
        draft: bool = False,
        save: Save | None = None,
    ) -> Match:
        """A match from the start of a game. `players[0]` moves first; `second` is the other's time control.

        `opening` are moves made before the clock starts. A `draft` is in no list before its first move. Raises a
        `MoveError` if a move of the opening is illegal.
        """
        entry = new_entry(game, players, rated=rated, opening=opening, draft=draft)
        match = cls(entry, new_clock(entry, control, second), save=save)
        match._changed()
        return match

    @classmethod
    def open(cls, entry: GameEntry, *, save: Save | None = None) -> Match:
        """Continue or show a stored game. Raises a `TengenError` if it is unreadable or its moves are illegal."""
        match = cls(entry, stored_clock(entry), save=save)
        match._result = MatchResult.from_record(entry.record, entry.end) or match._result_on_board()
        return match

    # ---- state

    @property
    def id(self) -> str:
        return self._storage.entry.id

    @property
    def game(self) -> Game:
        return self._storage.entry.record.game

    @property
    def players(self) -> tuple[Player | None, Player | None]:
        """The players, the first to move in front; None where a record has only a name."""
        return self._storage.entry.players

    @property
    def record(self) -> Record:
        """The game's record, to read only: it changes with the match."""
        return self._storage.entry.record

    @property
    def tree(self) -> GameTree:
        """The move tree, to read only: the match's methods edit it."""
        return self._tree

    @property
    def clock(self) -> Clock:
        return self._clock.reading

    @property
    def result(self) -> MatchResult | None:
        """The result, or None while the game is unfinished."""
        return self._result

    @property
    def live(self) -> Position:
        """The current position of the game."""
        return self._tree.current.position

    @property
    def is_running(self) -> bool:
        return self.clock.is_running

    @property
    def is_counting(self) -> bool:
        """Whether the moves are over and the players still have to agree on dead stones."""
        return self._result is None and self.live.is_over

    @property
    def agrees_on_dead_stones(self) -> bool:
        """Whether dead stones are agreed on before the result: if the rules demand it, and if people play."""
        if self.game.counts_dead_stones:
            return True
        return self.game.can_remove_dead_stones and self.has_person

    @property
    def has_person(self) -> bool:
        return any(isinstance(player, Person) for player in self.players)

    @property
    def dead_stones(self) -> tuple[str, ...] | None:
        """A stone of each string that was removed as dead before the count; None if the game was not counted."""
        return self._storage.dead_stones

    @property
    def is_rated(self) -> bool:
        """Whether the game counts, or will count, for the ratings."""
        return self._storage.entry.rated

    @property
    def can_abort(self) -> bool:
        """Whether the game can still be ended without a result: before each side has moved."""
        return self._result is None and not self._both_have_moved

    @property
    def to_move(self) -> int | None:
        """The player to move, whether the clock runs or not; None if no move is left to make."""
        return None if self._result is not None or self.live.is_over else self.live.to_move

    @property
    def save_error(self) -> TengenError | None:
        """Why the newest change is not in the store; None if it is."""
        return self._storage.error

    @property
    def saved_cursor(self) -> Mapping[str, Any] | None:
        """The path that `save_cursor` stored; None for the current position."""
        return self._storage.saved_cursor

    def watch(self, observer: events.Observer, *, depth: int = 0) -> Callable[[], None]:
        """Call `observer` with every event from now on; returns a function that ends this.

        Its `SearchProgress` events have up to `depth` positions of the principal variation.
        """
        return self._events.subscribe(observer, depth)

    # ---- the game

    @_operation
    def start(self) -> None:
        """Start the clock: at the beginning of a game, or after `adjourn`."""
        self._check_unfinished()
        if self.is_running or self.live.is_over:
            return
        self._clock.start(self.live.to_move)
        self._changed(events.Started(self.clock))

    @_operation
    def adjourn(self) -> None:
        """Stop the clock until `start`. If a flag has fallen, the game ends instead."""
        if not self.check_time() and self.is_running:
            self._clock.pause()
            self._changed(events.Adjourned(self.clock))

    @_operation
    def play(self, move: Move | str, *, at: Position | None = None, arrived: float | None = None) -> Position:
        """Make a move in the game and return the position after it.

        With `at`, the move is refused unless the game is still at that position. `arrived` is the
        `time.monotonic()` at which a server received the move: its player's time ends then and the next player's
        begins now, so neither pays for a busy server. Raises a `MoveError`, a `MatchError`, or `TimeIsUp`, which
        ends the match.
        """
        self._check_unfinished()
        if at is not None and at != self.live:
            raise MatchError(mark("the position has changed since this move was chosen"))
        if not self.is_running and not self.live.is_over:
            raise MatchError(mark("the clock is stopped: start or resume the game before you move"))
        before = self.live
        after = before.play(move)
        try:
            self._clock.move(arrived, then=None if after.is_over else after.to_move)
        except TimeIsUp as error:
            self._lose_on_time(error.clock)
            raise
        self._tree.play(after)
        self._tree.current.node.seconds = self.clock.moves[-1].seconds
        self._storage.entry.draft = False
        self._result = self._result_on_board()
        assert after.move is not None
        posted: list[events.Event] = [events.Moved(after, after.move, before.to_move, self.clock)]
        if after.is_over:
            posted.append(events.CountingStarted(after) if self._result is None else events.Ended(self._result))
        self._changed(*posted)
        return after

    @_operation
    def take_back(self, count: int = 1) -> None:
        """Take back the last `count` moves of either player. They stay in the tree as a variation.

        The mover gets back the time that was on the clock when that move began. The game is no longer rated.
        """
        self._check_in_time()
        if not 1 <= count <= self.live.ply:
            raise MatchError(
                mark("{count} moves cannot be taken back: the game has {total} moves").format(
                    count=count, total=self.live.ply
                )
            )
        before = self.live
        self._tree.take_back(count)
        self._clock.take_back(count, resume=before.is_over)
        self._storage.entry.rated = False
        self._changed(events.TakenBack(self.live, before, self.clock))

    @_operation
    def take_back_for(self, player: int) -> None:
        """Take back until `player` is to move again: their last move, and the reply if there was one."""
        self._check_in_time()
        count = self._tree.moves_since_turn_of(player)
        if count is None:
            raise MatchError(mark("{player} has no move to take back").format(player=self.game.players[player]))
        self.take_back(count)

    @_operation
    def resign(self, player: int | None = None) -> None:
        """Resign for `player`, by default the one to move."""
        self._check_in_time()
        self._finish(MatchResult.resigned(self.game, self.live.to_move if player is None else player))

    @_operation
    def draw(self) -> None:
        """End the game as a draw by agreement, if the game can be drawn."""
        self._check_in_time()
        if not self.game.can_draw:
            raise MatchError(mark("{game} cannot be drawn").format(game=self.game.describe()))
        self._finish(MatchResult.draw(mark("agreed")))

    @_operation
    def abort(self) -> None:
        """End the game without a result, before each side has moved. It never counts."""
        self._check_in_time()
        if not self.can_abort:
            raise MatchError(mark("both sides have moved: resign instead"))
        self._finish(MatchResult.aborted())

    @_operation
    def forfeit(self, player: int, reason: str) -> None:
        """Let a player lose for a reason outside the rules, such as a program's illegal move."""
        self._check_in_time()
        self._finish(MatchResult.forfeited(player, reason))

    @_operation
    def adjudicate(self, result: MatchResult) -> None:
        """End an unfinished game with this result, even if a flag has fallen meanwhile."""
        self._check_unfinished()
        self._finish(result)

    @_operation
    def finish_counting(self, dead: Iterable[str | Move] = ()) -> MatchResult:
        """End a game whose moves are over. `dead` has a stone of each string that both players consider dead."""
        if not self.is_counting:
            raise MatchError(mark("the game is not being counted: it has moves left, or has ended"))
        removed = [point if isinstance(point, str) else self.game.write_move(point) for point in dead]
        result = MatchResult.from_outcome(self.game, self.game.count(self.live, removed), counted=True)
        self._storage.dead_stones = tuple(removed)
        self._finish(result)
        return result

    @_operation
    def resume_play(self) -> None:
        """Play on because the players do not agree on the dead stones: takes back the passes that ended the game.

        The one who passed first moves. The game stays rated, and the time of the passes stays used.
        """
        self._check_unfinished()
        if not self.is_counting:
            raise MatchError(mark("the game is not being counted: it has moves left, or has ended"))
        before, count = self.live, self._tree.count_last_passes()
        if count == 0:
            raise MatchError(mark("the game did not end by passes: there is nothing to play on"))
        self._tree.take_back(count)
        self._clock.withdraw(count)
        self._changed(events.TakenBack(self.live, before, self.clock))

    # ---- the flag

    def expect_move(self, arrived: float) -> None:
        """Announce that a move of the player to move arrived at this time and will soon be played or refused.

        If it arrived in time, the flag does not fall meanwhile. Follow each call by `stop_expecting`.
        """
        self._clock.expect_move(arrived)

    def stop_expecting(self, arrived: float) -> None:
        """The move announced by `expect_move(arrived)` has been played or refused."""
        self._clock.stop_expecting(arrived)
        self.check_time()

    @_operation
    def check_time(self) -> bool:
        """End the match if the flag of the player to move has fallen; returns whether it has."""
        clock = None if self._result is not None else self._clock.fallen()
        if clock is None:
            return False
        self._lose_on_time(clock)
        return True

    # ---- variations and comments

    @_operation
    def add_variation(self, node: TreeNode, move: Move | str) -> TreeNode:
        """Add a move after `node` as a variation and return its node; the tree may have that move already."""
        child, is_new = self._tree.add_variation(node, move)
        if is_new:
            self._changed(events.VariationAdded(child))
        return child

    @_operation
    def delete_variation(self, node: TreeNode) -> None:
        """Delete a move and everything after it. Raises `MatchError` for a move of the game itself."""
        self._tree.delete_variation(node)
        self._changed(events.VariationDeleted(node))

    @_operation
    def set_comment(self, node: TreeNode, text: str) -> None:
        """Replace the comment of a move."""
        if text != node.node.comment:
            self._tree.set_comment(node, text)
            self._changed(events.CommentChanged(node))

    # ---- settings and storage

    @_operation
    def to_entry(self) -> GameEntry:
        """The match in its stored form. Not a copy: the match continues with it."""
        return self._storage.update(self.clock, self._result)

    @_operation
    def retry_save(self) -> None:
        """Save again if the last save failed; posts `Saved` if it works now."""
        if self._storage.error is not None and self._storage.save(self.clock, self._result) is None:
            self._events.post(events.Saved())

    @_operation
    def save_cursor(self, path: Mapping[str, Any] | None) -> None:
        """Store the path at which a view was left (see `View.save`); None for the current position."""
        if path != self._storage.saved_cursor:
            self._storage.saved_cursor = path
            self._changed()

    @_operation
    def set_name(self, side: int, name: str) -> None:
        """Change the name of a player in this game only, for a guest."""
        names = list(self.record.names)
        names[side] = name
        self.record.names = (names[0], names[1])
        self._changed(events.PlayersChanged())

    @_operation
    def unrate(self) -> None:
        """Exclude this game from the ratings, because a player got help."""
        if self._storage.entry.rated:
            self._storage.entry.rated = False
            self._changed()

    @_operation
    def change(
        self,
        *,
        players: tuple[Player, Player] | None = None,
        control: TimeControl | None = None,
        second: TimeControl | None = None,
        game: Game | None = None,
    ) -> None:
        """Continue this game with other players, time controls or rules. It keeps its id and is no longer rated.

        Raises a `TengenError`, with nothing changed, if the moves made are illegal under the new rules.
        """
        self._check_in_time()
        posted: list[events.Event] = []
        if game is not None and game != self.game:
            self._tree = self._tree.under_rules(game)
            self.record.game = game
            self._result = self._result_on_board()
            if self._result is not None:
                self._clock.pause()
            posted.append(events.RulesChanged())
        if players is not None and players != self.players:
            self._storage.entry.players = players
            self.record.names = (players[0].name, players[1].name)
            posted.append(events.PlayersChanged())
        if control is not None:
            self._clock.change(control, second)
            posted.append(events.ClockChanged(self.clock))
        if posted:
            self._storage.entry.rated = False
            if self._result is not None:
                posted.append(events.Ended(self._result))
            self._changed(*posted)

    @_operation
    def rematch(self, *, draft: bool = False) -> Match:
        """The next game between the same players with the same rules and time controls, not yet started.

        An unfinished game is adjourned, and its presumed winner stored.
        """
        first, second = self.players
        if first is None or second is None:
            raise MatchError(mark("a rematch needs two players: this record has only their names"))
        self.adjourn()
        if self._result is None:
            presumption = presumed((first, second), self.live.to_move)
            winner = None if presumption is None else presumption.winner
            self._storage.entry.presumed = winner
            self._changed(events.WinnerPresumed(winner))
        players = rematch((first, second), self._result)
        controls = self.clock.controls
        if players[0] is not first:
            controls = controls[::-1]
        return Match.new(
            self.game,
            players,
            controls[0],
            second=controls[1],
            rated=self._storage.wants_rating,
            draft=draft,
            save=self._storage.write,
        )

    # ---- engines

    @_operation
    def report_progress(self, progress: Progress) -> None:
        """Pass the progress of the search for the next move on to observers."""
        if self.to_move is not None:
            self._events.post(events.SearchProgress(self.live.to_move, self.live, progress))

    @_operation
    def report_engine_failure(self, error: TengenError) -> None:
        """Stop the clock because the engine to move failed, and notify observers."""
        if self.to_move is not None:
            self.adjourn()
            self._events.post(events.EngineFailed(self.live.to_move, error))

    # ---- private

    def _check_unfinished(self) -> None:
        if self._result is not None:
            raise MatchError(mark("the game is over: {reason}").format(reason=self._result.reason))

    def _check_in_time(self) -> None:
        self.check_time()
        self._check_unfinished()

    def _lose_on_time(self, clock: Clock) -> None:
        self._clock.reading = clock
        assert clock.player is not None
        self._finish(MatchResult.on_time(self.game, clock.player))

    @property
    def _both_have_moved(self) -> bool:
        return len({step.parent.to_move for step in self.live.line() if step.parent is not None}) == 2

    def _finish(self, result: MatchResult) -> None:
        self._clock.pause()
        if self.has_person and not self._both_have_moved:
            self._storage.entry.rated = False
        self._result = result
        self._changed(events.Ended(result))

    def _result_on_board(self) -> MatchResult | None:
        """The result by the rules; None if the game goes on or dead stones are agreed on first."""
        outcome = None if self.agrees_on_dead_stones else self.live.outcome
        return None if outcome is None else MatchResult.from_outcome(self.game, outcome)

    def _changed(self, *posted: events.Event) -> None:
        """Save the match, then post events."""
        error = self._storage.save(self.clock, self._result)
        self._events.post(*posted, *([] if error is None else [events.SaveFailed(error)]))
