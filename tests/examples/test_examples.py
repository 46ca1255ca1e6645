"""The example programs, notebooks and plugin run as their README says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.helpers.paths import ROOT

EXAMPLES = ROOT / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*.py"))
NOTEBOOKS = sorted((EXAMPLES / "notebooks").glob("*.ipynb"))


def run_python(*arguments: str, path: Path | None = None) -> str:
    """Run Python in a process of its own with warnings as errors; returns what it printed."""
    environment = {name: value for name, value in os.environ.items() if name != "TENGEN_BOOKS"}
    if path is not None:
        environment["PYTHONPATH"] = os.pathsep.join([str(path), environment.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=environment, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_are_nine_programs_and_five_notebooks_and_the_readme_names_them() -> None:
    assert (len(PROGRAMS), len(NOTEBOOKS)) == (9, 5)
    readme = (EXAMPLES / "README.md").read_text()
    assert all(f"`{program.name}`" in readme for program in PROGRAMS)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_programs_run(program: Path) -> None:
    assert run_python(str(program)).strip()


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_and_display_pictures_or_tables(notebook: Path, tmp_path: Path) -> None:
    executed = tmp_path / "executed.ipynb"
    script = (
        "import nbclient, nbformat, sys\n"
        "notebook = nbformat.read(sys.argv[1], 4)\n"
        "nbclient.NotebookClient(notebook, timeout=300, kernel_name='python3').execute()\n"
        "nbformat.write(notebook, sys.argv[2])\n"
    )
    run_python("-c", script, str(notebook), str(executed))  # a cell that fails is an error
    cells = json.loads(executed.read_text())["cells"]
    shown = {kind for cell in cells for output in cell.get("outputs", []) for kind in output.get("data", {})}
    assert {"image/svg+xml", "text/html", "application/vnd.jupyter.widget-view+json"} & shown


def test_the_plugin_can_be_installed_and_adds_a_game_and_an_engine(tmp_path: Path) -> None:
    target = tmp_path / "site"
    source = tmp_path / "plugin"
    subprocess.run(["cp", "-r", str(EXAMPLES / "plugin"), str(source)], check=True)
    install = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--target", str(target)]
    run_python(*install, str(source))
    script = (
        "import tengen\n"
        "position = tengen.game('nim', size=10).start()\n"
        "report = tengen.analyse(position, 'nimber')\n"
        "print(report.best, report.value, tengen.analyse(position, nodes=200).engine)\n"
        "print(tengen.match('nimber', 'random', position.game, rounds=2).results(0))\n"
    )
    lines = run_python("-c", script, path=target).splitlines()
    assert lines[0] == "2 won (exact) nimber", "the plugin's engine is the default of its game"
    assert lines[1].startswith("("), "a match can be played with it"
    assert "nim" in run_python("-m", "tengen", "games", path=target)
