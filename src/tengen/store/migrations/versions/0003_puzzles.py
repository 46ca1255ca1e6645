"""Puzzles with their proofs, and the answers to them."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "puzzles",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=60), nullable=False),
        sa.Column("digest", sa.LargeBinary(length=16), nullable=False),
        sa.Column("puzzle", sa.Text(), nullable=False),
        sa.Column("report", sa.Text(), nullable=False),
        sa.Column("time", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number"),
        sa.UniqueConstraint("digest"),
        sa.UniqueConstraint("id"),
    )
    op.create_index("puzzles_by_kind", "puzzles", ["kind", "number"], unique=False)
    op.create_table(
        "attempts",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("puzzle", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("solver", sa.String(length=80), nullable=False),
        sa.Column("move", sa.String(length=100), nullable=False),
        sa.Column("right", sa.Boolean(), nullable=False),
        sa.Column("time", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["puzzle"], ["puzzles.number"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_index("attempts_of_solver", "attempts", ["solver", "puzzle", "number"], unique=False)
