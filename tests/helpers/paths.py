"""Folders of the repository that tests read from."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HELPERS = ROOT / "tests" / "helpers"
PLUGIN = ROOT / "examples" / "plugin" / "src"  # the package `tengen_nim`
GOLDEN = ROOT / "tests" / "golden"
