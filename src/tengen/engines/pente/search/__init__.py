"""The search of the strong Pente player: evaluation weights and the driver-facing searcher."""
