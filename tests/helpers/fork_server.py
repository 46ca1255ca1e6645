"""Programs run in new processes, quickly: they compile and load kernels as a later start of Tengen would.

Each is forked from a server that has loaded Numba, which takes a second, and nothing of Tengen, which each
program imports anew from the folders given.
"""

import json
import os
import runpy
import signal
import subprocess
import sys
import traceback
from pathlib import Path
from typing import NamedTuple

SECONDS = 300  # then a program that hangs is killed

# A program defines `work()`. `ready()` waits until all concurrent programs have reached it.
PROGRAM = """
from tengen.core.compiled import cache
{body}
ready()
compiled = []
with cache.compile_listener(compiled.append):
    result = work()
report(result, compiled, cache.write_failures)
"""


class Run(NamedTuple):
    """The result of `work()`, the names of the kernels compiled for it, and why any could not be cached."""

    result: object
    compiled: list[str]
    failures: list[str]


class Server:
    """Runs each program in its own process. A program is a body for `PROGRAM` or the path of a script."""

    def __init__(self, folder):
        self._folder = Path(folder)
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, program, paths, kernels):
        """Run one program with `paths` as import path and `kernels` as cache folder."""
        (run,) = self.run_at_once([program], paths, kernels)
        return run

    def run_at_once(self, programs, paths, kernels):
        """Run several programs, which start working at the same time after all have imported their modules."""
        statuses = self.statuses(programs, paths, kernels)
        for index, status in enumerate(statuses):
            assert status == 0, (self._folder / f"{index}.err").read_text()
        return [Run(*json.loads((self._folder / f"{index}.out").read_text())) for index in range(len(programs))]

    def statuses(self, programs, paths, kernels):
        """The exit status of each program: 0 for success, minus the signal if it was killed."""
        texts = [str(p) if isinstance(p, Path) else PROGRAM.format(body=p) for p in programs]
        request = [texts, [str(path) for path in paths], str(kernels), str(self._folder)]
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self):
        self._process.communicate(timeout=SECONDS)


# ---- the server's side


def _serve():
    import numba
    import numpy as np

    numba.njit(lambda states: states[0].x)(np.zeros(1, np.dtype((np.record, [("x", np.int64)]))))
    for line in sys.stdin:
        programs, paths, kernels, folder = json.loads(line)
        ready_read, ready_write = os.pipe()
        go_read, go_write = os.pipe()
        children = []
        for index, program in enumerate(programs):
            child = os.fork()
            if child == 0:
                os.close(go_write)
                os.environ["TENGEN_CACHE"] = kernels
                sys.path[:0] = paths
                _run(program, f"{folder}/{index}", ready_write, go_read)
            children.append(child)
        os.close(ready_write)
        for _ in children:
            os.read(ready_read, 1)
        for end in (go_write, go_read, ready_read):
            os.close(end)  # closing `go_write` releases all children at once
        statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        print(json.dumps(statuses), flush=True)


def _run(program, place, ready_write, go_read):
    def ready():
        os.write(ready_write, b".")
        os.read(go_read, 1)

    def report(*facts):
        Path(f"{place}.out").write_text(json.dumps(facts))

    signal.alarm(SECONDS)
    # Python's bytecode cache compares time and size of a file only, and would miss the edits of some tests.
    sys.dont_write_bytecode = True
    scope = {"ready": ready, "report": report, "__name__": "__main__"}
    status = 1
    with open(f"{place}.err", "w") as errors:
        os.dup2(errors.fileno(), 1)
        os.dup2(errors.fileno(), 2)
        try:
            if program.endswith(".py"):
                runpy.run_path(program, scope, "__main__")
            else:
                exec(compile(program, "<program>", "exec"), scope)
            status = 0
        except BaseException:
            traceback.print_exc(file=errors)
            os.write(ready_write, b".")
    os._exit(status)


if __name__ == "__main__":
    _serve()
