"""`tengen players …`: people, engine players and their ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from tengen.cli.console import console
from tengen.cli.inputs import check_game, open_store
from tengen.cli.option_groups import LimitOptions, command_group, grouped
from tengen.cli.options import GameName, Settings, Threads, Vision
from tengen.core.key_values import pairs

if TYPE_CHECKING:
    from tengen.players.config import EngineConfig
    from tengen.players.opponents import Opponent
    from tengen.players.player import Player
    from tengen.store.glicko import Skill

app = command_group("Players: people, engines with their settings, and ratings.")

Who = Annotated[str, typer.Argument(metavar="PLAYER", help="a name, or the first characters of an id")]


@app.command("list")
def list_players(
    game: Annotated[str, typer.Option("--game", "-g", help="also list the built-in opponents of this game")] = "",
) -> None:
    """List the stored players, and the built-in opponents of a game.

    Example: tengen players list --game othello
    """
    from tengen.players.player import EnginePlayer

    with open_store() as store:
        stored = store.players()
    known: tuple[Opponent, ...] = ()
    if game:
        from tengen.players.opponents import levels

        known = levels(game)
    built_in = [one.player for one in known if one.id not in {player.id for player in stored}]
    texts = {
        "level": {one.id: str(one.level) for one in known},
        "rating": {one.id: str(one.rating) for one in known if one.rating is not None},
        "loss per move": {one.id: f"{one.loss:.2f}" for one in known if one.loss is not None},
    }
    figures = [(title, shown) for title, shown in texts.items() if shown]
    table = Table("id", "name", "kind", *(title for title, _ in figures))
    for player in [*stored, *built_in]:
        kind = "engine" if isinstance(player, EnginePlayer) else "person"
        kind += ", built-in" if player in built_in else ""
        table.add_row(player.id[:8], player.name, kind, *(shown.get(player.id, "") for _, shown in figures))
    console.print(table)


@app.command()
def add(name: Annotated[str, typer.Argument(help="the person's name")]) -> None:
    """Add a person.

    Example: tengen players add "Ann Lee"
    """
    from tengen.players.player import Person

    _save(Person(name))


@app.command("add-engine")
@grouped
def add_engine(
    engine: Annotated[str, typer.Argument(help="engine name, such as uct; or the import path of your own engine")],
    limits: LimitOptions,
    name: Annotated[str, typer.Option(help="default: made from the settings")] = "",
    book: Annotated[bool, typer.Option(help="whether it uses an opening book")] = True,
    vision: Vision = 100,
    judgement: Annotated[int, typer.Option(help="60 to 100 in steps of 5: accuracy of its evaluation")] = 100,
    threads: Threads = 1,
    settings: Settings = None,
) -> None:
    """Add an engine player.

    Example: tengen players add-engine uct --seconds 2 --set rave=1000 --name "Old Tom"
    """
    from tengen.players.config import DEFAULT_LIMITS
    from tengen.players.configure import configure

    config = configure(
        engine,
        limits.limits() or DEFAULT_LIMITS,
        book=book,
        vision=vision,
        judgement=judgement,
        threads=threads,
        **pairs(settings),
    )
    _save_engine(name, config)


@app.command("add-program")
@grouped
def add_program(
    protocol: Annotated[str, typer.Argument(help="gtp, nboard, gomocup or katago")],
    command: Annotated[str, typer.Argument(help="the program and its arguments, in quotes")],
    limits: LimitOptions,
    name: Annotated[str, typer.Option(help="default: made from the command")] = "",
    folder: Annotated[str, typer.Option(help="working folder of the program")] = "",
    setup: Annotated[list[str] | None, typer.Option(help="a protocol command to send first; repeatable")] = None,
) -> None:
    """Add an external program as a player.

    Without a limit a GTP program uses its own settings; the others get 1 s per move.

    Example: tengen players add-program gtp "gnugo --mode gtp --level 1" --name "GNU Go 1"
    """
    from tengen.players.configure import configure_program
    from tengen.players.program import ExternalProgram

    program = ExternalProgram.parse(protocol, command, folder=folder, setup=tuple(setup or ()))
    _save_engine(name, configure_program(program, limits.limits() or None))


def _save_engine(name: str, config: EngineConfig) -> None:
    from tengen.players.configure import engine_player
    from tengen.players.player import EnginePlayer

    _save(EnginePlayer(name, config) if name else engine_player(config))


def _save(player: Player) -> None:
    with open_store() as store:
        store.save_player(player)
    console.print(f"{player.id[:8]} {player.name}")


@app.command()
def show(player: Who) -> None:
    """Show a player: settings, number of games, ratings.

    Example: tengen players show "Old Tom"
    """
    from tengen import games
    from tengen.play.player_lookup import find_player
    from tengen.players.player import EnginePlayer
    from tengen.store.listing import Filter

    with open_store() as store:
        found = find_player(store, player)
        console.print(f"{found.name}  ({found.id})")
        if isinstance(found, EnginePlayer):
            config = found.config
            if config.program is not None:
                console.print(f"program {config.program}")
            book = "on" if config.book else "off"
            console.print(f"engine {config.engine}, {config.limits}, threads {config.threads}, book {book}")
            console.print(f"vision {config.vision} %, judgement {config.judgement} %")
            for name, value in config.settings:
                console.print(f"  {name} = {value}")
        console.print(f"{store.count_games(Filter(player=found.id)):,} games")
        for game in games.names():
            for rating in store.ratings(game):
                if rating.player == found.id:
                    counts = f"won {rating.wins}, drawn {rating.draws}, lost {rating.losses}"
                    console.print(f"{game}: {_skill(rating.skill)} ({counts})")


@app.command()
def rename(player: Who, name: Annotated[str, typer.Argument(help="the new name")]) -> None:
    """Rename a player. Games and ratings stay with the player.

    Example: tengen players rename "Old Tom" "Young Tom"
    """
    from tengen.play.player_lookup import find_player

    with open_store() as store:
        found = store.rename_player(find_player(store, player).id, name)
    console.print(f"{found.id[:8]} {found.name}")


@app.command()
def remove(player: Who) -> None:
    """Remove a player without games.

    Example: tengen players remove "Old Tom"
    """
    from tengen.play.player_lookup import find_player

    with open_store() as store:
        found = find_player(store, player)
        store.remove_player(found.id)
    console.print(f"{found.name} removed")


@app.command()
def ratings(
    game: GameName,
    player: Annotated[str, typer.Option("--player", "-p", help="show the history of this player instead")] = "",
) -> None:
    """Show Glicko-2 ratings with error bars, from rated games.

    Example: tengen players ratings othello
    """
    from tengen.play.player_lookup import find_player

    check_game(game)
    with open_store() as store:
        if player:
            found = find_player(store, player, game)
            names = {one.id: one.name for one in store.players()}
            table = Table("date", "against", "points", "rating")
            for change in store.rating_history(found.id, game.lower()):
                against = names.get(change.opponent, "?")
                points = f"{change.points:g}"
                table.add_row(f"{change.time:%Y-%m-%d %H:%M}", against, points, _skill(change.skill))
        else:
            table = Table("player", "rating", "won", "drawn", "lost")
            for rating in store.ratings(game.lower()):
                counts = (str(rating.wins), str(rating.draws), str(rating.losses))
                table.add_row(rating.name, _skill(rating.skill), *counts)
    console.print(table)


def _skill(skill: Skill) -> str:
    return f"{skill.rating:.0f} ± {2 * skill.deviation:.0f}"
