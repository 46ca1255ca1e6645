"""SGF as the standard has it and as files in the wild have it."""

from __future__ import annotations

import pytest

from tengen.games import game, names, records
from tengen.games.records import Mark, Record, RecordError
from tengen.games.records.encoding import decode, guess
from tengen.games.records.points import coordinates


def one(data: bytes | str) -> Record:
    (record,) = records.parse(data)
    (again,) = records.parse(records.serialise([record], "sgf").data)
    assert again == record
    return record


def written(record: Record) -> list[str]:
    return [record.game.write_move(move) for move in record.moves()]


@pytest.mark.parametrize("size", ["9", "19", "25", "9x13"])
def test_every_point_is_itself_after_a_trip_through_sgf(size: str) -> None:
    board = game("go", size=size)
    table = coordinates(board)
    for point, name in table.names.items():
        assert table.point(name) == point
        assert board.points(table.moves[name]) == (point,)
    assert len(table.names) == board.area


def test_marks_comments_figures_and_unknown_properties() -> None:
    record = one(
        "(;GM[1]SZ[9]AN[me];B[ee]C[one \\] two \\\\ three\\\nfour]TR[aa:bc]LB[dd:A\\:\\]]AR[aa:bb]LN[cc:dd]TB[ii]"
        "CR[ab]SQ[ac]MA[ad]SL[ae]V[-1.25]XYZ[raw \\] value][second]TW[zz]BL[12.5])"
    )
    node = record.nodes()[1]
    assert node.comment == "one ] two \\ threefour"
    assert node.value == -1.25
    assert len([mark for mark in node.marks if mark.kind == "triangle"]) == 6
    assert Mark("label", ((3, 3),), "A:]") in node.marks
    assert Mark("arrow", ((0, 0), (1, 1))) in node.marks
    assert {mark.kind for mark in node.marks} >= {
        "line",
        "circle",
        "square",
        "cross",
        "selected",
        "first territory",
    }
    assert dict(node.properties) == {"XYZ": ("raw \\] value", "second"), "TW": ("zz",), "BL": ("12.5",)}
    assert dict(record.root.properties) == {"AN": ("me",)}


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("(;GM[1]SZ[9];B[ee];W[tt];B[aa])", ["E5", "pass", "A9"]),
        ("(;GM[1]SZ[9];B[ee];W[];B[aa])", ["E5", "pass", "A9"]),
        ("(;GM[1]SZ[19];B[pa];W[ps])", ["Q19", "Q1"]),
        ("(;GM[1]SZ[9:13];B[im])", ["J1"]),
        ("(;SZ[9];B[EE];W[Aa])", None),
        ("(;SZ[9];B[EE];W[AA])", ["E5", "A9"]),
        ("mail: hello\n\n( ;\n GM [1]  SZ\n[9] ; B\n[ee]\n; W [aa] )\n-- \nbye", ["E5", "A9"]),
        ("(;GaMe[1]SiZe[9]PlayerBlack[A];Black[ee];White[aa])", ["E5", "A9"]),
        ("(;SZ[9]B[ee];W[aa])", ["E5", "A9"]),
        ("(;SZ[9];B[ee]W[aa];B[bb])", ["E5", "A9", "B8"]),
        ("(;SZ[9];B[ee];;W[aa];)", ["E5", "A9"]),
        ("(;SZ[9];B[ee](;W[aa])(;W[bb]))", ["E5", "A9"]),
        ("(;GM[2]SZ[8]B[f5];W[D6];B[ce])", ["f5", "d6", "c5"]),
        ("(;GM[2];B[fe];W[D6];B[c3])", ["f5", "d6", "c3"]),
        ("(;GM[2]SZ[6];B[c2])", ["c2"]),
    ],
)
def test_odd_files(text: str, moves: list[str] | None) -> None:
    if moves is None:
        with pytest.raises(RecordError):
            one(text)
    else:
        assert written(one(text)) == moves


@pytest.mark.parametrize("end", ["", ")", ";W", ";W[", ";W[b", "C[a comment that never e", "(", "(;W[bb]", ";"])
def test_a_missing_end_is_a_game_with_a_note(end: str) -> None:
    (record,) = records.parse(f"(;SZ[9]PB[Ann];B[ee](;W[aa]{end}")
    assert written(record)[:2] == ["E5", "A9"]
    assert any("the end is missing" in note for note in record.notes)
    assert record.names[0] == "Ann"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("(;SZ[9];B[ee])\n;W[aa])", "line 2, column 1: properties after the end of a game"),
        ("(SZ[9];B[ee](;W[aa]))", "line 1, column 1: properties before the first game"),
        ("(;SZ[9];B[ee]x;W[aa])", "line 1, column 14: expected a property, ; ( or ), not 'x'"),
        ("(;SZ[9];B[ee](W[aa]))", "expected ; to begin a node"),
        ("(;SZ[9]\n;B[zz])", "line 1, column 8: expected a move on the 9x9 board, not 'zz'"),
        ("(;SZ[9];B[ee;W[aa];B[bb])", "expected a move on the 9x9 board"),
        ("(;SZ[9];B[ee][ff])", "expected one move in B, not 2"),
        ("(;SZ[99])", "a board has 1 to 25 lines each way, not 99"),
        ("(;SZ[big])", "expected a size as SZ[19] or SZ[9:13], not 'big'"),
        ("(;GM[3])", "GM[3] is no game that is read here"),
        ("(;GM[2]SZ[10])", "size should be 4, 6 or 8, not 10"),
        ("(;SZ[9]AB[ee];AW[zz])", "expected a point of the 9x9 board, not 'zz'"),
        ("(;SZ[2]AB[aa][ab]AW[ba][bb])", "no liberty"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, complaint: str) -> None:
    with pytest.raises(RecordError) as error:
        one(text)
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("encoding", "words", "said"),
    [
        ("utf-8", "呉清源", False),
        ("utf-8-sig", "呉清源", False),
        ("utf-16", "呉清源", False),
        ("gb18030", "吴清源执黑中盘胜", False),
        ("gb18030", "吴清源", True),
        ("shift_jis", "第一局 表示する 本因坊秀策の棋譜です", False),
        ("shift_jis", "本因坊表]ソ", True),
        ("euc_kr", "이창호 바둑 대국 승리", False),
        ("euc_jp", "ほんいんぼう の 棋譜", False),
        ("latin-1", "Müller gegen Lefèvre, für Ångström", False),
        ("latin-1", "Müller", True),
    ],
)
def test_encodings_are_said_or_guessed(encoding: str, words: str, said: bool) -> None:
    escaped = words.replace("]", "\\]")
    head = f"CA[{encoding}]" if said else ""
    record = one(f"(;GM[1]{head}SZ[9]C[{escaped}];B[ee])".encode(encoding))
    assert record.root.comment == words
    assert bool(record.notes) == (not said and not encoding.startswith("utf"))


def test_an_encoding_that_is_not_the_one_said() -> None:
    text, note = decode("(;CA[UTF-8]C[é])".encode("latin-1"))
    assert "é" in text
    assert "calls its encoding UTF-8, which it is not" in note
    assert decode(b"(;CA[klingon]C[x])")[0] == "(;CA[klingon]C[x])"
    assert decode(b"(;CA[hex]C[x\xe9])")[0] == "(;CA[hex]C[xé])"
    assert guess(b"plain") == "cp1252"


@pytest.mark.parametrize(
    ("root", "options"),
    [
        ("", {"komi": 0.0, "ko": "simple"}),
        ("KM[6.5]RU[Japanese]", {"komi": 6.5, "scoring": "territory"}),
        ("RU[AGA]", {"ko": "situational", "bonus": "N-1"}),
        ("RU[nz]", {"suicide": True}),
        ("RU[Martian]", {"ko": "simple"}),
        ("KM[half]", {"komi": 0.0}),
        ("HA[2]AB[gc][cg]", {"handicap": 2, "board": ""}),
        ("HA[2]AB[aa][cg]", {"handicap": 2}),
        ("HA[0]", {"handicap": 0}),
        ("HA[1]", {"handicap": 0}),
        ("AB[aa]PL[W]", {"handicap": 0, "board": "X........" + "/........." * 8 + " O"}),
    ],
)
def test_rules_of_go_in_the_root(root: str, options: dict[str, object]) -> None:
    record = one(f"(;GM[1]SZ[9]{root}C[x])")
    assert options.items() <= record.game.options().items()
    text = records.serialise([record], "sgf").data.decode()
    for part in ("RU[Martian]", "KM[half]", "HA[1]"):
        assert (part in text) == (part in root)


def test_handicap_stones_as_moves() -> None:
    record = one("(;GM[1]SZ[9]HA[3];B[aa];B[bb];B[cc];W[dd])")
    assert record.game.options()["free_handicap"] is True
    assert len(record.moves()) == 4
    assert one("(;GM[1]SZ[9]HA[3];W[aa];B[bb])").game.options()["handicap"] == 0


def test_a_game_that_somebody_changed_is_written_as_it_is() -> None:
    record = one("(;GM[1]SZ[9]RU[Martian]KM[odd];B[ee])")
    record.game = game("go", size=9, rules="japanese", komi=5.5)
    (again,) = records.parse(records.serialise([record], "sgf").data)
    assert again.game == record.game


def test_a_collection_is_streamed() -> None:
    text = "(;SZ[9]GN[one];B[ee])\n\n(;SZ[5];B[aa](;W[bb])(;W[cc]))(;GM[2])"
    found = list(records.parse(text))
    assert [record.game.name for record in found] == ["go", "go", "othello"]
    assert list(records.parse(records.serialise(found, "sgf").data)) == found


def test_the_pente_family() -> None:
    text = "(;GM[4]SZ[15]RU[gomoku]PB[A]PW[B]RE[W+];W[hh];B[ii];W[gg])"
    if "pente" not in names():
        with pytest.raises(RecordError, match="there is no game 'pente'"):
            one(text)
        return
    record = one(text)
    assert record.names == ("B", "A")  # who moves first is player 0
    assert record.result == "B+"
    assert written(record) == ["H8", "J7", "G9"]
    assert one("(;GM[31]SZ[19];B[jj])").game == game("pente")
    for words in ({"variant": "keryo"}, {"variant": "standard", "opening": "swap2"}, {"size": 13, "goal": 8}):
        record = Record(game("pente", **words))
        assert one(records.serialise([record], "sgf").data).game == record.game
    with pytest.raises(RecordError, match="Pente has no pass"):
        one("(;GM[4]SZ[15];B[])")
