"""A thousand games of Othello at a time, stepped in one kernel call, as for reinforcement learning."""

import tengen
from tengen.environments import GameBatch

batch = GameBatch(tengen.game("othello", size=6), count=1000, seed=1)
now = batch.reset()
print("boards", now.boards.shape, now.boards.dtype, "legal actions", now.legal.shape)

ended = black_wins = 0
while ended < 5000:
    now = batch.step(batch.random_actions())  # your policy: now.boards, now.legal and now.to_move -> actions
    ended += int(now.terminated.sum())
    black_wins += int((now.rewards[:, 0] > 0).sum())
print(f"{ended} games, Black won {black_wins / ended:.0%}")
