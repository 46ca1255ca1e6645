"""A game on a server, seen and played from a program."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from tengen.client.connection import Connection, is_unsaved
from tengen.client.models import Analysis, Created, Reviewing, State, Valued


@dataclass(frozen=True)
class GameEvent:
    """A message about a game: a change, with the new state, or `thinking`, with what an engine has found."""

    name: str
    state: State | None = None
    analysis: Analysis | None = None


class RemoteGame:
    """A game by its id. `keys` are those of the seats that the caller plays; without one it can only be watched.

    Each action returns the new state, in which `saved` is false while the server's database is away.
    """

    def __init__(self, connection: Connection, game_id: str, keys: Sequence[str | None] = (None, None)) -> None:
        self._connection = connection
        self.id = game_id
        self.keys = (keys[0], keys[1])

    @property
    def key(self) -> str:
        """The key of the caller's seat, of the first player's if both are; empty for a watcher."""
        return self.keys[0] or self.keys[1] or ""

    async def state(self) -> State:
        """The current state."""
        return await self._connection.get(State, self._path())

    async def play(self, move: str) -> State:
        """Make a move, given in the game's notation, for the side to move. Raises `Invalid`."""
        key = self.key
        if all(self.keys):  # both sides are the caller's
            key = self.keys[(await self.state()).to_move or 0] or ""
        return await self._act("moves", {"move": move}, key=key)

    async def take_back(self) -> State:
        """Take back to your own last move, or ask the opponent to agree."""
        return await self._act("take-back")

    async def resign(self) -> State:
        return await self._act("resign")

    async def draw(self) -> State:
        """Offer a draw, or accept one."""
        return await self._act("draw")

    async def reply(self, accept: bool) -> State:
        """Accept or decline the opponent's offer."""
        return await self._act("reply", {"accept": accept})

    async def count(self, dead: Sequence[str] = ()) -> State:
        """Mark exactly these stones as dead, one of each string, and agree."""
        return await self._act("count", {"dead": list(dead)})

    async def play_on(self) -> State:
        """Play on instead of counting."""
        return await self._act("play-on")

    async def abort(self) -> State:
        """End the game without a result, before each side has moved."""
        return await self._act("abort")

    async def pause(self) -> State:
        return await self._act("pause")

    async def resume(self) -> State:
        return await self._act("resume")

    async def move_now(self) -> State:
        """Let the searching engine play its best move so far."""
        return await self._act("move-now")

    async def rematch(self) -> RemoteGame:
        """Start a rematch."""
        made = await self._connection.post(Created, self._path("rematch"), key=self.key)
        return RemoteGame(self._connection, made.state.id, made.keys)

    async def record(self, form: str = "sgf", *, move: int | None = None, height: int = 480) -> bytes:
        """The game as a file: in a format such as sgf or text, or as a picture, png, svg, gif, webp or html.

        A picture ends with `move`; `height` is in pixels.
        """
        pictures = {"height": height} | ({} if move is None else {"move": move})
        return (await self._connection.request("GET", self._path(f"record.{form}"), params=pictures)).content

    async def delete(self) -> None:
        """Delete the game; `restore` undoes it."""
        await self._connection.request("DELETE", self._path(), key=self.key)

    async def restore(self) -> None:
        await self._connection.request("POST", self._path("restore"), key=self.key)

    async def review(self) -> Reviewing:
        """Evaluate the whole game in the background; the answer is the progress."""
        return await self._connection.post(Reviewing, self._path("review"), key=self.key)

    async def values(self) -> list[Valued]:
        """The reports on positions of the game that are known so far."""
        return await self._connection.list(Valued, self._path("values"))

    async def events(self) -> AsyncIterator[GameEvent]:
        """The state now and after each change, and the progress of engines, until the connection ends.

        async for event in game.events():
            if event.state is not None and event.state.result is not None:
                break
        """
        async with aclosing(self._connection.messages(self._path("events"))) as messages:
            async for message in messages:
                state, report = message.get("state"), message.get("report")
                yield GameEvent(
                    message["event"],
                    None if state is None else State.model_validate(state),
                    None if report is None else Analysis.model_validate(report),
                )

    async def my_turn(self) -> State:
        """Wait until it is the turn of a side of the caller, or the game has ended; returns the state.

        In games with a clock, engines are prepared before it starts; this waits for that, too.
        """
        async for event in self.events():
            state = event.state
            if state is not None and (state.result is not None or self._is_turn(state)):
                return state
        return await self.state()

    def _is_turn(self, state: State) -> bool:
        return state.running and state.to_move is not None and self.keys[state.to_move] is not None

    async def _act(self, action: str, body: Any = None, *, key: str = "") -> State:
        content = {} if body is None else {"json": body}
        response = await self._connection.request("POST", self._path(action), key=key or self.key, **content)
        found = response.json()
        return State.model_validate(found["state"] if is_unsaved(response) else found)

    def _path(self, action: str = "") -> str:
        return f"/games/{self.id}/{action}".rstrip("/")
