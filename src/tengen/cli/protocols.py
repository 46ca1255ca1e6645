"""The commands `tengen gtp`, `tengen nboard`, `tengen gomocup` and `tengen katago`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.inputs import create_game
from tengen.cli.option_groups import EngineOptions, command_group, grouped
from tengen.cli.options import Options
from tengen.core.key_values import pairs

if TYPE_CHECKING:
    from tengen.core.game import Game
    from tengen.players.config import EngineConfig

KATAGO_VISITS = 500  # for queries that do not say how many, as in KataGo's example configuration


@grouped
def gtp(
    engine: EngineOptions,
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="clobber, go, othello or pente")] = "go",
    options: Options = None,
) -> None:
    """Run as an engine for Go programs such as Sabaki and GoGui (GTP 2 on standard input and output).

    Example: tengen gtp go size=9 --level 2s --set rave=1000
    """
    from tengen.cli.serving import serve_gtp

    words = options or []
    if "=" in game:  # the game was left out
        game, words = "go", [game, *words]
    rules = create_game(game, words)
    serve_gtp(rules, _config(engine, rules))


@grouped
def nboard(engine: EngineOptions) -> None:
    """Run as an engine for Othello programs (NBoard 2 on standard input and output).

    Example: tengen nboard --level 5s
    """
    from tengen.cli.serving import serve
    from tengen.protocols.nboard import NBoard

    rules = create_game("othello")
    config = _config(engine, rules)
    serve(rules, config, lambda inbox, write: NBoard(inbox, write, config))


@grouped
def gomocup(engine: EngineOptions, options: Options = None) -> None:
    """Run as an engine for gomoku programs such as Piskvork (Gomocup's protocol on standard input and output).

    Options choose the variant, such as variant=keryo. By default the command INFO rule does: five or more
    in a row, or exactly five.

    Example: tengen gomocup variant=standard --level 5s
    """
    from tengen.cli.serving import serve
    from tengen.protocols.gomocup import Gomocup

    rules = create_game("pente", options or ["variant=gomoku"])
    config = _config(engine, rules)
    serve(rules, config, lambda inbox, write: Gomocup(inbox, write, config, pairs(options)))


katago = command_group("Stand in for KataGo in programs that analyse Go with it.")


@katago.command("analysis")
@grouped
def katago_analysis(
    engine: EngineOptions,
    analysis_threads: Annotated[
        int | None,
        typer.Option(
            "--analysis-threads", "-analysis-threads", min=1, help="positions at a time; default: one per core"
        ),
    ] = None,
    quit_without_waiting: Annotated[
        bool,
        typer.Option(
            "--quit-without-waiting", "-quit-without-waiting", help="at the end of input, drop open queries"
        ),
    ] = False,
    config: Annotated[str, typer.Option("-config", hidden=True)] = "",
    model: Annotated[str, typer.Option("-model", hidden=True)] = "",
    human_model: Annotated[str, typer.Option("-human-model", hidden=True)] = "",
    override_config: Annotated[list[str] | None, typer.Option("-override-config", hidden=True)] = None,
) -> None:
    """Answer the queries of KataGo's JSON analysis protocol, on boards from 2x2 to 25x25.

    KataGo's options -config, -model, -human-model and -override-config are accepted without effect. --level holds
    for queries without maxVisits; the default is 500 visits.

    Example: tengen katago analysis, then the line
    {"id":"1","moves":[["B","E5"]],"rules":"chinese","boardXSize":9,"boardYSize":9}
    """
    from tengen.protocols.katago.server import AnalysisServer
    from tengen.protocols.line_protocol import run_protocol
    from tengen.runtime.host import EngineHost
    from tengen.search.limits import Limits

    rules = create_game("go")
    player = _config(engine, rules).for_analysis()
    default = player.limits or Limits(nodes=KATAGO_VISITS)
    if config or model or human_model or override_config:
        print("tengen: KataGo's model and configuration are not used", file=sys.stderr)
    with EngineHost(analysis_threads, threads=engine.threads) as host:
        print("Started, ready to begin handling requests", file=sys.stderr, flush=True)
        run_protocol(
            lambda inbox, write: AnalysisServer(
                inbox, write, host, player, default=default, waits_at_end=not quit_without_waiting
            ),
            sys.stdin.buffer,
            sys.stdout.buffer,
        )


def _config(options: EngineOptions, game: Game) -> EngineConfig:
    """The configuration of an engine. Raises errors now, while there is a terminal to show them."""
    from tengen.players.configure import check_limits, for_game
    from tengen.runtime.turn import create_engine

    config = options.config()
    check_limits(for_game(config, game))
    create_engine(config, game)
    return config
