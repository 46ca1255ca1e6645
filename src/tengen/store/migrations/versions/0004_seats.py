"""Seats, visitors, drafts, kept counts, and indexes from which lists can be filtered."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


_FILTERED = ("board", "rules", "score", "date", "finished", "imported")
_ORDERS = {
    "changed": "changed",
    "date": "date",
    "first": "first_folded",
    "moves": "moves",
    "result": "score",
    "rules": "rules",
    "second": "second_folded",
    "size": "size",
}


def upgrade() -> None:
    live = sa.text("deleted IS NULL")
    for order, column in _ORDERS.items():
        name = f"games_by_{order}"
        columns = ["game", column, "number", *(one for one in _FILTERED if one != column)]
        if order == "first":
            columns.append("second_folded")
        op.drop_index(name, "games")
        op.create_index(name, "games", columns, sqlite_where=live, postgresql_where=live)
    op.create_table(
        "game_counts",
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("through", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("total", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint("game"),
    )
    op.add_column("games", sa.Column("draft", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.drop_index("deleted_games", "games")
    for name, columns, where in (
        ("deleted_games", ["deleted"], "deleted IS NOT NULL AND NOT draft"),
        ("drafts", ["deleted"], "draft"),
        ("played_games", ["changed", "number"], "deleted IS NULL AND NOT imported"),
    ):
        condition = sa.text(where)
        op.create_index(name, "games", columns, sqlite_where=condition, postgresql_where=condition)
    op.create_table(
        "seats",
        sa.Column(
            "number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("owner", sa.String(length=80), nullable=False),
        sa.Column("first_key", sa.String(length=80), nullable=False),
        sa.Column("second_key", sa.String(length=80), nullable=False),
        sa.Column("first_open", sa.Boolean(), nullable=False),
        sa.Column("second_open", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["number"], ["games.number"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_table(
        "seat_holders",
        sa.Column(
            "number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("side", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("visitor", sa.String(length=80), nullable=False),
        sa.Column("place", sa.SmallInteger(), nullable=False),
        sa.ForeignKeyConstraint(["number"], ["seats.number"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", "side", "visitor"),
    )
    op.create_table(
        "visitors",
        sa.Column("visitor", sa.String(length=80), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("seen", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("visitor"),
    )
    op.create_index("visitors_by_seen", "visitors", ["seen"], unique=False)
    op.create_table(
        "guests",
        sa.Column("visitor", sa.String(length=80), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("visitor"),
    )
    op.create_table(
        "settings",
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
