"""Database of exact values of all short strips and of long alternating ones, and of simplest sums.

One file, created by a resumable job, memory-mapped and verified when it is opened:

    magic, length of the header (8 bytes, little-endian), header (JSON), arrays one after the other

The header lists each array with its type, length and offset, and contains a checksum of the arrays and the header.
`rows` are canonical forms as written by `Values.export_forms`; `strips-N` has the form of each strip of N cells,
indexed by its bits; `alternating` lists the longer subgames that play produces from alternating strips.
`link-values` lists the forms of sums up to a width, with complexity, size and strips of the simplest sum (bits
with a leading 1). Bounds, outcomes and dominated moves follow from the forms and are not stored.
"""

from __future__ import annotations

import json
import mmap
import os
import random
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.core.errors import OptionError, PositionError, TengenError
from tengen.engines.clobber.kernels import simplest_sums as links
from tengen.engines.clobber.kernels.subgames import SUBGAMES, UNKNOWN
from tengen.engines.clobber.solver import make_simplest_sums
from tengen.engines.clobber.solver_options import SolverOptions
from tengen.engines.clobber.workspace import Array, Workspace

if TYPE_CHECKING:
    from tengen.jobs import Progress

MAGIC = b"tengen clobber database\n"
VERSION = 3
LOG2_STRIPS_PER_TASK = 13
MAX_ALTERNATING_CELLS = 44
MAX_LINK_WIDTH = 14
VERIFIED_VALUES = 16  # random values that are recomputed when a database is loaded


class DatabaseError(TengenError):
    """A database that cannot be used; the message says why and how to fix it."""


@dataclass(frozen=True)
class Result:
    """Result of a task: forms as rows, and the index of the form of each strip, text or link."""

    rows: Array
    places: Array
    texts: tuple[str, ...] = ()
    links: tuple[Array, ...] = ()  # complexities, sizes, numbers of strips, strips


@cache
def _worker_workspace() -> Workspace:
    """The workspace of this worker process, in which later tasks reuse the values of shorter strips."""
    return Workspace()


def value_chunk(length: int, begin: int, end: int) -> Result:
    """Task: the values of the strips of a length with bits from `begin` to `end`."""
    space = _worker_workspace()
    values = space.values_of(space.strips(length, begin, end))
    return Result(*space.values.export_forms(values))


def value_alternating(length: int, longer_than: int) -> Result:
    """Task: the values of all subgames that play produces from the alternating strip of a length."""
    space = Workspace()
    space.value(("XO" * length)[:length])
    known = [
        subgame
        for subgame in range(1, int(space.subgames.counts[SUBGAMES]))
        if space.subgames.value[subgame] != UNKNOWN and space.subgames.width[subgame] > longer_than
    ]
    rows, places = space.values.export_forms(space.subgames.value[known])
    return Result(rows, places, tuple(space.board_of(subgame) for subgame in known))


def find_links(width: int) -> Result:
    """Task: the simplest sum of each value of a sum up to this width."""
    space = Workspace()
    tables = make_simplest_sums(space, SolverOptions().control(), width)
    linked = np.flatnonzero(tables.sum_id > 0)
    counts: list[int] = []
    strips: list[int] = []
    for sum_id in tables.sum_id[linked]:
        before = len(strips)
        while sum_id:
            strips.append(_code(space.board_of(int(space.sums.last[sum_id]) >> 1)))
            sum_id = space.sums.rest[sum_id]
        counts.append(len(strips) - before)
    facts = (
        tables.complexity[linked],
        tables.size[linked],
        np.array(counts, np.int32),
        np.array(strips, np.int32),
    )
    return Result(*space.values.export_forms(linked), links=facts)


def _code(strip: str) -> int:
    return 1 << len(strip) | sum(1 << index for index, stone in enumerate(strip) if stone == "O")


def make_database(
    path: Path,
    *,
    longest: int = 16,
    alternating: int = 36,
    width: int = 13,
    executor: Executor | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> None:
    """Create the database, or resume an interrupted run, whose results are stored next to it until it is
    complete.
    """
    from tengen.jobs import Checkpoint, Task, collect, run

    if not 2 <= longest <= 20:
        raise OptionError(f"strips of up to 2 to 20 cells can be listed, not {longest}")
    if not 0 <= alternating <= MAX_ALTERNATING_CELLS:
        raise OptionError(f"alternating strips go up to {MAX_ALTERNATING_CELLS} cells, not {alternating}")
    if not 0 <= width <= MAX_LINK_WIDTH:
        raise OptionError(f"sums are linked up to a width of {MAX_LINK_WIDTH}, not {width}")
    tasks: list[Task[Result]] = [Task(f"links {width}", find_links, (width,))]
    if alternating > longest:
        name = f"alternating {alternating} beyond {longest}"
        tasks.append(Task(name, value_alternating, (alternating, longest)))
    for length in range(longest, 1, -1):
        step = min(1 << length, 1 << LOG2_STRIPS_PER_TASK)
        for begin in range(0, 1 << length, step):
            tasks.append(Task(f"strips {length} from {begin}", value_chunk, (length, begin, begin + step)))
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = path.with_name(path.name + ".jobs")
    checkpoint = Checkpoint(kept, f"clobber values {VERSION}")
    space = Workspace()
    tables = {length: np.zeros(1 << length, np.int64) for length in range(2, longest + 1)}
    texts: list[str] = []
    text_forms: list[int] = []
    link_forms: list[int] = []
    links: tuple[Array, ...] = ()
    found = collect(run(tasks, executor=executor, checkpoint=checkpoint, on_progress=on_progress))
    for task in tasks:  # in a fixed order, so that the file does not depend on the timing of workers
        result = found[task.id]
        ids = space.values.import_forms(result.rows)[result.places]
        if result.links:
            links, link_forms = result.links, [int(form) for form in ids]
            continue
        if result.texts:
            texts += result.texts
            text_forms += [int(form) for form in ids]
            continue
        _, cells, _, first = task.id.split()
        tables[int(cells)][int(first) : int(first) + len(ids)] = ids
    lengths = list(tables)
    everything = np.concatenate([*tables.values(), np.array([*text_forms, *link_forms], np.int64)])
    rows, places = _in_order(*space.values.export_forms(everything))
    ends = np.cumsum([*(len(table) for table in tables.values()), len(text_forms)])
    *strips, alternate, linked = np.split(places.astype(np.int32), ends)
    arrays: dict[str, Array] = {"rows": rows.astype(np.int32)}
    arrays |= {f"strips-{length}": table for length, table in zip(lengths, strips, strict=True)}
    arrays |= {"alternating": alternate, "texts": np.frombuffer("\n".join(texts).encode(), np.uint8)}
    arrays |= {"link-values": linked, **dict(zip(_LINK_ARRAYS, links, strict=True))}
    _write(path, {"version": VERSION, "longest": longest, "alternating": alternating, "width": width}, arrays)
    kept.unlink(missing_ok=True)


def _in_order(rows: Array, places: Array) -> tuple[Array, Array]:
    """The same forms sorted by depth, then by options, so that the file does not depend on the workers' timing."""
    flat = rows.tolist()
    options: list[tuple[list[int], list[int]]] = []
    layers: dict[int, list[int]] = {}
    depths: list[int] = []
    at = 0
    while at < len(flat):
        middle = at + 2 + flat[at]
        end = middle + flat[at + 1]
        options.append((flat[at + 2 : middle], flat[middle:end]))
        depths.append(1 + max((depths[option] for option in flat[at + 2 : end]), default=-1))
        layers.setdefault(depths[-1], []).append(len(depths) - 1)
        at = end
    ranks = np.zeros(len(options), np.int64)
    ordered: list[int] = []
    begun = 0
    for depth in sorted(layers):
        layer: list[tuple[list[int], list[int], int]] = []
        for form in layers[depth]:
            lefts, rights = (sorted(ranks[side].tolist()) for side in options[form])
            layer.append((lefts, rights, form))
        for rank, (lefts, rights, form) in enumerate(sorted(layer), begun):
            ranks[form] = rank
            ordered += [len(lefts), len(rights), *lefts, *rights]
        begun += len(layer)
    return np.array(ordered, np.int32), ranks[places]


_LINK_ARRAYS = ("link-metrics", "link-sizes", "link-counts", "link-strips")


def _write(path: Path, facts: dict[str, int], arrays: dict[str, Array]) -> None:
    directory = {}
    content = b""
    for name, array in arrays.items():
        directory[name] = [str(array.dtype), len(array), len(content)]
        data = array.tobytes()
        content += data + bytes(-len(data) % 8)
    header = {**facts, "arrays": directory}
    head = json.dumps({**header, "checksum": _checksum(header, content)}).encode()
    head += b" " * (-(len(MAGIC) + 8 + len(head)) % 8)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.writing")
    try:
        with temporary.open("wb") as file:
            file.write(MAGIC + len(head).to_bytes(8, "little") + head + content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _checksum(header: dict[str, Any], content: bytes | memoryview) -> int:
    """Checksum of the content and of the header without its checksum."""
    return zlib.crc32(content, zlib.crc32(json.dumps(header).encode()))


class Database:
    """An open database."""

    def __init__(self, path: Path) -> None:
        again = "create it again with: tengen clobber database"
        self._damaged = f"{path} is damaged: its content is inconsistent; {again}"
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError:
            raise DatabaseError(f"there is no database at {path}; {again}") from None
        except (OSError, ValueError) as error:
            raise DatabaseError(f"{path} cannot be read ({error}); {again}") from None
        view = memoryview(self._map)
        begin = len(MAGIC) + 8
        size = int.from_bytes(view[len(MAGIC) : begin], "little")
        if bytes(view[: len(MAGIC)]) != MAGIC or begin + size > len(view):
            raise DatabaseError(f"{path} is not a Clobber database; {again}")
        try:
            self.header: dict[str, Any] = json.loads(bytes(view[begin : begin + size]))
            version, checksum = self.header["version"], self.header.pop("checksum")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise DatabaseError(f"{path} is damaged; {again}") from None
        if version != VERSION:
            raise DatabaseError(f"{path} has version {version}, this program reads {VERSION}; {again}")
        self._content = view[begin + size :]
        if _checksum(self.header, self._content) != checksum:
            raise DatabaseError(f"{path} is damaged: its checksum is wrong; {again}")

    def array(self, name: str) -> Array:
        """One of the arrays, as a view of the mapped file."""
        kind, count, offset = self.header["arrays"][name]
        return np.frombuffer(self._content, np.dtype(kind), count, offset)

    @property
    def longest(self) -> int:
        return int(self.header["longest"])

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Within this block, inconsistencies are reported as a damaged database."""
        try:
            yield
        except (KeyError, ValueError, TypeError, IndexError, PositionError):
            raise DatabaseError(self._damaged) from None

    def load_into(self, space: Workspace) -> None:
        """Load all values into a workspace, and the simplest sums on first use."""
        with self._reading():
            self._load_into(space)

    def _load_into(self, space: Workspace) -> None:
        rows = self.array("rows")
        if rows.dtype != np.int32:
            raise TypeError
        ids = space.values.import_forms(np.array(rows))
        for length in range(2, self.longest + 1):
            subgames = space.strips(length)
            space.subgames.value[subgames] = ids[self.array(f"strips-{length}")]
        texts = bytes(self.array("texts")).decode()
        for text, place in zip(texts.split("\n") if texts else [], self.array("alternating"), strict=True):
            subgame = int(space.subgames_of(text)[0])
            space.subgames.value[subgame] = ids[place]
            space.subgames.value[space.subgames.negative[subgame]] = space.forms.negative[ids[place]]
        space.subgames.value[0] = 0
        self._check_some(space)
        linked = ids[self.array("link-values")]
        space.stored_simplest_sums = int(self.header["width"]), lambda: self._links(space, linked)
        space.kept = space.mark()

    def _check_some(self, space: Workspace) -> None:
        """Recompute some values: a checksum detects damage, but not a forged file."""
        rng = random.Random()
        own = Workspace()
        for _ in range(VERIFIED_VALUES):
            length = rng.randint(2, self.longest)
            bits = rng.randrange(1 << length)
            mine = own.values_of(own.strips(length, bits, bits + 1))
            rows, places = own.values.export_forms(mine)
            form = int(space.values.import_forms(rows)[places][0])
            if form != space.subgames.value[space.strips(length, bits, bits + 1)[0]]:
                raise ValueError

    def _links(self, space: Workspace, linked: Array) -> links.SimplestSums:
        """The table of simplest sums for a workspace; `linked` are the forms that have one."""
        with self._reading():
            return self._read_links(space, linked)

    def _read_links(self, space: Workspace, linked: Array) -> links.SimplestSums:
        complexities, sizes, counts, codes = (self.array(name) for name in _LINK_ARRAYS)
        tables = links.no_simplest_sums(len(space.forms.start))
        by_code = {
            1 << length | bits: int(subgame)
            for length in range(2, int(self.header["width"]) + 1)
            for bits, subgame in enumerate(space.strips(length))
        }
        at = 0
        for form, complexity, size, count in zip(linked, complexities, sizes, counts, strict=True):
            subgames = np.array([by_code[int(code)] for code in codes[at : at + count]], np.int64)
            tables.sum_id[form], tables.complexity[form], tables.size[form] = (
                space.sum_of(subgames),
                complexity,
                size,
            )
            at += count
        return tables
