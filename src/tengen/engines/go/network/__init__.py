"""The network of Go: its input features, and the shipped file."""
