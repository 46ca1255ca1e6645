"""Pictures of positions and games: their format, size, number of frames, and what hostile text becomes."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

import tengen
from tengen.app.pictures import SUFFIXES, PictureOptions, picture, png, save_picture
from tengen.core.errors import OptionError
from tengen.games import records
from tengen.games.records import Record

GAME = b"(;GM[1]SZ[9]PB[Ann <b>]PW[Bob]RE[B+R]C[<script>alert(1)</script>];B[ee];W[cc]C[calm & <i>];B[gc];W[])"


def game() -> Record:
    (record,) = records.parse(GAME)
    return record


@pytest.mark.parametrize("name", ["clobber", "go", "othello", "pente"])
def test_a_position_of_every_game_as_png(name: str) -> None:
    position = tengen.game(name).start()
    position = position.play(position.legal_moves[0])
    image = Image.open(io.BytesIO(png(position.diagram(), 200)))
    assert image.format == "PNG"
    assert image.height >= 200
    assert len(image.getcolors(1 << 20) or ()) > 3


def test_stones_are_where_they_were_played() -> None:
    image = Image.open(io.BytesIO(picture(game(), ".png", 2))).convert("RGB")
    size = image.height / (2 * 22 + 9 * 26 + 16)  # margins, cells and the caption
    at = {
        point: image.getpixel([round(size * (22 + 26 * (part + 0.5) + 4)) for part in point])
        for point in ((4, 4), (2, 2), (6, 6))
    }
    assert max(at[4, 4]) < 80  # type: ignore[arg-type, type-var]
    assert min(at[2, 2]) > 200  # type: ignore[arg-type, type-var]
    assert at[6, 6][2] < at[6, 6][0]  # type: ignore[index]


@pytest.mark.parametrize(("suffix", "kind"), [(".gif", "GIF"), (".webp", "WEBP")])
def test_animations(suffix: str, kind: str) -> None:
    image = Image.open(io.BytesIO(picture(game(), suffix, options=PictureOptions(120, 0.5))))
    assert image.format == kind
    assert image.n_frames in (4, 5)  # type: ignore[attr-defined]  # a pass may be merged with the frame before
    assert image.height == 120


def test_the_printable_page() -> None:
    page = picture(game(), ".html").decode()
    assert "<script>" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "Ann &lt;b&gt; – Bob" in page
    assert "2. C7</h2><p>calm &amp; &lt;i&gt;</p>" in page
    assert ">3</text>" in page
    assert "(4: pass)" in page
    assert page.count("<svg") == 1
    assert "Moves 1 to 4" in page


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"ends in \.svg, \.png"):
        picture(game(), ".jpeg")
    moves = "".join(f";{'BW'[number % 2]}[{'abcdef'[number // 2]}{'cg'[number % 2]}]" for number in range(12))
    (long,) = records.parse(f"(;GM[1]SZ[9]{moves})".encode())
    with pytest.raises(OptionError, match="12 moves, 4000 pixels high, is too large"):
        picture(long, ".gif", options=PictureOptions(4000))
    with pytest.raises(OptionError, match="12 moves, 3200 pixels high, is too large"):
        picture(long, ".webp", options=PictureOptions(3200))
    with pytest.raises(OptionError, match="60 to 4000 pixels"):
        PictureOptions(10)
    with pytest.raises(OptionError, match="60 seconds"):
        PictureOptions(seconds=0)
    save_picture(tmp_path / "game.svg", game(), None, PictureOptions())
    assert (tmp_path / "game.svg").read_text().startswith("<svg")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_public_function_draws(tmp_path: Path, suffix: str) -> None:
    position = tengen.game("clobber", size=4).start().play("1-2")
    file = tmp_path / f"game{suffix}"
    assert tengen.write(position, file) == []
    assert file.read_bytes() == picture(Record.of(position), suffix)
