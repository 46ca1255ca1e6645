"""`tengen players …`: people, engines with their settings, and ratings."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from tengen.cli.console import console, say
from tengen.core.key_values import pairs

app = typer.Typer(
    help="Who plays: people, engines with their settings, and their ratings.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Who = Annotated[str, typer.Argument(metavar="PLAYER", help="a name, or how an id begins")]


@app.command("list")
def list_players(
    game: Annotated[str, typer.Option("--game", "-g", help="and the ready-made opponents for this game")] = "",
) -> None:
    """List the players that are kept, and the ready-made opponents for a game.

    Example: tengen players list --game othello
    """
    from tengen.players.opponents import opponents, strengths
    from tengen.players.player import EnginePlayer
    from tengen.store.store import Store

    with Store.open() as store:
        kept = store.players()
    measured = strengths(game) if game else {}
    ready = [player for player in (opponents(game) if game else ()) if player.id not in {one.id for one in kept}]
    elos = {player: str(one.elo) for player, one in measured.items()}
    losses = {player: f"{one.loss:.2f}" for player, one in measured.items() if one.loss is not None}
    figures = [(title, shown) for title, shown in (("Elo", elos), ("loses a move", losses)) if shown]
    table = Table("id", "name", "kind", *(title for title, _ in figures))
    for player in [*kept, *ready]:
        kind = "engine" if isinstance(player, EnginePlayer) else "person"
        kind += ", ready-made" if player in ready else ""
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
    engine: Annotated[str, typer.Argument(help="its name, as uct or alphabeta; or the place of one of your own")],
    name: Annotated[str, typer.Option(help="one is made from the settings if left out")] = "",
    seconds: Annotated[float | None, typer.Option(help="the time for a move")] = None,
    nodes: Annotated[int | None, typer.Option(help="positions or simulations for a move")] = None,
    depth: Annotated[int | None, typer.Option(help="plies")] = None,
    book: Annotated[bool, typer.Option(help="whether it uses its book")] = True,
    vision: Annotated[int, typer.Option(help="60 to 100 in steps of 5: the share of moves that it sees")] = 100,
    judgement: Annotated[int, typer.Option(help="60 to 100 in steps of 5: how true its values are")] = 100,
    threads: Annotated[int, typer.Option(help="threads that it searches with")] = 1,
    settings: Annotated[list[str] | None, typer.Option("--set", help="a setting, as rave=3000")] = None,
) -> None:
    """Add an engine with its settings as a player.

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
    name: Annotated[str, typer.Option(help="one is made from the command if left out")] = "",
    seconds: Annotated[float | None, typer.Option(help="the time for a move")] = None,
    nodes: Annotated[int | None, typer.Option(help="positions or simulations for a move")] = None,
    depth: Annotated[int | None, typer.Option(help="plies")] = None,
    folder: Annotated[str, typer.Option(help="where the program runs")] = "",
    setup: Annotated[list[str] | None, typer.Option(help="a line of its protocol to send first")] = None,
) -> None:
    """Add another program as a player: it is started, watched and given its time when it plays.

    Without a limit a program of GTP thinks as its own options say, and the others have 1 s a move.

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
    """All that is known of a player: settings, games, ratings.

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
    """Give a player another name. Games and ratings stay with the player.

    Example: tengen players rename "Old Tom" "Young Tom"
    """
    from tengen.play.player_lookup import find_player
    from tengen.store.store import Store

    with Store.open() as store:
        found = store.rename_player(find_player(store, player).id, name)
    say(f"{found.id[:8]} {found.name}")


@app.command()
def remove(player: Who) -> None:
    """Remove a player who has no games.

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
    player: Annotated[str, typer.Option("--player", "-p", help="one player's history instead")] = "",
) -> None:
    """Who is how strong: Glicko-2 ratings with their error bars, from rated games.

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
