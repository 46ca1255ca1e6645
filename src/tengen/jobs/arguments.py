"""The argument that all commands with jobs have in common."""

from __future__ import annotations

from typing import Annotated

import typer

Cluster = Annotated[
    str, typer.Option(metavar="ADDRESS", help="work on this Dask cluster, as tcp://127.0.0.1:8786, not here")
]
