"""Build the wheel and the sdist into dist/, check their contents, and try each one in a fresh environment.

    python tools/release.py

Needs the packages of the extra `release`. Nothing is uploaded: `twine upload dist/*` does that.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
SDIST_FILES = {"CHANGELOG.md", "LICENSE", "README.md", "PKG-INFO", "pyproject.toml", ".gitignore"}
# Rules, an engine with its trained weights, and the shipped opening book, without the repository.
SMOKE_TEST = """
import tengen
assert "site-packages" in tengen.__file__, tengen.__file__
position = tengen.game("othello").start().play("f5")
report = tengen.analyse(position, depth=4)
print(position.write_moves(position.legal_moves), report.best, report.value)
assert tengen.book("othello") is not None
"""
COMMANDS = (("--version",), ("games",), ("book", "show", "f5 d6", "--game", "othello"))


def main() -> None:
    package_files = _package_files()
    shutil.rmtree(DIST, ignore_errors=True)
    _run(sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT))
    (wheel,), (sdist,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    _run(sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist))
    _check_wheel(wheel, package_files)
    _check_sdist(sdist, package_files)
    for archive in (wheel, sdist):
        _try_out(archive)
    _try_runners(wheel)
    print(f"\nBoth work: {wheel.name} ({_size(wheel)}), {sdist.name} ({_size(sdist)}).")


def _package_files() -> set[str]:
    """Paths of the package's committed files, relative to src/. Untracked files, which would ship, are refused."""
    listed = subprocess.check_output(["git", "ls-files", "src"], cwd=ROOT, text=True).splitlines()
    others = ["git", "ls-files", "--others", "--exclude-standard", "src"]
    unknown = subprocess.check_output(others, cwd=ROOT, text=True).split()
    if unknown:
        sys.exit(f"Files that git does not know would be shipped: {', '.join(unknown)}")
    return {path.removeprefix("src/") for path in listed}


def _check_wheel(wheel: Path, package_files: set[str]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    _compare(wheel.name, names, package_files)


def _check_sdist(sdist: Path, package_files: set[str]) -> None:
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    _compare(sdist.name, names, {f"src/{path}" for path in package_files} | SDIST_FILES)


def _compare(archive: str, found: set[str], expected: set[str]) -> None:
    missing, unexpected = sorted(expected - found), sorted(found - expected)
    if missing or unexpected:
        sys.exit(f"{archive}: missing {missing[:20]}, unexpected {unexpected[:20]}")
    print(f"{archive}: {len(found)} files, as expected")


def _try_out(archive: Path) -> None:
    """Install an archive into a new environment and use it from an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        print(f"\nTrying {archive.name} in a fresh environment")
        venv.create(Path(folder) / "venv", with_pip=True)
        programs = Path(folder) / "venv" / ("Scripts" if os.name == "nt" else "bin")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("TENGEN_", "PYTHONPATH"))}
        environment = {**kept, "TENGEN_DATA": f"{folder}/data", "TENGEN_CACHE": f"{folder}/cache"}
        _run(
            str(programs / "python"), "-m", "pip", "install", "--quiet", str(archive), env=environment, cwd=folder
        )
        for command in COMMANDS:
            _run(str(programs / "tengen"), *command, env=environment, cwd=folder)
        _run(str(programs / "python"), "-W", "error", "-c", SMOKE_TEST, env=environment, cwd=folder)


def _try_runners(wheel: Path) -> None:
    """Run the command with pipx and uv, each of which makes an environment of its own."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PIPX_HOME": f"{folder}/pipx", "UV_TOOL_DIR": f"{folder}/uv"}
        environment |= {"TENGEN_DATA": f"{folder}/data", "TENGEN_CACHE": f"{folder}/cache"}
        pipx = (sys.executable, "-m", "pipx", "run", "--no-cache", "--spec", str(wheel), "tengen")
        uv = (sys.executable, "-m", "uv", "tool", "run", "--from", str(wheel), "tengen")
        for runner in (pipx, uv):
            _run(*runner, "--version", env=environment, cwd=folder)


def _run(*command: str, env: dict[str, str] | None = None, cwd: str | Path = ROOT) -> None:
    print(
        "$", " ".join(Path(word).name if number == 0 else word for number, word in enumerate(command)), flush=True
    )
    subprocess.run(command, check=True, env=env, cwd=cwd)


def _size(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.1f} MB"


if __name__ == "__main__":
    main()
