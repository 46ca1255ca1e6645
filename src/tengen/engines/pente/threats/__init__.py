"""Forced wins by threats: search, proofs, and brute-force verification."""
