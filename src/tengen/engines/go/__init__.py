"""Go: tree search (`mcts`), tactical reading (`reading`), string player (`strings`), small-board solver (`solver`)."""
