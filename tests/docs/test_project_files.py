"""Files around the package agree with each other: uv.lock with pyproject.toml, the changelog with the version."""

from __future__ import annotations

import re
import tomllib

import tengen
from tests.helpers.paths import ROOT


def test_the_lock_file_has_the_requirements_of_the_project() -> None:
    """`make lock` renews it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        wanted += extra
    (locked,) = (
        package
        for package in tomllib.loads((ROOT / "uv.lock").read_text())["package"]
        if package["name"] == "tengen"
    )
    found = {
        requirement["name"] + requirement.get("specifier", "")
        for requirement in locked["metadata"]["requires-dist"]
    }
    assert found == {_normalised(requirement) for requirement in wanted}


def test_the_lock_file_names_only_public_hosts() -> None:
    hosts = set(re.findall(r"\w+://[^/\"]+", (ROOT / "uv.lock").read_text()))
    assert hosts == {"https://pypi.org", "https://files.pythonhosted.org"}


def test_the_changelog_begins_with_the_current_version() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == tengen.__version__


def _normalised(requirement: str) -> str:
    """A requirement as uv writes it: `psycopg[binary]>=3.2` is `psycopg>=3.2`, clauses in order."""
    name, _, specifier = re.fullmatch(r"([\w.-]+)(\[.*\])?(.*)", requirement).groups()
    return name.lower().replace("_", "-") + ",".join(sorted(specifier.split(","), reverse=True))
