"""Games, players, positions and ratings."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "crowds",
        sa.Column(
            "key", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("through", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("counts", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_table(
        "games",
        sa.Column(
            "number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("board", sa.String(length=20), nullable=False),
        sa.Column(
            "rules",
            sa.String(length=200).with_variant(sa.String(length=200, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("first_name", sa.String(length=200), nullable=False),
        sa.Column("second_name", sa.String(length=200), nullable=False),
        sa.Column(
            "first_folded",
            sa.String(length=200).with_variant(sa.String(length=200, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column(
            "second_folded",
            sa.String(length=200).with_variant(sa.String(length=200, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("first_player", sa.String(length=36), nullable=True),
        sa.Column("second_player", sa.String(length=36), nullable=True),
        sa.Column(
            "date",
            sa.String(length=40).with_variant(sa.String(length=40, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("result", sa.String(length=40), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("moves", sa.Integer(), nullable=False),
        sa.Column("finished", sa.Boolean(), nullable=False),
        sa.Column("imported", sa.Boolean(), nullable=False),
        sa.Column("started", sa.BigInteger(), nullable=False),
        sa.Column("changed", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.LargeBinary(length=16), nullable=False),
        sa.Column("deleted", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("number"),
        sa.UniqueConstraint("id"),
        sqlite_autoincrement=True,
    )
    for name, columns, unique, where in (
        ("deleted_games", ["deleted"], False, "deleted IS NOT NULL"),
        ("games_by_changed", ["game", "changed", "number"], False, "deleted IS NULL"),
        ("games_by_date", ["game", "date", "number"], False, "deleted IS NULL"),
        ("games_by_first", ["game", "first_folded", "number"], False, "deleted IS NULL"),
        ("games_by_moves", ["game", "moves", "number"], False, "deleted IS NULL"),
        ("games_by_result", ["game", "score", "number"], False, "deleted IS NULL"),
        ("games_by_rules", ["game", "rules", "number"], False, "deleted IS NULL"),
        ("games_by_second", ["game", "second_folded", "number"], False, "deleted IS NULL"),
        ("games_by_size", ["game", "size", "number"], False, "deleted IS NULL"),
        ("games_of_first", ["first_player", "changed", "number"], False, "deleted IS NULL"),
        ("games_of_second", ["second_player", "changed", "number"], False, "deleted IS NULL"),
        ("imported_once", ["digest"], True, "deleted IS NULL AND imported"),
        ("played_like", ["digest"], False, "deleted IS NULL AND NOT imported"),
        ("unfinished_games", ["changed", "number"], False, "deleted IS NULL AND NOT finished"),
    ):
        condition = sa.text(where)
        op.create_index(name, "games", columns, unique=unique, sqlite_where=condition, postgresql_where=condition)
    op.create_table(
        "players",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("likeness", sa.String(length=64), nullable=False),
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("added", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("likeness"),
    )
    op.create_table(
        "positions",
        sa.Column("segment", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column(
            "key", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column(
            "number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("ply", sa.SmallInteger(), nullable=False),
        sa.Column("move", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.SmallInteger(), nullable=False),
        sa.PrimaryKeyConstraint("segment", "key", "number"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rating_changes",
        sa.Column(
            "number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("player", sa.String(length=36), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("game_id", sa.String(length=36), nullable=False),
        sa.Column("opponent", sa.String(length=36), nullable=False),
        sa.Column("points", sa.Float(), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.Column("volatility", sa.Float(), nullable=False),
        sa.Column("time", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_index("rating_history", "rating_changes", ["player", "game", "number"], unique=False)
    op.create_index("rating_once", "rating_changes", ["game_id", "player"], unique=True)
    op.create_table(
        "ratings",
        sa.Column("player", sa.String(length=36), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.Column("volatility", sa.Float(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("time", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("player", "game"),
    )
    op.create_table(
        "records",
        sa.Column(
            "number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["number"], ["games.number"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number"),
    )
