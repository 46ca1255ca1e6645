"""The client: games, library, analysis, problems, puzzles, the deck and the arena of one server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Any, Self

from tengen.client.arena import Arena
from tengen.client.connection import Connection
from tengen.client.game import RemoteGame
from tengen.client.models import (
    Analysis,
    BookSummary,
    Created,
    DeckAnswered,
    DeckQuestion,
    DeckStatus,
    Done,
    Draft,
    DrillAnswered,
    DrillInfo,
    Explored,
    Health,
    Listed,
    PlayerFigures,
    PlayerInfo,
    ProblemRead,
    PuzzleAnswered,
    PuzzleAsked,
    PuzzleKind,
    Rules,
)

ADDRESS = "http://127.0.0.1:8564"  # of `tengen web` on this machine


class Client:
    """A connection to a server, `tengen web`. `token` is that of an account, or the one that everybody shares.

        async with Client("http://127.0.0.1:8564") as client:
            game = await client.new_game("othello", ("Ann", "uct"))
            state = await game.play("f5")

    `arena` has the runs between engines. Methods raise a `ClientError`. Use a client in one event loop.
    """

    def __init__(self, address: str = ADDRESS, *, token: str = "", timeout_s: float = 60.0) -> None:
        self._connection = Connection(address, token, timeout_s)
        self.arena = Arena(self._connection)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._connection.close()

    async def health(self) -> Health:
        """The state of the server. Raises `Busy` if a part of it fails."""
        return await self._connection.get(Health, "/health")

    async def rules(self) -> list[Rules]:
        """The games, their options with defaults, and built-in opponents."""
        return await self._connection.list(Rules, "/rules")

    # ---- games

    async def new_game(
        self,
        game: str,
        players: tuple[str, str],
        *,
        options: Mapping[str, Any] | None = None,
        time: str = "none",
        rated: bool = False,
    ) -> RemoteGame:
        """Start a game. Names that no engine has are people, whose seats the caller gets.

        `time` is such as 10m, 5m+3s, 10m+3x30s or 30s/move.
        """
        body = {"game": game, "players": players, "options": dict(options or {}), "time": time, "rated": rated}
        made = await self._connection.post(Created, "/games", body)
        return RemoteGame(self._connection, made.state.id, made.keys)

    def game(self, game_id: str, keys: Sequence[str | None] = (None, None)) -> RemoteGame:
        """A game by its id, to watch; or to play, with the key of the first or second player's seat."""
        return RemoteGame(self._connection, game_id, keys)

    async def games(
        self,
        *,
        game: str | None = None,
        name: str | None = None,
        finished: bool | None = None,
        order: str = "changed",
        descending: bool = True,
        limit: int = 50,
    ) -> list[Listed]:
        """Stored games; `name` is part of a player's name."""
        wanted = {"game": game, "name": name, "finished": finished}
        return await self._connection.list(
            Listed, "/games", **wanted, order=order, descending=descending, limit=limit
        )

    async def import_games(self, file: bytes) -> Done:
        """Store the games of a file in any supported format."""
        response = await self._connection.request("POST", "/records/file", content=file)
        return Done.model_validate_json(response.content)

    async def open_draft(self, file: bytes) -> Draft:
        """Open the first game of a file for analysis in the browser."""
        response = await self._connection.request("POST", "/drafts", content=file)
        return Draft.model_validate_json(response.content)

    async def players(self) -> list[PlayerInfo]:
        """People and engine players."""
        return await self._connection.list(PlayerInfo, "/players")

    async def explore(
        self, game: str, moves: Sequence[str] = (), *, options: Mapping[str, Any] | None = None, own: bool = False
    ) -> Explored:
        """The moves played in a position with their results, and those of the opening books."""
        words = " ".join(f"{name}={value}" for name, value in (options or {}).items())
        return await self._connection.get(
            Explored, "/explore", game=game, moves=" ".join(moves), options=words, own=own
        )

    async def books(self) -> list[BookSummary]:
        """The opening books."""
        return await self._connection.list(BookSummary, "/books")

    # ---- analysis

    async def analyse(
        self,
        game: str,
        moves: Sequence[str] = (),
        *,
        options: Mapping[str, Any] | None = None,
        engine: str = "uct",
        seconds: float = 1.0,
        lines: int = 1,
    ) -> Analysis:
        """An engine's report on a position, given by its game and moves."""
        return await self._connection.post(
            Analysis, "/analyse", _asked(game, moves, options, engine, seconds, lines)
        )

    async def analyse_live(
        self,
        game: str,
        moves: Sequence[str] = (),
        *,
        options: Mapping[str, Any] | None = None,
        engine: str = "uct",
        seconds: float = 1.0,
        lines: int = 1,
    ) -> AsyncIterator[Analysis]:
        """The report as it grows, the final one last. Leaving the loop stops the search."""
        asked = _asked(game, moves, options, engine, seconds, lines)
        async with aclosing(self._connection.messages("/analyse", asked)) as messages:
            async for message in messages:
                yield Analysis.model_validate(message["analysis"])
                if message["event"] == "done":
                    return

    async def problem(
        self, string: str, moves: Sequence[str] = (), *, options: Mapping[str, Any] | None = None
    ) -> ProblemRead:
        """Whether a string of Go, named by one of its stones, is alive, dead, unsettled or a ko."""
        asked = {"options": dict(options or {}), "moves": list(moves), "string": string}
        return await self._connection.post(ProblemRead, "/problem", asked)

    async def report(self, name: str, *, game: str | None = None) -> PlayerFigures:
        """The figures of a player's reviewed games; `name` is the beginning of the name."""
        return await self._connection.get(PlayerFigures, "/report", name=name, game=game)

    # ---- puzzles and the deck, for the account, or for whoever holds this client's cookies

    async def puzzle_kinds(self) -> list[PuzzleKind]:
        """The kinds of puzzles with the caller's score."""
        return await self._connection.list(PuzzleKind, "/puzzles")

    async def next_puzzle(self, kind: str, *, missed: bool = False) -> PuzzleAsked:
        """The next puzzle of a kind, or one that was missed before."""
        return await self._connection.get(PuzzleAsked, f"/puzzles/{kind}/next", missed=missed)

    async def answer_puzzle(self, puzzle_id: str, move: str) -> PuzzleAnswered:
        """Answer a puzzle. Every answer counts."""
        return await self._connection.post(PuzzleAnswered, f"/puzzles/{puzzle_id}/answer", {"move": move})

    async def drills(self) -> list[DrillInfo]:
        """The opening drills: a side of a game with a book."""
        return await self._connection.list(DrillInfo, "/drills")

    async def next_drill(self, drill: DrillInfo, *, after: Sequence[str] = ()) -> PuzzleAsked:
        """The next question of a drill, missed ones first; or that of a line, which begins with `after`."""
        words = " ".join(f"{name}={value}" for name, value in drill.options.items())
        about = {"game": drill.game, "side": drill.side, "book": drill.book, "options": words}
        return await self._connection.get(PuzzleAsked, "/drills/next", **about, after=" ".join(after))

    async def answer_drill(self, question_id: str, move: str) -> DrillAnswered:
        """Answer a question of a drill."""
        return await self._connection.post(DrillAnswered, f"/drills/{question_id}/answer", {"move": move})

    async def deck(self) -> DeckStatus:
        """Figures of the caller's deck."""
        return await self._connection.get(DeckStatus, "/deck")

    async def next_question(self, *, extra: bool = False) -> DeckQuestion | None:
        """The question of the deck to answer now; None if everything is done for today."""
        response = await self._connection.request("GET", "/deck/next", params={"extra": extra})
        return None if response.status_code == 204 else DeckQuestion.model_validate_json(response.content)

    async def answer_question(self, question: DeckQuestion, move: str = "") -> DeckAnswered:
        """Answer a question of the deck; no move gives up. Repeating the call counts once."""
        last: datetime | None = question.last
        body = {"move": move, "last": None if last is None else last.isoformat()}
        return await self._connection.post(DeckAnswered, f"/deck/{question.id}/answer", body)

    async def remove_question(self, question: DeckQuestion) -> None:
        """Do not ask a question again."""
        await self._connection.request("DELETE", f"/deck/{question.id}")


def _asked(
    game: str,
    moves: Sequence[str],
    options: Mapping[str, Any] | None,
    engine: str,
    seconds: float,
    lines: int,
) -> dict[str, Any]:
    about = {"game": game, "moves": list(moves), "options": dict(options or {})}
    return {**about, "engine": engine, "seconds": seconds, "lines": lines}
