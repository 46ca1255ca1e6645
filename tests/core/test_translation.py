"""Languages: which one applies, and texts that were made in English and are translated where they are shown."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import date

import pytest
from tools.translations import extract, problems

from tengen import games
from tengen.core import translation
from tengen.core.locale_format import day, number, percent, short_number
from tengen.core.translation import environment_language, gettext, language, negotiate, ngettext, translate
from tengen.play.match_result import MatchResult
from tengen.web.board_data import board_data

GERMAN = {
    "Draw": ("Remis",),
    "{count} move": ("{count} Zug", "{count} Züge"),
    "{player} wins: {reason}": ("{player} gewinnt: {reason}",),
    "{player} resigned": ("{player} hat aufgegeben",),
    "{text}": ("a template without text of its own matches nothing",),
    "Black": ("Schwarz",),
    "about {points:.1f} points": ("etwa {points:.1f} Punkte",),
    "{rating} after {count} game": ("{rating} nach {count} Partie", "{rating} nach {count}, ab {low}"),
}


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(translation, "_catalogue", lambda name: GERMAN if name == "de" else {})
    translation._translate.cache_clear()
    translation._templates.cache_clear()
    with translation.use_language("de"):
        yield
    translation._translate.cache_clear()
    translation._templates.cache_clear()


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("en-GB,fr;q=0.7", "en"),
        ("pt-BR, ja;q=0.4, fr;q=0.6", "fr"),
        ("de;q=0, ja;q=0.1", "ja"),
        ("*;q=0.5", "en"),
        ("zh;q=nonsense, fr", "fr"),
    ],
)
def test_the_language_of_a_browser(header: str, expected: str) -> None:
    assert negotiate(header) == expected


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "de"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "ja_JP.UTF-8"}, "ja"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LC_ALL": "ja_JP", "TENGEN_LANGUAGE": "fr"}, "fr"),
    ],
)
def test_the_language_of_a_terminal(variables: dict[str, str], expected: str) -> None:
    assert environment_language(variables) == expected


@pytest.mark.usefixtures("german")
def test_messages_and_their_forms() -> None:
    assert gettext("Draw") == "Remis"
    assert gettext("not in the catalogue") == "not in the catalogue"
    assert [ngettext("{count} move", "{count} moves", count).format(count=count) for count in (0, 1, 2)] == [
        "0 Züge",
        "1 Zug",
        "2 Züge",
    ]


@pytest.mark.usefixtures("german")
def test_text_made_in_english_is_translated_where_it_is_shown() -> None:
    assert translate("Draw") == "Remis"
    assert translate("Black wins: Black resigned") == "Schwarz gewinnt: Schwarz hat aufgegeben"
    assert translate("Ann wins: 5 > 3") == "Ann gewinnt: 5 > 3"
    assert translate("about 3.5 points") == "etwa 3,5 Punkte"
    assert translate("Ends on move 5.") == "Ends on move 5."
    assert translate("") == ""


@pytest.mark.usefixtures("german")
def test_a_text_for_one_is_not_given_the_form_for_several_if_that_needs_more_values() -> None:
    assert translate("1500 after 1 game") == "1500 nach 1 Partie"


@pytest.mark.parametrize("digits", ["11", "1,234", "1.25", "1e10", "-7.5"])
def test_a_number_in_a_text_is_found_without_backtracking(digits: str) -> None:
    """Else a long row of digits, which visitors may write into an address, is split in all possible ways."""
    number = translation._NUMBER.pattern
    assert re.fullmatch(number, digits)
    assert not re.fullmatch(f"(?:{number})[0-9]+", digits)


@pytest.mark.parametrize(
    ("text", "german", "japanese"),
    [
        ("Black wins by 3.5 points: two passes, counted by area",
         "Schwarz gewinnt, Vorsprung 3,5 Punkte: zweimal gepasst, gezählt nach Fläche",
         "黒の3.5目勝ち：両者パス、計算方法：石と地"),
        ("White wins: five in a row by White", "Weiß gewinnt: fünf in einer Reihe von Weiß", "白の勝ち：白：五連"),
        ("e5 is illegal: the square is taken", "e5 ist nicht erlaubt: das Feld ist besetzt",
         "e5 は打てません：そのマスには石があります"),
        ("a.sgf: line 3, column 17: there is no game to write",
         "a.sgf: Zeile 3, Spalte 17: es gibt keine Partie zu schreiben",
         "a.sgf: 3行17列: 書き出す対局がありません"),
        ("1,204 positions added in 3 rounds", "1.204 Stellungen in 3 Runden hinzugefügt",
         "3回で1,204局面を追加しました"),
        ("12 of 90 done (3 resumed), 3.4 a second, 2 min 05 s left",
         "12 von 90 erledigt (3 übernommen), 3,4 pro Sekunde, noch 2 min 05 s",
         "90件中12件完了（3件は再開分）、毎秒3.4件、残り2 min 05 s"),
        ("Added 12 positions; the book now has 1,204", "12 Stellungen hinzugefügt; das Buch hat jetzt 1.204",
         "12局面を追加しました。定石ブックは1,204局面になりました"),
        ("an engine's own words", "an engine's own words", "an engine's own words"),
    ],
)  # fmt: skip
def test_results_errors_and_progress_in_the_catalogues(text: str, german: str, japanese: str) -> None:
    with translation.use_language("de"):
        assert translate(text) == german
    with translation.use_language("ja"):
        assert translate(text) == japanese


def test_english_is_left_alone() -> None:
    assert (gettext("Draw"), ngettext("{count} move", "{count} moves", 1), translate("Draw")) == (
        "Draw",
        "{count} move",
        "Draw",
    )


def test_the_reader_of_a_page_decides_before_the_current_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "_source", lambda: "ja")
    with translation.use_language("de"):
        assert language() == "ja"


def test_data_that_visitors_share_stays_english() -> None:
    """A board and a result are computed once for all watchers of a game."""
    game = games.game("othello")
    with translation.use_language("ja"):
        board = board_data(game.start(), playable=True)
        result = MatchResult.resigned(game, 0)
        shown = translate(result.describe(game))
    assert (board["title"], board["players"]) == ("Othello", ["Black", "White"])
    assert (result.describe(game), shown) == ("White wins: Black resigned", "白の勝ち：黒の投了")


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("en", ("12,345.6", "+0.5", "62 %", "5 Mar 2026")),
        ("de", ("12.345,6", "+0,5", "62\xa0%", "05.03.2026")),
        ("fr", ("12\u202f345,6", "+0,5", "62\xa0%", "5 mars 2026")),
        ("ja", ("12,345.6", "+0.5", "62%", "2026/03/05")),
    ],
)
def test_numbers_and_dates(name: str, texts: tuple[str, ...]) -> None:
    with translation.use_language(name):
        found = (number(12345.6, 1), short_number(0.5, sign=True), percent(0.62), day(date(2026, 3, 5)))
    assert found == texts


@pytest.mark.parametrize("name", ["de", "fr", "ja"])
def test_catalogues_are_complete(name: str) -> None:
    assert problems(name, extract()) == []


def test_quick_commands_do_not_load_babel() -> None:
    code = "import sys, tengen.cli.commands, tengen.games as g; g.game('go'); print('babel' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "False"
