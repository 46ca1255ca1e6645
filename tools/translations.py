"""Update the catalogues of translations, `make translations`: add new messages, drop unused ones, report gaps.

Messages are the literal arguments of `gettext` (usually imported as `_`), `ngettext` and `mark` in src/tengen.
Existing translations are kept. A message whose English text has changed is a new one. The page
docs/extending/translating.md describes the work of a translator.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from tengen.core.translation import DEFAULT_LANGUAGE, LANGUAGES, LOCALE_FOLDER

SOURCE = Path(__file__).parents[1] / "src" / "tengen"
FUNCTIONS = {"_", "gettext", "mark", "ngettext"}
_PLACEHOLDER = re.compile(r"\{(\w*)[^{}]*\}")


@dataclass(frozen=True)
class Found:
    """A message in a source file; `plural` is empty if it has none."""

    message: str
    plural: str
    file: str
    line: int


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    """The calls of translation functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
            yield node


def literal(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def extract(source: Path = SOURCE) -> list[Found]:
    """All messages, in the order of files and lines."""
    found = []
    for path in sorted(source.rglob("*.py")):
        text = path.read_text("utf-8")
        if "translation import" in text or path.name == "translation.py":
            file = path.relative_to(source).as_posix()
            for call in sorted(calls(ast.parse(text)), key=lambda one: one.lineno):
                given = [literal(argument) for argument in call.args]
                if given and given[0] is not None:
                    plural = (given[1] or "") if call.func.id == "ngettext" else ""  # type: ignore[attr-defined]
                    found.append(Found(given[0], plural, file, call.lineno))
    return found


def catalogue_path(language: str) -> Path:
    return LOCALE_FOLDER / language / "tengen.po"


def read_catalogue(language: str) -> Catalog:
    path = catalogue_path(language)
    if not path.exists():
        return Catalog(language, project="Tengen", charset="utf-8")
    with path.open("rb") as file:
        return read_po(file, locale=language)


def message_id(message: Message) -> str:
    """The English message, in the singular."""
    return message.id if isinstance(message.id, str) else str(message.id[0])


def forms(message: Message) -> tuple[str, ...]:
    """The translations of a message: one, or one for each plural form."""
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or ())


def is_translated(message: Message) -> bool:
    found = forms(message)
    return bool(found) and all(found) and not message.fuzzy


def updated(old: Catalog, found: list[Found]) -> Catalog:
    """A catalogue of these messages, with the translations of the old one."""
    new = Catalog(old.locale, header_comment=old.header_comment, project="Tengen", charset="utf-8")
    known = {message_id(message): message for message in old if message.id}
    merged: dict[str, tuple[str, set[str]]] = {}
    for one in found:
        plural, files = merged.setdefault(one.message, (one.plural, set()))
        merged[one.message] = (plural or one.plural, files | {one.file})
    for message, (plural, files) in merged.items():
        translated = forms(known[message]) if message in known and is_translated(known[message]) else ()
        count = new.num_plurals if plural else 1
        if translated and len(translated) != count:
            translated = (translated[-1],) * count if count > len(translated) else translated[:count]
        string = tuple(translated or [""] * count) if plural else "".join(translated)
        comments = known[message].user_comments if message in known else []
        places = [(file, None) for file in sorted(files)]
        new.add((message, plural) if plural else message, string, places, user_comments=comments)
    return new


def placeholders(text: str) -> set[str]:
    return set(_PLACEHOLDER.findall(text))


def problems(language: str, found: list[Found]) -> list[str]:
    """Missing, unused and wrong entries of a catalogue."""
    catalogue = {message_id(message): message for message in read_catalogue(language) if message.id}
    wanted = {one.message: one for one in found}
    result = []
    for text, one in wanted.items():
        entry = catalogue.get(text)
        if entry is None or not is_translated(entry):
            result.append(f"{language}: not translated: {text!r} ({one.file}, line {one.line})")
            continue
        for form in forms(entry):
            allowed = placeholders(text) | placeholders(one.plural)
            needed = placeholders(text) & placeholders(one.plural) if one.plural else allowed
            if not needed - {"count"} <= placeholders(form) <= allowed or form.count("{") != form.count("}"):
                result.append(f"{language}: other placeholders than the English message: {form!r}")
    result += [f"{language}: unused: {text!r}" for text in catalogue if text not in wanted]
    result += [f"{language}: fuzzy: {text!r}" for text, entry in catalogue.items() if entry.fuzzy]
    return result


def write_catalogue(language: str, catalogue: Catalog) -> None:
    path = catalogue_path(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalogue, width=100, include_lineno=False, omit_header=False)
    # Babel writes a date, which would make every update a change, and names that we do not use.
    head, _, rest = path.read_text("utf-8").partition("\n\n")
    unused = r'"(Project-Id|Report|POT-Creation|PO-Revision|Generated|Last-Trans|Language-Team).*"\n|#, fuzzy\n'
    path.write_text(re.sub(unused, "", head + "\n") + "\n" + rest.rstrip("\n") + "\n", "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a catalogue is incomplete")
    check = parser.parse_args().check
    found = extract()
    all_problems = []
    for language in LANGUAGES:
        if language != DEFAULT_LANGUAGE:
            if not check:
                write_catalogue(language, updated(read_catalogue(language), found))
            all_problems += problems(language, found)
    for problem in all_problems:
        print(problem)
    print(f"{len({one.message for one in found}):,} messages, {len(all_problems):,} problems")
    return int(check and bool(all_problems))


if __name__ == "__main__":
    sys.exit(main())
