"""No user-facing text of the web and terminal apps is left out of the translations."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tools.translations import FUNCTIONS, SOURCE, calls, literal

TEXT_FUNCTIONS = {
    *("badge", "button", "card", "checkbox", "chip", "confirm", "expansion", "frame", "heading", "input", "label"),
    *("link", "menu_item", "note", "notify", "number", "page", "page_title", "radio", "select", "set_text"),
    *(
        "show_error",
        "show_message",
        "strong",
        "switch",
        "tab",
        "table_row",
        "textarea",
        "toggle",
        "tooltip",
        "upload",
    ),
    *("Button", "Checkbox", "ChoiceDialog", "HelpDialog", "Label", "Option", "ProgressDialog", "Row", "Static"),
    *("TextDialog", "add_column", "run_with_dialog", "say", "update"),
}
TEXT_KEYWORDS = {"label", "placeholder", "text", "title", "hint", "help"}
PROPS = re.compile(r"(?:aria-label|hint|label|placeholder|title|no-data-label)=\"[^\"{]*[A-Za-z]{2}")
HTML = re.compile(r"<(?:p|div|span|th|td|h[1-6]|b|small|a)(?: [^<>]*)?>[^<>{]*[A-Za-z]{2}")
SENTENCE = re.compile(r"[A-Z][a-z]+,? [a-z]+[ .…?!:]|[a-z]+ [a-z]+ [a-z]+|^[A-Z][a-z]+( [a-z]+)?[.…:]?$")
# Calls whose arguments are not shown: markup, queries, scripts.
OTHER_FUNCTIONS = {
    *(
        "add_class",
        "add_head_html",
        "classes",
        "mark",
        "on",
        "props",
        "query",
        "query_one",
        "run_javascript",
        "style",
    ),
    *("compile", "debug", "error", "exception", "getLogger", "info", "warning", "TypeVar", "PlainTextResponse"),
}
# Text that is the same in every language, or that nobody reads.
ALLOWED = {
    "Tengen",
    "{} · Tengen",
    "Esc",
    "~/games.sgf",
    "tengen tournament cup.toml",
    "tengen match uct:nodes=500 uct:nodes=1000 --game go size=9",
    "Explorer",  # in an address
}


def _files() -> list[Path]:
    web = [
        *(SOURCE / "web" / "pages").glob("*.py"),
        SOURCE / "web" / "login_pages.py",
        SOURCE / "web" / "elements.py",
    ]
    terminal = [*(SOURCE / "terminal" / "app").glob("*.py")]
    terminal += [SOURCE / "terminal" / name for name in ("match_prompt.py", "board.py")]
    return sorted(web + terminal)


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _own_text(node: ast.expr) -> str:
    """The literal parts of a string or f-string."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return literal(node) or ""


def _untranslated(tree: ast.AST) -> Iterator[tuple[int, str]]:
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant | ast.JoinedStr) or isinstance(parents[node], ast.JoinedStr):
            continue
        text = _own_text(node)
        if not re.search("[A-Za-z]{2}", text) or text in ALLOWED or isinstance(parents[node], ast.Expr):
            continue
        shown = bool(PROPS.search(text) or HTML.search(text))
        kept = False
        child: ast.AST = node
        is_direct = True  # not within another call
        while child in parents:
            parent = parents[child]
            if isinstance(parent, ast.Call) and child is not parent.func:
                name = _name(parent)
                kept = kept or name in FUNCTIONS or (name in OTHER_FUNCTIONS and not PROPS.search(text))
                shown = shown or (is_direct and name in TEXT_FUNCTIONS and child in parent.args[:1])
                is_direct = False
            if isinstance(parent, ast.keyword) and parent.arg in TEXT_KEYWORDS and is_direct:
                shown = True
            if isinstance(parent, ast.keyword) and parent.arg in ("id", "icon", "classes", "variant", "group"):
                kept = True
            if isinstance(parent, ast.Compare | ast.Subscript) or (
                isinstance(parent, ast.Call) and child is parent.func
            ):
                kept = kept or isinstance(parent, ast.Compare | ast.Subscript)
            if isinstance(parent, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id in ("CSS", "DEFAULT_CSS", "_BOX", "_PAGE", "_LOGO")
                for target in parent.targets
            ):
                kept = True
            if isinstance(parent, ast.Dict) and child in parent.keys:
                kept = True
            child = parent
        if not kept and (shown or SENTENCE.search(text)):
            yield node.lineno, text


@pytest.mark.parametrize("path", _files(), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_shown_text_is_translated(path: Path) -> None:
    assert list(_untranslated(ast.parse(path.read_text("utf-8")))) == []


def test_the_search_finds_text() -> None:
    code = (
        'ui.label("Hello")\nui.label(_("Hello"))\nui.button(f"Play {x}")\nnote("")\n'
        "ui.x().props('aria-label=\"Board\"')\nraise E('a number is missing')\nui.input(label='Name')\n"
    )
    assert [line for line, _text in _untranslated(ast.parse(code))] == [1, 3, 5, 6, 7]


def _scopes(tree: ast.AST) -> Iterator[ast.AST]:
    yield from (
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    )


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions and comprehensions in it."""
    inner = (
        ast.FunctionDef,
        ast.AsyncFunctionDef,
        ast.Lambda,
        ast.ListComp,
        ast.SetComp,
        ast.DictComp,
        ast.GeneratorExp,
    )
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, inner):
            yield from _own_nodes(child)


def test_messages_are_constants_and_the_function_is_not_hidden() -> None:
    """An f-string is not found in a catalogue; a variable `_` hides the function where it is called."""
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text("utf-8")
        if "translation import" not in text:
            continue
        tree, name = ast.parse(text), path.relative_to(SOURCE).as_posix()
        wrong += [
            f"{name}:{one.lineno}" for one in calls(tree) if any(isinstance(a, ast.JoinedStr) for a in one.args)
        ]
        for scope in _scopes(tree):
            nodes = list(_own_nodes(scope))
            hidden = any(
                isinstance(one, ast.Name) and one.id == "_" and isinstance(one.ctx, ast.Store) for one in nodes
            )
            hidden = hidden or any(isinstance(one, ast.arg) and one.arg == "_" for one in ast.walk(scope.args))  # type: ignore[attr-defined]
            if hidden and any(isinstance(one, ast.Call) and getattr(one.func, "id", "") == "_" for one in nodes):
                wrong.append(f"{name}:{scope.lineno}")  # type: ignore[attr-defined]
    assert wrong == []
