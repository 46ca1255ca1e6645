"""Long work: many tasks on many processes, stopped and resumed at will.

    for result in run(tasks, checkpoint=Checkpoint("book.jobs", fingerprint="othello book, depth 12")):
        ...

Read the modules in this order:

1. `task`        what goes in and what comes out: `Task`, `Result`, and the errors
2. `run`         the loop that joins the parts below: `run`, `collect`
3. `flight`      the tasks that an executor has now; who is to blame when a worker dies
4. `checkpoint`  the file of results: what a kill, a full disk or a flipped bit can do to it
5. `lock`        one writer at a time
6. `executor`    processes on this machine, seen from the parent: `LocalExecutor`
7. `worker`      the same, seen from the child
8. `processes`   what all worker processes share: how they begin and end
9. `progress`    how much is done and how long the rest will take
10. `bar`        the same for a terminal: `ProgressBar`
11. `cluster`    the workers of a Dask cluster in the place of processes here: `ClusterExecutor`, `open_executor`
12. `cluster_processes`  such a cluster, made of processes of ours
13. `helper_pool` processes for short calls of a server, with errors for users: `HelperPool`
14. `supervised_thread`  a thread that is restarted when it fails, dies or hangs
15. `restarts`    how long to wait before something that crashed is started again
"""

from tengen.jobs.bar import ProgressBar
from tengen.jobs.checkpoint import Checkpoint, CheckpointError
from tengen.jobs.cluster import ClusterExecutor, open_executor
from tengen.jobs.executor import LocalExecutor
from tengen.jobs.processes import available_cores
from tengen.jobs.progress import Progress
from tengen.jobs.run import collect, run
from tengen.jobs.task import JobError, Result, Task, TaskError

__all__ = [
    "Checkpoint",
    "CheckpointError",
    "ClusterExecutor",
    "JobError",
    "LocalExecutor",
    "Progress",
    "ProgressBar",
    "Result",
    "Task",
    "TaskError",
    "available_cores",
    "collect",
    "open_executor",
    "run",
]
