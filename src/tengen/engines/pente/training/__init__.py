"""Training of the evaluation and of the move order from self-play: `selfplay`, `examples`, `fitting`, `job`."""
