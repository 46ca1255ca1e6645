"""The event stream of a game for API clients: each state is built and serialised once for all of them.

If there are many clients or the game is fast, changes are combined; the state sent is always the latest.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable

from fastapi import WebSocket, WebSocketDisconnect

from tengen.core.errors import TengenError
from tengen.play import events
from tengen.web.api import models
from tengen.web.concurrency_limiter import TRY_AGAIN_LATER
from tengen.web.game_session import GameSession
from tengen.web.game_sessions import GameSessions
from tengen.web.http_errors import status_of
from tengen.web.session_events import SessionEvent

QUEUE_LENGTH = 200  # unsent messages per client; then the connection is closed
INTERVAL_PER_CLIENT_S = 0.0005  # between two messages, per connected client …
MAX_INTERVAL_S = 0.25  # … up to this
MIN_PROGRESS_INTERVAL_S = 0.2
_NAMES = {  # of events in the API, where that is not the class's name in lower case
    "TakenBack": "taken-back",
    "CountingStarted": "counting",
    "SaveFailed": "not-saved",
    "EngineFailed": "trouble",
    "SessionChanged": "offered",
    **dict.fromkeys(("VariationAdded", "VariationDeleted", "CommentChanged"), "annotated"),
    **dict.fromkeys(("PlayersChanged", "ClockChanged", "RulesChanged", "WinnerPresumed"), "altered"),
}

Message = str | None  # None: close the connection


class GameEventStream:
    """The event stream of one session for all its clients. Use it in the event loop."""

    def __init__(self, session: GameSession) -> None:
        self._session = session
        self._queues: dict[asyncio.Queue[Message], Callable[[], None]] = {}
        self._event = ""  # name of the latest event not sent yet
        self._thinking: events.SearchProgress | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0  # when the timer fires
        self._sent_at = 0.0
        self._progress_sent_at = 0.0

    @property
    def is_unused(self) -> bool:
        return not self._queues

    def join(self) -> asyncio.Queue[Message]:
        """A queue that receives the current state and then every change. Raises `LimitExceeded`."""
        queue: asyncio.Queue[Message] = asyncio.Queue(QUEUE_LENGTH)
        first = not self._queues
        self._queues[queue] = self._session.watchers.add(self._on_event if first else _ignore)
        queue.put_nowait(self._state("state"))
        return queue

    def leave(self, queue: asyncio.Queue[Message]) -> None:
        stop = self._queues.pop(queue, None)
        if stop is None:
            return
        stop()
        if self._queues:  # another client's watcher receives the events from now on
            other = next(iter(self._queues))
            self._queues[other]()
            self._queues[other] = self._session.watchers.add(self._on_event)
        elif self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_event(self, event: SessionEvent) -> None:
        if isinstance(event, events.SearchProgress):
            self._thinking = event
        else:
            self._thinking = None
            if self._event != "Ended":
                self._event = type(event).__name__
        self._schedule_sending()

    def _schedule_sending(self) -> None:
        """Send pending events as soon as the rate limit allows."""
        pause = min(MAX_INTERVAL_S, INTERVAL_PER_CLIENT_S * len(self._queues))
        due = (
            self._sent_at + pause if self._event else self._progress_sent_at + max(pause, MIN_PROGRESS_INTERVAL_S)
        )
        if self._timer is not None:
            if self._due <= due:
                return
            self._timer.cancel()
        now = time.monotonic()
        if due <= now:
            self._send()
        else:
            self._due = due
            self._timer = asyncio.get_running_loop().call_later(due - now, self._send)

    def _send(self) -> None:
        self._timer = None
        if self._event:
            self._put(self._state(_NAMES.get(self._event, self._event.lower())))
            self._event, self._sent_at = "", time.monotonic()
        if self._thinking is not None:
            self._put(_progress_message(self._thinking))
            self._thinking, self._progress_sent_at = None, time.monotonic()

    def _put(self, text: str) -> None:
        for queue in list(self._queues):
            if queue.full():
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(None)
                self.leave(queue)
            else:
                queue.put_nowait(text)

    def _state(self, event: str) -> str:
        state = models.State.from_session(self._session).model_dump_json()
        return f'{{"event": {json.dumps(event)}, "state": {state}}}'


class GameEventStreams:
    """The streams of all sessions that have clients."""

    def __init__(self, sessions: GameSessions) -> None:
        self._sessions = sessions
        self._streams: dict[GameSession, GameEventStream] = {}

    async def serve(self, socket: WebSocket, game_id: str) -> None:
        """Send the state of a game now and after each change, and the progress of engines."""
        await socket.accept()
        try:
            session = await self._sessions.get(game_id)
            stream = self._streams.get(session) or GameEventStream(session)
            queue = stream.join()
            self._streams[session] = stream
        except TengenError as error:
            await socket.send_json({"event": "error", "detail": str(error)})
            await socket.close(TRY_AGAIN_LATER if status_of(error) in (429, 503) else 1000)
            return
        reader = asyncio.ensure_future(_wait_for_disconnect(socket, queue))
        try:
            while (text := await queue.get()) is not None:
                await socket.send_text(text)
            await socket.close(TRY_AGAIN_LATER)
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            stream.leave(queue)
            if stream.is_unused:
                self._streams.pop(session, None)
            reader.cancel()


async def _wait_for_disconnect(socket: WebSocket, queue: asyncio.Queue[Message]) -> None:
    """Wait until the client disconnects; its messages are ignored."""
    try:
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass
    except RuntimeError:
        pass
    if not queue.full():
        queue.put_nowait(None)


def _progress_message(thinking: events.SearchProgress) -> str:
    progress = thinking.progress
    report = "null" if progress.report is None else progress.report.to_json()
    head = json.dumps({"event": "thinking", "player": thinking.player, "stage": str(progress.stage)})
    return f'{head[:-1]}, "report": {report}}}'


def _ignore(event: SessionEvent) -> None:
    """A watcher that only counts the client; one watcher handles the events for all."""
