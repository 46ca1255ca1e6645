"""The client of the HTTP API, against a server, and its models against the OpenAPI document."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import pytest

from tengen.client import (
    CannotConnect,
    Client,
    ClientError,
    Invalid,
    NotAllowed,
    NotFound,
    RemoteGame,
    models,
)
from tengen.client.models import Model
from tengen.core.errors import TengenError
from tests.helpers.api_server import STRAW, ApiServer, api_server

Result = TypeVar("Result")
SGF = b"(;GM[2]GN[x]SZ[8]PB[Bo]PW[Cy];B[f5];W[d6])"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    folder = tmp_path_factory.mktemp("client")
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("TENGEN_DATA", str(folder))  # runs of the arena by other tests are not listed
        with api_server(folder) as running:
            yield running


def run(server: ApiServer, work: Callable[[Client], Awaitable[Result]]) -> Result:
    async def connected() -> Result:
        async with Client(server.address, timeout_s=300) as client:  # kernels may be compiled
            return await work(client)

    return asyncio.run(connected())


def test_a_game_is_played_to_its_end(server: ApiServer) -> None:
    async def work(client: Client) -> None:
        game = await client.new_game("othello", ("Ann", STRAW), options={"size": 4}, time="10m")
        state = await game.my_turn()
        with pytest.raises(Invalid, match="'uct' is an engine, not a player"):
            await client.new_game("othello", ("Ann", "uct"))
        with pytest.raises(Invalid, match="illegal") as refused:
            await game.play("a1")
        assert refused.value.status == 422
        with pytest.raises(NotAllowed):
            await client.game(game.id, ("wrong", None)).play(state.legal[0])
        while state.result is None:
            await game.play(state.legal[0])
            state = await game.my_turn()
        assert state.reason
        assert (state.saved, state.rated, state.to_move) == (True, False, None)
        assert (await client.game(game.id).state()).moves == state.moves
        assert b"GM[2]" in await game.record("sgf")
        listed = await client.games(game="othello", finished=True)
        assert game.id in [one.id for one in listed]
        assert (await game.rematch()).id != game.id
        await game.delete()
        assert game.id not in [one.id for one in await client.games()]
        await game.restore()

    run(server, work)


def test_both_sides_can_be_the_callers(server: ApiServer) -> None:
    async def work(client: Client) -> None:
        game = await client.new_game("go", ("Ann", "Ben"), options={"size": 5})
        await game.play("C3")
        state = await game.play("C4")
        assert state.moves == ["C3", "C4"]
        assert state.options["width"] == 5
        assert (await game.resign()).result is not None

    run(server, work)


def test_offers_and_counting(server: ApiServer) -> None:
    async def work(client: Client) -> None:
        game = await client.new_game("go", ("Ann", "Ben"), options={"size": 5})
        black = RemoteGame(game._connection, game.id, (game.keys[0], None))
        white = RemoteGame(game._connection, game.id, (None, game.keys[1]))
        await black.play("C3")
        await white.play("pass")
        assert (await black.play("pass")).counting
        assert not (await white.play_on()).counting
        asked = await black.pause()
        assert (asked.offer, asked.offered_by) == ("pause", 0)
        assert (await white.reply(False)).declined == "pause"
        await black.pause()
        assert (await white.reply(True)).running is False
        assert (await black.resume()).running is True
        assert (await black.take_back()).offer == "take back"
        assert len((await white.reply(True)).moves) < 3
        with pytest.raises(Invalid, match="cannot be drawn"):
            await black.draw()
        other = await client.new_game("go", ("Ann", "Ben"))
        assert (await other.abort()).reason

    run(server, work)


def test_events_tell_each_change(server: ApiServer) -> None:
    async def work(client: Client) -> list[str]:
        game = await client.new_game("othello", ("Ann", "Ben"))
        names = []
        async for event in game.events():
            names.append(event.name)
            assert event.state is not None
            if event.state.result is not None:
                break
            await (game.resign() if event.state.moves else game.play(event.state.legal[0]))
        return names

    names = run(server, work)
    assert (names[0], names[-1]) == ("state", "ended")


def test_analysis_at_once_and_as_it_grows(server: ApiServer) -> None:
    async def work(client: Client) -> None:
        report = await client.analyse("othello", ["f5"], engine="random", seconds=0.1)
        assert report.best in ("d6", "f4", "f6")
        grown = [
            one async for one in client.analyse_live("othello", options={"size": 4}, engine="uct", seconds=0.3)
        ]
        assert grown[-1].nodes >= grown[0].nodes > 0
        assert grown[-1].candidates[0].line[0] == grown[-1].best
        with pytest.raises(Invalid, match="no player 'deep'"):
            await client.analyse("othello", engine="deep")
        with pytest.raises(ClientError, match="no game"):
            async for _ in client.analyse_live("chess"):
                pass
        async for _ in client.analyse_live("othello", engine="uct", seconds=60):
            break

    run(server, work)


def test_library_explorer_and_books(server: ApiServer) -> None:
    async def work(client: Client) -> None:
        done = await client.import_games(SGF)
        assert (done.added, done.bad) == (1, [])
        assert [one.players for one in await client.games(name="Cy")] == [("Bo", "Cy")]
        explored = await client.explore("othello", ["f5"])
        assert any(row["move"] == "d6" for row in explored.moves)
        draft = await client.open_draft(SGF)
        assert draft.page.endswith(draft.id)
        assert STRAW in [one.name for one in await client.players()]
        assert {"go", "othello"} <= {one.name for one in await client.rules()}
        assert (await client.health()).status == "ok"
        assert all(isinstance(one, models.BookSummary) for one in await client.books())

    run(server, work)


def test_review_of_a_game(server: ApiServer) -> None:
    async def work(client: Client) -> None:
        game = await client.new_game("othello", ("Ann", "Ben"), options={"size": 4})
        while (state := await game.state()).result is None:
            await game.play(state.legal[0])
        progress = await game.review()
        assert progress.total > 0
        for _ in range(600):
            values = await game.values()
            if len(values) >= progress.total:
                break
            await asyncio.sleep(0.1)
        assert values[0].analysis.value.unit == "discs"

    run(server, work)


def test_puzzles_and_the_deck(server: ApiServer) -> None:
    async def work(client: Client) -> None:
        kinds = await client.puzzle_kinds()
        assert kinds
        puzzle = await client.next_puzzle(next(one.name for one in kinds if one.game == "clobber"))
        answer = await client.answer_puzzle(puzzle.id, puzzle.legal[0])
        assert answer.right == (puzzle.legal[0] in answer.moves)
        status = await client.deck()
        question = await client.next_question(extra=True)
        if question is not None:
            assert (await client.answer_question(question)).right is False
            assert (await client.deck()).answered_today == status.answered_today + 1
            await client.remove_question(question)
        assert isinstance(await client.drills(), list)

    run(server, work)


def test_pictures(server: ApiServer) -> None:
    async def work(client: Client) -> None:
        game = await client.new_game("clobber", ("Ann", "Bob"), options={"size": 6})
        await game.play("1-2")
        begins = {"png": b"\x89PNG", "gif": b"GIF89a", "webp": b"RIFF", "svg": b"<svg", "html": b"<!DOCTYPE html>"}
        for form, start in begins.items():
            assert (await game.record(form, height=120)).startswith(start), form
        earlier = await game.record("svg", move=0)
        assert earlier != await game.record("svg")
        with pytest.raises(Invalid):
            await game.record("png", height=100_000)

    run(server, work)


def test_a_match_of_the_arena(server: ApiServer) -> None:
    async def work(client: Client) -> None:
        players = ("random:nodes=1,seed=1", "random:nodes=1,seed=2")
        run = await client.arena.match("clobber", players, options={"size": 6}, games=4, plies=0, concurrency=1)
        assert [one.id for one in await client.arena.runs()] == [run.id]
        with pytest.raises(ClientError, match="queue"):
            await client.arena.match("clobber", players, options={"size": 6}, games=4, plies=0, concurrency=1)
        run = await client.arena.finished(run)
        assert (run.state, run.done, run.total, run.result["games"]) == ("finished", 4, 4, 4)
        played = await client.arena.games(run, limit=3)
        assert (played.total, [game["number"] for game in played.games]) == (4, [1, 2, 3])
        link = await client.arena.share(run)
        assert link == await client.arena.share(run)
        await client.arena.unshare(run)
        await client.arena.remove(run)
        assert await client.arena.runs() == []
        with pytest.raises(NotFound):
            await client.arena.run(run)

    run(server, work)


def test_plans_of_the_arena_are_checked(server: ApiServer) -> None:
    async def work(client: Client) -> None:
        arena = client.arena
        with pytest.raises(Invalid, match="even"):
            await arena.tournament("clobber", ["random", "uct"], games=3)
        with pytest.raises(ClientError, match="variant"):
            await arena.variants("clobber", "random", [])
        with pytest.raises(ClientError, match="method"):
            await arena.tuning("clobber", "guessing", "uct", tune=["exploration"])
        with pytest.raises(ClientError, match="--allow-programs"):
            await arena.match("go", ("gtp:gnugo --mode gtp", "random"))
        assert await arena.runs() == []

    run(server, work)


def test_problems_and_reports(server: ApiServer) -> None:
    async def work(client: Client) -> None:
        moves = ["A1", "B1", "E5", "A2"]
        read = await client.problem("B1", moves, options={"size": 5})
        assert read.verdict in ("alive", "dead", "unsettled", "ko", "unclear")
        report = await client.report("nobody at all")
        assert (report.total.games, report.unreviewed) == (0, 0)

    run(server, work)


def test_errors_say_what_was_wrong(server: ApiServer) -> None:
    async def work(client: Client) -> None:
        with pytest.raises(NotFound) as missing:
            await client.game("nowhere").state()
        assert isinstance(missing.value, TengenError)
        assert "\n" not in str(missing.value)
        with pytest.raises(Invalid, match="players"):
            await client.new_game("go", ("x" * 1000, "y"))
        with pytest.raises(ClientError):
            async for _ in client.game("nowhere").events():
                pass

    run(server, work)

    async def nobody() -> None:
        async with Client("http://127.0.0.1:9", timeout_s=5) as client:
            with pytest.raises(CannotConnect, match="no answer"):
                await client.rules()
            with pytest.raises(CannotConnect, match="no answer"):
                async for _ in client.analyse_live("go"):
                    pass

    asyncio.run(nobody())


def test_the_client_imports_no_server() -> None:
    code = (
        "import sys, tengen.client\n"
        "heavy = {'numpy', 'numba', 'sqlalchemy', 'fastapi', 'nicegui'} & set(sys.modules)\n"
        "own = [name for name in sys.modules if name.startswith('tengen.') and name.count('.') == 1]\n"
        "print(sorted(heavy), sorted(own))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] ['tengen.client', 'tengen.core']"


# ---- the models are those of the server


def _shape(schema: Any) -> Any:
    """A schema without titles, descriptions, defaults and bounds."""
    if isinstance(schema, list):
        return [_shape(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        "$ref", "additionalProperties", "anyOf", "const", "enum", "format", "items", "prefixItems", "properties",
        "required", "type",
    }  # fmt: skip
    found = {name: _shape(part) for name, part in schema.items() if name in kept}
    if "properties" in schema:
        found["properties"] = {name: _shape(part) for name, part in schema["properties"].items()}
    if "$ref" in found:
        found["$ref"] = found["$ref"].rpartition("/")[2]
    if "required" in found:
        found["required"] = sorted(schema["required"])
    return found


def _kinds() -> list[type[Model]]:
    return [kind for kind in vars(models).values() if isinstance(kind, type) and issubclass(kind, Model)]


def test_models_do_not_drift_from_the_api(server: ApiServer) -> None:
    with server.visitor() as visitor:
        document = visitor.get("/openapi.json").json()
    schemas = document["components"]["schemas"]
    for kind in _kinds():
        if kind is not Model:
            own = kind.model_json_schema(mode="serialization")
            assert _shape(own) | {"required": []} == _shape(schemas[kind.__name__]) | {"required": []}, kind
    answers = {
        part.rpartition("/")[2]
        for methods in document["paths"].values()
        for operation in methods.values()
        for status, response in operation["responses"].items()
        if status.startswith("2")
        for content in response.get("content", {}).values()
        for part in [content["schema"].get("$ref") or content["schema"].get("items", {}).get("$ref", "")]
        if part
    }
    without = {"BookGrowth", "BookSize", "BookWork"}  # changing books is for the owner
    assert answers - {kind.__name__ for kind in _kinds()} == without


def test_the_description_suits_code_generators(server: ApiServer) -> None:
    from openapi_spec_validator import validate

    with server.visitor() as visitor:
        document = visitor.get("/openapi.json").json()
    validate(document)
    operations = [one for methods in document["paths"].values() for one in methods.values()]
    names = [one["operationId"] for one in operations]
    assert len(set(names)) == len(names)
    assert "post_games_game_id_take_back" in names
    for one in operations:
        bodies = [one.get("requestBody", {}), *one["responses"].values()]
        assert all(content.get("schema") for body in bodies for content in body.get("content", {}).values())
