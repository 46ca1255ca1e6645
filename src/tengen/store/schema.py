"""Database tables.

`games` has a narrow row per game with everything that lists show, so that a million can be listed by index;
`records` has the game trees. Tables are joined by the ascending `number`; outside the store, a game is known by
its `id`.

Times are microseconds since 1970 in UTC. JSON columns are `Text` because no query looks into them. The migrations
in `migrations/versions` create the same tables step by step; a test compares the two.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    false,
    text,
)

metadata = MetaData()

# SQLite autoincrements only columns of type INTEGER.
_Number = BigInteger().with_variant(Integer, "sqlite")


def _number_of(table: str) -> Column[Any]:
    """A primary key that is the number of a row of another table; both rows are deleted together."""
    owner = ForeignKey(f"{table}.number", ondelete="CASCADE")
    return Column("number", _Number, owner, primary_key=True, autoincrement=False)


def _sorted_text(length: int) -> String:
    """Text sorted by code point in every database, so that prefixes are ranges."""
    return String(length).with_variant(String(length, collation="C"), "postgresql")


players = Table(
    "players",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("kind", String(10), nullable=False),
    Column("name", String(80), nullable=False),
    # Digest of `players.player.identity_key`.
    Column("likeness", String(64), key="identity_digest", nullable=False, unique=True),
    Column("player", Text, nullable=False),  # JSON
    Column("added", BigInteger, nullable=False),
    Column("owner", String(36), nullable=True),  # an account; NULL: owned by the server
)
Index("players_of_owner", players.c.owner)

games = Table(
    "games",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=True),
    Column("id", String(36), nullable=False, unique=True),
    Column("revision", Integer, nullable=False),
    Column("game", String(40), nullable=False),
    Column("size", Integer, nullable=False),  # points of the board; 0 if unknown
    Column("board", String(20), nullable=False),  # displayed size: 9x9
    Column("rules", _sorted_text(200), nullable=False),
    Column("first_name", String(200), nullable=False),
    Column("second_name", String(200), nullable=False),
    Column("first_folded", _sorted_text(200), nullable=False),  # case-folded, for sorting and searching
    Column("second_folded", _sorted_text(200), nullable=False),
    Column("first_player", String(36), nullable=True),
    Column("second_player", String(36), nullable=True),
    Column("date", _sorted_text(40), nullable=False),
    Column("result", String(40), nullable=False),
    Column("score", Float, nullable=False),  # sort key of the result, see `rows.sort_score`
    Column("moves", Integer, nullable=False),
    Column("finished", Boolean, nullable=False),
    Column("imported", Boolean, nullable=False),
    Column("started", BigInteger, nullable=False),
    Column("changed", BigInteger, nullable=False),
    Column("digest", LargeBinary(16), nullable=False),
    # Time of deletion (purged later); for drafts, which are in no list, the time of the last save.
    Column("deleted", BigInteger, nullable=True),
    Column("draft", Boolean, nullable=False, server_default=false()),
    sqlite_autoincrement=True,  # numbers are never reused
)

records = Table(
    "records",
    metadata,
    _number_of("games"),
    Column("packed", LargeBinary, nullable=False),
    Column("entry", Text, nullable=False),  # JSON: fields of `GameEntry` that are neither here nor in `games`
)

# Sort orders of lists. Each has an index per game, read in both directions.
ORDERS: dict[str, Column[Any]] = {
    "date": games.c.date,
    "first": games.c.first_folded,
    "second": games.c.second_folded,
    "size": games.c.size,
    "rules": games.c.rules,
    "result": games.c.score,
    "moves": games.c.moves,
    "changed": games.c.changed,
}
_LIVE = text("deleted IS NULL")


def _live_index(name: str, *columns: Column[object], unique: bool = False, where: object = _LIVE) -> None:
    Index(name, *columns, unique=unique, sqlite_where=where, postgresql_where=where)


# The indexes also contain the filter columns: games that do not match are skipped without reading their rows.
_FILTERED = (games.c.board, games.c.rules, games.c.score, games.c.date, games.c.finished, games.c.imported)
for _order, _column in ORDERS.items():
    _more = [one for one in _FILTERED if one is not _column]
    if _order == "first":
        _more.append(games.c.second_folded)  # for counting names on either side
    _live_index(f"games_by_{_order}", games.c.game, _column, games.c.number, *_more)
_live_index("games_of_first", games.c.first_player, games.c.changed, games.c.number)
_live_index("games_of_second", games.c.second_player, games.c.changed, games.c.number)
_live_index("unfinished_games", games.c.changed, games.c.number, where=text("deleted IS NULL AND NOT finished"))
_live_index("played_games", games.c.changed, games.c.number, where=text("deleted IS NULL AND NOT imported"))
_live_index("played_like", games.c.digest, where=text("deleted IS NULL AND NOT imported"))
# Prevents two programs that import the same collection from both adding a game.
_live_index("imported_once", games.c.digest, unique=True, where=text("deleted IS NULL AND imported"))
_live_index("deleted_games", games.c.deleted, where=text("deleted IS NOT NULL AND NOT draft"))
_live_index("drafts", games.c.deleted, where=text("draft"))

# One row per position in the opening of each game that is not deleted, clustered by segment (see `explorer`) and
# then by position: a new game changes pages of the last segment only.
positions = Table(
    "positions",
    metadata,
    Column("segment", Integer, primary_key=True, autoincrement=False),
    Column("key", _Number, primary_key=True, autoincrement=False),
    Column("number", _Number, primary_key=True, autoincrement=False),
    Column("ply", SmallInteger, nullable=False),
    Column("move", Integer, nullable=False),  # the move played there, or -1
    Column("outcome", SmallInteger, nullable=False),  # 0 or 1 who won, 2 a draw, 3 not known
    sqlite_with_rowid=False,
)

# Cached counts of very common positions: `counts` (JSON) includes games up to number `through`. The stored name is
# that of version 0.1.
position_counts = Table(
    "crowds",
    metadata,
    Column("key", _Number, primary_key=True, autoincrement=False),
    Column("through", _Number, nullable=False),
    Column("counts", Text, nullable=False),
)

# Cached number of listed games per kind, up to number `through`.
game_counts = Table(
    "game_counts",
    metadata,
    Column("game", String(40), primary_key=True),
    Column("through", _Number, nullable=False),
    Column("total", _Number, nullable=False),
)

ratings = Table(
    "ratings",
    metadata,
    Column("player", String(36), primary_key=True),
    Column("game", String(40), primary_key=True),
    Column("rating", Float, nullable=False),
    Column("deviation", Float, nullable=False),
    Column("volatility", Float, nullable=False),
    Column("wins", Integer, nullable=False),
    Column("draws", Integer, nullable=False),
    Column("losses", Integer, nullable=False),
    Column("time", BigInteger, nullable=False),
)

rating_changes = Table(
    "rating_changes",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=True),
    Column("player", String(36), nullable=False),
    Column("game", String(40), nullable=False),
    Column("game_id", String(36), nullable=False),
    Column("opponent", String(36), nullable=False),
    Column("points", Float, nullable=False),  # 1, 0.5 or 0
    Column("rating", Float, nullable=False),  # after the game
    Column("deviation", Float, nullable=False),
    Column("volatility", Float, nullable=False),
    Column("time", BigInteger, nullable=False),
)
Index("rating_once", rating_changes.c.game_id, rating_changes.c.player, unique=True)
Index("rating_history", rating_changes.c.player, rating_changes.c.game, rating_changes.c.number)

reports = Table(
    "reports",
    metadata,
    _number_of("games"),
    Column("line", LargeBinary(16), primary_key=True),  # a digest of `moves`
    Column("engine_digest", LargeBinary(16), primary_key=True),
    Column("moves", Text, nullable=False),  # JSON
    Column("engine", Text, nullable=False),
    Column("report", Text, nullable=False),  # JSON
    Column("time", BigInteger, nullable=False),
)

puzzles = Table(
    "puzzles",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=True),
    Column("id", String(36), nullable=False, unique=True),
    Column("kind", String(60), nullable=False),
    Column("digest", LargeBinary(16), nullable=False, unique=True),  # of the position and the kind
    Column("puzzle", Text, nullable=False),  # JSON: the position, the task, the right moves
    Column("report", Text, nullable=False),  # JSON: the proof
    Column("time", BigInteger, nullable=False),
)
Index("puzzles_by_kind", puzzles.c.kind, puzzles.c.number)

attempts = Table(
    "attempts",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=True),
    Column("puzzle", _Number, ForeignKey("puzzles.number", ondelete="CASCADE"), nullable=False),
    Column("solver", String(80), nullable=False),
    Column("move", String(100), nullable=False),  # empty if the answer was shown
    Column("right", Boolean, nullable=False),
    Column("time", BigInteger, nullable=False),
)
Index("attempts_of_solver", attempts.c.solver, attempts.c.puzzle, attempts.c.number)

# What each solver repeats, and when: a cache of what follows from the answers (see `scheduling`), and puzzles that
# wait for a first answer.
cards = Table(
    "cards",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=True),
    Column("solver", String(80), nullable=False),
    Column("puzzle", _Number, ForeignKey("puzzles.number", ondelete="CASCADE"), nullable=False),
    Column("game", String(40), nullable=False),
    Column("added", BigInteger, nullable=False),
    Column("due", BigInteger, nullable=False),
    Column("first", BigInteger, nullable=True),  # times of the first and the last answer
    Column("last", BigInteger, nullable=True),
    Column("stability", Float, nullable=False),
    Column("learned", Boolean, nullable=False),
    Column("removed", Boolean, nullable=False),  # not asked any more
)
Index("card_once", cards.c.solver, cards.c.puzzle, unique=True)
Index("cards_by_due", cards.c.solver, cards.c.due)

# Access to games played over the web: the creator, and for each side its key and whether it waits for a guest.
# Games without a row were never played there.
seats = Table(
    "seats",
    metadata,
    _number_of("games"),
    Column("owner", String(80), nullable=False),
    Column("first_key", String(80), nullable=False),
    Column("second_key", String(80), nullable=False),
    Column("first_open", Boolean, nullable=False),
    Column("second_open", Boolean, nullable=False),
)

# Visitors who play a side.
seat_holders = Table(
    "seat_holders",
    metadata,
    _number_of("seats"),
    Column("side", SmallInteger, primary_key=True, autoincrement=False),
    Column("visitor", String(80), primary_key=True),
    Column("place", SmallInteger, nullable=False),  # order of joining
)

# Options of web visitors by the id in their cookie.
visitors = Table(
    "visitors",
    metadata,
    Column("visitor", String(80), primary_key=True),
    Column("options", Text, nullable=False),  # JSON
    Column("seen", BigInteger, nullable=False),
)
Index("visitors_by_seen", visitors.c.seen)

# Visitors who joined through another player's invite link; remembered even after that game is deleted.
guests = Table(
    "guests",
    metadata,
    Column("visitor", String(80), primary_key=True),
    Column("since", BigInteger, nullable=False),
)

# Server settings, such as the secret that signs cookies.
settings = Table(
    "settings",
    metadata,
    Column("name", String(60), primary_key=True),
    Column("value", Text, nullable=False),
)

accounts = Table(
    "accounts",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("identity", String(32), nullable=False, unique=True),  # secret; seats and options are stored under it
    Column("name", String(80), nullable=False),
    Column("folded", String(80), nullable=False, unique=True),
    Column("role", String(10), nullable=False),
    Column("password", Text, nullable=False),  # hash including its parameters
    Column("disabled", Boolean, nullable=False),
    Column("imported", Integer, nullable=False),  # number of imported games, for the quota
    Column("created", BigInteger, nullable=False),
)

# One-time links that create an account with a role or reset a password. Only digests are stored.
invitations = Table(
    "invitations",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("role", String(10), nullable=False),
    Column("account", String(36), ForeignKey("accounts.id", ondelete="CASCADE"), nullable=True),
    Column("created", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=True),
    Column("digest", String(64), nullable=False, unique=True),  # of the token in the cookie
    Column("account", String(36), ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("kind", String(10), nullable=False),  # browser or api
    Column("label", String(200), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("used", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=False),
    sqlite_autoincrement=True,  # numbers are never reused
)
Index("sessions_of_account", sessions.c.account, sessions.c.number)
