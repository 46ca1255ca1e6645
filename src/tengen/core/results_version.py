"""The version of search results, as part of checkpoint fingerprints.

A checkpoint must not mix results of engines that search differently, but it should survive releases that change no
result. Set `RESULTS_VERSION` to the new `tengen.__version__` when a bench signature changes, or the openings that
matches generate.
"""

RESULTS_VERSION = "0.1.0.dev0"
