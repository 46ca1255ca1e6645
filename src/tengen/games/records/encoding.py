"""Decoding of text files by BOM, declared encoding, or heuristics."""

from __future__ import annotations

import codecs
import re

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_DECLARED = re.compile(rb"CA\s*+\[\s*+([A-Za-z0-9_.:\-][A-Za-z0-9_.:\- ]{0,39}+)\s*+\]")
_WIDE_RUNS = re.compile(rb"[\x80-\xff]++")
# Codecs that no game file uses; some of them take quadratic time.
_UNUSED = frozenset({"idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined"})
# Declared encodings and the supersets that are usually meant.
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "iso8859-1": "cp1252"}


def decode(data: bytes) -> tuple[str, str]:
    """The text, and a note if the encoding was guessed or the declared one was wrong."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors="replace"), ""
    declared = _DECLARED.search(data[:4096])
    complaint = ""
    if declared is not None:
        name = declared[1].decode("ascii").strip()
        text = _strictly(data, _lookup(name))
        if text is not None:
            return text, ""
        complaint = f"the declared encoding {name} is wrong; "
    text = _strictly(data, "utf-8")
    if text is not None:
        return text, complaint and f"{complaint}read as utf-8"
    for encoding in (guess(data), "cp1252", "latin-1"):
        text = _strictly(data, encoding)
        if text is not None:
            return text, f"{complaint}read as {encoding}, a guess"
    raise AssertionError("latin-1 reads anything")


def guess(data: bytes) -> str:
    """The most likely encoding of text that is not UTF-8.

    Lone high bytes between ASCII letters are accents. Shift-JIS uses bytes below A1 as leads; the EUC family does
    not. In that family, kana (rows A4 and A5) mean Japanese; leads only from B0 to C8, the Hangul, mean Korean.
    """
    runs = _WIDE_RUNS.findall(data)
    if not runs or 2 * sum(len(run) == 1 for run in runs) > len(runs):
        japanese = _strictly(data, "cp932")
        kana = 0 if japanese is None else sum("ぁ" <= letter <= "ヶ" for letter in japanese)
        return "cp932" if 2 * kana > len(runs) else "cp1252"
    if any(byte < 0xA1 for run in runs for byte in run):
        return "cp932" if _strictly(data, "cp932") is not None else "gb18030"
    leads = {run[i] for run in runs for i in range(0, len(run), 2)}
    if leads & {0xA4, 0xA5}:
        return "euc_jp"
    letters = {lead for lead in leads if lead >= 0xB0}
    return "cp949" if letters and max(letters) <= 0xC8 else "gb18030"


def _lookup(name: str) -> str:
    try:
        encoding = codecs.lookup(name.replace(" ", "-")).name
    except LookupError:
        return ""
    if encoding.replace("_", "-") in _UNUSED:
        return ""
    return _WIDER.get(encoding, encoding)


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding) if encoding else None
    except (UnicodeError, LookupError):  # including non-text codecs such as hex
        return None
