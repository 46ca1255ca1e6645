"""Browsers that watch games, as a server sees them: one WebSocket each."""

from __future__ import annotations

import asyncio
import re
import threading
from typing import Any

import httpx
import socketio


class Watchers(threading.Thread):
    """A WebSocket for each of `games`. `seen` holds the last move that each was sent."""

    def __init__(self, address: str, games: list[str]) -> None:
        super().__init__(daemon=True)
        self._address = address
        self._games = games
        self.seen = [-1] * len(games)
        self.messages = 0
        self.done = threading.Event()

    def run(self) -> None:
        asyncio.run(self._watch_all())

    async def _watch_all(self) -> None:
        clients = [await self._watch(number, game) for number, game in enumerate(self._games)]
        while not self.done.is_set():
            await asyncio.sleep(0.2)
        for client in clients:
            await client.disconnect()

    async def _watch(self, number: int, game: str) -> socketio.AsyncClient:
        async with httpx.AsyncClient(timeout=120) as http:
            page = await http.get(f"{self._address}/game/{game}")
        found = re.search(r"client_id['\"]?:\s*['\"]([0-9a-f-]{36})", page.text)
        assert found is not None
        self.seen[number] = max(int(ply) for ply in re.findall(r"ply.{1,12}?(\d+)", page.text))
        client = socketio.AsyncClient()

        def receive(event: str, *data: Any) -> None:
            self.messages += 1
            plies = re.findall(r'"ply":\s*(\d+)', str(data).replace("\\", ""))
            if plies:
                self.seen[number] = max(self.seen[number], int(plies[-1]))

        client.on("*", receive)
        who = f"client_id={found[1]}&document_id=d{number}&tab_id=t{number}"
        await client.connect(
            f"{self._address}?{who}&next_message_id=0&implicit_handshake=true",
            socketio_path="/_nicegui_ws/socket.io",
            transports=["websocket"],
            wait_timeout=60,
        )
        return client
