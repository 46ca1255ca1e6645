"""Checks of `tengen doctor`."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import shutil
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import tengen
from tengen.core.errors import OptionError
from tengen.core.folders import cache_folder, data_folder
from tengen.core.resource_limits import machine_memory_mb, resource_limits
from tengen.core.running_server import running_server

SERVER_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class Finding:
    """Result of one check; `advice` says how to fix or improve it."""

    what: str
    state: str
    advice: str = ""
    good: bool = True


def examine() -> Iterator[Finding]:
    """Run all checks, the fastest first."""
    yield Finding("tengen", tengen.__version__)
    supported = sys.version_info >= (3, 11)
    yield Finding("Python", platform.python_version(), "" if supported else "use Python 3.11 or later", supported)
    for package in ("numpy", "numba", "llvmlite", "rich", "typer"):
        yield _package(package)
    yield Finding("processor", f"{platform.machine()}, {os.cpu_count()} cores")
    jit_off = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
    yield Finding(
        "compiler", "off" if jit_off else "on", "unset NUMBA_DISABLE_JIT" if jit_off else "", not jit_off
    )
    yield _folder("data folder", data_folder(), "TENGEN_DATA")
    yield _folder("cache folder", cache_folder(), "TENGEN_CACHE")
    yield _kernels()
    yield _limits()
    yield _server()
    yield from _engines()
    yield _othello_weights()
    yield _optional("open_spiel", "for comparison in `tengen bench`: pip install 'tengen[compare]'")
    gnugo = shutil.which("gnugo")
    yield Finding(
        "gnugo", gnugo or "not found", "" if gnugo else "an opponent for Go: install your system's package gnugo"
    )


def _package(name: str) -> Finding:
    try:
        return Finding(name, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Finding(name, "missing", f"pip install {name}", good=False)


def _optional(name: str, advice: str) -> Finding:
    found = _package(name)
    return found if found.good else Finding(name, "not installed", advice)


def _folder(what: str, path: Path, variable: str) -> Finding:
    """Whether a folder is writable, or can be created."""
    existing = path
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    try:
        with tempfile.NamedTemporaryFile(dir=existing):
            pass
    except OSError as error:
        return Finding(
            what, f"{path}: {error.strerror}", f"set {variable} to a folder you can write to", good=False
        )
    free = shutil.disk_usage(existing).free / 1e9
    enough = free > 0.5
    return Finding(what, f"{path} ({free:.0f} GB free)", "" if enough else "free space on this disk", enough)


def _othello_weights() -> Finding:
    """Evaluation weights of the Othello engine and their origin."""
    from tengen.engines.othello.midgame.weights import SHIPPED, WeightsError, provenance

    try:
        made = provenance()
    except WeightsError as error:
        return Finding("Othello weights", str(error), "`tengen train othello` makes them", good=False)
    errors = made["generations"][-1]["errors"]
    size = SHIPPED.stat().st_size / 1e6
    return Finding(
        "Othello weights",
        f"{size:.1f} MB from {made['games']:,} games of self-play, by `{made['command']}`; mean error "
        f"with 20 empty squares {errors['static']:.1f} discs, {errors['depth4']:.1f} at depth 4",
    )


def _engines() -> Iterator[Finding]:
    """Available engines; each engine that cannot be loaded gets its own row."""
    from tengen.engines import registry

    loaded = []
    for name in registry.names():
        try:
            registry.engine_class(name)
        except OptionError as error:
            yield Finding(f"engine {name}", str(error), "reinstall tengen", good=False)
        else:
            loaded.append(name)
    yield Finding("engines", ", ".join(loaded))


def _limits() -> Finding:
    """The limits that differ from the defaults."""
    try:
        limits = resource_limits()
    except OptionError as error:
        return Finding("limits", str(error), "correct the file (see docs/guide/limits.md)", good=False)
    changed = [
        f"{one.name} = {getattr(limits, one.name):,}"
        for one in fields(limits)
        if getattr(limits, one.name) != one.default
    ]
    memory = f"engines may use {limits.engine_memory():,} of {machine_memory_mb():,} MB"
    return Finding("limits", f"{', '.join(changed) or 'defaults'}; {memory}")


def _server() -> Finding:
    """The running web server of this data folder, and its health report."""
    found = running_server()
    if found is None:
        return Finding("web server", "not running")
    try:
        with urllib.request.urlopen(f"{found.address}api/health", timeout=SERVER_TIMEOUT_S) as response:
            health = json.load(response)
    except urllib.error.HTTPError as error:  # 503: a component has failed
        health = json.load(error)
    except (OSError, ValueError) as error:
        what = f"process {found.pid} at {found.address} does not answer ({error})"
        return Finding("web server", what, "restart it", good=False)
    parts = "; ".join(f"{name}: {part['detail']}" for name, part in health["parts"].items())
    healthy = health["status"] == "ok"
    return Finding(
        "web server",
        f"process {found.pid} at {found.address}: {health['status']}; {parts}",
        "" if healthy else "see the server's log",
        healthy,
    )


def _kernels() -> Finding:
    from tengen.core.compiled.cache import kernel_folder

    folder = kernel_folder()
    files = [path for path in folder.glob("*") if path.is_file()] if folder.exists() else []
    size = sum(path.stat().st_size for path in files) / 1e6
    if files and folder.stat().st_mode & 0o002:
        # These files are executed: write access means running code as this user.
        return Finding(
            "kernels",
            f"{folder} is writable by everybody",
            "remove that permission, or delete the folder",
            good=False,
        )
    from tengen.runtime.kernel_groups import kernel_groups

    ready: dict[str, list[str]] = {}
    is_complete = True
    for group in kernel_groups():
        parts = ready.setdefault(group.title, [])
        if group.is_complete:
            parts.append(group.part)
        is_complete = is_complete and group.is_complete
    described = "; ".join(f"{title}: {', '.join(parts) or 'nothing'}" for title, parts in ready.items())
    advice = "" if is_complete else "`tengen warm` prepares everything now"
    return Finding("kernels", f"{size:.0f} MB in the cache; ready: {described}", advice)
