"""All formats alike: reading what was written, recognising, converting with the losses said, damage."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tengen.core.errors import OptionError
from tengen.games import game, names, records
from tengen.games.records import Mark, Node, Record, RecordError, SetUp, wthor
from tengen.games.records.dropped_features import features
from tengen.games.records.results import has_time, iso_date
from tests.helpers.damaged_records import damaged, outcome, samples
from tests.helpers.sample_records import LINE, PENTE, SOUND

GAMES = [game("go", size=5, komi=6.5), game("go", size="3x6", rules="japanese"), game("go", board=".X./.../..O O")]
GAMES += [game("othello"), game("othello", size=4), game("clobber", size="3x4"), game("clobber", size=8)]
if "pente" in names():
    GAMES += [game("pente", size=9), game("pente", variant="keryo"), game("pente", opening="swap2", size=11)]
    GAMES += [game("pente", opening="d-pente", size=6), game("pente", board="...../.XO../...../..O../..... O")]
ALL = {**SOUND, **({"pente.org": PENTE["pente.org"]} if "pente" in names() else {})}

# Any text that can be written: no surrogates, no control characters; line breaks only where a format has them.
WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=12).map(str.strip)
COMMENTS = st.lists(WORDS, max_size=3).map("\n".join)
FIGURES = st.one_of(st.none(), st.integers(-640, 640).map(lambda n: n / 10))
UNKNOWN = st.dictionaries(
    st.sampled_from(["XA", "XB", "N"]),
    st.lists(st.sampled_from(["x", "", "a\\]b", "two\nlines", "\\\\"]), min_size=1, max_size=2).map(tuple),
    max_size=2,
)


@st.composite
def trees(draw: st.DrawFn, form: str) -> Record:
    """A record with legal moves and whatever the format can hold."""
    kept = records.format_named(form)
    rules = draw(st.sampled_from([rules for rules in GAMES if kept.holds(rules.name)]))
    if form in ("wthor", "transcript"):
        rules = game("othello")
    keeps = kept.keeps
    rng = random.Random(draw(st.integers(0, 2**32)))
    record = Record(rules, source=form)
    positions = [(record.root, rules.start())]
    for _ in range(draw(st.integers(form == "transcript", 8))):
        if form == "obf":
            node, position = positions[0]
        elif "variations" in keeps and rng.random() < 0.3:
            node, position = rng.choice(positions)
        else:
            node, position = positions[-1]
        free = [move for move in position.legal_moves if all(child.move != move for child in node.children)]
        if free:
            move = rng.choice(free)
            named = form in ("sgf", "ggf", "obf")
            child = node.add(Node(move, position.to_move if named else None))
            positions.append((child, position.play(move)))
    for node in record.root.walk():
        annotate(draw, record, node, keeps if form != "obf" or node is not record.root else {"comments"})
    if form == "obf":
        for child in record.root.children:
            child.comment = ""
    if "names" in keeps:
        short = st.text(
            st.characters(min_codepoint=33, max_codepoint=255, exclude_categories=("Cc",)), max_size=15
        )
        texts = WORDS if form != "wthor" else short
        texts = texts.map(lambda text: text.replace("]", ")")) if form == "ggf" else texts
        record.names = (draw(texts), draw(texts))
        if "event" in keeps:
            record.event = draw(texts)
        if "ratings" in keeps:
            record.ratings = (draw(texts), "")
            record.place = draw(texts)
    if "result" in keeps:
        results = ["B+10", "W+64", "0"]
        if form != "wthor":
            results += [""]
        if form in ("sgf", "text"):
            results += ["B+R", "W+", "B+0.5", "?", "Void"]
        record.result = draw(st.sampled_from(results if form != "pente.org" else ["B+", "W+", "0", ""]))
    if form == "wthor":
        record.date = draw(st.sampled_from(["", "1999"]))
        figures = {"created": "2001-02-03", "size": "8", "kind": "1", "depth": "22", "reserved": "0"}
        record.root.properties = {name: (text,) for name, text in {**figures, "theoretical": "33"}.items()}
    return record


def annotate(draw: st.DrawFn, record: Record, node: Node, keeps: frozenset[str] | set[str]) -> None:
    form = record.source
    if "comments" in keeps and draw(st.booleans()):
        node.comment = draw(COMMENTS)
        if form == "ggf":
            node.comment = node.comment.replace("]", ")")
    if "evaluations" in keeps and node.move is not None:
        node.value = draw(FIGURES)
    if "times of moves" in keeps and node.move is not None:
        node.seconds = draw(st.one_of(st.none(), st.sampled_from([0.5, 2.0, 100.25])))
    if form == "sgf":
        node.properties = draw(UNKNOWN)
        if draw(st.integers(0, 4)) == 0:
            node.marks = (
                Mark("triangle", ((0, 0),)),
                Mark("triangle", ((1, 1),)),
                Mark("label", ((2, 2),), draw(WORDS)),
                Mark("arrow", ((0, 0), (2, 1))),
            )
        # Stones that are set up with the first move would be there before it, and perhaps forbid it.
        is_late = all(node is not early for early in (record.root, *record.root.children))
        if is_late and not node.children and draw(st.integers(0, 4)) == 0:
            node.set_up = SetUp(((0, 0),), ((1, 0), (1, 1)), ((2, 2),), draw(st.sampled_from([None, 0, 1])))


@pytest.mark.parametrize("form", sorted(ALL))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(data=st.data())
def test_what_is_written_is_read_again(form: str, data: st.DataObject) -> None:
    record = data.draw(trees(form))
    written = records.serialise([record, record], form)
    assert written.dropped == [], "the strategy makes only what the format holds"
    if form == "wthor":
        files = written.files
        again = list(wthor.read(files[".wtb"], files.get(".jou", b""), files.get(".trn", b"")))
    else:
        again = list(records.parse(written.data, form))
    assert again == [record, record]


@pytest.mark.parametrize("form", sorted(ALL))
def test_every_sample_is_recognised_and_is_itself_after_a_trip(form: str) -> None:
    for sample in ALL[form]:
        found = records.recognise(sample)
        assert found is not None
        assert found.name == form
        first = list(records.parse(sample))
        written = records.serialise(first, form)
        assert written.dropped == []
        again = list(records.parse(written.data))
        if form != "ggf" or all(record.moves() == [n.move for n in record.nodes()[1:]] for record in first):
            assert again == first
        assert records.serialise(again, form).files == written.files


def test_pente_text_needs_the_game() -> None:
    for sample in PENTE["pente.org"]:
        if "pente" in names():
            assert {record.source for record in records.parse(sample)} == {"pente.org"}
        else:
            with pytest.raises(RecordError, match="there is no game 'pente'"):
                list(records.parse(sample))


def test_pente_org_text_in_detail() -> None:
    if "pente" not in names():
        assert records.format_named("pente.org").holds("pente")
        return
    (record,) = records.parse(PENTE["pente.org"][0])
    assert (record.place, record.date, record.time, record.result) == ("Pente.org", "2014-01-19", "5", "B+")
    assert record.ratings == ("2488", "1696")
    assert record.game.write_move(record.moves()[0]) == "K10"
    assert records.serialise([record], "pente.org").data == PENTE["pente.org"][0]
    tournament = Record(game("pente", variant="tournament", size=13))
    (again,) = records.parse(records.serialise([tournament], "pente.org").data)
    assert again.game == tournament.game


# ---- conversion


@pytest.mark.parametrize("source", sorted(ALL))
@pytest.mark.parametrize("target", [form.name for form in records.formats() if form.write])
def test_any_format_becomes_any_other_with_the_losses_said(source: str, target: str) -> None:
    form = records.format_named(target)
    for sample in ALL[source]:
        for record in records.parse(sample):
            if not form.holds(record.game.name):
                with pytest.raises(RecordError, match="cannot hold"):
                    records.serialise([record], target)
                continue
            if target in ("wthor", "transcript") and record.game != game("othello"):
                with pytest.raises(RecordError, match="usual start"):
                    records.serialise([record], target)
                continue
            if target in ("psq", "renlib") and record.game.options()["captures"] != "none":
                with pytest.raises(RecordError, match="only games of gomoku"):
                    records.serialise([record], target)
                continue
            if target == "renlib":
                with pytest.raises(RecordError, match="only boards of 15x15"):
                    records.serialise([record], target)
                continue
            written = records.serialise([record], target)
            (again,) = records.parse(written.data, target)
            if target == "psq":  # which names no rules
                assert again.game == replace(record.game, exact=False)
                assert "the rule that exactly five win" in written.dropped
            else:
                assert again.game == record.game
            if target != "obf":
                assert again.moves() == record.moves()
            before, after = Counter(features(record, target)), Counter(features(again, target))
            made_up = {"wthor": {"names", "event", "result"}, "obf": {"variations"}}.get(target, set())
            for feature, count in before.items():
                lost = any(line.startswith(feature.split(" (")[0]) for line in written.dropped)
                partly = any("comments on moves" in line or "manner" in line for line in written.dropped)
                variations = any(line.startswith("variations") for line in written.dropped)  # with all in them
                assert after[feature] >= count or lost or partly or variations, (feature, written.dropped)
            for feature in after:
                assert feature in before or feature in made_up, feature


def test_losses_are_counted() -> None:
    (record,) = records.parse("(;GM[2]PB[A]AP[x];B[f5]C[a](;W[d6]C[b])(;W[f6])(;W[f4]))")
    assert records.serialise([record], "transcript").dropped == [
        "comments (2)",
        "names",
        "property AP",
        "variations (2)",
    ]
    assert records.serialise([record], "sgf").dropped == []
    assert records.serialise([record], "text").dropped == ["property AP"]


# ---- recognising, reading and writing files


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "text is empty"),
        (b"hello world", "Format not recognised"),
        (bytes(range(256)), "Format not recognised"),
        (b'[Game "chess"]\n\n1. e4', "Format not recognised"),
    ],
)
def test_what_is_no_record(data: bytes, complaint: str) -> None:
    with pytest.raises(RecordError, match=complaint):
        list(records.parse(data))


def test_the_suffix_chooses_the_format_for_the_game() -> None:
    def chosen(name: str, rules: str) -> str:
        return records.format_for(Path(name), rules).name

    assert chosen("x.sgf", "go") == "sgf"
    assert chosen("x.TXT", "othello") == "transcript"
    assert chosen("x.txt", "clobber") == "text"
    assert chosen("x.txt", "pente") == "pente.org"
    with pytest.raises(OptionError, match=r"x.sgf: clobber is written to files that end in .pgn, .txt"):
        chosen("x.sgf", "clobber")
    with pytest.raises(OptionError, match="there is no format 'doc'; there are: wthor, ggf, sgf"):
        records.format_named("doc")
    with pytest.raises(RecordError, match="no game to write"):
        records.serialise([], "sgf")


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (record,) = records.parse("(;SZ[9];B[ee])")
    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        with pytest.raises(RecordError, match=r"game.sgf: No space left on device"):
            records.write([record], path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    assert records.write([record], path) == []
    assert records.read(path) == [record]


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.sgf"
    path.write_text("(;SZ[9];B[zz])")
    with pytest.raises(RecordError, match=r"bad.sgf: line 1, column 8: expected a move"):
        records.read(path)
    for place, complaint in ((tmp_path, "this is a folder"), (tmp_path / "none", "No such file")):
        with pytest.raises(RecordError, match=complaint):
            records.read(place)


def test_a_format_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tengen.games.records.files._FORMATS", records.formats())
    own = records.Format(
        *("own", "own", (".own",), lambda data: data == b"own"),
        lambda data: iter([Record(game("othello"), source="own")]),
        lambda found: iter([(".own", b"own")]),
    )
    records.register(own)
    assert [record.source for record in records.parse(b"own")] == ["own"]


# ---- the text format, and damage


def test_short_moves_in_text_are_read_by_the_position() -> None:
    (record,) = records.parse('[Game "clobber"]\n[board "XO.XO"]\n\n1. 1 5 *')
    assert [record.game.write_move(move) for move in record.moves()] == ["1-2", "5-4"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[Game "clobber"]\n[Game "clobber"]\n', "line 2, column 2: the tag Game is there twice"),
        ('[Game "clobber"]\n[board "XQ"]\n', "'Q' is not a cell"),
        ('[Game "clobber"]\n\n1. 1-2 {never', "line 3, column 8: expected } at the end of a comment"),
        ('[Game "clobber"]\n\n1. 1-2 (1-2', "expected ) at the end of a variation"),
        ('[Game "clobber"]\n\n1. 1-2 ) *', "expected a move, not ')'"),
        ('[Game "clobber"]\n\n1. 1-5 *', "line 3, column 4: 1-5 is illegal"),
        ('[Game "clobber"]\n\n1. frog *', "line 3, column 4: 'frog' is not a move"),
        ('[Game "clobber"]\n[Result "1-0"]\n\n1. 1-2 0-1', "the result is 0-1 here and B+ in its tag"),
        ('[Game "clobber"]\n\n1. 1-2 2-1 2. 1-2 *', "game 1: move 2, White 2-1: there is no O on 2"),
    ],
)
def test_what_is_wrong_with_a_text(text: str, complaint: str) -> None:
    with pytest.raises(RecordError) as error:
        list(records.parse(text))
    assert complaint in str(error.value)


def test_two_thousand_damaged_files_are_games_or_clear_errors() -> None:
    originals = samples()
    results = Counter(outcome(damaged(random.Random(f"test/{number}"), originals)) for number in range(2000))
    assert set(results) == {"games", "error"}
    assert min(results.values()) > 100


def test_the_samples_have_an_implied_pass() -> None:
    (record,) = records.parse(LINE)
    assert len(record.moves()) == len(LINE) // 2 + 1


def test_a_wthor_file_holds_the_games_of_one_year() -> None:
    found = [next(iter(records.parse(LINE))) for _ in range(2)]
    for record, date in zip(found, ("1999", "2001"), strict=True):
        record.date = date
        record.result = "B+2"
    with pytest.raises(RecordError, match="one year, not of 1999 to 2001"):
        records.serialise(found, records.format_named("wthor"))


@pytest.mark.parametrize(
    ("date", "iso", "lost"),
    [
        ("2003-01-05", "2003-01-05", False),
        ("2003.1.5", "2003-01-05", False),
        ("01/05/2003", "2003-01-05", False),
        ("2003.12.15_12:33:18.MST", "2003-12-15", True),
        ("2003-01-05 12:00", "2003-01-05", True),
        ("2003-01-05,06", "2003-01-05,06", False),
        ("2003-01-05,2003-02-01", "2003-01-05,2003-02-01", False),
        ("2003-01", "2003-01", False),
        ("spring 2003", "spring 2003", False),
    ],
)
def test_a_date_of_several_days_stays_what_it_is(date: str, iso: str, lost: bool) -> None:
    assert (iso_date(date), has_time(date)) == (iso, lost)
    (record,) = records.parse(f"(;GM[4]SZ[15]RU[keryo]DT[{date}];B[hh])")
    written = records.serialise([record], "pente.org")
    (again,) = records.parse(written.data)
    assert again.date == iso
    assert ("time of day" in written.dropped) == lost


def test_a_line_that_ends_early_ends_early_in_every_format() -> None:
    for form in ("text", "transcript", "ggf"):
        (record,) = records.parse("(;GM[2];B[f5];W[d6](;)(;B[c3];W[d3]))")
        written = records.serialise([record], form)
        assert written.dropped[-1] == "lines after the end of the game"
        (again,) = records.parse(written.data, form)
        assert len(again.moves()) == 2


def test_what_only_looks_like_a_tag_is_not_tried_for_ever() -> None:
    bad: list[int] = []
    text = '[Game "go"]\n\n1. E5 *\n\n[Game "a"b"]\n[Game "go"]\n\n1. A1 *\n'
    found = list(records.parse(text, on_bad=lambda number, error: bad.append(number)))
    assert [len(record.moves()) for record in found] == [1, 1]
    assert bad == [2]
