"""Games, lists, players, positions, collections and reports in a store, on SQLite and on PostgreSQL."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event

import tengen
from tengen.core.errors import OptionError
from tengen.core.position import Position
from tengen.games import records
from tengen.games.records import Mark, Node, Record, RecordError, SetUp
from tengen.games.records.results import is_draw, winner
from tengen.players.config import EngineConfig
from tengen.players.configure import configure, engine_player
from tengen.players.player import EnginePlayer, Person
from tengen.search.limits import Limits
from tengen.search.report import Candidate, Report, Value
from tengen.store import explorer, listing
from tengen.store.errors import NotStored, StoreConflict, StoreError
from tengen.store.game_entry import GameEntry
from tengen.store.listing import Filter
from tengen.store.position_keys import INDEXED_PLIES
from tengen.store.puzzles import Puzzle, PuzzleScore
from tengen.store.record_codec import pack_record, unpack_record
from tengen.store.reports import StoredReport
from tengen.store.rows import game_row, main_line_moves
from tengen.store.schema import ORDERS
from tengen.store.store import Store
from tests.helpers.postgres_server import new_database
from tests.helpers.sample_records import SOUND


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "sqlite":
        opened = Store.open(str(tmp_path / "games.db"))
    else:
        opened = Store.open(new_database(request.getfixturevalue("postgres")))
    with opened:
        yield opened


def played(moves: str = "f5 d6 c3", game: str = "othello", **options: object) -> Position:
    return tengen.game(game, **options).start().play_all(moves.split())


def uct(seconds: float = 1.0) -> EngineConfig:
    return configure("uct", Limits(seconds=seconds))


# ---- records as bytes


@pytest.mark.parametrize("form", SOUND)
def test_records_of_every_format_are_kept_whole(form: str) -> None:
    for data in SOUND[form]:
        for record in records.parse(data, check=False):
            again = unpack_record(pack_record(record))
            assert again == record
            assert (again.source, again.notes) == (record.source, record.notes)


TEXTS = st.text(max_size=8)
POINTS = st.tuples(st.integers(0, 18), st.integers(0, 18))


@st.composite
def trees(draw: st.DrawFn) -> Node:
    """Any tree, with anything in its nodes."""
    nodes = [Node()]
    for _ in range(draw(st.integers(0, 12))):
        node = Node(draw(st.none() | st.integers(0, 65535)), draw(st.sampled_from([0, 1, None])))
        if draw(st.booleans()):
            node.comment = draw(TEXTS)
            node.value = draw(st.none() | st.floats(allow_nan=False))
            node.seconds = draw(st.none() | st.floats(0, 1e6))
            node.marks = tuple(
                draw(st.lists(st.builds(Mark, st.just("label"), st.tuples(POINTS), TEXTS), max_size=2))
            )
            node.set_up = draw(
                st.none() | st.builds(SetUp, st.tuples(POINTS), to_move=st.sampled_from([None, 0, 1]))
            )
            node.properties = draw(st.dictionaries(TEXTS, st.lists(TEXTS, max_size=2).map(tuple), max_size=2))
        nodes.append(draw(st.sampled_from(nodes)).add(node))
    return nodes[0]


@settings(max_examples=50, deadline=None)
@given(trees(), st.tuples(TEXTS, TEXTS), TEXTS, st.lists(TEXTS, max_size=2))
def test_every_tree_is_kept_whole(root: Node, names: tuple[str, str], text: str, notes: list[str]) -> None:
    game = tengen.game("go", size=9, komi=6.5)
    record = Record(game, root, names, (text, ""), event=text, place=text, result=text, source="sgf", notes=notes)
    again = unpack_record(pack_record(record))
    assert again == record
    assert (again.source, again.notes) == ("sgf", notes)


def test_a_game_of_many_moves_is_no_problem() -> None:
    record = Record(tengen.game("go"))
    record.root.add(Node.chain([7] * 50_000, [None] * 50_000)[0])
    assert unpack_record(pack_record(record)) == record


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 255))
def test_a_damaged_record_is_refused_or_read(place: int, byte: int) -> None:
    packed = bytearray(pack_record(Record.of(played(), names=("Ann", "Bea"))))
    packed[place % len(packed)] = byte
    with suppress(StoreError):
        assert isinstance(unpack_record(bytes(packed)), Record)


# ---- saving and loading


def test_a_game_is_saved_after_every_move(store: Store) -> None:
    ann, engine = Person("Ann"), engine_player(uct())
    entry = GameEntry(Record(tengen.game("othello")), players=(ann, engine), state={"clock": [1, None, "x"]})
    position = tengen.game("othello").start()
    for number, move in enumerate(["f5", "d6", "c3", "d3"], 1):
        position = position.play(move)
        entry.record.follow(position.moves)
        store.save(entry)
        assert entry.revision == number
        again = store.load(entry.id)
        assert again == entry
        assert again.record.moves() == list(position.moves)
    entry.end, entry.record.result, entry.presumed = "resignation", "B+R", 1
    store.save(entry)
    assert store.load(entry.id) == entry
    assert store.players() == [ann, engine]


def test_a_stale_entry_changes_nothing(store: Store) -> None:
    mine = GameEntry(Record.of(played()))
    store.save(mine)
    other = store.load(mine.id)
    other.record.root.comment = "theirs"
    store.save(other)
    mine.record.root.comment = "mine"
    for _ in range(2):
        with pytest.raises(StoreConflict, match="load it again"):
            store.save(mine)
    assert mine.revision == 1
    assert store.load(mine.id) == other
    with pytest.raises(StoreConflict):
        store.save(GameEntry(Record.of(played()), id=mine.id))
    with pytest.raises(StoreConflict):
        store.save(GameEntry(Record.of(played()), revision=3))


def test_what_is_not_there_is_said(store: Store) -> None:
    for action in (store.load, store.delete, store.restore, store.player, store.reports):
        with pytest.raises(NotStored, match="there is no"):
            action("nothing")


def test_listing_and_loading_need_no_kernels(tmp_path: Path) -> None:
    file = tmp_path / "games.db"
    with Store.open(str(file)) as store:
        store.save(GameEntry(Record.of(played())))
    program = f"""
from tengen.core.compiled import cache
compiled = []
with cache.compile_listener(compiled.append):
    from tengen.store.store import Store
    with Store.open({str(file)!r}) as store:
        (game,) = store.list_games().games
        assert len(store.load(game.id).record.nodes()) == 4
assert compiled == []
import numba
from numba.core.registry import CPUDispatcher
import gc
assert not any(d.overloads for d in gc.get_objects() if isinstance(d, CPUDispatcher)), "a kernel was loaded"
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_importing_the_package_loads_no_database() -> None:
    program = "import sys, tengen, tengen.store; assert not {'sqlalchemy', 'alembic', 'numba'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_memory_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("TENGEN_DATABASE", raising=False)
    monkeypatch.chdir(tmp_path)
    with Store.in_memory() as store:
        store.save(GameEntry(Record.of(played())))
    with Store.in_memory() as store:
        assert store.count_games() == 0
    assert list(tmp_path.iterdir()) == []


def test_the_usual_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENGEN_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("TENGEN_DATABASE", raising=False)
    with Store.open() as store:
        assert store.name == str(tmp_path / "data" / "tengen.db")
    monkeypatch.setenv("TENGEN_DATABASE", f"sqlite:///{tmp_path}/other.db")
    with Store.open() as store:
        assert store.name == f"{tmp_path}/other.db"


def test_any_folder_will_do(tmp_path: Path) -> None:
    folder = tmp_path / "a b%20?x=1#ü"
    with Store.open(str(folder / "games.db")) as store:
        store.save(GameEntry(Record.of(played())))
    with Store.open(str(folder / "games.db")) as store:
        assert store.count_games() == 1
    assert [path.name for path in folder.iterdir()] == ["games.db"]


# ---- deleting


def test_delete_undo_and_purge(store: Store) -> None:
    kept, gone = GameEntry(Record.of(played())), GameEntry(Record.of(played("f5 f6")))
    store.save(kept)
    store.save(gone)
    store.delete(gone.id)
    assert [game.id for game in store.list_games().games] == [kept.id]
    (listed,) = store.list_games(Filter(deleted=True)).games
    assert listed.id == gone.id
    assert listed.deleted is not None
    assert store.explore(played("f5")).games == 1
    with pytest.raises(StoreConflict, match="deleted"):
        store.save(gone)
    store.restore(gone.id)
    assert store.count_games() == 2
    assert store.explore(played("f5")).games == 2
    store.save(gone)
    store.delete(gone.id)
    assert store.purge() == 0, "one can change one's mind for a month"
    assert store.load(gone.id) == gone
    assert store.purge(datetime.now(UTC) + timedelta(seconds=1)) == 1
    with pytest.raises(NotStored):
        store.load(gone.id)
    assert store.load(kept.id) == kept
    with pytest.raises(NotStored):
        store.delete(kept.id, gone.id)
    assert store.count_games() == 1, "all or none"


# ---- lists

GAMES = [
    tengen.game("othello"),
    tengen.game("othello", size=6),
    tengen.game("go", size=9),
    tengen.game("go", size=13, komi=0.5),
    tengen.game("pente", variant="keryo"),
    tengen.game("clobber", board="XOXO"),
]
NAMES = ["Ann", "ann", "Änne", "Bob", "bobby", "ß", "", "李"]
PEOPLE = [
    Person(name, id=f"00000000-0000-4000-8000-00000000000{i}") for i, name in enumerate(["Xaver", "Yve", "Zoe"])
]


def some_entries(count: int = 40) -> list[GameEntry]:
    rng = random.Random(5)
    entries = []
    for number in range(count):
        game = rng.choice(GAMES)
        record = Record(game, names=(rng.choice(NAMES), rng.choice(NAMES)))
        if moves := rng.randint(0, 2):
            record.root.add(Node.chain([1] * moves, [None] * moves)[0])
        record.date = rng.choice(["2020-01-31", "2021-06-01", "1999", "", "2021-06-02"])
        record.result = rng.choice(["B+R", "W+2.5", "B+10", "B+9", "0", "", "?", "W+T"])
        people = rng.sample([*PEOPLE, None, None], 2)
        entries.append(
            GameEntry(
                record,
                players=(people[0], people[1]),
                end=rng.choice(["", "end"]),
                started=datetime(2022, 1, 1, tzinfo=UTC) + timedelta(days=number // 3),
            )
        )
    return entries


FILTERS = {
    "all": (Filter(), lambda row, entry: True),
    "game": (Filter(game="go"), lambda row, entry: row["game"] == "go"),
    "player": (
        Filter(player=PEOPLE[0].id),
        lambda row, entry: PEOPLE[0] in entry.players,
    ),
    "name": (
        Filter(name="AN"),
        lambda row, entry: row["first_folded"][:2] == "an" or row["second_folded"][:2] == "an",
    ),
    "board": (Filter(board="6x6"), lambda row, entry: row["board"] == "6x6"),
    "rules": (Filter(rules="keryo"), lambda row, entry: row["rules"] == "keryo"),
    "first won": (Filter(winner=0), lambda row, entry: winner(entry.record.result) == 0),
    "second won": (Filter(winner=1), lambda row, entry: winner(entry.record.result) == 1),
    "draws": (Filter(winner="draw"), lambda row, entry: is_draw(entry.record.result)),
    "unknown": (
        Filter(winner="unknown"),
        lambda row, entry: winner(entry.record.result) is None and not is_draw(entry.record.result),
    ),
    "unfinished": (Filter(finished=False), lambda row, entry: not entry.end),
    "finished": (Filter(finished=True), lambda row, entry: entry.end),
    "since": (Filter(since="2021"), lambda row, entry: row["date"] >= "2021"),
    "until": (Filter(until="2021-06-01"), lambda row, entry: row["date"] <= "2021-06-01"),
    "several": (
        Filter(game="othello", player=PEOPLE[1].id, finished=False),
        lambda row, entry: row["game"] == "othello" and PEOPLE[1] in entry.players and not entry.end,
    ),
}


@pytest.mark.parametrize("few", [2000, 3], ids=["few pass", "many pass"])
def test_lists_are_those_of_a_plain_sort(store: Store, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MAX_SORTED_GAMES", few)
    rng = random.Random(6)
    entries = some_entries()
    for entry in entries:
        store.save(entry)
    rows = [(game_row(entry), entry, number) for number, entry in enumerate(entries)]
    for name, (which, passes) in FILTERS.items():
        expected = [(row, entry, number) for row, entry, number in rows if passes(row, entry)]
        assert expected, name
        assert store.count_games(which) == len(expected), name
        # Every order of all games, some of the others.
        for order in ORDERS if name == "all" else rng.sample(sorted(ORDERS), 2):
            column = ORDERS[order]
            for descending in (False, True):
                wanted = sorted(
                    ((row[column.name], number, entry.id) for row, entry, number in expected), reverse=descending
                )
                page = store.list_games(which, order=order, descending=descending, limit=15)
                found = [game.id for game in page.games]
                while page.after is not None:
                    page = store.list_games(which, order=order, descending=descending, limit=15, after=page.after)
                    found += [game.id for game in page.games]
                assert found == [entry_id for *_, entry_id in wanted], (name, order, descending)


def test_results_are_sorted_as_results(store: Store) -> None:
    for result in ["W+R", "0", "B+9", "", "B+10", "W+0.5", "B+R"]:
        store.save(GameEntry(Record(tengen.game("go"), result=result)))
    found = [game.result for game in store.list_games(order="result").games]
    assert found == ["B+R", "B+10", "B+9", "0", "W+0.5", "W+R", ""]


def test_a_list_shows_what_is_known(store: Store) -> None:
    entry = GameEntry(
        Record(tengen.game("go", size=9, komi=5.5), names=("Ann\0\ud800", "x" * 500)), players=(PEOPLE[0], None)
    )
    store.save(entry)
    (game,) = store.list_games().games
    assert (game.board, game.rules, game.names[0], game.names[1]) == ("9x9", "komi=5.5", "Xaver", "x" * 200)
    assert game.players == (PEOPLE[0].id, None)
    assert store.load(entry.id).record.names == entry.record.names


def test_wrong_orders_are_refused(store: Store) -> None:
    with pytest.raises(OptionError, match="listed by date"):
        store.list_games(order="colour")
    with pytest.raises(OptionError, match="at least 1"):
        store.list_games(limit=0)


# ---- players


def test_no_two_players_are_alike(store: Store) -> None:
    ann = Person("Ann")
    store.save_player(ann)
    with pytest.raises(StoreError, match="'Ann' already"):
        store.save_player(Person("aNN"))
    store.save_player(EnginePlayer("Ann", uct()))
    store.save_player(EnginePlayer("Ann", uct(2.0)))
    with pytest.raises(StoreError, match="same settings"):
        store.save(GameEntry(Record.of(played()), players=(EnginePlayer("ann", uct()), ann)))
    assert store.count_games() == 0
    assert len(store.players()) == 3
    assert store.people() == [ann]
    bea = Person("Bea")
    store.save_player(bea)
    with pytest.raises(StoreError, match="already"):
        store.rename_player(bea.id, "ANN")
    assert store.player(bea.id) == bea
    with pytest.raises(StoreError, match="cannot become"):
        store.save_player(EnginePlayer("Bea", uct(), id=bea.id))


def test_a_renamed_player_keeps_id_games_and_ratings(store: Store) -> None:
    ann, engine = Person("Ann"), engine_player(uct())
    entry = GameEntry(Record.of(played(), result="B+R"), players=(ann, engine), end="resignation", rated=True)
    store.save(entry)
    assert store.rename_player(ann.id, "Anne").id == ann.id
    assert store.list_games(Filter(player=ann.id)).games[0].names[0] == "Anne"
    assert store.list_games(Filter(name="anne")).games[0].id == entry.id
    assert store.load(entry.id).players == (ann.renamed("Anne"), engine)
    assert [rating.name for rating in store.ratings("othello")] == ["Anne", engine.name]
    # Whoever still has the old name at hand does not bring it back.
    entry.record.root.comment = "later"
    store.save(entry)
    assert store.list_games().games[0].names[0] == "Anne"


def test_a_game_keeps_the_configuration_that_it_was_played_with(store: Store) -> None:
    old = EnginePlayer("Uli", uct())
    entry = GameEntry(Record.of(played()), players=(Person("Ann"), old))
    store.save(entry)
    stronger = replace(old, config=uct(9.0), name="Ulli")
    store.save_player(stronger)
    assert store.player(old.id) == stronger
    assert store.load(entry.id).players[1] == old.renamed("Ulli")


def test_only_players_without_games_are_removed(store: Store) -> None:
    ann, bea = Person("Ann"), Person("Bea")
    store.save_player(bea)
    store.save(GameEntry(Record.of(played()), players=(None, ann)))
    store.remove_player(bea.id)
    with pytest.raises(StoreError, match="has games"):
        store.remove_player(ann.id)
    assert store.players() == [ann]


# ---- positions


def brute_force(entries: list[tuple[Record, bool]], position: Position) -> tuple[int, dict[str, list[int]]]:
    """Counts by replaying every game."""
    total, moves = 0, {}
    for record, deleted in entries:
        line = record.positions()
        for ply, there in enumerate(line[: INDEXED_PLIES + 1]):
            if not deleted and there.diagram() == position.diagram() and there.game.name == position.game.name:
                total += 1
                if ply + 1 < len(line):
                    text = position.game.write_move(line[ply + 1].move)
                    counts = moves.setdefault(text, [0, 0, 0, 0])
                    counts[0] += 1
                    who = winner(record.result)
                    if who is not None:
                        counts[1 + who] += 1
                    elif is_draw(record.result):
                        counts[3] += 1
                break
    return total, moves


def random_records(count: int, seed: int) -> list[Record]:
    rng = random.Random(seed)
    made = []
    for number in range(count):
        game = rng.choice([tengen.game("othello"), tengen.game("clobber", size=12), tengen.game("go", size=5)])
        position = game.start()
        for _ in range(rng.choice([1, 2, 4, 40])):
            if not position.is_over:
                position = position.play(rng.choice(position.legal_moves[:3]))
        made.append(Record.of(position, names=(f"n{number}", ""), result=rng.choice(["B+R", "W+3", "0", "?"])))
    return made


@pytest.mark.parametrize("crowd", [10_000, 5])
def test_positions_are_found_as_by_replaying_everything(
    store: Store, crowd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explorer, "MAX_UNCACHED_COUNT", crowd)
    monkeypatch.setattr(explorer, "GAMES_PER_SEGMENT", 7)
    rng = random.Random(1)
    known: dict[str, tuple[Record, bool]] = {}

    def compare() -> None:
        for record in rng.sample([record for record, _ in known.values()], 4):
            for position in record.positions()[: INDEXED_PLIES + 1 : 5]:
                total, moves = brute_force(list(known.values()), position)
                for _ in range(2):  # the second time from kept counts
                    found = store.explore(position)
                    assert found.games == total
                    assert {m.text: [m.games, m.first_wins, m.second_wins, m.draws] for m in found.moves} == moves
                through = []
                page = store.games_through(position, limit=5)
                through += page.games
                while page.after is not None:
                    page = store.games_through(position, limit=5, after=page.after)
                    through += page.games
                assert len({game.id for game in through}) == len(through) == total

    store.import_records(random_records(30, seed=2))
    for game in store.all_games():
        known[game.id] = (store.load(game.id).record, False)
    compare()
    for record in random_records(10, seed=3):
        entry = GameEntry(record)
        store.save(entry)
        known[entry.id] = (record, False)
    compare()
    # Games change: they are deleted, end otherwise, and are taken back.
    for game_id in rng.sample(sorted(known), 20):
        entry = store.load(game_id)
        what = rng.choice(["delete", "result", "take back"])
        if what == "delete":
            store.delete(game_id)
        else:
            if what == "result":
                entry.record.result = "W+1"
            else:
                entry.record.root.children = []
            store.save(entry)
        known[game_id] = (entry.record, what == "delete")
    compare()


def test_komi_does_not_part_games_but_size_and_rules_do(store: Store) -> None:
    for options in ({"size": 9, "komi": 7}, {"size": 9, "komi": 0.5}, {"size": 13}, {"size": 9, "suicide": True}):
        store.save(GameEntry(Record.of(played("C3 D4", "go", **options))))
    assert store.explore(played("C3", "go", size=9)).games == 2
    assert store.explore(played("C3", "go", size=13)).games == 1
    assert store.explore(played("C3", "go", size=19)).games == 0


def test_two_positions_under_one_key_are_told_apart(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.save(GameEntry(Record.of(played("f5 d6"))))
    other = played("f5 f6")
    assert store.games_through(other).games == ()
    key = explorer.position_key(played("f5 d6"))
    monkeypatch.setattr(explorer, "position_key", lambda position: key)
    assert len(store.games_through(played("f5 d6")).games) == 1
    assert store.games_through(other).games == ()


def test_implied_passes_and_set_up_stones_are_no_hindrance(store: Store) -> None:
    (implied,) = records.parse(SOUND["transcript"][0])
    (set_up,) = list(records.parse(b"(;GM[1]SZ[9]AB[cc][gg]AW[ee]PL[W];W[cg];B[gc])"))
    assert store.import_records([implied, set_up]).added == 2
    for record in (implied, set_up):
        assert store.explore(record.positions()[-1]).games == 1


# ---- collections


def test_duplicates_are_known_and_bad_records_skipped(store: Store) -> None:
    fresh = [Record.of(played(), names=("Ann", "Bea"), date="2001-01-01"), Record.of(played("f5 f6"))]
    illegal = Record(tengen.game("othello"))
    illegal.root.add(Node(0))
    source = [fresh[0], RecordError("line 3: what is that"), fresh[1], illegal, fresh[0]]
    seen: list[int] = []
    done = store.import_records(iter(source), lambda so_far: seen.append(so_far.seen))
    assert (done.added, done.duplicates) == (2, 1)
    assert [number for number, _ in done.bad] == [2, 4]
    assert "line 3" in done.bad[0][1]
    assert "a1" in done.bad[1][1]
    assert str(done) == "2 added, 1 already stored, 2 bad"
    assert seen[-1] == 5
    assert store.count_games(Filter(imported=True)) == store.count_games() == 2
    assert store.players() == []
    again = store.import_records(fresh)
    assert (again.added, again.duplicates) == (0, 2)
    # What was deleted may come again, but then cannot come back twice.
    first = store.list_games(Filter(name="ann")).games[0]
    store.delete(first.id)
    assert store.import_records(fresh).added == 1
    with pytest.raises(StoreError, match="imported again"):
        store.restore(first.id)
    assert store.count_games() == 2


def test_an_imported_game_may_be_changed_and_stays_one(store: Store) -> None:
    store.import_records([Record.of(played())])
    (before,) = store.list_games().games
    entry = store.load(before.id)
    entry.record.root.comment = "well played"
    store.save(entry)
    (after,) = store.list_games(Filter(imported=True)).games
    assert replace(after, changed=before.changed) == before
    assert store.load(before.id).record.root.comment == "well played"


def test_a_source_that_breaks_off_gives_what_came_before(store: Store) -> None:
    def source() -> Iterator[Record]:
        yield Record.of(played())
        raise RecordError("bracket missing")

    done = store.import_records(source())
    assert done.added == 1
    assert done.bad == [(2, "bracket missing")]


def test_an_interrupted_import_keeps_whole_games(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tengen.store.import_export.MIN_BATCH_GAMES", 5)
    everything = random_records(30, seed=9)

    def stop(done: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.import_records(everything, stop)
    kept = store.count_games()
    assert 0 < kept < 30
    done = store.import_records(everything)
    assert (done.added, done.duplicates) == (30 - kept, kept)


def test_what_is_exported_is_known_when_it_comes_back(store: Store) -> None:
    entry = GameEntry(Record.of(played(), result="B+R"), players=(Person("Ann"), engine_player(uct())), end="x")
    entry.record.root.add(Node(0)).comment = "a variation"
    store.save(entry)
    store.import_records(random_records(5, seed=4))
    out = list(store.export_records())
    assert len(out) == 6
    mine = next(record for record in out if record.names[0] == "Ann")
    assert (mine.names[1], mine.date) == (engine_player(uct()).name, entry.started.date().isoformat())
    assert mine.root == entry.record.root
    assert store.import_records(out).duplicates == 6
    with Store.in_memory() as elsewhere:
        assert elsewhere.import_records(out).added == 6
        assert Counter(map(repr, elsewhere.export_records())) == Counter(map(repr, out))
    assert [record.game.name for record in store.export_records(Filter(game="go"))] == [
        record.game.name for record in out if record.game.name == "go"
    ]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["f5", "f5 d6", "f5 f6", "c4", "c4 c3"]), max_size=8))
def test_an_import_adds_each_game_once(lines: list[str]) -> None:
    with Store.in_memory() as store:
        done = store.import_records([Record.of(played(line)) for line in lines])
        assert (done.added, done.duplicates) == (len(set(lines)), len(lines) - len(set(lines)))
        assert {tuple(main_line_moves(record)) for record in store.export_records()} == {
            played(li).moves for li in lines
        }


# ---- reports


def report(nodes: int, value: Value | None = None, seconds: float = 1.0) -> Report:
    value = value or Value.heuristic(0.4, "win rate")
    return Report("uct", "d6", value, (Candidate("d6", value, ("d6", "c3")),), nodes, seconds)


def test_the_best_report_of_a_line_and_engine_is_kept(store: Store) -> None:
    entry = GameEntry(Record.of(played()))
    store.save(entry)
    assert store.save_report(entry.id, ["f5"], uct(1.0), report(1000))
    assert not store.save_report(entry.id, ["f5"], uct(2.0), report(900)), "the level does not matter"
    assert not store.save_report(entry.id, ["f5"], uct(1.0), report(1000))
    assert store.save_report(entry.id, ["f5"], uct(2.0), report(2000))
    assert store.save_report(entry.id, ["f5"], "edax", report(10))
    assert store.save_report(entry.id, ["f5"], "edax", report(5, Value.exact(2, "discs")))
    assert not store.save_report(entry.id, ["f5"], "edax", report(10**9)), "a guess does not replace a proof"
    assert store.save_report(entry.id, [], "edax", report(7))
    kept = store.reports(entry.id)
    assert [(len(one.moves), one.report.nodes) for one in kept] == [(0, 7), (1, 5), (1, 2000)]
    assert kept[0] == StoredReport((), "edax", report(7))
    assert [one.report.nodes for one in store.reports(entry.id, ["f5"])] == [5, 2000]
    entry.record.root.comment = "saved again"
    store.save(entry)
    assert len(store.reports(entry.id)) == 3
    store.delete(entry.id)
    store.purge(datetime.now(UTC) + timedelta(seconds=1))
    with store._database.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM reports").scalar() == 0


def test_a_report_of_another_version_gives_way(store: Store) -> None:
    entry = GameEntry(Record.of(played()))
    store.save(entry)
    store.save_report(entry.id, [], "uct", replace(report(10**9), version=99))
    assert store.reports(entry.id) == []
    assert store.save_report(entry.id, [], "uct", report(1))
    assert [one.report for one in store.reports(entry.id)] == [report(1)]


# ---- puzzles


def puzzle(number: int) -> Puzzle:
    worth = (("d3", 4.0), ("c4", 4.0), ("f5", -2.0))
    found = tuple(Candidate(move, Value.exact(amount, "discs")) for move, amount in worth)
    report = Report("test", "d3", found[0].value, found, 1, 0.1)
    return Puzzle(
        "test", "othello", {"size": 8}, ("d3", "c3")[: number % 3], f"task {number}", ("d3", "c4"), report
    )


def test_an_answer_to_a_puzzle_counts_and_what_was_missed_comes_again(store: Store) -> None:
    first, second, third = (puzzle(number) for number in range(3))
    assert [store.add_puzzle(one) for one in (first, second, third)] == [True] * 3
    assert not store.add_puzzle(puzzle(1))  # the same position
    assert store.puzzle(second.id) == second
    assert store.count_unseen("test", "ann") == 3
    assert store.next_puzzle("test", "ann") == first
    assert store.answer_puzzle(first.id, "ann", "c4")
    assert not store.answer_puzzle(second.id, "ann", "f5")
    assert store.next_puzzle("test", "ann") == third
    assert store.next_puzzle("test", "ann", missed=True) == second
    assert not store.answer_puzzle(third.id, "ann", "")  # somebody let it be shown
    assert store.puzzle_score("test", "ann") == PuzzleScore(3, 1, 0, 1, 2)
    assert store.answer_puzzle(second.id, "ann", "d3")
    assert store.next_puzzle("test", "ann", missed=True) == third
    assert store.puzzle_score("test", "ann") == PuzzleScore(4, 2, 1, 1, 1)
    assert store.next_puzzle("test", "bea") == first
    assert store.puzzle_score("test", "bea") == PuzzleScore()
    assert store.next_puzzle("test", "ann") is None
    with pytest.raises(NotStored):
        store.answer_puzzle("nothing", "ann", "d3")
    with pytest.raises(OptionError):
        store.answer_puzzle(first.id, "ann", "x" * 101)


def test_a_save_writes_only_what_changed(tmp_path: Path) -> None:
    """Statements of a save: the record only if it changed, positions only while the opening changes."""
    written: list[str] = []
    with Store.open(str(tmp_path / "games.db")) as store:

        @event.listens_for(store._database.engine, "before_cursor_execute")
        def note(_: object, __: object, statement: str, *rest: object) -> None:
            written.append(statement)

        def tables() -> set[str]:
            words = [line.replace("INSERT INTO", "INSERT").split() for line in written]
            written.clear()
            return {line[1] for line in words if line[0] in ("INSERT", "UPDATE", "DELETE")}

        entry = GameEntry(Record(tengen.game("othello")), players=(Person("Ann"), Person("Bob")))
        store.save(entry)
        assert tables() == {"players", "games", "records", "positions"}
        position = tengen.game("othello").start()
        for ply in range(35):
            position = position.play(position.legal_moves[0])
            entry.record.follow(position.moves)
            store.save(entry)
            assert tables() == {"games", "records"} | ({"positions"} if ply <= INDEXED_PLIES else set())
        entry.state = {"clock": 3}
        store.save(entry)
        assert "packed" not in next(line for line in written if line.startswith("UPDATE records"))
        assert tables() == {"games", "records"}
        store.save(entry)  # only its revision
        assert tables() == {"games"}

        loaded = store.load(entry.id)
        loaded.record.root.children[0].comment = "good"
        written.clear()
        store.save(loaded)
        assert not any("SELECT records" in line for line in written), "the old record is not read again"
        assert tables() == {"games", "records"}
    with Store.open(str(tmp_path / "games.db")) as store:  # nothing is remembered from before
        entry = store.load(entry.id)
        entry.record.result = "B+R"  # counts in every position
        store.save(entry)
        assert store.explore(tengen.game("othello").start()).moves[0].first_wins == 1
        entry.record.root.children.clear()
        store.save(entry)
        assert store.explore(tengen.game("othello").start()).games == 1
        assert store.explore(tengen.game("othello").start()).moves == ()
