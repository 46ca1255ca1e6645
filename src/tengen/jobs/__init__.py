"""Long-running work: many tasks on many processes, interruptible and resumable.

    for result in run(tasks, checkpoint=Checkpoint("book.jobs", fingerprint="othello book, depth 12")):
        ...

Read the modules in this order:

1. `task`        inputs and outputs of a run: `Task`, `Result`, and the errors
2. `run`         the main loop: `run`, `collect`
3. `task_dispatch`  tasks submitted to an executor, and retries after a worker died
4. `checkpoint`  the file of results, and its behaviour after a kill, a full disk or a flipped bit
5. `worker`      a worker process, child side: calls, outcomes, progress
6. `worker_process`  the same, parent side
7. `worker_pool` the thread that manages worker processes, also those of the engine host
8. `executor`    a pool for any function: `LocalExecutor`
9. `helper_pool` the same for the calls of a server, with retries and errors for users: `HelperPool`
10. `supervised_thread`  a thread that is restarted when it fails, dies or hangs
11. `restart_backoff`  delays between restarts after crashes
12. `processes`  utilities for all worker processes: start, exit, signals
13. `progress`   progress and estimated time left
14. `progress_bar`  the same on a terminal: `ProgressBar`
15. `cluster`    workers of a Dask cluster instead of local processes: `ClusterExecutor`, `open_executor`
16. `cluster_processes`  a Dask cluster made of child processes
17. `worker_calls`  counts of each worker's calls, for both kinds of executor
"""

from tengen.jobs.checkpoint import Checkpoint, CheckpointError, CheckpointInUse
from tengen.jobs.cluster import ClusterExecutor, open_executor
from tengen.jobs.executor import LocalExecutor
from tengen.jobs.processes import available_cores
from tengen.jobs.progress import Progress
from tengen.jobs.progress_bar import ProgressBar
from tengen.jobs.run import collect, run
from tengen.jobs.task import JobError, Result, Task, TaskError

__all__ = [
    "Checkpoint",
    "CheckpointError",
    "CheckpointInUse",
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
