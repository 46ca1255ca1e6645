"""Former module of `SolvedPositions`: checkpoints of version 0.1 refer to it by this path."""

from tengen.engines.othello.training.accuracy import SolvedPositions as Judged

__all__ = ["Judged"]
