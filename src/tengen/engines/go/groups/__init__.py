"""Groups in open positions: life and death and capturing races by local Monte-Carlo tree search."""
