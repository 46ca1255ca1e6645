"""SGF as the standard has it and as files in the wild have it."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import pairwise

import pytest

from tengen.games import game, names, records
from tengen.games.records import Mark, Record, RecordError
from tengen.games.records.coordinates import coordinates
from tengen.games.records.encoding import decode, guess
from tengen.games.records.pente_colours import Phase


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
    assert "declared encoding UTF-8 is wrong" in note
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


@pytest.mark.parametrize("inner", ["GM[1]", "GaMe[1]", "FF[4]GM[1]", "GM[1];C[]GM[1]"])
def test_a_variation_with_properties_of_a_root_stays_a_variation(inner: str) -> None:
    record = one(f"(;FF[4]GM[1]SZ[9];B[ee](;W[aa])(;C[]{inner};W[bb]))")
    assert [len(node.children) for node in record.nodes()] == [1, 2, 0]


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


# ---- set-up stones, and the colours of the Pente family


def test_a_game_of_pente_may_start_from_set_up_stones() -> None:
    record = one("(;GM[4]SZ[7]RU[tournament]AB[dd][aa:ba]AW[cc]PL[W];W[ee];B[de])")
    assert record.game == game(
        "pente", variant="tournament", board="XX...../......./..O..../...X.../" + "......./" * 2 + "....... O"
    )
    assert written(record) == ["E3", "D3"]
    assert record.notes == []
    # Without PL it is the turn of who moves first, and stays Black's without a move.
    assert one("(;GM[4]SZ[7]RU[keryo]AB[dd]AW[cc];W[ee])").game.options()["board"].endswith(" O")
    assert one("(;GM[4]SZ[7]RU[keryo]AB[dd]AW[cc])").game.options()["board"].endswith(" X")
    # In a node of its own, with and without PL.
    for turn in ("", "PL[W]"):
        record = one(f"(;GM[4]SZ[7]RU[keryo]PB[A];AB[dd]AW[cc]{turn};W[ee];B[aa])")
        assert record.names == ("A", "")
        assert (
            record.positions()[-1].state.pente_stones.sum() == record.positions()[0].state.pente_stones.sum() + 3
        )
        (text,) = records.parse(records.serialise([record], "text").data)
        assert text.game.options()["board"] == "......./......./..O..../...X.../......./......./....... O"
        assert text.moves() == record.moves()
    with pytest.raises(RecordError, match="game 1: move 1, Black E3: it is the turn of White"):
        one("(;GM[4]SZ[7]RU[keryo]AB[dd]PL[W];B[ee])")


@pytest.mark.parametrize("rules", ["Renju", "renju", "RIF Renju"])
def test_renju_has_forbidden_moves(rules: str) -> None:
    record = one(f"(;GM[4]SZ[15]RU[{rules}];B[hh];W[ii])")
    assert record.game.options()["renju"] is True
    (again,) = records.parse(records.serialise([record], "sgf").data)
    assert again.game == record.game
    with pytest.raises(RecordError, match="forbidden for Black: two threes"):
        one(f"(;GM[4]SZ[15]RU[{rules}];B[fh];W[aa];B[gh];W[ac];B[hf];W[ae];B[hg];W[ag];B[hh])")


def test_with_stones_set_up_the_opening_is_over() -> None:
    record = one("(;GM[4]SZ[9]RU[swap2]AB[ee][cc]AW[dd];W[aa])")
    assert record.game.options()["opening"] == "none"
    assert "RU[swap2]" in records.serialise([record], "sgf").data.decode()


def test_whose_turn_it_is_after_stones_in_a_node_of_their_own() -> None:
    for text in (
        "(;GM[1]SZ[5];AB[aa];W[bb];B[cc])",
        "(;GM[2]SZ[8];AE[a1];B[f5])",
        "(;GM[1]SZ[5];AB[aa];AW[cc];W[bb])",
    ):
        record = one(text)
        assert len(record.moves()) == text.count(";B[") + text.count(";W[")


WHITE_FIRST = (
    "(;GM[4]SZ[15]RU[keryo]PB[A][A2]PW[B]BR[1]BT[team a]WT[team b]RE[W+R][B+1]XX[x];W[hh]WL[30]OW[5]V[2]"
    "TW[aa]TB[bb];B[ii]BL[20]OB[4]GW[1]AB[oo]TW[zz];W[gg]GB[2])"
)


def test_where_white_moves_first_everything_that_names_a_colour_is_exchanged() -> None:
    record = one(WHITE_FIRST)
    assert (record.names, record.ratings, record.result) == (("B", "A"), ("", "1"), "B+R")
    assert dict(record.root.properties) == {
        "PW": ("A2",),
        "RE": ("W+1",),
        "BT": ("team b",),
        "WT": ("team a",),
        "XX": ("x",),
    }
    first, second, third = record.nodes()[1:]
    assert dict(first.properties) == {"BL": ("30",), "OB": ("5",)}
    assert first.value == -2
    assert first.marks == (Mark("first territory", ((0, 0),)), Mark("second territory", ((1, 1),)))
    assert dict(second.properties) == {"WL": ("20",), "OW": ("4",), "GB": ("1",), "TB": ("zz",)}
    assert second.set_up is not None
    assert second.set_up.second == ((14, 14),)
    assert dict(third.properties) == {"GW": ("2",)}
    text = records.serialise([record], "sgf").data.decode()
    for part in (
        "PB[B]",
        "PW[A][A2]",
        "BT[team b]",
        "RE[B+R][W+1]",
        ";B[hh]",
        "V[-2]",
        "TB[aa]",
        "TW[bb]",
        "AW[oo]",
    ):
        assert part in text
    assert one("(;GM[4]SZ[15]PB[A]PW[B]PL[W])").names == ("B", "A")


@pytest.mark.parametrize("opening", ["swap2", "d-pente", "soosorv-8", "taraguchi-10"])
def test_stones_are_written_with_their_colours_whoever_placed_them(opening: str) -> None:
    letters = {1: "B", 2: "W"}
    swapped = Counter[int]()
    for seed in range(40):
        rng = random.Random(f"{opening}/{seed}")
        position = game("pente", size=9, opening=opening, captures="none").start()
        while position.ply < 12 or position.state.choice or position.state.wanted or position.state.number < 6:
            position = position.play(rng.choice(position.legal_moves))
        record = Record.of(position, names=("First", "Second"), ratings=("1", "2"), result="B+R")
        text = records.serialise([record], "sgf").data.decode()
        table = coordinates(position.game)
        for colour, value in re.findall(r";([BW])\[(\w\w)\]", text):
            assert colour == letters[position.state.pente_stones[table.moves[value]]]
        black = int(position.state.swapped)
        swapped[black] += 1
        assert f"PB[{('First', 'Second')[black]}]" in text
        assert f"BR[{black + 1}]" in text
        assert f"RE[{'BW'[black]}+R]" in text  # First won
        steps = pairwise(position.line())
        assert text.count("TAKE[") == sum(not Phase(before).is_stone(after.move) for before, after in steps)
        assert one(text) == record
    assert min(swapped[0], swapped[1]) > 5


def test_values_are_blacks_in_the_file_and_firsts_in_the_record() -> None:
    head = "(;GM[4]SZ[9]RU[d-pente]PB[Bob]PW[Ann];B[ee]V[1];W[dd];B[cc];W[aa]"
    record = one(f"{head}(;TAKE[black];B[bb]V[2])(;TAKE[white];B[bb]V[3]))")
    assert record.names == ("Ann", "Bob")  # Second took Black, in the main line
    nodes = record.nodes()
    assert [nodes[1].value, nodes[-1].value] == [1, -2]
    assert record.nodes((1,))[-1].value == 3
    assert [node.player for node in nodes[1:]] == [0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("begin", ["B", "W"])
def test_a_file_that_does_not_say_who_chose_what_is_read_by_the_colours(begin: str) -> None:
    moves = "".join(f";{'BW'['WB'.index(begin) ^ number % 2 ^ 1]}[{'abcdefg'[number]}a]" for number in range(7))
    names = "PB[Ann]PW[Bob]RE[B+]" if begin == "B" else "PB[Bob]PW[Ann]RE[W+]"
    for rules, choice in (("swap2", 3), ("d-pente", 4)):
        record = one(f"(;GM[4]SZ[15]RU[{rules}]{names}{moves})")
        assert record.names == ("Ann", "Bob")
        assert record.result == "B+"
        line = written(record)
        assert line[choice] == "white"
        assert len(line) == 8
        assert any("the choice of colours is missing" in note for note in record.notes)
        stones = record.positions()[-1].diagram().stones[0]
        assert [int(stone) for stone in stones[:7]] == [1, 2, 1, 2, 1, 2, 1]


def test_pente_org_does_not_say_who_chose_what_either() -> None:
    (record,) = records.parse('[Game "D-Pente"]\n\n1. K10 L10 2. K12 L14 3. M1 M2 *')
    assert written(record) == ["K10", "L10", "K12", "L14", "white", "M1", "M2"]
    assert record.positions()[-1].ply == 7


# ---- games that cannot be read among others


def test_the_others_are_read_if_a_game_is_bad() -> None:
    good = "(;SZ[9]GM[1];B[ee];W[aa])"
    for broken, complaint in (
        ("(;GM[1]SZ[9];B[zz];W[aa](;B[bb])(;B[cc]C[\\] ( ]))", "expected a move"),
        ("(;GM[3]SZ[9];B[zz])", "is no game that is read here"),
        ("(;GM[1]SZ[9];B[ee];W[ee])", "there is a stone"),
        ("(;GM[1]SZ[9];B[ee]x;W[dd])", "expected a property"),
        ("(;GM[1]SZ[9];B[ee](;W[aa])", "a game begins inside another: a ) is missing before it"),
        ("(;GM[1]SZ[9];B[ee]);W[aa])", "properties after the end of a game"),
        ("(;GM[1]SZ[2]AB[aa][ab]AW[ba][bb])", "no liberty"),
    ):
        bad: list[tuple[int, str]] = []
        text = f"{good}\n{broken}\n{good.replace('SZ[9]GM[1]', 'GM[1]SZ[9]')}\n"
        found = list(records.parse(text, on_bad=lambda number, error, bad=bad: bad.append((number, str(error)))))
        assert [len(record.moves()) for record in found] == [2, 2], broken
        ((number, message),) = bad
        assert number == 2
        assert complaint in message
        assert "line 2" in message or "game 2" in message or "line 3" in message
        with pytest.raises(RecordError, match=re.escape(complaint)):
            list(records.parse(text))


def test_what_cannot_be_told_apart_is_said() -> None:
    bad: list[RecordError] = []
    text = "(;SZ[9];B[ee])(;SZ[9];B[zz](;W[aa])\n(;SZ[9];B[ee])"
    found = list(records.parse(text, on_bad=lambda number, error: bad.append(error)))
    assert len(found) == 1
    assert bad[0].message.endswith("nothing after it can be read")
