"""Training of the evaluation weights, from self-play games only."""
