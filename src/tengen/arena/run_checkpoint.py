"""Checkpoints of matches, tournaments and tuning runs.

A run's fingerprint names everything that its games depend on, and the default file is named after it, so starting
the same run again resumes it. Of generated openings it names only the length: see `core.results_version`. A
checkpoint written before a setting was renamed is replaced by one under current names.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tengen.core.folders import data_folder
from tengen.core.results_version import RESULTS_VERSION
from tengen.engines import registry
from tengen.jobs import Checkpoint
from tengen.jobs.checkpoint import encode
from tengen.players.config import EngineConfig


def run_checkpoint(
    kind: str,
    facts: Callable[[bool], Mapping[str, Any]],
    path: Path | None = None,
    current_task: Callable[[str], str] = str,
) -> Checkpoint:
    """The checkpoint of a run in `path`, by default in the data folder's subfolder `kind`.

    `facts(former)` is what the games depend on, with former names of settings if `former`. `current_task` returns
    the id of a task whose former id may contain such names.
    """
    checkpoint = _checkpoint(kind, facts(False), path)
    former = _checkpoint(kind, facts(True), path)
    if former != checkpoint and former.exists() and not checkpoint.exists():
        _convert(former, checkpoint, current_task)
    return checkpoint


def setting_names(config: EngineConfig, former: bool) -> dict[str, str]:
    """The names that renamed settings of an engine have in a fingerprint: the former ones, or none."""
    tunables = registry.engine_class(config.engine).tunables if former and config.program is None else ()
    return {tunable.name: tunable.former_names[0] for tunable in tunables if tunable.former_names}


def config_for_fingerprint(config: EngineConfig, former: bool) -> dict[str, Any]:
    """A configuration for a fingerprint, with former names of settings if `former`."""
    names = setting_names(config, former)
    return {**config.to_dict(), "settings": {names.get(name, name): value for name, value in config.settings}}


def _checkpoint(kind: str, facts: Mapping[str, Any], path: Path | None) -> Checkpoint:
    fingerprint = json.dumps({"tengen": RESULTS_VERSION, **facts}, sort_keys=True)
    digest = hashlib.blake2b(fingerprint.encode(), digest_size=12).hexdigest()
    path = path or data_folder() / kind / f"{digest}.jobs"
    path.parent.mkdir(parents=True, exist_ok=True)
    return Checkpoint(path, fingerprint)


def _convert(former: Checkpoint, current: Checkpoint, current_task: Callable[[str], str]) -> None:
    """Replace a checkpoint by one with the current fingerprint and task ids, and the same results."""
    with former.open() as old:
        partial = Path(current.path).with_suffix(".converting")
        partial.unlink(missing_ok=True)
        with Checkpoint(partial, current.fingerprint).open() as new:
            new.append([(current_task(task), encode(old.load(task))) for task in sorted(old.ids())])
        partial.replace(current.path)
    if current.path != former.path:
        Path(former.path).unlink()
        with suppress(FileNotFoundError):  # a match has no status file
            Path(former.path).with_suffix(".json").rename(Path(current.path).with_suffix(".json"))
