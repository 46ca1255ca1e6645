"""Translation of user-facing text.

    from tengen.core.translation import gettext as _

    _("Move {number} of {total}").format(number=5, total=6)
    ngettext("{count} move", "{count} moves", count).format(count=count)

Messages are whole English sentences with named placeholders. The catalogues are the files in `tengen/locale`;
docs/extending/translating.md explains how to add a text or a language.

Some text is made before it is known who will read it: errors, results and engine comments, which are stored and
shared between visitors. It stays English, is marked for the catalogues, and is translated where it is shown:

    raise MatchError(mark("{player} has no move").format(player=name))
    show(translate(str(error)))
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "ja": "日本語"}
DEFAULT_LANGUAGE = "en"
LANGUAGE_VARIABLE = "TENGEN_LANGUAGE"
_LEAST_LETTERS = 4  # a template with less text of its own would match almost anything
_LONGEST_TEXT = 500  # matching takes long for long texts, and no message is longer
LOCALE_FOLDER = Path(__file__).parents[1] / "locale"

_PLACEHOLDER = re.compile(r"\{(\w+)([^{}]*)\}")
# Possessive, because other quantifiers would try every way to split a long row of digits.
_NUMBER = re.compile(r"[-+±]?+(?>\d{1,3}(?:,\d{3})++|\d++)(?:\.\d++)?+(?:e[-+]?+\d++)?+")
_NUMBERS = {"count", "number", "percent", "rounds", "seconds", "total"}  # placeholders for numbers
_WORDS = {"cell", "corner", "move", "point", "square"}  # placeholders for one word
_ANYTHING, _NO_COLON = ".+?", "(?:(?!: ).)+?"

_language: ContextVar[str | None] = ContextVar("language", default=None)
_source: Callable[[], str | None] = lambda: None  # noqa: E731
_default = DEFAULT_LANGUAGE


def language() -> str:
    """The current language, a key of `LANGUAGES`."""
    return _source() or _language.get() or _default


@contextmanager
def use_language(name: str) -> Iterator[None]:
    """Translate into this language within the block, unless the language source knows the reader."""
    token = _language.set(name if name in LANGUAGES else DEFAULT_LANGUAGE)
    try:
        yield
    finally:
        _language.reset(token)


def set_language(name: str) -> None:
    """Translate into this language in the rest of the current task, and in tasks that it starts."""
    _language.set(name if name in LANGUAGES else DEFAULT_LANGUAGE)


def set_language_source(source: Callable[[], str | None]) -> None:
    """Ask `source` for the language of the reader; None means that it is unknown here.

    It takes precedence over `use_language`: code that runs for one visitor may update the page of another.
    """
    global _source
    _source = source


def use_environment_language() -> None:
    """Talk to the user of this process in the language of their system, where nothing else is set."""
    global _default
    _default = environment_language()


def negotiate(accept_language: str) -> str:
    """The best language for an HTTP `Accept-Language` header."""
    wanted: list[tuple[float, str]] = []
    for part in accept_language.split(","):
        name, _, quality = part.partition(";")
        try:
            weight = float(quality.partition("=")[2] or 1)
        except ValueError:
            continue
        if weight > 0:
            wanted.append((-weight, _base_language(name)))
    found = (name for _, name in sorted(wanted, key=lambda one: one[0]) if name in LANGUAGES)
    return next(found, DEFAULT_LANGUAGE)


def environment_language(environment: Mapping[str, str] = os.environ) -> str:
    """The language of a program in a terminal: `TENGEN_LANGUAGE`, or the system's setting."""
    for variable in (LANGUAGE_VARIABLE, "LC_ALL", "LC_MESSAGES", "LANG"):
        value = environment.get(variable, "")
        if value:
            name = _base_language(value)
            return name if name in LANGUAGES else DEFAULT_LANGUAGE
    return DEFAULT_LANGUAGE


def _base_language(name: str) -> str:
    """`de` for `de-AT`, `de_DE.UTF-8` and the like."""
    return re.split(r"[-_.@]", name.strip().lower(), maxsplit=1)[0]


def mark(message: str) -> str:
    """Mark a constant, or a template, for the catalogues; returns it unchanged."""
    return message


def gettext(message: str) -> str:
    """The message in the current language."""
    now = language()
    return message if now == DEFAULT_LANGUAGE else _catalogue(now).get(message, (message,))[0]


def ngettext(singular: str, plural: str, count: int) -> str:
    """The form of a message for a number, in the current language."""
    now = language()
    if now == DEFAULT_LANGUAGE or singular not in (catalogue := _catalogue(now)):
        return singular if count == 1 else plural
    forms = catalogue[singular]
    # French treats 0 as singular; Japanese has one form.
    is_plural = count > 1 if now == "fr" else count != 1
    return forms[min(int(is_plural), len(forms) - 1)]


def translate(text: str) -> str:
    """English text that was made from marked messages, in the current language.

    A text that is not a message itself is matched with the templates of the catalogue, and the values of the
    placeholders are translated likewise. Unknown text is returned as it is.
    """
    now = language()
    return text if now == DEFAULT_LANGUAGE or len(text) > _LONGEST_TEXT else _translate(now, text)


@functools.lru_cache(maxsize=4096)
def _translate(name: str, text: str) -> str:
    found = _find(name, text)
    if found is not None:
        return found
    parts = [_find(name, part) for part in text.split(", ")]  # such as the progress of a job
    if all(part is not None for part in parts):
        return ("、" if name == "ja" else ", ").join(map(str, parts))
    head, colon, tail = text.partition(": ")  # such as a file and its error
    return f"{_translate(name, head)}{colon}{_translate(name, tail)}" if colon else text


def _find(name: str, text: str) -> str | None:
    """The translation of a text that is a message or a number, possibly with values filled in."""
    catalogue = _catalogue(name)
    if text in catalogue:
        return catalogue[text][0]
    for pattern, template in _templates(name):
        found = pattern.fullmatch(text)
        if found is not None:
            return template.format(**{key: _translate(name, value) for key, value in found.groupdict().items()})
    return _localise(name, text) if _NUMBER.fullmatch(text) else None


def _localise(name: str, number: str) -> str:
    """A number that was written in English."""
    from babel.numbers import get_decimal_symbol, get_group_symbol

    symbols = {",": get_group_symbol(name), ".": get_decimal_symbol(name)}
    return "".join(symbols.get(letter, letter) for letter in number)


@functools.cache
def _templates(name: str) -> list[tuple[re.Pattern[str], str]]:
    """Messages with placeholders as patterns, the most specific ones first."""
    found = []
    for message, forms in _catalogue(name).items():
        pieces = _PLACEHOLDER.split(message)  # text, name and format of a placeholder, text, …
        names, texts = pieces[1::3], pieces[::3]
        letters = sum(letter.isalpha() for letter in "".join(texts))
        if not names or letters < _LEAST_LETTERS or len(set(names)) < len(names):
            continue
        pattern, specific = re.escape(texts[0]), 0
        for number, placeholder in enumerate(names):
            is_last = number == len(names) - 1 and not texts[-1]
            values = _values(placeholder, pieces[3 * number + 2], is_last and texts[number].endswith(": "))
            specific += values not in (_ANYTHING, _NO_COLON)
            pattern += f"(?P<{placeholder}>{values}){re.escape(texts[number + 1])}"
        # Forms for several may have more placeholders than the English text for one, which is what is matched.
        form = next(one for one in (forms[-1], forms[0], message) if _placeholders(one) <= set(names))
        template = _PLACEHOLDER.sub(r"{\1}", form)  # values are text here: no formats
        found.append((letters + 10 * specific, re.compile(pattern, re.DOTALL), template))
    return [(pattern, template) for _, pattern, template in sorted(found, key=lambda one: -one[0])]


def _placeholders(message: str) -> set[str]:
    return {name for name, _form in _PLACEHOLDER.findall(message)}


def _values(placeholder: str, form: str, follows_colon: bool) -> str:
    """A pattern of the values that a placeholder may have. Only what follows a colon may contain another one."""
    if form == "!r":
        return r"'.*?'|\".*?\""
    if form or placeholder in _NUMBERS:
        return _NUMBER.pattern
    if placeholder == "duration":
        return r"\d+ \w+(?: \d+ \w+)?"
    if placeholder in _WORDS:
        return r"\S+?"
    return _ANYTHING if follows_colon else _NO_COLON


@functools.cache
def _catalogue(name: str) -> dict[str, tuple[str, ...]]:
    """Translations by English message, with their plural forms. Messages without a translation are left out."""
    from babel.messages.pofile import read_po  # takes a moment; English needs none of it

    path = LOCALE_FOLDER / name / "tengen.po"
    if not path.exists():
        return {}
    with path.open("rb") as file:
        found = read_po(file, locale=name)
    entries = {}
    for message in found:
        key = message.id if isinstance(message.id, str) else message.id[0]
        forms = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
        if key and forms and all(forms) and not message.fuzzy:
            entries[key] = forms
    return entries
