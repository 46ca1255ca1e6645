"""The one way to run an engine: in this process (`turn`) or in worker processes (`host`).

The engine host runs searches for any number of games. Reading order: `messages` (requests, progress), `host` (the
public class), `manager` (the thread that assigns searches to workers), `scheduler` (which search runs next, and on
which worker), `worker_process` (the parent's handle of a worker), `worker` (the process itself), `callbacks` (the
thread that calls back). `cluster/` does the same on a Dask cluster.
"""
