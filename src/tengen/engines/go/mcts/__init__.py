"""Monte-Carlo tree search for Go: the engine, its playouts, priors and end-of-game rules."""
