"""Arguments and options shared by several commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

GameName = Annotated[str, typer.Argument(metavar="GAME", help="clobber, go, othello or pente")]
GameOption = Annotated[str, typer.Option("--game", "-g", help="clobber, go, othello or pente")]
OnlyGame = Annotated[str, typer.Option("--game", "-g", help="only this game")]
Options = Annotated[
    list[str] | None,
    typer.Argument(metavar="[OPTION=VALUE]...", help="the game's options, such as size=9; see `tengen games`"),
]
Moves = Annotated[str, typer.Option("--moves", "-m", help="moves to play first, separated by spaces")]
Number = Annotated[int, typer.Option("--number", "-n", help="which game of the file, from 1")]
MoveNumber = Annotated[int | None, typer.Argument(help="move number; default: the end of the game")]

EngineName = Annotated[
    str,
    typer.Option(
        "--engine", "-e", help="an engine, such as uct or uct:500nodes,rave=100; default: the game's own engine"
    ),
]
Threads = Annotated[int, typer.Option(help="search threads")]
Seed = Annotated[int, typer.Option(help="random seed")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="an engine setting, such as rave=3000; repeatable")
]
Vision = Annotated[int, typer.Option(help="60 to 100 in steps of 5: percentage of moves that it sees")]

TimeControlText = Annotated[
    str, typer.Option("--time", help="time control, such as 100ms/move or 5m+3s; default: the players' levels")
]
Cluster = Annotated[
    str, typer.Option(metavar="ADDRESS", help="work on this Dask cluster, as tcp://127.0.0.1:8786, not here")
]
Fresh = Annotated[bool, typer.Option("--fresh", help="start again instead of continuing")]

Json = Annotated[bool, typer.Option("--json", help="print JSON")]
JsonFile = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="write the result to this file")]
CsvFile = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="write the table to this file")]
HtmlFile = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="write a page with plots to this file")
]
RecordsFile = Annotated[
    Path | None, typer.Option("--save", metavar="FILE", help="write the game records to this file")
]
