"""Client address, scheme and host of requests that arrive through a reverse proxy.

Anybody can send `X-Forwarded-*` headers, so they are trusted only from configured proxies: `X-Forwarded-For` gives
the client (the right-most address that is not itself a proxy, because the client controls everything left of it),
`X-Forwarded-Proto` the scheme and `X-Forwarded-Host` the host. From other senders they are ignored, with one
exception: a request from this machine with such a header was forwarded for an unknown client, who must not be
treated as the machine's owner.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import TypeAlias

from starlette.datastructures import Headers
from starlette.types import Scope

from tengen.core.errors import OptionError

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
_FORWARDING_HEADERS = ("x-forwarded-for", "x-real-ip", "forwarded")


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach a server at this address."""
    found = _address(address)
    return found.is_loopback if found is not None else address.lower() == "localhost"


def is_local_client(client: tuple[str, int] | None) -> bool:
    """Whether a request comes from this machine; `client` is None if a proxy did not name the client."""
    return client is not None and is_loopback(client[0])


@dataclass(frozen=True)
class ClientRequest:
    """A request with the client's address, scheme and host as reported by a trusted proxy."""

    scope: Scope
    headers: Headers
    client: tuple[str, int] | None  # None: forwarded for an unknown client
    address: str  # of the client, else of the nearest proxy; failed logins are counted by it
    scheme: str  # http or https
    host: str
    is_scheme_certain: bool = True
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def is_secure(self) -> bool:
        return self.scheme == "https"

    @property
    def path(self) -> str:
        return str(self.scope["path"])

    @property
    def wants_html(self) -> bool:
        return "text/html" in self.headers.get("accept", "")


class TrustedProxies:
    """The proxies whose headers are trusted."""

    def __init__(self, networks: Iterable[str] = ()) -> None:
        self._networks = [_network(text) for text in networks]

    def client_request(self, scope: Scope) -> ClientRequest:
        """Describe a request, and set the client's address, scheme and host in its scope."""
        headers = Headers(scope=scope)
        peer = (scope.get("client") or ("", 0))[0]
        client: tuple[str, int] | None = scope.get("client")
        secure = scope.get("scheme") in ("https", "wss")
        host, address, certain = headers.get("host", ""), peer, False
        if self._trusts(_address(peer)):
            client = self._client(headers)
            if client is not None and is_loopback(client[0]) and not is_loopback(peer):
                client = None  # the proxy's loopback is another machine
            address = peer if client is None else client[0]
            proto = _last(headers, "x-forwarded-proto").lower()
            if proto:
                secure, certain = proto in ("https", "wss"), True
            host = _last(headers, "x-forwarded-host") or host
        elif is_loopback(peer) and any(name in headers for name in _FORWARDING_HEADERS):
            client = None
        is_socket = scope["type"] == "websocket"
        scope["client"] = client
        scope["scheme"] = ("ws" if is_socket else "http") + ("s" if secure else "")
        if host != headers.get("host", ""):
            others = [(name, value) for name, value in scope["headers"] if name != b"host"]
            scope["headers"] = [*others, (b"host", host.encode("latin-1"))]
        scheme = "https" if secure else "http"
        return ClientRequest(
            scope, Headers(scope=scope), client, address, scheme, host, certain, _cookies(headers)
        )

    def _client(self, headers: Headers) -> tuple[str, int] | None:
        found: _Address | None = None
        for text in reversed(",".join(headers.getlist("x-forwarded-for")).split(",")):
            found = _address(text.strip())
            if not self._trusts(found):
                break
        return None if found is None else (str(found), 0)

    def _trusts(self, address: _Address | None) -> bool:
        return address is not None and any(address in network for network in self._networks)


def _network(text: str) -> _Network:
    try:
        return ipaddress.ip_network(text.strip(), strict=False)
    except ValueError:
        raise OptionError(
            f"{text!r} is not a proxy address: expected an address or network such as 127.0.0.1 or 10.0.0.0/8"
        ) from None


def _address(text: str) -> _Address | None:
    """Parse an address with or without a port; IPv4 addresses in IPv6 form become IPv4."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found


def _last(headers: Headers, name: str) -> str:
    return ",".join(headers.getlist(name)).rpartition(",")[2].strip()


def _cookies(headers: Headers) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(headers.get("cookie", "")).items()}
    except CookieError:
        return {}
