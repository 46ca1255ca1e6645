"""Profiles of well-known engines: how each is started, the files that it needs, and what it can do.

Nothing is started here. `search` looks for the program on the path and for its files in the usual places.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tengen.core.errors import OptionError
from tengen.core.translation import mark
from tengen.players.program import ExternalProgram

SLOW_START_TIMEOUT_S = 180.0  # of engines that load or tune a network first
MAX_FILES_LOOKED_AT = 2000


@dataclass(frozen=True)
class NeededFile:
    """A file that an engine needs: where it may be, and what to do without it.

    `patterns` are searched in the folder of the program, then in `folders`. `variable` is an environment variable
    that names the file.
    """

    name: str
    patterns: tuple[str, ...]
    advice: str
    variable: str = ""
    folders: tuple[str, ...] = ()

    def find(self, beside: Path) -> Path | None:
        """The first such file."""
        if self.variable and (given := os.environ.get(self.variable)):
            return Path(given) if Path(given).is_file() else None
        for folder in (beside, *(Path(folder).expanduser() for folder in self.folders)):
            for pattern in self.patterns:
                found = sorted(_files(folder, pattern))
                if found:
                    return found[0]
        return None


def _files(folder: Path, pattern: str) -> Iterator[Path]:
    try:
        for looked_at, file in enumerate(folder.glob(pattern)):
            if file.is_file():
                yield file
            if looked_at > MAX_FILES_LOOKED_AT:
                return
    except OSError:
        return


@dataclass(frozen=True)
class Profile:
    """A well-known engine. `arguments` may contain the names of its `files` in braces.

    `in_own_folder`: it finds its files only if started in the folder of the program.
    """

    name: str
    title: str
    game: str
    protocol: str
    programs: tuple[str, ...]
    arguments: tuple[str, ...]
    reports: str  # what its analysis contains
    files: tuple[NeededFile, ...] = ()
    in_own_folder: bool = False
    timeout_s: float = 30.0


@dataclass(frozen=True)
class Found:
    """What was found of an engine: its program, its files, and what is missing."""

    profile: Profile
    path: Path | None
    files: tuple[Path, ...] = ()
    missing: tuple[str, ...] = ()

    def program(self) -> ExternalProgram:
        """The engine as a program to start. Raises `OptionError` if something is missing."""
        if self.path is None or self.missing:
            raise OptionError(f"{self.profile.title}: {'; '.join(self.missing)}")
        names = {one.name: str(file) for one, file in zip(self.profile.files, self.files, strict=True)}
        words = (word.format(**names) for word in self.profile.arguments)
        folder = str(self.path.parent) if self.profile.in_own_folder else ""
        return ExternalProgram(
            self.profile.protocol, (str(self.path), *words), folder, timeout_s=self.profile.timeout_s
        )


_SHARED = ("~/.katago", "~/.local/share/katago", "/usr/share/katago", "/usr/local/share/katago", "/opt/katago")
LINES, VISITS = mark("several moves with lines"), mark("several moves with lines, visits")

PROFILES = (
    Profile(
        "katago",
        "KataGo",
        "go",
        "katago",
        ("katago",),
        ("analysis", "-config", "{config}", "-model", "{model}"),
        mark("several moves with lines, visits, points, ownership, policy"),
        (
            NeededFile(
                "config",
                ("analysis*.cfg", "configs/analysis*.cfg", "**/analysis*.cfg"),
                mark("download analysis_example.cfg with KataGo, or set KATAGO_CONFIG"),
                "KATAGO_CONFIG",
                _SHARED,
            ),
            NeededFile(
                "model",
                ("*.bin.gz", "default_model.bin.gz", "*.txt.gz", "models/*.bin.gz"),
                mark("download a network from katagotraining.org, or set KATAGO_MODEL"),
                "KATAGO_MODEL",
                _SHARED,
            ),
        ),
        timeout_s=SLOW_START_TIMEOUT_S,
    ),
    Profile(
        "leela",
        "Leela Zero",
        "go",
        "gtp",
        ("leelaz",),
        ("--gtp", "--noponder", "-w", "{weights}"),
        VISITS,
        (
            NeededFile(
                "weights",
                ("best-network*", "*.txt.gz", "*.gz"),
                mark("download a network of Leela Zero, or set LEELAZ_WEIGHTS"),
                "LEELAZ_WEIGHTS",
                ("~/.local/share/leela-zero",),
            ),
        ),
        timeout_s=SLOW_START_TIMEOUT_S,
    ),
    Profile(
        "gnugo", "GNU Go", "go", "gtp", ("gnugo",), ("--mode", "gtp"), mark("several moves, estimate in points")
    ),
    Profile("pachi", "Pachi", "go", "gtp", ("pachi",), (), VISITS),
    Profile(
        "edax",
        "Edax",
        "othello",
        "nboard",
        ("edax", "lEdax-x64-modern", "lEdax-x86-64-v3", "wEdax-x64-modern"),
        ("-nboard",),
        LINES,
        (NeededFile("data", ("data/eval.dat", "../data/eval.dat"), mark("put data/eval.dat beside the program")),),
        in_own_folder=True,
    ),
    Profile(
        "egaroucid",
        "Egaroucid",
        "othello",
        "gtp",
        ("Egaroucid_for_Console", "Egaroucid_for_Console.out", "egaroucid"),
        ("-gtp", "-quiet"),
        mark("its move"),
        in_own_folder=True,
    ),
    Profile("ntest", "NTest", "othello", "nboard", ("ntest",), (), LINES, in_own_folder=True),
    Profile("rapfi", "Rapfi", "pente", "gomocup", ("pbrain-rapfi", "rapfi"), (), LINES, in_own_folder=True),
    Profile(
        "yixin", "Yixin", "pente", "gomocup", ("pbrain-Yixin2018", "pbrain-yixin", "yixin"), (), LINES, (), True
    ),
)


def profile(name: str) -> Profile:
    """Raises `OptionError` for an unknown name."""
    for one in PROFILES:
        if one.name == name.lower():
            return one
    names = ", ".join(one.name for one in PROFILES)
    raise OptionError(mark("a known engine is one of {names}, not {name!r}").format(names=names, name=name))


def search(wanted: Profile, path: str | None = None) -> Found:
    """Look for an engine on the path, or at `path`, and for its files."""
    if path:
        found = shutil.which(Path(path).expanduser())
        text = mark("no program at {path}").format(path=path)
    else:
        found = next(filter(None, map(shutil.which, wanted.programs)), None)
        names = " or ".join(wanted.programs[:2])
        text = mark("no program {names} on the path: install it, or give its path").format(names=names)
    if found is None:
        return Found(wanted, None, (), (text,))
    program = Path(found).resolve()
    files, missing = [], []
    for needed in wanted.files:
        file = needed.find(program.parent)
        if file is None:
            missing.append(mark("no {name} found: {advice}").format(name=needed.name, advice=needed.advice))
        else:
            files.append(file)
    return Found(wanted, program, tuple(files), tuple(missing))
