"""The examples in the README and in docs/ are true: Python blocks run, and so do the `$ tengen` lines."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperGroup as Group
from typer.main import get_command

import tengen
from tengen import cli
from tests.helpers.paths import PLUGIN, ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[object]:
    found = []
    for page in PAGES:
        for number, match in enumerate(BLOCK.finditer(page.read_text()), 1):
            if match[1] == language:
                found.append(pytest.param(match[2], id=f"{page.relative_to(ROOT)}-{number}"))
    return found


# One process for the examples of many pages, because each takes seconds to load; each has names of its own.
RUNNER = """
import runpy, sys
for path in sys.argv[1:]:
    print("running", path, file=sys.stderr)
    runpy.run_path(path, run_name="__main__")
"""


def with_python() -> list[object]:
    """The pages with examples, in two groups; those that add to what there is are alone."""
    pages = [page for page in PAGES if "```python\n" in page.read_text()]
    alone = [[page] for page in pages if page.name.startswith("adding-")]
    others = [page for page in pages if [page] not in alone]
    return [
        pytest.param(group, id=" ".join(page.stem for page in group))
        for group in (*alone, others[::2], others[1::2])
    ]


@pytest.mark.parametrize("pages", with_python())
def test_python_examples_run(pages: list[Path], tmp_path: Path) -> None:
    scripts = []
    for page in pages:
        sources = [match[2] for match in BLOCK.finditer(page.read_text()) if match[1] == "python"]
        for number, source in enumerate(sources, 1):
            scripts.append(tmp_path / f"{page.parent.name}-{page.stem}-{number}.py")
            scripts[-1].write_text(source)
    command = [sys.executable, "-W", "error", "-c", RUNNER, *map(str, scripts)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@pytest.mark.usefixtures("jobs_in_threads")
@pytest.mark.parametrize("source", blocks("console"))
def test_command_examples_run(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # some write files
    commands = [line[2:] for line in source.splitlines() if line.startswith("$ ")]
    assert commands, "a console block shows commands after `$ `"
    for command in commands:
        words = shlex.split(command)
        assert words[0] == "tengen"
        assert cli.run(words[1:]) == 0, command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_seeds_page_names_existing_tests() -> None:
    for name in re.findall(r"(?:tests|soak)/[\w/]+\.py", (ROOT / "docs" / "seeds.md").read_text()):
        assert (ROOT / name).exists(), name


def test_the_example_game_in_the_guide_is_the_one_that_is_tested() -> None:
    assert (PLUGIN / "tengen_nim" / "game.py").read_text() in (
        ROOT / "docs" / "extending" / "adding-a-game.md"
    ).read_text()


def test_the_architecture_diagram_shows_the_layers_and_all_packages() -> None:
    page = (ROOT / "docs" / "internals" / "architecture.md").read_text()
    diagram = page.partition("```text\n")[2].partition("```")[0]
    shown = [re.split(r"\s{2,}", line)[0].split(" | ") for line in diagram.splitlines()]

    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    assert shown == [layer.replace("tengen.", "").split(" | ") for layer in layers]

    packages = {folder.parent.name for folder in (ROOT / "src" / "tengen").glob("*/__init__.py")}
    assert sorted(name for layer in shown for name in layer) == sorted(packages)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_files_named_in_pages_exist(page: Path) -> None:
    """A file is named by its path from the root, or by the end of its path in the package."""
    modules = [path.as_posix() for path in (ROOT / "src").rglob("*.py")]
    for name in re.findall(r"`((?:\w+/)*\w+\.py)`", page.read_text()):
        assert (ROOT / name).exists() or any(path.endswith(f"/{name}") for path in modules), name


def test_the_api_page_lists_every_public_name() -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    shown = set(re.findall(r"^::: tengen\.(\w+)$", page, re.MULTILINE))
    assert shown | {"errors", "__version__"} == set(dir(tengen))


def named_commands(text: str) -> list[str]:
    """Every `tengen ...` in inline code and in blocks, with lines that are continued joined."""
    inline = re.findall(r"`(tengen(?: [^`]*)?)`", BLOCK.sub("", text))
    blocks = "\n".join(match[2] for match in BLOCK.finditer(text) if match[1] in ("sh", "text", "console"))
    lines = re.sub(r"\n {2,}", " ", blocks).splitlines()
    return [" ".join(command.split()) for command in inline + [line.removeprefix("$ ") for line in lines]]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_and_options_named_in_pages_exist(page: Path) -> None:
    for text in named_commands(page.read_text()):
        if not re.match(r"tengen(?=$|\s)", text):
            continue
        command: Any = get_command(cli.app)
        words = re.sub(r"#.*", "", text).split()[1:]
        while words and isinstance(command, Group) and not words[0].startswith("-"):
            name = words.pop(0)
            if not re.fullmatch(r"[a-z-]+", name):  # a placeholder such as COMMAND
                break
            assert name in command.commands, text
            command = command.commands[name]
        known = {"--help", *(option for one in command.params for option in (*one.opts, *one.secondary_opts))}
        for option in re.findall(r"(?<![\w\"'-])--?[a-z][a-z-]*", re.sub(r"\"[^\"]*\"", "", " ".join(words))):
            assert option in known, text
