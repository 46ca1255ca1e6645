"""Parameter types shared by the paths of the API."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Header, Path, Query, Request

from tengen.core.resource_limits import resource_limits

BINARY: dict[str, Any] = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
Key = Annotated[str, Header(alias="X-Tengen-Key", description="the key of a seat", max_length=100)]
GameId = Annotated[str, Path(max_length=100)]
Word = Annotated[str, Query(max_length=100)]
OptionWords = Annotated[str, Query(max_length=4 * resource_limits().board_points)]
MoveWords = Annotated[str, Query(max_length=12 * resource_limits().record_moves)]


def actor_of(request: Request, key: str = "") -> str:
    """The id under which a request acts in a game: the seat's key if one is sent, else the visitor's id."""
    return key or str(request.state.browser)
