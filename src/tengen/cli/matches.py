"""The commands `tengen match`, `calibrate`, `bench` and `tactics`."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tengen.cli.console import console, errors, say
from tengen.core.errors import OptionError
from tengen.core.key_values import pairs
from tengen.jobs.arguments import Cluster

if TYPE_CHECKING:
    from tengen.arena.game_runner import PlayedGame
    from tengen.arena.match_score import MatchScore


PLAIN_SECONDS = 30.0  # between two lines where nobody watches a terminal
_WHO = "a player's name; or uct:nodes=500,rave=100; or gtp:gnugo --mode gtp, in quotes"


def match(
    first: Annotated[str, typer.Argument(metavar="A", help=_WHO)],
    second: Annotated[str, typer.Argument(metavar="B", help="the other player, the same way")],
    options: Annotated[
        list[str] | None, typer.Argument(metavar="[OPTION=VALUE]...", help="the game's options, as size=9")
    ] = None,
    game: Annotated[str, typer.Option("--game", "-g", help="clobber, go, othello or pente")] = "othello",
    games: Annotated[int, typer.Option("--games", "-n", help="how many at most, an even number")] = 100,
    clock: Annotated[
        str, typer.Option("--time", help="100ms/move, 5m+3s, …; else by the players' own levels")
    ] = "none",
    openings: Annotated[
        Path | None, typer.Option(metavar="FILE", help="games whose first moves are the openings")
    ] = None,
    plies: Annotated[int | None, typer.Option(help="the length of an opening: 4, or a file's whole games")] = None,
    sprt: Annotated[
        str, typer.Option(metavar="ELO0,ELO1", help="stop when one of two Elo differences is accepted")
    ] = "",
    concurrency: Annotated[int | None, typer.Option(help="games at once; as many as cores allow")] = None,
    cluster: Cluster = "",
    seed: Annotated[int, typer.Option(help="another seed, other openings and games")] = 1,
    rated: Annotated[bool, typer.Option("--rated", help="let the games count for the players' ratings")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="begin anew instead of going on")] = False,
    resume: Annotated[Path | None, typer.Option(metavar="FILE", help="keep results in this file instead")] = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="write the games' records here")] = None,
    output: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="write the result here")] = None,
) -> None:
    """Let two players play many games, from balanced openings with colours changed, and say who is stronger.

    Each game is kept as it ends. The same command again goes on where it was, or with more --games.

    Example: tengen match uct:nodes=500 uct:nodes=1000 --game go size=9 --games 200 --sprt 0,50

    Example: tengen match "gtp:gnugo --mode gtp --chinese-rules --capture-all-dead" uct --game go size=9
    """
    from tengen.arena.engine_match import EngineMatch
    from tengen.arena.openings import PLIES, from_file
    from tengen.arena.statistics import Sprt
    from tengen.games import game as create_game
    from tengen.games import records
    from tengen.jobs.checkpoint import MAGIC
    from tengen.play.player_lookup import find_engine_player
    from tengen.play.time_control import TimeControl
    from tengen.store.store import Store

    rules = create_game(game, **pairs(options))
    if concurrency is not None and concurrency < 1:
        raise OptionError(f"at least one game is played at a time, not {concurrency}")
    if plies is not None and plies < 0:
        raise OptionError(f"an opening has 0 moves or more, not {plies}")
    if save is not None:
        records.format_for(save, rules.name)  # for its error, before hours of play
    for path in (save, output):
        if path is not None and not path.parent.is_dir():
            raise OptionError(f"{path}: there is no such folder")
    with Store.open() as store:
        series = EngineMatch(
            rules,
            (find_engine_player(store, first, rules.name), find_engine_player(store, second, rules.name)),
            games,
            TimeControl.parse(clock),
            Sprt.parse(sprt) if sprt else None,
            seed,
            PLIES if plies is None else plies,
            None if openings is None else from_file(rules, openings, plies),
            rated,
        )
        checkpoint = resume or series.checkpoint()
        begun = checkpoint.exists()
        if fresh and begun:
            with checkpoint.open("rb") as file:
                if file.read(len(MAGIC)) != MAGIC:
                    raise OptionError(f"{checkpoint} is not the checkpoint of a match: it stays as it is")
            checkpoint.unlink()
        for path in (save, output):
            if path is not None and path.exists() and not begun:
                raise OptionError(f"{path} exists: choose another file")
        say(f"{series.players[0].name} against {series.players[1].name}: {rules.describe()}, {games} games")
        shown: list[MatchScore] = []
        try:
            with _Live() as live:

                def on_game(tally: MatchScore, played: PlayedGame) -> None:
                    shown[:] = [tally]
                    live.show(tally)

                shown[:] = [
                    series.play(
                        store, checkpoint=checkpoint, concurrency=concurrency, cluster=cluster, on_game=on_game
                    )
                ]
        finally:
            if shown:
                _report(shown[0])
                if save is not None:
                    dropped = records.write((series.record(one) for one in shown[0].counted()), save)
                    if dropped:
                        errors.print(f"{save}: not kept: {', '.join(dropped)}", highlight=False, markup=False)
                if output is not None:
                    data = {"game": rules.name, "options": rules.options(), "time": clock, "seed": seed}
                    text = json.dumps({**data, **shown[0].to_dict()}, indent=1, allow_nan=False)
                    records.save(output, text.encode())


def calibrate(
    game: Annotated[str, typer.Argument(help="clobber, go, othello or pente")],
    options: Annotated[
        list[str] | None, typer.Argument(metavar="[OPTION=VALUE]...", help="the game's options, as size=9")
    ] = None,
    games: Annotated[int, typer.Option("--games", "-n", help="for each two neighbours, an even number")] = 60,
    moves: Annotated[int, typer.Option(help="how many moves of each player are judged")] = 100,
    timed: Annotated[bool, typer.Option("--timed", help="with those that think for a time: hours")] = False,
) -> None:
    """Measure the ready-made opponents of a game: in Elo, each against the next, and by what their moves lose.

    A player's figures are printed as soon as they are there.

    Example: tengen calibrate othello --games 100

    Example: tengen calibrate go size=9
    """
    from tengen.arena.calibration import measure_levels
    from tengen.games import game as create_game
    from tengen.players.opponents import opponents

    players = [player for player in opponents(game) if timed or player.config.level.seconds is None]
    rules = create_game(game, **pairs(options))
    with _Live() as live:
        measure_levels(
            rules, players, games, moves=moves, on_game=live.show, on_level=lambda level: say(str(level))
        )


class _Live(ExitStack):
    """The score as it changes: in place on a terminal, else a line now and then."""

    def __init__(self) -> None:
        super().__init__()
        self._printed = time.monotonic()
        self._status = self.enter_context(errors.status("The first games …")) if errors.is_terminal else None

    def show(self, tally: MatchScore) -> None:
        now = time.monotonic()
        if self._status is not None:
            self._status.update(tally.line())
        elif now - self._printed >= PLAIN_SECONDS:
            self._printed = now
            errors.print(tally.line(), highlight=False, markup=False, soft_wrap=True)


def _report(tally: MatchScore) -> None:
    from tengen.arena.statistics import interval, score, superiority

    counts = tally.counts()
    low, high = interval(counts)
    console.print(tally.table())
    for fault in tally.faults():
        say(f"lost by a fault: {fault}")
    say(f"score {100 * score(counts):.1f} % ({100 * low:.1f} to {100 * high:.1f} % with 95 % confidence)")
    say(f"{tally.difference()}; likelihood that {tally.names[0]} is stronger: {100 * superiority(counts):.1f} %")
    say("pairs of 0, ½, 1, 1½, 2 points: " + ", ".join(map(str, counts)))
    if tally.sprt is not None:
        say(f"sequential test: {tally.decision()}")


def bench(
    against: Annotated[str, typer.Option(help="compare with another program: open_spiel")] = "",
    seconds: Annotated[float, typer.Option(help="time for each figure")] = 1.0,
    only: Annotated[str, typer.Option(help="only this game")] = "",
    endgames: Annotated[
        int | None, typer.Option(metavar="N", help="solve so many Othello endgames of 20 empty squares instead")
    ] = None,
    threads: Annotated[int, typer.Option(help="threads for the endgames")] = 1,
    without: Annotated[
        list[str] | None,
        typer.Option(help="solve without: hashing, ordering, stability, etc or probcut; can be repeated"),
    ] = None,
) -> None:
    """Measure every kernel, as rates and as ratios to a reference loop timed in the same run.

    Example: tengen bench --against open_spiel

    Example: tengen bench --endgames 100 --without stability
    """
    from tengen.arena import bench as measuring

    if endgames is not None:
        from tengen.arena.othello_endgame_bench import measure

        if endgames < 1:
            raise OptionError(f"at least 1 endgame can be solved, not {endgames}")
        switched_off = dict.fromkeys(without or (), False)
        solved = measure(
            endgames, threads=threads, on_step=lambda done: _step(f"{done} of {endgames}"), **switched_off
        )
        say(str(solved))
        return
    if not seconds > 0:
        raise OptionError(f"the seconds for each figure should be above 0, not {seconds:g}")
    if against not in ("", "open_spiel"):
        raise OptionError(f"there is a comparison with open_spiel, not with {against!r}")
    console.print(measuring.run(seconds=seconds, only=only, against=against, on_step=_step))


def tactics(
    options: Annotated[
        list[str] | None, typer.Argument(help="the game's options, as variant=keryo size=13")
    ] = None,
    games: Annotated[
        int, typer.Option(help="games of the player with itself, whose positions are looked at")
    ] = 20,
    seed: Annotated[int, typer.Option(help="another seed, other games")] = 1,
    nodes: Annotated[int, typer.Option(help="positions searched for each move of these games")] = 1000,
    last: Annotated[
        int | None, typer.Option(help="only positions before the last so many moves, where most wins are")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="print the positions, as moves, by their win")] = False,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="write positions with a win in two or three here")
    ] = None,
) -> None:
    """Measure how the strong Pente player sees wins, each one checked against every defence.

    Example: tengen tactics --games 100 variant=tournament

    Example: tengen tactics --save wins.sgf
    """
    from tengen.arena.pente_tactics import measure
    from tengen.engines.pente.engine import PenteEngine
    from tengen.games import records
    from tengen.games.pente import Pente
    from tengen.games.records import Record

    if games < 1 or nodes < 1:
        raise OptionError("at least 1 game is played, of 1 node a move")
    if last is not None and last < 1:
        raise OptionError(f"at least the last move is looked at, not the last {last}")
    game = Pente.create(**pairs(options or []))
    if save is not None:
        records.format_for(save, game.name)  # for its error, before minutes of play
    if not PenteEngine.plays(game) or game.stones != 1:
        raise OptionError(f"tactics are measured with one stone a turn, not for {game.describe()}")
    found = measure(game, games=games, seed=seed, nodes=nodes, last=last, on_step=_step)
    say(str(found))
    for fault in (*found.missed, *found.false):
        say(f"FAULT {fault}")
    if save is not None:
        wins = (moves for stones in (2, 3) for moves in found.found[stones])
        records.write((Record.of(game.start().play_all(moves.split())) for moves in wins), save)
    if show:
        for stones, positions in found.found.items():
            for moves in positions:
                say(f"{stones} {moves}")


def _step(text: str) -> None:
    """Progress on what takes long, where somebody is watching."""
    if errors.is_terminal:
        errors.print(f"[dim]{text} …[/dim]")
