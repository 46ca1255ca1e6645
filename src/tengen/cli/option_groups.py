"""Groups of options that several commands share, and groups of commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from tengen.cli.options import Cluster, EngineName, Settings
from tengen.core.key_values import pairs

if TYPE_CHECKING:
    from tengen.jobs import LocalExecutor
    from tengen.jobs.cluster import ClusterExecutor
    from tengen.players.config import EngineConfig
    from tengen.search.limits import Limits


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take groups of options: the fields of a dataclass parameter become options of their own."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, tuple[Any, tuple[str, ...]]] = {}
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        if is_dataclass(hints[name]):
            fields = get_type_hints(hints[name], include_extras=True)
            members = [
                one.replace(annotation=fields[one.name]) for one in signature(hints[name]).parameters.values()
            ]
            groups[name] = hints[name], tuple(one.name for one in members)
            parameters += members
        else:
            parameters.append(parameter.replace(annotation=hints[name]))

    def run(**given: Any) -> None:
        for name, (kind, fields) in groups.items():
            given[name] = kind(**{field: given.pop(field) for field in fields})
        command(**given)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = Signature([one.replace(kind=Parameter.KEYWORD_ONLY) for one in parameters])  # type: ignore[attr-defined]
    return run


@dataclass(frozen=True)
class Workers:
    """Where the tasks of a command run: in worker processes or on a cluster."""

    workers: Annotated[
        int | None,
        typer.Option("--workers", "--processes", min=1, help="number of worker processes; default: one per core"),
    ] = None
    cluster: Cluster = ""

    def open(self) -> LocalExecutor | ClusterExecutor:
        from tengen.jobs import open_executor

        return open_executor(self.workers, self.cluster)


@dataclass(frozen=True)
class ParallelGames:
    """How many games are played at a time, and where."""

    concurrency: Annotated[
        int | None, typer.Option(min=1, help="number of parallel games; default: by the number of cores")
    ] = None
    cluster: Cluster = ""

    def open(self, threads: int) -> LocalExecutor | ClusterExecutor:
        """An executor for games between engines with this many threads."""
        from tengen.jobs import available_cores, open_executor

        default = None if self.cluster else max(1, available_cores() // threads)
        return open_executor(self.concurrency or default, self.cluster)


@dataclass(frozen=True)
class SearchOptions:
    """An engine for analysis."""

    engine: EngineName = ""
    threads: Annotated[int | None, typer.Option(help="search threads; default: 1")] = None
    settings: Settings = None

    def config(self) -> EngineConfig:
        from tengen.players.syntax import config_from_options

        return config_from_options(self.engine, threads=self.threads, settings=pairs(self.settings))


@dataclass(frozen=True)
class EngineOptions(SearchOptions):
    """An engine that plays."""

    level: Annotated[
        str, typer.Option("--level", "-l", help="search limits for a move: 1s, 500nodes, depth4 or 2s,500nodes")
    ] = ""
    seed: Annotated[int | None, typer.Option(help="random seed; default: 0")] = None
    book: Annotated[
        bool, typer.Option("--book/--no-book", help="whether the engine plays from its opening book")
    ] = True
    variety: Annotated[
        float | None,
        typer.Option(help="choose book moves at random that lose up to this many points; default: 0, the best"),
    ] = None

    def config(self) -> EngineConfig:
        from tengen.players.syntax import config_from_options

        return config_from_options(
            self.engine,
            self.level,
            threads=self.threads,
            seed=self.seed,
            book=self.book,
            variety=self.variety,
            settings=pairs(self.settings),
        )


@dataclass(frozen=True)
class LimitOptions:
    """Search limits for a position or move, each as an option."""

    seconds: Annotated[
        float | None, typer.Option(help="seconds per move; default: 1 if no other limit is given")
    ] = None
    nodes: Annotated[int | None, typer.Option(help="positions or simulations per move")] = None
    depth: Annotated[int | None, typer.Option(help="search depth in plies, for engines that have one")] = None

    def limits(self) -> Limits:
        """The limits; false if none is given."""
        from tengen.search.limits import Limits

        return Limits(self.seconds, self.nodes, self.depth)


def command_group(help: str) -> typer.Typer:
    """A group of commands, such as `tengen book …`."""
    return typer.Typer(help=help, no_args_is_help=True, rich_markup_mode=None)
