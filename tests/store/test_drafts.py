"""Drafts: listed for their owner, limited in number."""

from __future__ import annotations

import asyncio

import pytest

import tengen
from tengen.games.records import Record
from tengen.runtime.host import EngineHost
from tengen.store.game_entry import GameEntry
from tengen.store.seats import Seats
from tengen.store.store import Store
from tengen.web.game_sessions import GameSessions
from tengen.web.visitor_cache import VisitorCache
from tests.helpers.changed_limits import changed_limits


def pasted(store: Store, owner: str, *moves: str) -> str:
    entry = GameEntry(Record.of(tengen.game("othello").start().play_all(moves)), draft=True)
    store.save(entry)
    store.set_seats(entry.id, Seats(owner))
    return entry.id


def test_drafts_are_listed_for_their_owner_only_and_the_oldest_are_removed() -> None:
    with Store.in_memory() as store:
        first, second = pasted(store, "ann", "f5"), pasted(store, "ann", "f5", "d6")
        other = pasted(store, "bea", "d3")
        game = GameEntry(Record.of(tengen.game("othello").start().play("f5")))
        store.save(game)
        store.set_seats(game.id, Seats("ann"))
        assert [one.id for one in store.drafts("ann")] == [second, first]
        assert [one.id for one in store.drafts("bea")] == [other]
        assert store.remove_surplus_drafts("ann", 1) == 1
        assert [one.id for one in store.drafts("ann")] == [second]
        assert store.load(game.id).id == game.id
        assert [one.id for one in store.drafts("bea")] == [other]


@pytest.mark.parametrize("used", [True, False])
def test_a_board_is_kept_once_it_is_used(used: bool) -> None:
    async def scenario() -> None:
        store, host = Store.in_memory(), EngineHost(1)
        sessions = GameSessions(store, host, VisitorCache(None))
        game = tengen.game("othello", size=4)
        board = await sessions.open_board(game, "ann")
        assert await sessions.drafts("ann") == []
        if used:
            await sessions.run_in_thread(board.match.add_variation, board.match.tree.current, "b1")
        await sessions.close_session(board.id)
        listed = await sessions.drafts("ann")
        assert [(one.id, one.moves) for one in listed] == ([(board.id, 1)] if used else [])
        assert len(store.drafts("ann")) == used, "what nobody used is removed"
        made = game.with_setup(["....", ".XO.", ".OX.", "X..."], 1)
        placed = await sessions.open_board(made, "ann")
        await sessions.close_session(placed.id)
        assert placed.id in [one.id for one in await sessions.drafts("ann")]
        with changed_limits(drafts_per_visitor=1):
            last = await sessions.open_board(game, "ann", Record.of(game.start().play("b1")))
        assert [one.id for one in await sessions.drafts("ann")] == [last.id]
        await sessions.close()
        host.close()
        store.close()

    asyncio.run(scenario())
