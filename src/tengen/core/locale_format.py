"""Numbers and dates in the current language."""

from __future__ import annotations

from datetime import date, datetime

from tengen.core.translation import DEFAULT_LANGUAGE, language

_ENGLISH_LOCALE = "en_GB"  # the day comes before the month, and hours count to 24


def number(value: float, digits: int = 0, *, sign: bool = False) -> str:
    """A number with `digits` decimals: `12,345` in English, `12.345` in German. `sign` also shows a plus."""
    text = f"{value:{'+' if sign else ''},.{digits}f}"
    if language() == DEFAULT_LANGUAGE:
        return text
    from babel.numbers import get_decimal_symbol, get_group_symbol

    symbols = {",": get_group_symbol(language()), ".": get_decimal_symbol(language())}
    return "".join(symbols.get(letter, letter) for letter in text)


def short_number(value: float, *, sign: bool = False) -> str:
    """A number with as many decimals as it needs: `7`, `6.5`."""
    text = f"{value:.6f}".rstrip("0")
    return number(value, len(text.partition(".")[2]), sign=sign)


def percent(share: float, digits: int = 0) -> str:
    """A share from 0 to 1 as a percentage: `62 %`, and `62%` in Japanese."""
    space = {DEFAULT_LANGUAGE: " ", "ja": ""}.get(language(), "\N{NO-BREAK SPACE}")
    return f"{number(100 * share, digits)}{space}%"


def day(when: date) -> str:
    """A date: `5 Mar 2026` in English, `05.03.2026` in German."""
    from babel.dates import format_date

    return format_date(when, "medium", _locale())


def day_and_time(when: datetime) -> str:
    """A date with the time of day, in the time zone of `when`."""
    from babel.dates import format_datetime

    return f"{day(when)}, {format_datetime(when, 'HH:mm', locale=_locale(), tzinfo=when.tzinfo)}"


def _locale() -> str:
    return _ENGLISH_LOCALE if language() == DEFAULT_LANGUAGE else language()
