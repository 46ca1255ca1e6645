"""Kernels of the training."""
