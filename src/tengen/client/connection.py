"""Requests to a server: addresses, tokens, errors, and the two WebSockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any, TypeVar

import httpx
import websockets
from websockets.asyncio.client import ClientConnection, connect

from tengen.client.errors import Busy, CannotConnect, ClientError, error_of
from tengen.client.models import Model

Answer = TypeVar("Answer", bound=Model)
_TRY_AGAIN_LATER = 1013  # the close code of a server that has too much to do


class Connection:
    """HTTP and WebSocket requests to one server; cookies are kept, so the server knows the caller again."""

    def __init__(self, address: str, token: str, timeout_s: float) -> None:
        self._base = f"{address.rstrip('/')}/api"
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._headers = headers
        self._timeout_s = timeout_s
        self._http = httpx.AsyncClient(headers=headers, timeout=timeout_s)
        self._sockets: set[ClientConnection] = set()

    async def close(self) -> None:
        """Close all connections, also those of `messages` whose loop was left before its end."""
        await asyncio.gather(*(socket.close() for socket in list(self._sockets)))
        await self._http.aclose()

    async def request(self, method: str, path: str, *, key: str = "", **content: Any) -> httpx.Response:
        """The answer to a request. Raises a `ClientError` if it is an error."""
        headers = {"X-Tengen-Key": key} if key else {}
        try:
            response = await self._http.request(method, self._base + path, headers=headers, **content)
        except httpx.TimeoutException:
            raise CannotConnect(f"{self._base} did not answer within {self._timeout_s:g} s") from None
        except httpx.HTTPError as error:
            raise CannotConnect(f"no answer from {self._base}: {error}") from None
        if response.is_success or (response.status_code == 503 and is_unsaved(response)):
            return response
        raise error_of(response)

    async def get(self, kind: type[Answer], path: str, **parameters: Any) -> Answer:
        return kind.model_validate_json((await self.request("GET", path, params=_given(parameters))).content)

    async def list(self, kind: type[Answer], path: str, **parameters: Any) -> list[Answer]:
        response = await self.request("GET", path, params=_given(parameters))
        return [kind.model_validate(one) for one in response.json()]

    async def post(self, kind: type[Answer], path: str, body: Any = None, *, key: str = "") -> Answer:
        content = {} if body is None else {"json": body}
        return kind.model_validate_json((await self.request("POST", path, key=key, **content)).content)

    async def messages(self, path: str, first: Any = None) -> AsyncGenerator[dict[str, Any]]:
        """The messages of a WebSocket, after sending `first`. An event `error` raises a `ClientError`."""
        address = self._base.replace("http", "ws", 1) + path
        headers = dict(self._headers)
        if self._http.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self._http.cookies.items())
        try:
            async with connect(
                address, additional_headers=headers, open_timeout=self._timeout_s, max_size=None
            ) as socket:
                self._sockets.add(socket)
                try:
                    if first is not None:
                        await socket.send(json.dumps(first))
                    async for text in socket:
                        message: dict[str, Any] = json.loads(text)
                        if message["event"] == "error":
                            raise ClientError(message["detail"])
                        yield message
                finally:
                    self._sockets.discard(socket)
                if socket.close_code == _TRY_AGAIN_LATER:
                    raise Busy("the server closed the connection: it has too much to do")
        except websockets.InvalidStatus as error:
            refused = error.response
            raise error_of(httpx.Response(refused.status_code, content=bytes(refused.body or b""))) from None
        except websockets.ConnectionClosedError as error:
            kind = Busy if error.rcvd is not None and error.rcvd.code == _TRY_AGAIN_LATER else CannotConnect
            raise kind(f"the connection to {self._base} was closed: {error}") from None
        except (OSError, TimeoutError, websockets.WebSocketException) as error:
            raise CannotConnect(f"no answer from {self._base}: {error}") from None


def is_unsaved(response: httpx.Response) -> bool:
    """Whether a change was made but is not saved yet: then the answer also has the state."""
    return response.headers.get("content-type") == "application/json" and "state" in response.json()


def _given(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if value is not None}
