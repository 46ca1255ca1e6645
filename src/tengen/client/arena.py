"""The arena of a server: runs between engines are started, watched, stopped and resumed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from tengen.client.connection import Connection
from tengen.client.models import Link, Run, RunGames

_POLL_INTERVAL_S = 1.0


class Arena:
    """The queue of runs of a server, `client.arena`. Players are named as for `tengen match`.

        run = await client.arena.match("othello", ("alphabeta:depth=4", "uct:500nodes"), games=100, sprt="0,20")
        run = await client.arena.finished(run)
        print(run.note, run.result["elo"])

    Runs take further settings, such as `time`, `openings`, `plies`, `seed` and `adjudication`: the fields of their
    plans in the OpenAPI document. `concurrency` is the number of games at a time. Only the owner of the server can
    start and stop runs.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def match(
        self,
        game: str,
        players: tuple[str, str],
        *,
        options: Mapping[str, Any] | None = None,
        games: int = 100,
        sprt: str = "",
        concurrency: int | None = None,
        **settings: Any,
    ) -> Run:
        """Queue a match; with `sprt`, such as `0,10`, it ends when one of two Elo differences is accepted."""
        plan = {"game": game, "players": players, "options": dict(options or {}), "games": games, "sprt": sprt}
        return await self._start("matches", {**plan, **settings}, concurrency)

    async def variants(
        self,
        game: str,
        base: str,
        variants: Sequence[str],
        *,
        options: Mapping[str, Any] | None = None,
        games: int = 1000,
        concurrency: int | None = None,
        **settings: Any,
    ) -> Run:
        """Queue a test of several variants against a base, with a common error rate; `games` is for each."""
        plan = {"game": game, "base": base, "variants": list(variants), "options": dict(options or {})}
        return await self._start("variants", {**plan, "games": games, **settings}, concurrency)

    async def tournament(
        self,
        game: str,
        players: Sequence[str],
        *,
        options: Mapping[str, Any] | None = None,
        games: int = 2,
        concurrency: int | None = None,
        **settings: Any,
    ) -> Run:
        """Queue a tournament; `games` is for each pair of players."""
        plan = {"game": game, "players": list(players), "options": dict(options or {}), "games": games}
        return await self._start("tournaments", {**plan, **settings}, concurrency)

    async def tuning(
        self,
        game: str,
        method: str,
        player: str,
        *,
        options: Mapping[str, Any] | None = None,
        tune: Sequence[str] = (),
        concurrency: int | None = None,
        **settings: Any,
    ) -> Run:
        """Queue a tuning run by `genetic`, `spsa` or `surface`."""
        plan = {"game": game, "method": method, "player": player, "options": dict(options or {})}
        return await self._start("tunings", {**plan, "tune": list(tune), **settings}, concurrency)

    async def runs(self) -> list[Run]:
        """All runs, active ones first, without their details."""
        return await self._connection.list(Run, "/arena")

    async def run(self, run: Run) -> Run:
        """A run as it is now."""
        return await self._connection.get(Run, _path(run))

    async def finished(self, run: Run) -> Run:
        """Wait until a run is neither waiting nor running."""
        while (now := await self.run(run)).is_active:
            await asyncio.sleep(_POLL_INTERVAL_S)
        return now

    async def games(self, run: Run, *, offset: int = 0, limit: int = 100) -> RunGames:
        """Games of a run; their `id` is that of the stored game."""
        return await self._connection.get(RunGames, _path(run, "/games"), offset=offset, limit=limit)

    async def stop(self, run: Run) -> Run:
        """Stop a run. Finished games are kept."""
        return await self._connection.post(Run, _path(run, "/stop"))

    async def resume(self, run: Run) -> Run:
        """Queue a stopped or failed run again."""
        return await self._connection.post(Run, _path(run, "/resume"))

    async def remove(self, run: Run) -> None:
        """Forget a run that is over. Its games stay in the library."""
        await self._connection.request("DELETE", _path(run))

    async def share(self, run: Run) -> Link:
        """Make a link to the result, which works without signing in."""
        return await self._connection.post(Link, _path(run, "/share"))

    async def unshare(self, run: Run) -> None:
        """Make the link to the result invalid."""
        await self._connection.request("DELETE", _path(run, "/share"))

    async def _start(self, kind: str, plan: Mapping[str, Any], concurrency: int | None) -> Run:
        wanted = {} if concurrency is None else {"concurrency": concurrency}
        response = await self._connection.request("POST", f"/arena/{kind}", json=plan, params=wanted)
        return Run.model_validate_json(response.content)


def _path(run: Run, action: str = "") -> str:
    return f"/arena/{run.kind}/{run.id}{action}"
