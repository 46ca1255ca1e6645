"""An asynchronous client of the HTTP API, for programs on the same or another machine.

    import asyncio
    from tengen.client import Client

    async def main():
        async with Client("http://127.0.0.1:8564") as client:
            report = await client.analyse("othello", ["f5"], seconds=2)
            print(report.best, report.value.amount)

    asyncio.run(main())

It imports nothing of the server, the engines or the games.
"""

from __future__ import annotations

from tengen.client import models
from tengen.client.arena import Arena
from tengen.client.client import Client
from tengen.client.errors import Busy, CannotConnect, ClientError, Conflict, Invalid, NotAllowed, NotFound
from tengen.client.game import GameEvent, RemoteGame

__all__ = [
    "Arena",
    "Busy",
    "CannotConnect",
    "Client",
    "ClientError",
    "Conflict",
    "GameEvent",
    "Invalid",
    "NotAllowed",
    "NotFound",
    "RemoteGame",
    "models",
]
