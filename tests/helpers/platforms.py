"""Marks for tests that need a certain operating system."""

import sys

import pytest

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: /proc, fork and signals")
