"""The commands. Each is thin: it reads what the user wrote, calls a layer below and prints.

Heavy modules are imported inside the commands, so that `tengen --help` answers at once.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

import tengen
from tengen.arena import commands as arena
from tengen.core.errors import OptionError, TengenError
from tengen.core.words import pairs
from tengen.protocols import commands as protocols
from tengen.terminal import analysis_commands as analysis
from tengen.terminal import clobber_commands, library_commands, player_commands

if TYPE_CHECKING:
    from tengen.core.position import Position

app = typer.Typer(
    name="tengen",
    help="Play, analyse and solve abstract board games.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

console = Console()
errors = Console(stderr=True)

app.add_typer(clobber_commands.app, name="clobber")
app.add_typer(library_commands.app, name="library")
app.add_typer(player_commands.app, name="players")

GameName = Annotated[str, typer.Argument(metavar="GAME", help="clobber, go, othello or pente")]
Options = Annotated[
    list[str] | None,
    typer.Argument(metavar="[OPTION=VALUE]...", help="the game's options, as size=9; `tengen games` lists them"),
]
Number = Annotated[int, typer.Option("--number", "-n", help="which game of the file, from 1")]
Moves = Annotated[str, typer.Option("--moves", "-m", help="moves to play first, separated by blanks")]


def main() -> None:
    """The entry point: errors become one line, Ctrl-C a clean end."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run a command line; returns its exit code."""
    try:
        result = app(arguments or ["--help"], prog_name="tengen", standalone_mode=False)
        code = result if isinstance(result, int) else 0
        if code == 130:  # newer versions of typer turn Ctrl-C into its exit code
            errors.print("stopped")
        return code
    except TengenError as error:
        _complain(str(error))
        return 2
    except (KeyboardInterrupt, typer.Abort):
        errors.print("stopped")
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except Exception as error:
        # What is wrong with the command line itself; typer's class for it has no public name.
        message = getattr(error, "format_message", None)
        if message is None:
            raise
        if type(error).__name__ == "NoArgsIsHelpError":
            console.print(message(), highlight=False, markup=False)
            return 0
        _complain(f"{message().rstrip('.')} (see: tengen --help)")
        return int(getattr(error, "exit_code", 2))


def _complain(message: str) -> None:
    errors.print(f"tengen: {message}", style="red", highlight=False, markup=False, soft_wrap=True)


def _version(wanted: bool) -> None:
    if wanted:
        console.print(f"tengen {tengen.__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def _tengen(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    pass


@app.command()
def games() -> None:
    """List the games and their options.

    Example: tengen games
    """
    from dataclasses import fields

    from tengen import games as registry

    table = Table("game", "option", "default")
    for name in registry.names():
        kind = registry.game_class(name)
        first = True
        for option in fields(kind):
            table.add_row(name if first else "", option.name, str(option.default) or "(usual start)")
            first = False
        table.add_section()
    console.print(table)
    console.print(
        "Short forms: go size=9, size=9x13, rules=japanese; clobber size=20, size=6x5; pente variant=keryo.",
        highlight=False,
    )


@app.command()
def play(
    game: Annotated[
        str, typer.Argument(metavar="[GAME]", help="clobber, go, othello or pente; asked for if left out")
    ] = "",
    options: Options = None,
    engine: Annotated[
        str, typer.Option("--engine", "-e", help="uct, alphabeta, …; the game's default if left out")
    ] = "",
    side: Annotated[
        str, typer.Option("--side", "-s", help="which side you play: first, second, both or none")
    ] = "first",
    seconds: Annotated[float, typer.Option(help="the engine's time for a move")] = 1.0,
    nodes: Annotated[int | None, typer.Option(help="and at most so many positions or simulations")] = None,
    seed: Annotated[int, typer.Option(help="another seed, another game")] = 0,
    threads: Annotated[int, typer.Option(help="threads for the engine")] = 1,
    settings: Annotated[list[str] | None, typer.Option("--set", help="an engine's setting, as rave=3000")] = None,
    moves: Moves = "",
    opponent: Annotated[str, typer.Option(help="a player by name, as `tengen players` lists them")] = "",
    name: Annotated[str, typer.Option(help="your name; your user name if left out")] = "",
    clock: Annotated[str, typer.Option("--time", help="10m, 5m+3s, 10m+3x30s, 10m+25/10m, 30s/move")] = "none",
    resume: Annotated[str, typer.Option(metavar="ID", help="go on with a kept game: its id, or last")] = "",
    rematch: Annotated[str, typer.Option(metavar="ID", help="play the same opponent again: id, or last")] = "",
    save: Annotated[Path | None, typer.Option(help="keep the game in this file, too, after every move")] = None,
    load: Annotated[Path | None, typer.Option(help="go on with the game in this file")] = None,
    number: Number = 1,
    unrated: Annotated[bool, typer.Option("--unrated", help="keep the game out of the ratings")] = False,
    demo: Annotated[bool, typer.Option("--demo", help="leave nothing behind in the library")] = False,
) -> None:
    """Play against an engine, or against each other, in the terminal. Games are kept after every move.

    Example: tengen play go size=9 komi=7 --side second --seconds 2 --time 10m

    Example: tengen play --resume last
    """
    from tengen.games import game as create_game
    from tengen.play.choice import Choice
    from tengen.store.players import Level
    from tengen.store.store import Store
    from tengen.terminal.play import Room, Wanted
    from tengen.terminal.wait import patiently

    kept = [f"--{word}" for word, given in (("load", load), ("resume", resume), ("rematch", rematch)) if given]
    if len(kept) > 1 or (kept and (game or options or moves)):
        raise OptionError(f"{' and '.join(kept)} takes the game and its moves from what is kept: give no others")
    if (resume or rematch) and ((engine, side, clock, opponent, name) != ("", "first", "none", "", "") or demo):
        raise OptionError(f"{kept[0]} keeps the players and the clock: give no others")
    if rematch and save is not None:
        raise OptionError("--rematch plays a new game: save it by tengen library export")
    if not kept and not game:
        game = _ask_for_game()
        if not game:
            return
    choice = Choice(engine, Level(seconds=seconds, nodes=nodes), threads, seed, pairs(settings))
    wanted = Wanted(choice, opponent, side, name, clock, not unrated, demo)
    with Store.in_memory() if demo else Store.open() as store:
        room = Room(console, errors, store, wanted)
        if load is not None:
            match = patiently(errors, lambda: room.load(load, number, save))
        elif resume or rematch:
            match = patiently(errors, lambda: room.resume(resume, save) if resume else room.rematch(rematch))
        else:
            match = patiently(errors, lambda: room.new(create_game(game, **pairs(options)), moves.split(), save))
        room.sit(match)


def _ask_for_game() -> str:
    """The game that a person picks from a list; empty if they leave."""
    from tengen import games as registry

    names = registry.names()
    for number, name in enumerate(names, 1):
        console.print(f"  {number}  {registry.game_class(name).title}", highlight=False)
    while True:
        try:
            answer = input(f"Which game? 1 to {len(names)}> ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            console.print("\nGood-bye. To play at once: tengen play othello", highlight=False)
            return ""
        if answer in names:
            return answer
        if answer.isdigit() and 1 <= int(answer) <= len(names):
            return names[int(answer) - 1]


@app.command()
def terminal(
    demo: Annotated[bool, typer.Option("--demo", help="two engines play; nothing of it is kept")] = False,
) -> None:
    """Play, review and keep games on screens in the terminal, by keyboard or mouse.

    Example: tengen terminal --demo
    """
    from tengen.terminal.app.main import run

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise OptionError("the screens need a terminal; in scripts, use tengen.terminal.headless")
    run(demo=demo)


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="a file of games; its content tells the format")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="its suffix tells the format")],
    to: Annotated[str, typer.Option(help="the format, if not by the suffix: sgf, ggf, obf, wthor, …")] = "",
) -> None:
    """Write games in another format; what it cannot keep is said.

    Games that cannot be read are named and left out; the exit code is 1 then.

    Example: tengen convert games.wtb games.sgf
    """
    from tengen.terminal import records

    if not records.convert(console, errors, source, target, to):
        raise typer.Exit(1)


@app.command()
def show(
    game: Annotated[str, typer.Argument(metavar="GAME|FILE", help="clobber, go or othello; or a file of games")],
    options: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[OPTION=VALUE]...|[MOVE]", help="the game's options; or after which move of the file"
        ),
    ] = None,
    moves: Moves = "",
    number: Number = 1,
    line: Annotated[str, typer.Option(help="a file's variations to follow, as 1,0 at the first two forks")] = "",
    dump: Annotated[
        bool, typer.Option("--dump", help="all that the rules know: strings, liberties, ko, keys")
    ] = False,
) -> None:
    """Draw a position, of a game or from a file.

    Example: tengen show go size=9 --moves "E5 C3" --dump

    Example: tengen show game.sgf 30
    """
    from tengen.terminal import records
    from tengen.terminal.board import draw
    from tengen.terminal.wait import patiently

    if records.is_record(game):
        if moves or dump or len(options or ()) > 1:
            raise OptionError("a file is shown with the number of a move, and no other options")
        after = _whole(options[0], "a move's number") if options else None
        record, _ = records.find(errors, Path(game), number)
        branches = tuple(_whole(word, "a variation") for word in line.replace(",", " ").split())
        records.show(console, record, after, branches)
        return

    def look() -> tuple[Position, dict[str, Any]]:
        position = _position(game, options, moves)
        facts = {
            "game": position.game.describe(),
            **position.game.dump(position),
            "key": f"{position.key:016x}",
            "legal moves": str(len(position.legal_moves)),
        }
        return position, facts

    position, facts = patiently(errors, look)
    console.print(draw(position))
    for name, fact in facts.items() if dump else ():
        for line in fact if isinstance(fact, list) else [fact]:
            console.print(f"{name}: {line}", highlight=False, markup=False, soft_wrap=True)


@app.command()
def perft(
    game: GameName,
    options: Options = None,
    depth: Annotated[int, typer.Option("--depth", "-d", help="plies")] = 6,
    moves: Moves = "",
    divide: Annotated[bool, typer.Option("--divide", help="the count after each move")] = False,
    positions: Annotated[bool, typer.Option("--positions", help="Go: count all legal positions instead")] = False,
    all_games: Annotated[
        bool, typer.Option("--games", help="Go: count all games without repetition instead")
    ] = False,
) -> None:
    """Count the lines of play of each length: the proof that the rules are right.

    Example: tengen perft othello --depth 9
    """
    import time

    from tengen.search import perft as counting
    from tengen.terminal.wait import patiently

    counting.check_depth(depth)
    position = patiently(errors, lambda: _position(game, options, moves))
    if positions or all_games:
        _count_go(position, all_games)
        return
    patiently(errors, lambda: counting.perft(position, 1))
    if divide:
        total = 0
        for move, count in counting.divide(position, depth):
            total += count
            console.print(f"{position.game.write_move(move)}: {count}", highlight=False)
        console.print(f"total: {total}", highlight=False)
        return
    for plies in range(min(1, depth), depth + 1):
        started = time.perf_counter()
        with errors.status(f"ply {plies} …"):
            count = counting.perft(position, plies)
        seconds = time.perf_counter() - started
        console.print(f"{plies:>3} {count:>20,}   {seconds:8.2f} s", highlight=False)


def _count_go(position: Position, all_games: bool) -> None:
    from tengen.core.interrupt import interruptible
    from tengen.games.go import Go
    from tengen.games.go.counting import count_games, count_legal_positions

    game = position.game
    if not isinstance(game, Go):
        raise OptionError(f"--positions and --games count Go, not {game.name}")
    count = count_games if all_games else count_legal_positions
    with errors.status("counting …"):
        number = interruptible(lambda stop: count(game.width, game.height, stop))
    console.print(
        f"{game.width}x{game.height}: {number:,} {'games' if all_games else 'legal positions'}", highlight=False
    )


@app.command()
def bench(
    against: Annotated[str, typer.Option(help="compare with another program: open_spiel")] = "",
    seconds: Annotated[float, typer.Option(help="time for each figure")] = 1.0,
    only: Annotated[str, typer.Option(help="only this game")] = "",
) -> None:
    """Measure every kernel, as rates and as ratios to a reference loop timed in the same run.

    Example: tengen bench --against open_spiel
    """
    from tengen.arena import bench as measuring

    if not seconds > 0:
        raise OptionError(f"the seconds for each figure should be above 0, not {seconds:g}")
    if against not in ("", "open_spiel"):
        raise OptionError(f"there is a comparison with open_spiel, not with {against!r}")
    console.print(measuring.run(seconds=seconds, only=only, against=against, on_step=_step))


def _step(text: str) -> None:
    """Progress on what takes long, where somebody is watching."""
    if errors.is_terminal:
        errors.print(f"[dim]{text} …[/dim]")


@app.command()
def warm(
    names: Annotated[list[str] | None, typer.Argument(metavar="[GAME]...", help="only these games")] = None,
) -> None:
    """Compile every kernel now, so that nobody waits for it later.

    Example: tengen warm othello go
    """
    from rich.progress import Progress

    from tengen.engines.warm import steps

    work = list(steps(names))
    with Progress(console=errors) as progress:
        task = progress.add_task("compiling", total=len(work))
        for label, step in work:
            progress.update(task, description=label)
            step()
            progress.advance(task)
    console.print(f"{len(work)} steps done: the kernels are ready.", highlight=False)


@app.command()
def doctor() -> None:
    """Say what is installed and where things are kept; what is missing, and how to get it.

    Example: tengen doctor
    """
    from tengen.terminal.doctor import examine

    table = Table("what", "state", "advice")
    sound = True
    for finding in examine():
        sound = sound and finding.good
        row = (Text(finding.what), Text(finding.state), Text(finding.advice))
        table.add_row(*row, style=None if finding.good else "red")
    console.print(table)
    if not sound:
        raise typer.Exit(1)


for _command in (analysis.analyse, arena.match, protocols.gtp, protocols.nboard, protocols.gomocup):
    app.command()(_command)


def _whole(word: str, what: str) -> int:
    digits = word.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 9:
        raise OptionError(f"{what} should be a whole number, not {word!r}")
    return int(word)


def _position(game: str, options: list[str] | None, moves: str) -> Position:
    """The position that a command line describes."""
    from tengen.games import game as create_game

    return create_game(game, **pairs(options)).start().play_all(moves.split())


if __name__ == "__main__":
    main()
