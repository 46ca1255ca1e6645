"""Compiled kernels on disk: never an old result, whoever edits, kills, damages, fills or starts at once."""

import enum
import errno
import os
import pkgutil
import shutil
import signal
import subprocess
import sys
import time
import types
from importlib import import_module
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tengen
from tengen.core.compiled import cache
from tengen.core.compiled.dispatch import generic, rule
from tengen.core.compiled.fingerprint import kernel_fingerprint
from tengen.core.compiled.kernel import helper, kernel
from tengen.core.compiled.sources import KERNEL_LAYERS, SOURCES, Sources, without_comments
from tengen.core.folders import cache_folder
from tests.helpers.fork_server import PROGRAM, Server
from tests.helpers.paths import PLUGIN

PACKAGE = Path(tengen.__file__).parent
SHARED = cache_folder()  # where the other tests' kernels are


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty cache for the kernels of this process, in which the test finds what was written."""
    monkeypatch.setenv("TENGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "write_failures", [])
    cache.kernel_folder.cache_clear()
    yield cache.kernel_folder()
    cache.kernel_folder.cache_clear()


def files(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


# ---- programs in processes of their own


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.close()


def copy_of_tengen(home):
    """A folder with the sources of Tengen, which nobody edits meanwhile."""
    shutil.copytree(PACKAGE, home / "tengen", ignore=shutil.ignore_patterns("__pycache__"))
    return home


def edit(path, old, new):
    """Change a file such that neither its size nor its time tells."""
    before = path.stat()
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)


# ---- a tiny game, whose rule for `play` calls a helper from another file, which uses a constant

RULES = """
import numpy as np
from tengen.core.compiled.rules import rule
from {beside} import step

RECORD = np.dtype((np.record, [("tiny", np.int64)]))

@rule(RECORD.names)
def play(state, move):
    state.tiny += 10 * step(move)
"""

BESIDE = """
from tengen.core.compiled.kernel import helper

FACTOR = 1

@helper
def step(move):
    return FACTOR * move
"""

WORK = """
def work():
    from tengen.core.compiled.position_kernels import advance

    states = np.zeros(1, RECORD)
    advance(states, np.int32(1))
    return int(states[0].tiny)
"""

ADVANCE = "tengen.core.compiled.position_kernels.advance"

PLACES = {  # where its two files are
    "inside Tengen": ("tengen/games/tiny/rules.py", "tengen/games/tiny/beside.py"),
    "in a package": ("tengen_tiny/play/rules.py", "tengen_tiny/common/beside.py"),
    "in a script": ("tiny.py", "beside.py"),
}


class Tiny:
    """The tiny game at one of the places: its two files, and how to run it."""

    def __init__(self, server, tmp_path, place):
        home = copy_of_tengen(tmp_path / "home")
        rules, beside = PLACES[place]
        self.rules, self.beside = home / rules, home / beside
        for path in (self.rules, self.beside):
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.parent != home:
                (path.parent / "__init__.py").touch()
                (path.parent.parent / "__init__.py").touch()
        self.beside.write_text(BESIDE)
        source = RULES.format(beside=module_name(beside))
        self.home, self._server, self._kernels = home, server, tmp_path / "cache"
        if place == "in a script":
            self.program = self.rules
            self.rules.write_text(PROGRAM.format(body=source + WORK))
        else:
            self.program = f"import numpy as np\nfrom {module_name(rules)} import RECORD\n{WORK}"
            self.rules.write_text(source)

    def run(self, program=None, kernels=None):
        return self._server.run(program or self.program, [self.home], kernels or self._kernels)


def module_name(path):
    return path.removesuffix(".py").replace("/", ".")


# ---- never an old result


@pytest.mark.parametrize("place", PLACES)
def test_an_edit_of_any_file_that_a_kernel_depends_on_gives_the_new_result(server, tmp_path, place):
    tiny = Tiny(server, tmp_path, place)
    assert tiny.run() == (10, [ADVANCE], [])
    assert tiny.run() == (10, [], [])
    edit(tiny.beside, "FACTOR = 1", "FACTOR = 2")
    assert tiny.run() == (20, [ADVANCE], [])
    edit(tiny.rules, "10 * step", "30 * step")
    assert tiny.run() == (60, [ADVANCE], [])
    edit(tiny.rules, "30 * step", "10 * step")
    edit(tiny.beside, "FACTOR = 2", "FACTOR = 1")
    assert tiny.run() == (10, [], [])  # and what was compiled before the edits is still good


def test_an_edit_of_what_no_kernel_reaches_costs_nothing(server, tmp_path):
    tiny = Tiny(server, tmp_path, "inside Tengen")
    tiny.run()
    for file in ("games/go/rules.py", "engines/pente/kernels/lines.py", "search/uct.py"):
        path = tiny.home / "tengen" / file
        path.write_text(f"{path.read_text()}\n# edited\n")
    assert tiny.run() == (10, [], [])


def test_a_file_counts_with_all_that_it_imports(tmp_path):
    """However it imports them: one line or several, a module or what is in it, within a function, in a ring."""
    files = {
        "core/tables.py": "WORDS = 1",
        "core/far.py": "import tengen.core.tables\nimport numpy",
        "games/go/__init__.py": "from tengen.games.go import stones",
        "games/go/stones.py": "def late():\n    from tengen.core import far\n",
        "games/go/points.py": "from tengen.games.go import (\n    stones,\n    shapes as forms,\n)",
        "games/go/shapes.py": "from tengen.games.go.points import p  # a ring",
        "games/alone.py": "'from tengen.core'",
        "terminal/app.py": "from tengen.games import alone",  # not of the kernel layers
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    sources = Sources(tmp_path)

    def reached(name):
        return {str(Path(path).relative_to(tmp_path)) for path in sources.reached(str(tmp_path / name))}

    whole = {name for name in files if name not in ("games/alone.py", "terminal/app.py")}
    assert reached("games/go/points.py") == reached("games/go/shapes.py") == whole
    assert reached("core/far.py") == {"core/far.py", "core/tables.py"}
    assert reached("games/alone.py") == {"games/alone.py"}
    assert str(tmp_path / "terminal/app.py") not in sources
    before = sources.digest(str(tmp_path / "games/go/points.py"))
    (tmp_path / "core/tables.py").write_text("WORDS = 2")
    assert sources.digest(str(tmp_path / "games/go/points.py")) == before  # as they were
    later = Sources(tmp_path)
    assert later.digest(str(tmp_path / "games/go/points.py")) != before
    assert later.digest(str(tmp_path / "games/alone.py")) == sources.digest(str(tmp_path / "games/alone.py"))


def test_an_edit_of_reports_compiles_no_kernel_again():
    kernels = [path for path in SOURCES._contents if "/kernels/" in path]
    assert len(kernels) > 50
    for path in kernels:
        reached = {Path(other).name for other in SOURCES.reached(path) if Path(other).parent.name == "search"}
        assert not reached & {"report.py", "driver.py", "engine.py"}, path


EDIT_MEANWHILE = """
import os
path = {path!r}
before = os.stat(path)
text = open(path).read()
open(path, "w").write(text.replace("FACTOR = 1", "FACTOR = 2"))
os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
"""


@pytest.mark.parametrize("place", ["inside Tengen", "in a package"])
def test_an_edit_while_a_program_runs_does_not_spoil_the_next_one(server, tmp_path, place):
    tiny = Tiny(server, tmp_path, place)
    meanwhile = EDIT_MEANWHILE.format(path=str(tiny.beside))
    assert tiny.run(tiny.program + meanwhile).result == 10  # it had read the file as it was
    assert tiny.run().result == 20
    edit(tiny.beside, "FACTOR = 2", "FACTOR = 1")
    assert tiny.run(meanwhile + tiny.program).result == 20  # edited between two of its imports
    edit(tiny.beside, "FACTOR = 2", "FACTOR = 1")
    assert tiny.run().result == 10


# ---- functions made by a factory

FACTORY = """
from tengen.core.compiled.kernel import inner, kernel

def make(step):
    @inner
    def climb(n):  # recursive, so it is not inlined: the linker finds it by its name
        return n if n <= 0 else step + climb(n - 1)

    @kernel
    def top(n):
        return climb(n)

    return top

ones, twos = make(1), make(2)
"""


def test_functions_of_one_factory_do_not_replace_each_other(server, tmp_path):
    """Each is the first one compiled in its process, so that Numba numbers them alike; a third loads both."""
    (tmp_path / "factory.py").write_text(FACTORY)

    def run(body):
        program = f"import factory\ndef work():\n    return {body}\n"
        return server.run(program, [tmp_path, PACKAGE.parent], tmp_path / "cache")

    assert run("int(factory.ones(5))").result == 5
    assert run("int(factory.twos(5))").result == 10
    assert run("[int(factory.ones(5)), int(factory.twos(5))]") == ([5, 10], [], [])


# ---- what a kernel is made from


class Colour(enum.IntEnum):
    BLACK = 1
    WHITE = 2


LIMIT = 5
TABLE = np.arange(10)
PAIR = (1, 2.5)
MODULE = types.ModuleType("constants")
MODULE.inner = types.ModuleType("constants.inner")
MODULE.inner.depth = 3


@helper
def _helped(x):
    return x + LIMIT


@generic
def flavour(state):
    """Declared for these tests."""


SWEETS = np.dtype((np.record, [("sweets", np.int64)]))


def _flavour(amount):
    def flavour(state):
        return state.sweets + amount

    return flavour


def uses_helper(x):
    return _helped(x)


def uses_array(x):
    return TABLE[x]


def uses_tuple(x):
    return PAIR[1]


def uses_enum(x):
    return x == Colour.WHITE


def uses_modules(x):
    return MODULE.inner.depth + x


def uses_rule(states):
    return flavour(states[0])


def uses_rule_of_its_own_record(x):
    return flavour(np.zeros(1, SWEETS)[0])


def digest(function, *arguments):
    return kernel_fingerprint(function, [numba.typeof(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("function", "argument", "change"),
    [
        (uses_helper, 1, lambda patch: patch.setitem(globals(), "LIMIT", 6)),
        (uses_helper, 1, lambda patch: patch.setitem(globals(), "LIMIT", 5.0)),
        (uses_array, 1, lambda patch: patch.setitem(globals(), "TABLE", np.arange(1, 11))),
        (uses_array, 1, lambda patch: patch.setitem(globals(), "TABLE", np.arange(10, dtype=np.int32))),
        (uses_tuple, 1, lambda patch: patch.setitem(globals(), "PAIR", (1, 2.25))),
        (uses_enum, 1, lambda patch: patch.setitem(globals(), "Colour", enum.IntEnum("Colour", "WHITE BLACK"))),
        (uses_modules, 1, lambda patch: patch.setattr(MODULE.inner, "depth", 4)),
        (uses_rule, np.zeros(1, SWEETS), lambda patch: rule(SWEETS.names)(_flavour(2))),
        (uses_rule_of_its_own_record, 1, lambda patch: rule(SWEETS.names)(_flavour(2))),
    ],
)
def test_a_kernel_depends_on_the_values_that_numba_freezes(monkeypatch, function, argument, change):
    rule(SWEETS.names)(_flavour(1))
    before = digest(function, argument)
    assert digest(function, argument) == before
    change(monkeypatch)
    assert digest(function, argument) != before


def test_a_kernel_does_not_depend_on_what_it_does_not_use(monkeypatch):
    before = [digest(function, 1) for function in (uses_helper, uses_enum, uses_modules)]
    monkeypatch.setitem(globals(), "TABLE", np.zeros(3))
    monkeypatch.setitem(globals(), "PAIR", ())
    assert [digest(function, 1) for function in (uses_helper, uses_enum, uses_modules)] == before


DIGESTS = """
import numba
import tengen_nim.game
import tengen
from tengen.core.compiled import position_kernels
from tengen.core.compiled.fingerprint import kernel_fingerprint

NAMES = frozenset({"a", "b", "c", "d"})

def uses_sets(x):
    return x in {"black", "white", "empty", "border"} or x in NAMES

for record in (tengen_nim.game.RECORD, tengen.game("go").record, tengen.game("clobber").record):
    print(kernel_fingerprint(position_kernels.list_legal_moves.py_func, [numba.from_dtype(record)]))
print(kernel_fingerprint(uses_sets, []))
"""


def test_every_run_comes_to_the_same_hash():
    """Although sets have another order in each, and everything another address."""
    runs = [
        subprocess.run(
            [sys.executable, "-c", DIGESTS],
            env=os.environ
            | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join([str(PLUGIN), *filter(None, sys.path)])},
            stdout=subprocess.PIPE,
            check=True,
        )
        for seed in ("1", "2")
    ]
    assert len(set(runs[0].stdout.split())) == 4
    assert runs[0].stdout == runs[1].stdout


def test_code_without_a_file_is_told_apart_by_what_it_does(folder):
    for step in (1, 2, 1):
        scope = {"kernel": kernel, "__name__": "notebook"}
        exec(f"@kernel\ndef typed_in(x):\n    return x + {step}", scope)
        assert scope["typed_in"](10) == 10 + step
    assert len(files(folder)) == 2


@pytest.mark.parametrize("variable", ["NUMBA_BOUNDSCHECK", "NUMBA_OPT"])
def test_the_settings_of_the_compiler_count(folder, monkeypatch, variable):
    monkeypatch.setattr(numba.config, variable.removeprefix("NUMBA_"), 1)
    cache.kernel_folder.cache_clear()
    assert cache.kernel_folder() != folder


# ---- kernels of this process: each call of `fresh()` finds on disk what a new process would find


def fresh():
    @kernel
    def add_one(x):
        return x + 1

    return add_one


def compiles(dispatcher, *arguments):
    """What a kernel returns, and whether it was compiled for that."""
    announced = []
    with cache.compile_listener(announced.append):
        result = dispatcher(*arguments)
    return result, bool(announced)


def test_one_file_for_each_function_and_signature(folder):
    assert compiles(fresh(), 1) == (2, True)
    assert compiles(fresh(), 1) == (2, False)
    assert compiles(fresh(), 1.5) == (2.5, True)
    assert compiles(fresh(), 1.5) == (2.5, False)
    assert len(files(folder)) == 2
    assert all(name.startswith("add_one-") for name in files(folder))


def test_a_signature_may_also_be_asked_for_in_words(folder):
    fresh().compile("int64(int64)")
    assert compiles(fresh(), 1) == (2, False)


def test_kernels_can_be_shared_with_other_users(folder):
    """A cache filled by an administrator, or while an image is built, serves whoever may read the folder."""
    fresh()(1)
    ordinary = folder / "ordinary"
    ordinary.touch()
    (kept,) = folder.glob("add_one-*")
    assert kept.stat().st_mode == ordinary.stat().st_mode


def check_trust_again():
    """As a new process would: within one, a folder is checked once."""
    cache._trusted.cache_clear()


def test_a_planted_kernel_of_another_user_is_not_run(folder):
    """Even with a correct checksum: it could contain anything."""
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    fresh()(1)
    (kept,) = folder.glob("add_one-*")
    os.chown(kept, 12345, 12345)
    assert compiles(fresh(), 1) == (2, True)
    assert kept.stat().st_uid == 0  # replaced by our own
    assert compiles(fresh(), 1) == (2, False)


def test_a_kernel_that_others_can_change_is_not_run(folder):
    fresh()(1)
    (kept,) = folder.glob("add_one-*")
    kept.chmod(0o666)
    assert compiles(fresh(), 1) == (2, True)
    kept.unlink()
    kept.symlink_to(folder / "elsewhere")
    assert compiles(fresh(), 1) == (2, True)
    assert not kept.is_symlink()


def test_the_cache_is_never_writable_by_others(folder):
    before = os.umask(0)
    try:
        fresh()(1)
    finally:
        os.umask(before)
    (kept,) = folder.glob("add_one-*")
    for path in (kept, folder, folder.parent):
        assert path.stat().st_mode & 0o022 == 0, path


def test_a_folder_that_others_could_write_to_is_emptied(folder):
    """As earlier versions left one with an open umask: anybody may have put kernels there."""
    fresh()(1)
    folder.chmod(0o777)
    check_trust_again()
    assert compiles(fresh(), 1) == (2, True)
    assert folder.stat().st_mode & 0o022 == 0
    assert compiles(fresh(), 1) == (2, False)


def test_a_folder_of_another_user_is_not_used(folder):
    if os.geteuid() != 0:
        pytest.skip("only root can give folders away")
    folder.mkdir(parents=True)
    os.chown(folder, 12345, 12345)
    assert compiles(fresh(), 1) == (2, True)
    assert files(folder) == []
    assert compiles(fresh(), 1) == (2, True)
    assert any("belongs to another user" in failure for failure in cache.write_failures)


DAMAGES = {
    "empty": lambda content: b"",
    "cut in the head": lambda content: content[:20],
    "cut after the head": lambda content: content[:48],
    "cut in the middle": lambda content: content[: len(content) // 2],
    "last byte lost": lambda content: content[:-1],
    "a byte too many": lambda content: content + b"\0",
    "garbage": lambda content: b"garbage" * 1000,
    "zeros": lambda content: bytes(len(content)),
    "first byte": lambda content: b"?" + content[1:],
    "middle byte": lambda content: content[:4000] + bytes([content[4000] ^ 1]) + content[4001:],
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_made_anew(folder, damage):
    fresh()(1)
    (path,) = folder.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    assert compiles(fresh(), 1) == (2, True)
    assert compiles(fresh(), 1) == (2, False)
    assert files(folder) == [path.name]


def test_no_flipped_bit_goes_unnoticed(folder):
    fresh()(1)
    (path,) = folder.iterdir()
    content = path.read_bytes()
    reader = fresh()._cache

    @settings(max_examples=200, deadline=None)
    @given(st.integers(0, len(content) - 1), st.integers(0, 7))
    def check(place, bit):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :])
        assert reader._read(path, None) is None

    check()


def test_a_folder_in_the_place_of_a_file_costs_time_only(folder):
    fresh()(1)
    (path,) = folder.iterdir()
    path.unlink()
    (path / "inside").mkdir(parents=True)
    assert compiles(fresh(), 1) == (2, True)
    assert len(cache.write_failures) == 1
    assert list(folder.iterdir()) == [path]


BIG = np.ones(200_000)


@helper
def _from_big(i):
    return BIG[i]


def uses_big(i):
    return BIG[i]


def uses_big_through_a_helper(i):
    return _from_big(i)


@pytest.mark.parametrize("function", [uses_big, uses_big_through_a_helper])
def test_a_kernel_with_a_big_global_array_is_refused(folder, function):
    with pytest.raises(TypeError, match=f"{function.__name__} cannot be cached: it uses large global"):
        kernel(function)(1)
    assert files(folder) == []


# ---- where nothing can be written


def test_a_cache_that_cannot_be_made_costs_time_only(tmp_path, monkeypatch):
    blocked = tmp_path / "a file"
    blocked.touch()
    monkeypatch.setenv("TENGEN_CACHE", str(blocked / "cache"))
    cache.kernel_folder.cache_clear()
    assert compiles(fresh(), 1) == (2, True)
    assert compiles(fresh(), 1) == (2, True)
    assert cache.write_failures[0] == f"{cache.kernel_folder()}: Not a directory"


def _half_written(path, content):
    with open(path, "wb") as file:
        file.write(content[: len(content) // 2])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _not_renamed(source, target):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("owner", "name", "fault"), [(Path, "write_bytes", _half_written), (os, "replace", _not_renamed)]
)
def test_a_full_disk_costs_time_only(folder, monkeypatch, owner, name, fault):
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, fault)
        assert compiles(fresh(), 1) == (2, True)
    assert cache.write_failures == [f"{folder}: No space left on device"]
    assert files(folder) == []
    assert compiles(fresh(), 1) == (2, True)
    assert compiles(fresh(), 1) == (2, False)


def test_a_read_only_install_works_and_is_left_as_it_is(server, tmp_path):
    tiny = Tiny(server, tmp_path, "in a package")
    blocked = tmp_path / "a file"
    blocked.touch()
    everything = [tiny.home, *tiny.home.rglob("*")]
    for path in everything:
        path.chmod(path.stat().st_mode & ~0o222)  # which binds all users but root
    try:
        run = tiny.run(kernels=blocked / "cache")
        assert sorted(tiny.home.rglob("*")) == sorted(everything[1:])
    finally:
        for path in everything:
            path.chmod(path.stat().st_mode | 0o200)
    assert run.result == 10
    assert run.compiled == [ADVANCE]
    assert len(run.failures) == 1
    assert run.failures[0].endswith(": Not a directory")


# ---- killed, left behind, outdated

KILLED_WHILE_WRITING = """
import os, pathlib, signal

def die(path, content):
    with open(path, "wb") as file:
        file.write(content[: len(content) // 2])
    os.kill(os.getpid(), signal.SIGKILL)

pathlib.Path.write_bytes = die
"""


def test_a_process_killed_while_it_writes_leaves_nothing_that_is_loaded(server, tmp_path):
    tiny = Tiny(server, tmp_path, "in a package")
    kernels = tmp_path / "cache"
    statuses = server.statuses([tiny.program + KILLED_WHILE_WRITING], [tiny.home], kernels)
    assert statuses == [-signal.SIGKILL]
    lock, written = files(kernels)
    assert lock.startswith(".lock-")
    assert written.startswith(".writing-")
    assert tiny.run() == (10, [ADVANCE], [])
    assert tiny.run() == (10, [], [])
    assert len(files(kernels)) == 2  # the lock of a killed process is free


def _aged(path, seconds):
    os.utime(path, (time.time() - seconds,) * 2)


def test_what_was_left_half_written_goes_after_an_hour(folder):
    folder.mkdir(parents=True)
    old, new = folder / ".writing-1", folder / ".writing-2"
    for path in (old, new):
        path.write_bytes(b"half")
    _aged(old, 2 * 3600)
    fresh()(1)
    assert not old.exists()
    assert new.exists()
    assert len(files(folder)) == 2


def _former(folder, number, hours):
    """The kernels of other versions, last written to so many hours ago."""
    former = folder.parent / f"{number:020x}"
    former.mkdir(parents=True)
    (former / "kernel-0").write_bytes(b"a kernel")
    _aged(former, 3600 * hours)
    return former


def test_old_folders_go_and_recent_ones_stay(folder):
    recent = [_former(folder, number, hours=number + 1) for number in range(2)]
    old = [_former(folder, number, hours=25 + number) for number in range(2, 6)]
    fresh()(1)
    assert all(path.exists() for path in recent)
    assert not any(path.exists() for path in old)
    assert files(folder)


def test_of_many_recent_folders_the_last_few_stay(folder):
    former = [_former(folder, number, hours=number) for number in range(8)]
    fresh()(1)
    assert [path.exists() for path in former] == [True] * cache.MAX_OLD_VERSIONS + [False] * (
        8 - cache.MAX_OLD_VERSIONS
    )


def test_the_current_folder_stays_however_old(folder):
    fresh()(1)
    _aged(folder, 1000 * 3600)
    for number in range(8):
        _former(folder, number, hours=0)
    cache.prune(folder)
    assert len(files(folder)) == 1


def test_what_was_not_used_for_longest_goes_when_there_is_too_much(folder, monkeypatch):
    fresh()(1)
    (one,) = folder.iterdir()
    fresh()(1.5)
    (two,) = set(folder.iterdir()) - {one}
    _aged(one, 7200)
    _aged(two, 3600)
    assert compiles(fresh(), 1) == (2, False)  # read again: now the second is the older one
    monkeypatch.setattr(cache, "CACHE_LIMIT_BYTES", int(2.5 * one.stat().st_size))
    marker = folder / f"{cache.READY_PREFIX}group"
    marker.touch()
    fresh()(1j)
    assert one.exists()
    assert not two.exists()
    assert not marker.exists(), "the group is no longer complete"
    assert len(files(folder)) == 2


def test_what_is_not_a_folder_of_kernels_is_never_deleted(folder):
    theirs = folder.parent / "notes on kernels"
    theirs.mkdir(parents=True)
    (theirs / "important.txt").write_text("keep")
    _aged(theirs, 1000 * 3600)
    fresh()(1)
    assert files(theirs) == ["important.txt"]


# ---- all games, many processes, cold and warm

FACTS = """
import sys
import tengen

def kernels_used():
    places = [vars(module) for name, module in sys.modules.items() if name.startswith("tengen.")]
    found = [value for place in places for value in place.values() if getattr(value, "signatures", ())]
    caches = [getattr(value, "_cache", None) for value in found]
    return sorted({one._name for one in caches if isinstance(one, cache.KernelCache)})

def facts(position):
    for _ in range(3):
        position = position.play(position.legal_moves[0])
    return [
        [p.to_move, p.is_over, p.final_score, p.key, p.repeat_key, p.legal_moves, str(p)] for p in position.line()
    ]
"""

# What makes each game run all its kernels: a new one in `core` or `games` that nothing here runs fails the test
# below. What `work` returns must fit into JSON.
EXERCISES = {
    "clobber": """
def work():
    return facts(tengen.game("clobber", size="2x3").start())
""",
    "othello": """
import numpy as np
from tengen.core.compiled.position_kernels import position_keys
from tengen.games import records

def work():
    (record,) = records.parse(b"f5d6c3d3c4")
    line = record.positions()
    keys = np.empty(len(line), np.uint64)
    position_keys(np.array([line[0].state]), np.array(record.moves(), np.int32), keys)
    assert keys.tolist() == [position.key for position in line]
    return facts(tengen.game("othello", size=4).start()), keys.tolist()
""",
    "go": """
import numpy as np
from tengen.core.errors import IllegalMove
from tengen.games.go import counting, scoring

def refusal(position):
    try:
        position.play("a1")
    except IllegalMove as error:
        return error.reason

def work():
    cornered = tengen.game("go", size=3, suicide=False, ko="positional").start()
    cornered = cornered.play_all(["a2", "pass", "b1"])
    return [
        facts(tengen.game("go", size=9, handicap=2).start()),
        facts(cornered),
        refusal(cornered),
        cornered.game.count(cornered, dead=["a2"]).score,
        scoring.find_owners(np.array([cornered.state])).tolist(),
        counting.count_legal_positions(2, 2),
        counting.count_games(1, 2),
    ]
""",
    "nim": """
from tengen_nim.game import Nim

def work():
    return facts(Nim(size=10).start())
""",
}


# Modules that need torch; they have no kernels.
NEEDS_TORCH = (
    "tengen.search.network.trainer",
    "tengen.engines.go.training.learning_curve",
    "tengen.engines.go.training.network_job",
    "tengen.engines.go.training.network_refit",
)


def all_kernels(*layers):
    """The names of all kernels in these layers of Tengen, whoever wrote them."""
    names = set()
    for layer in layers:
        package = import_module(f"tengen.{layer}")
        modules = [info.name for info in pkgutil.walk_packages(package.__path__, f"tengen.{layer}.")]
        for module in map(import_module, (name for name in modules if name not in NEEDS_TORCH)):
            for value in vars(module).values():
                if isinstance(getattr(value, "_cache", None), cache.KernelCache):
                    names.add(value._cache._name)
    return names


def test_games_that_start_at_once_on_an_empty_cache_all_work_and_so_do_later_starts(server, tmp_path):
    """Two processes for each of two games, which are quick to compile."""
    paths, kernels = [copy_of_tengen(tmp_path / "home"), PLUGIN], tmp_path / "cache"
    bodies = 2 * [FACTS + EXERCISES[game] for game in ("clobber", "nim")]
    cold = server.run_at_once(bodies, paths, kernels)
    assert [run.failures for run in cold] == [[], [], [], []]
    assert {"tengen.core.compiled.position_kernels.describe", ADVANCE} <= {
        name for run in cold for name in run.compiled
    }
    warm = server.run_at_once(bodies, paths, kernels)
    assert [run.compiled for run in warm] == [[], [], [], []]
    assert [run.result for run in warm] == [run.result for run in cold]
    assert not [name for name in files(kernels) if name.startswith(".writing-")]


def test_every_kernel_of_every_game_is_loaded_by_a_new_process(server):
    bodies = [
        f"{FACTS}{work}\nonly = work\ndef work(): return only(), kernels_used()" for work in EXERCISES.values()
    ]
    made = server.run_at_once(bodies, [PACKAGE.parent, PLUGIN], SHARED)  # compiled here, if by nobody yet
    loaded = server.run_at_once(bodies, [PACKAGE.parent, PLUGIN], SHARED)
    assert [run.compiled for run in loaded] == [[], [], [], []]
    assert [run.result for run in loaded] == [run.result for run in made]
    # Those of game values are no game's: test_clobber_solver.py runs them, then loads them in a new process.
    games_need = {name for name in all_kernels("core", "games") if not name.startswith("tengen.core.values.")}
    used = {name for run in loaded for name in run.result[1]}
    assert used == games_need, "each kernel needs a game in EXERCISES that runs it"


def test_four_processes_with_the_same_game_all_work_and_so_does_a_later_start(server, tmp_path):
    tiny, kernels = Tiny(server, tmp_path, "in a package"), tmp_path / "cache"
    cold = server.run_at_once([tiny.program] * 4, [tiny.home], kernels)
    assert [(run.result, run.failures) for run in cold] == [(10, [])] * 4
    assert len(files(kernels)) == 1
    assert tiny.run() == (10, [], [])


def test_every_kernel_of_tengen_is_found_and_has_a_name_of_its_own():
    layers = [layer for layer in KERNEL_LAYERS if (PACKAGE / layer).exists()]
    names = all_kernels(*layers)
    assert {
        "tengen.core.compiled.position_kernels.describe",
        ADVANCE,
        "tengen.core.compiled.position_kernels.list_legal_moves",
    } <= names
    assert any(name.startswith("tengen.search.") for name in names)


# ---- comments and docstrings

COMMENTED = b'''"""Module."""

WIDTH = 3
"""A constant's docstring with "quotes"."""


# a comment
class Board:
    """Docstring of
    two lines."""

    def area(
        self,
    ) -> int:
        """Docstring."""
        return WIDTH  # trailing comment
'''


def test_comments_and_docstrings_do_not_count_as_code():
    edited = COMMENTED.replace(b"Module", b"Other").replace(b"a comment", b"b").replace(b"trailing", b"another")
    edited = edited.replace(b"two lines", b"one").replace(b"Docstring.", b"Text.").replace(b"constant", b"x")
    assert edited != COMMENTED
    assert without_comments(edited) == without_comments(COMMENTED)


@pytest.mark.parametrize(
    ("old", "new"), [(b"WIDTH = 3", b"WIDTH = 4"), (b"return WIDTH", b"return 0"), (b"Board", b"Other")]
)
def test_other_edits_do(old, new):
    assert without_comments(COMMENTED.replace(old, new)) != without_comments(COMMENTED)


@pytest.mark.parametrize(
    "code", [b"X = 'a # b'\n", b'X = "a #"\n', b'X = """\n# a\n"""\n', b"X = '''\n# a\n'''\n"]
)
def test_a_number_sign_in_a_string_is_no_comment(code):
    assert without_comments(code) == code


def test_a_new_docstring_leaves_a_compiled_kernel_valid():
    def before(x):
        """Old."""
        return x + 1

    old = kernel_fingerprint(before, ())
    before.__code__ = before.__code__.replace(co_consts=("New.", *before.__code__.co_consts[1:]))
    before.__doc__ = "New."
    assert kernel_fingerprint(before, ()) == old
