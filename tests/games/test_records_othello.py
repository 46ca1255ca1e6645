"""GGF, OBF, WTHOR and transcripts."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from tengen.games import game, records
from tengen.games.records import Record, RecordError, wthor
from tests.helpers.sample_records import LINE, SOUND, START, wthor_game
from tests.helpers.sample_records import wthor as wthor_file

BOARD = f"BO[8 {START} *]"


def written(record: Record) -> list[str]:
    return [record.game.write_move(move) for move in record.moves()]


# ---- GGF


def test_ggf_of_a_server() -> None:
    (record,) = records.parse(SOUND["ggf"][0])
    assert record.names == ("A", "B")
    assert record.ratings == ("2196.37", "2200.35")
    assert (record.place, record.date, record.time) == ("GGS/os", "2003.12.15_12:33:18.MST", "5:00//2:00")
    assert record.result == "W+R"
    assert [(node.player, node.value, node.seconds) for node in record.nodes()[1:]] == [
        (0, None, 2.4),
        (1, -1.5, None),
        (0, -2.0, 3.0),
        (1, None, None),
    ]
    assert record.root.comment == "a note"
    assert record.nodes()[3].comment == "hm"
    text = records.serialise([record], "ggf").data.decode()
    assert "RE[-40.00:r]" in text
    assert "B[F5//2.4]W[D6/1.5]B[C3/-2/3]" in text


def test_ggf_matches_boards_and_kinds() -> None:
    first, second = records.parse(SOUND["ggf"][1])
    assert first.game == game("othello")
    assert dict(second.root.properties) == {"TY": ("8r14",)}
    (small,) = records.parse("(;GM[Othello]PB[]PW[]TY[4]BO[4 ---- -O*- -*O- ---- O];)")
    assert small.game.options() == {"size": 4, "board": "-----OX--XO----- O"}


def test_ggf_writes_passes_that_a_record_left_out() -> None:
    (record,) = records.parse(LINE)
    text = records.serialise([record], "ggf").data.decode()
    assert "[PA]" in text
    (again,) = records.parse(text)
    assert again.moves() == record.moves()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("(;GM[Othello]PB[a]PW[b]B[F5];)", "expected one board BO"),
        (f"(;GM[Othello]{BOARD}B[F5]", "line 1, column 98: expected a property as PB"),
        (f"(;GM[Othello]{BOARD}B[Z9];)", "'Z9' is not a move"),
        ("(;GM[Othello]BO[10 ---- *];)", "expected a board of 8, 6 or 4 squares a side, not '10'"),
        ("(;GM[Othello]BO[8 ---- *];)", "a board is 64 squares"),
        (f"(;GM[Othello]{BOARD}W[F5];)", "it is the turn of Black"),
        (f"(;GM[Othello]{BOARD}B[F5];) hello", "expected a game"),
    ],
)
def test_what_is_wrong_with_a_ggf(text: str, complaint: str) -> None:
    with pytest.raises(RecordError) as error:
        list(records.parse(text))
    assert complaint in str(error.value)


def test_odd_figures_in_a_ggf_are_kept() -> None:
    text = f"(;GM[Othello]PB[]PW[]TY[8]RE[?]{BOARD}B[F5/book/1/2];)"
    assert records.serialise(records.parse(text), "ggf").data.decode().strip() == text


# ---- OBF


def test_obf_has_moves_as_variations_with_values_for_black() -> None:
    one, two = records.parse(SOUND["obf"][0])
    assert one.root.comment == "two positions\nFFO"
    assert [child.value for child in one.root.children] == [38, 36, None]
    assert [child.value for child in two.root.children] == [12, 12.5]  # White is to move
    assert "C7:-12.5" in records.serialise([two], "obf").data.decode()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("X" * 64 + " X; a1:+2;", "line 1: the game is over"),
        ("-OOX-XX--XOO-X-- X; a1:lots;", "line 1: expected a score as a1:+12, not 'lots'"),
        ("-OOX-XX--XOO-X-- X;\n-OOX-XX--XOO-X Q;", "line 2: expected a board"),
    ],
)
def test_what_is_wrong_with_an_obf(line: str, complaint: str) -> None:
    with pytest.raises(RecordError) as error:
        list(records.parse(line))
    assert complaint in str(error.value)


# ---- WTHOR


def names(width: int, texts: list[str]) -> bytes:
    head = bytes([20, 1, 2, 3]) + bytes(4) + len(texts).to_bytes(2, "little") + bytes(6)
    return head + b"".join(text.encode("latin-1").ljust(width, b"\0") for text in texts)


def test_wthor_with_its_names(tmp_path: Path) -> None:
    (tmp_path / "WTH_2001.wtb").write_bytes(SOUND["wthor"][0])
    (tmp_path / "WTHOR.JOU").write_bytes(names(20, ["Zero", "Émile", "Bob"]))
    (tmp_path / "WTHOR.TRN").write_bytes(names(26, ["a", "b", "c", "Paris Open"]))
    one, two = records.read(tmp_path / "WTH_2001.wtb")
    assert one.names == ("Émile", "Bob")
    assert (one.event, one.date, one.result) == ("Paris Open", "2001", "B+16")
    assert two.result == "0"
    assert "pass" in written(one)
    assert dict(one.root.properties)["depth"] == ("22",)
    assert records.write([one, two], tmp_path / "copy.wtb") == []
    assert [path.suffix for path in tmp_path.glob("copy.*")] == [".wtb"]  # all names are in the shared files
    assert records.read(tmp_path / "copy.wtb") == [one, two]
    (tmp_path / "alone").mkdir()
    assert records.write([one, two], tmp_path / "alone" / "copy.wtb") == []
    assert {path.name for path in (tmp_path / "alone").iterdir()} == {"copy.wtb", "copy.jou", "copy.trn"}
    assert records.read(tmp_path / "alone" / "copy.wtb") == [one, two]


def othello_record(black: str, white: str, event: str) -> records.Record:
    (record,) = records.parse("f5d6c3")
    record.names, record.event, record.result, record.date = (black, white), event, "B+2", "2001"
    return record


def test_a_wthor_file_adds_its_names_to_those_that_it_shares(tmp_path: Path) -> None:
    (tmp_path / "WTH_2001.wtb").write_bytes(SOUND["wthor"][0])
    (tmp_path / "WTHOR.JOU").write_bytes(names(20, ["Zero", "Émile", "Bob", "Émile"]))
    (tmp_path / "WTHOR.TRN").write_bytes(names(26, ["a", "b", "c", "Paris Open"]))
    before = records.read(tmp_path / "WTH_2001.wtb")
    players = (tmp_path / "WTHOR.JOU").read_bytes()
    new = [
        othello_record("Émile", "A newcomer with a long name", "Paris Open"),
        othello_record("#2", "Zoë", "Rome"),
    ]
    records.write(new, tmp_path / "new.wtb")
    assert {path.name for path in tmp_path.iterdir()} == {"WTH_2001.wtb", "WTHOR.JOU", "WTHOR.TRN", "new.wtb"}
    assert records.read(tmp_path / "WTH_2001.wtb") == before
    again = records.read(tmp_path / "new.wtb")
    assert [record.names for record in again] == [("Émile", "A newcomer with a l"), ("#2", "Zoë")]
    assert [record.event for record in again] == ["Paris Open", "Rome"]
    longer = (tmp_path / "WTHOR.JOU").read_bytes()
    assert longer[16 : len(players)] == players[16:]
    assert longer[:8] == players[:8]
    assert wthor.read_names(longer, 20, "")[4:] == ["A newcomer with a l", "#2", "Zoë"]
    # Once more: nothing new, nothing added.
    records.write(again, tmp_path / "new.wtb")
    assert (tmp_path / "WTHOR.JOU").read_bytes() == longer
    assert records.read(tmp_path / "new.wtb") == again


def test_names_of_one_wthor_file_are_never_those_of_another(tmp_path: Path) -> None:
    nameless = tmp_path / "old.wtb"
    nameless.write_bytes(SOUND["wthor"][0])
    before = records.read(nameless)
    assert before[0].names == ("#1", "#2")
    one, two = [othello_record("Ann", "Bob", "Cup")], [othello_record("Cid", "Dan", "Cup")]
    records.write(one, tmp_path / "one.wtb")
    records.write(two, tmp_path / "two.wtb")
    assert records.read(nameless) == before
    assert records.read(tmp_path / "one.wtb")[0].names == ("Ann", "Bob")
    assert records.read(tmp_path / "two.wtb")[0].names == ("Cid", "Dan")
    records.write(two, tmp_path / "one.wtb")  # its own names are kept, too
    assert wthor.read_names((tmp_path / "one.jou").read_bytes(), 20, "") == ["Ann", "Bob", "Cid", "Dan"]


def test_damaged_names_are_left_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "WTHOR.JOU").write_bytes(names(20, ["Zero"])[:-3])
    with pytest.raises(RecordError, match=r"expected 1 names of 20 bytes in the .jou file, not 33 bytes"):
        records.write([othello_record("Ann", "Bob", "Cup")], tmp_path / "new.wtb")
    assert [path.name for path in tmp_path.iterdir()] == ["WTHOR.JOU"]


def test_wthor_alone_calls_people_by_number_and_is_written_byte_for_byte() -> None:
    for year, size in ((2001, 0), (1999, 8), (0, 8), (12345, 8)):
        data = wthor_file([wthor_game(LINE), wthor_game("F5D6")], year, size)
        one, _ = records.parse(data)
        assert one.names == ("#1", "#2")
        assert records.serialise(records.parse(data), "wthor").files == {".wtb": data}


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (wthor_file([wthor_game(LINE)])[:-1], "offset 4: expected 84 bytes for 1 games, not 83"),
        (wthor_file([wthor_game(LINE)], size=10), "offset 12: expected games on 8x8, not 10x10"),
        (wthor_file([wthor_game(LINE, discs=65)]), "game 1, offset 22: expected 0 to 64 discs of Black, not 65"),
        (wthor_file([wthor_game(LINE)]).replace(b"\x22", b"\x5a"), "game 1, offset"),
        (wthor_file([wthor_game("F5D6"), wthor_game("F5F5")]), "game 2: move 2, White f5: the square is taken"),
    ],
)
def test_what_is_wrong_with_a_wthor_file(data: bytes, complaint: str) -> None:
    if complaint == "game 1, offset":
        data = data[:30] + b"\x5a" + data[31:]
    with pytest.raises(RecordError) as error:
        list(records.parse(data))
    assert complaint in str(error.value)


def test_what_does_not_fit_into_wthor_is_said() -> None:
    (record,) = records.parse("f5d6")
    record.names = ("A name that is much too long", "呉")
    record.date = "2024-05-06"
    record.result = "B+R"
    assert records.serialise([record], "wthor").dropped == [
        "day of the date",
        "end of a name (2)",
        "result other than by discs",
    ]
    assert dict(wthor.write([record], today=datetime.date(2024, 5, 6)))[".wtb"][:4] == bytes([20, 24, 5, 6])


# ---- transcripts


@pytest.mark.parametrize(
    "text",
    [
        "d3c3e6d2d1e1b2c1d6",
        "D3C3E6D2D1E1B2C1D6\n",
        "d3 c3 e6 d2 d1 e1 b2 c1 d6",
        "1. d3 c3 2. e6 d2 3. d1 e1 4. b2 c1 5. d6",
        "1.d3 2.c3 3.e6 4.d2 5.d1 6.e1 7.b2 8.c1 9.d6",
        "1. d3 c3\n2. e6 d2\n3. d1 e1\n4. b2 c1\n5. -- d6",
        "d3c3e6d2d1e1b2c1pad6",
        "d3, c3, e6, d2, d1, e1, b2, c1, PASS, d6",
    ],
)
def test_transcripts_however_they_are_written(text: str) -> None:
    (record,) = records.parse(text)
    moves = written(record)
    assert "".join(moves).replace("pass", "") == LINE.lower()
    assert moves.count("pass") == 1


def test_lines_are_games_if_each_can_be_played() -> None:
    assert len(list(records.parse("f5d6c3\nf5f6e6\n\nd3\n"))) == 3
    (record,) = records.parse("f5 d6\nc3 d3 34-30")
    assert record.result == "B+4"
    with pytest.raises(RecordError, match=r"line 3, column 1: move 2, White f5: the square is taken"):
        list(records.parse("f5d6\nf5d6c3\nf5f5"))
    with pytest.raises(RecordError, match=r"line 1, column 5: expected a square as f5, not 'q9'"):
        list(records.parse("f5d6q9"))
    with pytest.raises(RecordError, match=r"move 2, White f5"):
        list(records.parse("f5f5"))


@pytest.mark.parametrize("bad_line", range(4))
def test_a_bad_line_does_not_affect_other_games(bad_line: int) -> None:
    lines = ["f5d6c3d3", "f5f6e6f4", "d3c3c4c5", "e6f6f5d6"]
    lines[bad_line] = "f5d6a1"
    bad: list[int] = []
    found = list(records.parse("\n".join(lines), on_bad=lambda number, error: bad.append(number)))
    assert bad == [bad_line + 1]
    assert ["".join(written(one)) for one in found] == lines[:bad_line] + lines[bad_line + 1 :]


def test_a_mistake_in_a_game_of_several_lines_is_one_error() -> None:
    with pytest.raises(RecordError, match=r"move 6, White f5: the square is taken"):
        list(records.parse("1. f5 d6\n2. c3 d3\n3. c4 f5\n4. f6 f3"))
    one, two = records.parse("f5d6\n34-30\nf5f6\n30-34\n")
    assert (one.result, two.result) == ("B+4", "W+4")


PASTED = """[Event "?"]
[Site "Server"]
[Date "2024.1.31"]
[Black "ann"]
[White "bob"]
[Result "34-30"]
[BlackElo "1500"]
[Software "7"]

1. f5 d6 2. c3 d3
3. c4 f4 34-30

[Black "zoe"]

1. f5 f6
"""


def test_pasted_games_with_tags() -> None:
    one, two = records.parse(PASTED)
    assert one.names == ("ann", "bob")
    assert one.ratings == ("1500", "")
    assert (one.result, one.place, one.date, one.event) == ("B+4", "Server", "2024-01-31", "")
    assert len(one.moves()) == 6
    assert one.notes == ['header line not understood: [Software "7"]']
    assert two.names == ("zoe", "")
    assert len(two.moves()) == 2


@pytest.mark.parametrize(
    ("header", "trailer"),
    [
        ("Round 3\nAnn Smith 34 - 30 Bob\n", ""),
        ("Round 3\nAnn Smith (34) vs Bob (30)\n", "Result: 34-30\n"),
        ("Round 3\nSchwarz: Ann Smith\nWeiß: Bob\nErgebnis: 34:30\n\n", ""),
        ("Round 3\n先手: Ann Smith\n後手: Bob\n", "Black wins 34-30\n"),
    ],
)
def test_header_lines_of_pasted_games(header: str, trailer: str) -> None:
    second = "Round 4\nX vs Y\n1.F5 2.F6 3.E6\n"
    one, two = records.parse(f"{header}F5d6C3d3C4\n{trailer}\n{second}")
    assert (one.names, one.result, one.round) == (("Ann Smith", "Bob"), "B+4", "3")
    assert len(one.moves()) == 5
    assert not one.notes
    assert (two.names, two.result, two.round) == (("X", "Y"), "", "4")


def test_other_texts_are_not_taken_for_pasted_games() -> None:
    for text in ("Black: Ann\nWhite: Bob\n", "hello f5 d6 c3", '[Game "clobber"]\nf5 d6 c3'):
        recognised = records.recognise(text.encode())
        assert recognised is None or recognised.name != "transcript"
    with pytest.raises(RecordError, match=r"line 2, column 10: expected a square as f5, not 'zz'"):
        list(records.parse("Ann vs Bob\nf5 d6 c3 zz"))


def test_full_width_letters() -> None:
    (record,) = records.parse("Ｆ５Ｄ６　Ｃ３")
    assert written(record) == ["f5", "d6", "c3"]
