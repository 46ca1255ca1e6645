"""Reports of searches are kept with the game."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "reports",
        sa.Column(
            "number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("line", sa.LargeBinary(length=16), nullable=False),
        sa.Column("engine_digest", sa.LargeBinary(length=16), nullable=False),
        sa.Column("moves", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("report", sa.Text(), nullable=False),
        sa.Column("time", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["number"], ["games.number"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", "line", "engine_digest"),
    )
