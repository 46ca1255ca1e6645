"""The compiled loops of the training."""
