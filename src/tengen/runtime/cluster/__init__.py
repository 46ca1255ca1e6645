"""The engine host on a Dask cluster: the same interface as `runtime.host`, with remote workers."""
