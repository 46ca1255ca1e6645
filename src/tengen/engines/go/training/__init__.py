"""What the Go player learns from its own games: how likely a move is to be a good one, by what it looks like."""
