"""The deck: what each person repeats, and when. Answers given so far are scheduled."""

import json
from itertools import groupby

import sqlalchemy as sa
from alembic import op

from tengen.store.rows import from_microseconds, to_microseconds
from tengen.store.scheduling import Answer, schedule

revision = "0007"
down_revision = "0006"

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    cards = op.create_table(
        "cards",
        sa.Column("number", _NUMBER, nullable=False),
        sa.Column("solver", sa.String(length=80), nullable=False),
        sa.Column("puzzle", _NUMBER, nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("added", sa.BigInteger(), nullable=False),
        sa.Column("due", sa.BigInteger(), nullable=False),
        sa.Column("first", sa.BigInteger(), nullable=True),
        sa.Column("last", sa.BigInteger(), nullable=True),
        sa.Column("stability", sa.Float(), nullable=False),
        sa.Column("learned", sa.Boolean(), nullable=False),
        sa.Column("removed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("number"),
        sa.ForeignKeyConstraint(["puzzle"], ["puzzles.number"], ondelete="CASCADE"),
    )
    op.create_index("card_once", "cards", ["solver", "puzzle"], unique=True)
    op.create_index("cards_by_due", "cards", ["solver", "due"], unique=False)
    connection = op.get_bind()
    puzzles = sa.table("puzzles", sa.column("number"), sa.column("puzzle"))
    attempts = sa.table(
        "attempts",
        *(sa.column(name) for name in ("number", "puzzle", "solver", "time")),
        sa.column("right", sa.Boolean()),
    )
    answers = sa.select(attempts).order_by(attempts.c.puzzle, attempts.c.solver, attempts.c.number)
    made = []
    for (puzzle, solver), group in groupby(
        connection.execute(answers).all(), key=lambda row: (row.puzzle, row.solver)
    ):
        given = list(group)
        after = schedule([Answer(bool(row.right), from_microseconds(row.time)) for row in given])
        content = connection.scalar(sa.select(puzzles.c.puzzle).where(puzzles.c.number == puzzle))
        made.append(
            {
                "solver": solver,
                "puzzle": puzzle,
                "game": json.loads(content or "{}")["game"],
                "added": given[0].time,
                "due": to_microseconds(after.due),
                "first": given[0].time,
                "last": given[-1].time,
                "stability": after.stability,
                "learned": after.is_learned,
                "removed": False,
            }
        )
    if made:
        connection.execute(sa.insert(cards), made)
