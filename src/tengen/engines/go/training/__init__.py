"""Training of the feature weights of the move policy from self-play."""
