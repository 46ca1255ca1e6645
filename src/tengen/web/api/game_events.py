"""The changes of a game, sent to all programs that watch it: each is built and written as JSON once for all.

If many watch, or a game is fast, several changes are sent as one: the state is always the newest.
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
from tengen.web.game_session import GameSession, SessionEvent
from tengen.web.game_sessions import GameSessions
from tengen.web.http_errors import status_of

QUEUE_LENGTH = 200  # messages that wait for one program, then its connection is closed
PAUSE_PER_READER_S = 0.0005  # between two messages, for each program that gets them …
LONGEST_PAUSE_S = 0.25  # … up to this
THINKING_PAUSE_S = 0.2
_NAMES = {  # of events in the API, where that is not the class's name in lower case
    "TakenBack": "taken-back",
    "CountingStarted": "counting",
    "SaveFailed": "not-saved",
    "EngineFailed": "trouble",
    "SessionChanged": "offered",
    **dict.fromkeys(("VariationAdded", "VariationDeleted", "CommentChanged"), "annotated"),
    **dict.fromkeys(("PlayersChanged", "ClockChanged", "RulesChanged", "WinnerPresumed"), "altered"),
}

Message = str | None  # None: the connection ends


class Feed:
    """The feed of one session, for all who listen to it. Use it in the server's event loop."""

    def __init__(self, session: GameSession) -> None:
        self._session = session
        self._queues: dict[asyncio.Queue[Message], Callable[[], None]] = {}
        self._event = ""  # of the newest change that was not sent
        self._thinking: events.SearchProgress | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0  # when the timer rings
        self._sent_at = 0.0
        self._thought_at = 0.0

    @property
    def is_unheard(self) -> bool:
        return not self._queues

    def join(self) -> asyncio.Queue[Message]:
        """A queue that gets the state as it is now, and then every change. Raises `LimitExceeded`."""
        queue: asyncio.Queue[Message] = asyncio.Queue(QUEUE_LENGTH)
        first = not self._queues
        self._queues[queue] = self._session.watch(self._hear if first else _ignore)
        queue.put_nowait(self._state("state"))
        return queue

    def leave(self, queue: asyncio.Queue[Message]) -> None:
        stop = self._queues.pop(queue, None)
        if stop is None:
            return
        stop()
        if self._queues:  # somebody has to listen
            other = next(iter(self._queues))
            self._queues[other]()
            self._queues[other] = self._session.watch(self._hear)
        elif self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _hear(self, news: SessionEvent) -> None:
        if isinstance(news, events.SearchProgress):
            self._thinking = news
        else:
            self._thinking = None
            if self._event != "Ended":
                self._event = type(news).__name__
        self._send_soon()

    def _send_soon(self) -> None:
        """Send what there is at the next moment at which that may be done."""
        pause = min(LONGEST_PAUSE_S, PAUSE_PER_READER_S * len(self._queues))
        due = self._sent_at + pause if self._event else self._thought_at + max(pause, THINKING_PAUSE_S)
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
            self._put(_thought(self._thinking))
            self._thinking, self._thought_at = None, time.monotonic()

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
        return f'{{"event": {json.dumps(event)}, "state": {models.State.of(self._session).model_dump_json()}}}'


class Feeds:
    """The feed of each session that somebody listens to."""

    def __init__(self, sessions: GameSessions) -> None:
        self._sessions = sessions
        self._feeds: dict[GameSession, Feed] = {}

    async def serve(self, socket: WebSocket, game_id: str) -> None:
        """Send the state of a game now and after each change, and what its engines think."""
        await socket.accept()
        try:
            session = await self._sessions.get(game_id)
            feed = self._feeds.get(session) or Feed(session)
            queue = feed.join()
            self._feeds[session] = feed
        except TengenError as error:
            await socket.send_json({"event": "error", "detail": str(error)})
            await socket.close(TRY_AGAIN_LATER if status_of(error) in (429, 503) else 1000)
            return
        reader = asyncio.ensure_future(_until_gone(socket, queue))
        try:
            while (text := await queue.get()) is not None:
                await socket.send_text(text)
            await socket.close(TRY_AGAIN_LATER)
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            feed.leave(queue)
            if feed.is_unheard:
                self._feeds.pop(session, None)
            reader.cancel()


async def _until_gone(socket: WebSocket, queue: asyncio.Queue[Message]) -> None:
    """Wait until the program has gone: what it sends means nothing here."""
    try:
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass
    except RuntimeError:
        pass
    if not queue.full():
        queue.put_nowait(None)


def _thought(thinking: events.SearchProgress) -> str:
    progress = thinking.progress
    report = "null" if progress.report is None else progress.report.to_json()
    head = json.dumps({"event": "thinking", "player": thinking.player, "stage": str(progress.stage)})
    return f'{head[:-1]}, "report": {report}}}'


def _ignore(news: SessionEvent) -> None:
    """A program that watches counts as a watcher of the session; the feed hears for all."""
