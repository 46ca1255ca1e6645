"""`tengen players …`: people, engine players and their ratings."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from tengen.cli.console import console, say
from tengen.core.key_values import pairs

app = typer.Typer(
    help="Players: people, engines with their settings, and ratings.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Who = Annotated[str, typer.Argument(metavar="PLAYER", help="a name, or the first characters of an id")]


@app.command("list")
def list_players(
    game: Annotated[str, typer.Option("--game", "-g", help="also list the built-in opponents of this game")] = "",
) -> None:
    """List the stored players, and the built-in opponents of a game.

    Example: tengen players list --game othello
    """
    from tengen.players.opponents import opponents, strengths
    from tengen.players.player import EnginePlayer
    from tengen.store.store import Store

    with Store.open() as store:
        stored = store.players()
    measured = strengths(game) if game else {}
    built_in = [
        player for player in (opponents(game) if game else ()) if player.id not in {one.id for one in stored}
    ]
    elos = {player: str(one.elo) for player, one in measured.items()}
    losses = {player: f"{one.loss:.2f}" for player, one in measured.items() if one.loss is not None}
    figures = [(title, shown) for title, shown in (("Elo", elos), ("loss per move", losses)) if shown]
    table = Table("id", "name", "kind", *(title for title, _ in figures))
    for player in [*stored, *built_in]:
        kind = "engine" if isinstance(player, EnginePlayer) else "person"
        kind += ", built-in" if player in built_in else ""
        table.add_row(player.id[:8], Text(player.name), kind, *(shown.get(player.id, "") for _, shown in figures))
    console.print(table)


@app.command()
def add(name: Annotated[str, typer.Argument(help="the person's name")]) -> None:
    """Add a person.

    Example: tengen players add "Ann Lee"
    """
    from tengen.players.player import Person
    from tengen.store.store import Store

    with Store.open() as store:
        person = Person(name)
        store.save_player(person)
    console.print(f"{person.id[:8]} {person.name}", highlight=False, markup=False)


@app.command("add-engine")
def add_engine(
    engine: Annotated[str, typer.Argument(help="engine name, such as uct; or the import path of your own engine")],
    name: Annotated[str, typer.Option(help="default: made from the settings")] = "",
    seconds: Annotated[float | None, typer.Option(help="time per move")] = None,
    nodes: Annotated[int | None, typer.Option(help="positions or simulations per move")] = None,
    depth: Annotated[int | None, typer.Option(help="search depth in plies")] = None,
    book: Annotated[bool, typer.Option(help="whether it uses an opening book")] = True,
    vision: Annotated[int, typer.Option(help="60 to 100 in steps of 5: percentage of moves that it sees")] = 100,
    judgement: Annotated[int, typer.Option(help="60 to 100 in steps of 5: accuracy of its evaluation")] = 100,
    threads: Annotated[int, typer.Option(help="search threads")] = 1,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="an engine setting, such as rave=3000; repeatable")
    ] = None,
) -> None:
    """Add an engine player.

    Example: tengen players add-engine uct --seconds 2 --set rave=1000 --name "Old Tom"
    """
    from tengen.players.config import Level
    from tengen.players.configure import configure, engine_player
    from tengen.players.player import EnginePlayer
    from tengen.store.store import Store

    level = Level(seconds, nodes, depth) if (seconds, nodes, depth) != (None, None, None) else Level(seconds=1.0)
    config = configure(
        engine, level, book=book, vision=vision, judgement=judgement, threads=threads, **pairs(settings)
    )
    player = EnginePlayer(name, config) if name else engine_player(config)
    with Store.open() as store:
        store.save_player(player)
    console.print(f"{player.id[:8]} {player.name}", highlight=False, markup=False)


@app.command("add-program")
def add_program(
    protocol: Annotated[str, typer.Argument(help="gtp, nboard or gomocup")],
    command: Annotated[str, typer.Argument(help="the program and its arguments, in quotes")],
    name: Annotated[str, typer.Option(help="default: made from the command")] = "",
    seconds: Annotated[float | None, typer.Option(help="time per move")] = None,
    nodes: Annotated[int | None, typer.Option(help="positions or simulations per move")] = None,
    depth: Annotated[int | None, typer.Option(help="search depth in plies")] = None,
    folder: Annotated[str, typer.Option(help="working folder of the program")] = "",
    setup: Annotated[list[str] | None, typer.Option(help="a protocol command to send first; repeatable")] = None,
) -> None:
    """Add an external program as a player.

    Without a limit a GTP program uses its own settings; the others get 1 s per move.

    Example: tengen players add-program gtp "gnugo --mode gtp --level 1" --name "GNU Go 1"
    """
    from tengen.players.config import Level
    from tengen.players.configure import configure_program, engine_player
    from tengen.players.player import EnginePlayer
    from tengen.players.program import ExternalProgram
    from tengen.store.store import Store

    program = ExternalProgram.parse(protocol, command, folder=folder, setup=tuple(setup or ()))
    level = Level(seconds, nodes, depth) if (seconds, nodes, depth) != (None, None, None) else None
    config = configure_program(program, level)
    player = EnginePlayer(name, config) if name else engine_player(config)
    with Store.open() as store:
        store.save_player(player)
    console.print(f"{player.id[:8]} {player.name}", highlight=False, markup=False)


@app.command()
def show(player: Who) -> None:
    """Show a player: settings, number of games, ratings.

    Example: tengen players show "Old Tom"
    """
    from tengen import games
    from tengen.play.player_lookup import find_player
    from tengen.players.player import EnginePlayer
    from tengen.store.listing import Filter
    from tengen.store.store import Store

    with Store.open() as store:
        found = find_player(store, player)
        say(f"{found.name}  ({found.id})")
        if isinstance(found, EnginePlayer):
            config = found.config
            if config.program is not None:
                say(f"program {config.program}")
            book = "on" if config.book else "off"
            say(f"engine {config.engine}, {config.level}, threads {config.threads}, book {book}")
            say(f"vision {config.vision} %, judgement {config.judgement} %")
            for name, value in config.settings:
                say(f"  {name} = {value}")
        say(f"{store.count_games(Filter(player=found.id)):,} games")
        for game in games.names():
            for rating in store.ratings(game):
                if rating.player == found.id:
                    say(f"{game}: {_rating(rating)}")


@app.command()
def rename(player: Who, name: Annotated[str, typer.Argument(help="the new name")]) -> None:
    """Rename a player. Games and ratings stay with the player.

    Example: tengen players rename "Old Tom" "Young Tom"
    """
    from tengen.play.player_lookup import find_player
    from tengen.store.store import Store

    with Store.open() as store:
        found = store.rename_player(find_player(store, player).id, name)
    say(f"{found.id[:8]} {found.name}")


@app.command()
def remove(player: Who) -> None:
    """Remove a player without games.

    Example: tengen players remove "Old Tom"
    """
    from tengen.play.player_lookup import find_player
    from tengen.store.store import Store

    with Store.open() as store:
        found = find_player(store, player)
        store.remove_player(found.id)
    say(f"{found.name} removed")


@app.command()
def ratings(
    game: Annotated[str, typer.Argument(metavar="GAME", help="clobber, go, othello or pente")],
    player: Annotated[str, typer.Option("--player", "-p", help="show the history of this player instead")] = "",
) -> None:
    """Show Glicko-2 ratings with error bars, from rated games.

    Example: tengen players ratings othello
    """
    from tengen.games import game_class
    from tengen.play.player_lookup import find_player
    from tengen.store.store import Store

    game_class(game)  # for its error
    with Store.open() as store:
        if player:
            found = find_player(store, player, game)
            names = {one.id: one.name for one in store.players()}
            table = Table("date", "against", "points", "rating")
            for change in store.rating_history(found.id, game.lower()):
                against = names.get(change.opponent, "?")
                points = f"{change.points:g}"
                table.add_row(f"{change.time:%Y-%m-%d %H:%M}", Text(against), points, _skill(change.skill))
        else:
            table = Table("player", "rating", "won", "drawn", "lost")
            for rating in store.ratings(game.lower()):
                counts = (str(rating.wins), str(rating.draws), str(rating.losses))
                table.add_row(Text(rating.name), _skill(rating.skill), *counts)
    console.print(table)


def _skill(skill: Any) -> str:
    return f"{skill.rating:.0f} ± {2 * skill.deviation:.0f}"


def _rating(rating: Any) -> str:
    return f"{_skill(rating.skill)} (won {rating.wins}, drawn {rating.draws}, lost {rating.losses})"
