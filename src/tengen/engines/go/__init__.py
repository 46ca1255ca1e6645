"""Go engines: tree search (`mcts`), reading (`reading`), string player (`strings`), small boards (`solver`)."""
