"""Every parser of bytes or text, and input that is hard for it: time must grow with the input, not its square.

Each case is a beginning, something repeated, and an end. The repeated parts are all tokens of the format, tokens
that lack their end, and runs of one letter, because a pattern that is quadratic is so for one of these.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from tengen.books.book_file import load as load_book
from tengen.books.edax_book import load_edax
from tengen.books.egaroucid_book import load_egaroucid
from tengen.books.nbb import load_nbb
from tengen.books.statistics_file import load as load_statistics
from tengen.core.errors import TengenError
from tengen.core.values.notation import read as read_value
from tengen.core.values.values import Values
from tengen.engines.clobber.batch import read_batch, read_position
from tengen.games import game, records
from tengen.games.clobber.board import read_board
from tengen.games.records.encoding import decode
from tengen.play.time_control import TimeControl
from tengen.players.syntax import parse_limits
from tengen.protocols.external.gomocup import _POINT as FOREIGN_POINT
from tengen.protocols.external.nboard import _NUMBER as FOREIGN_NUMBER
from tengen.protocols.gomocup import _POINT, _STONE
from tengen.protocols.gtp.syntax import Arguments, answer
from tengen.protocols.gtp.syntax import parse as parse_gtp
from tengen.protocols.gtp.vertices import Notation
from tengen.protocols.line_protocol import LineSplitter
from tengen.protocols.nboard import _read_integer
from tengen.store.record_codec import unpack_record
from tests.helpers.sample_records import START, wthor, wthor_game

_START = (0x0000000810000000, 0x0000001008000000)  # mover and enemy
EDAX = b"XADEKOOB" + struct.pack("<BBH5Bx5iI", 4, 5, 2024, 1, 2, 3, 4, 5, 10, 20, 0, 0, 0, 1)
EDAX += struct.pack("<QQ16xhhhBBbB", *_START, 0, -64, 64, 0, 10, 0, 19)
EGAROUCID = b"DICUORAGE\3\1\0\0\0" + struct.pack("<QQbbibbb", *_START, 0, -1, 0, 0, 19, -1)

RATIO = 8  # between the sizes that are compared
SLACK = 30.0  # linear growth is 8, quadratic 64: between the two, with room for a busy machine
TINY_S = 0.1  # what takes no longer is fast enough, however it grew
SLOWEST_S_PER_BYTE = 20e-6


@dataclass(frozen=True)
class Parser:
    """`run` parses, and raises nothing but `TengenError`s. `tokens` are what its input is made of."""

    run: Callable[[bytes], object]
    tokens: tuple[bytes, ...]
    beginnings: tuple[bytes, ...] = (b"",)
    ends: tuple[bytes, ...] = (b"",)


RUNS = (
    b" ",
    b"\n",
    b"\t \r\n",
    b"0",
    b"1",
    b"a",
    b"Z",
    b"(",
    b")",
    b"[",
    b"]",
    b"{",
    b"}",
    b'"',
    b"'",
    b"\\",
    b";",
    b":",
    b",",
    b".",
    b"/",
    b"-",
    b"+",
    b"*",
    b"#",
    b"%",
    b"\0",
    b"\xff",
    b"\xa4\xa4",
    b"\xc3\xa9",
    b"=",
    b"|",
)


def _records(name: str) -> Callable[[bytes], object]:
    def run(data: bytes) -> object:
        return sum(1 for _ in records.parse(data, name, on_bad=lambda number, error: None))

    return run


def _recognised(data: bytes) -> object:
    return sum(1 for _ in records.parse(data, on_bad=lambda number, error: None))


def _text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", errors="replace"))


def _split(data: bytes) -> None:
    splitter = LineSplitter()
    for at in range(0, len(data), 1 << 16):
        for line in splitter.feed(data[at : at + (1 << 16)]):
            parse_gtp(line)
    splitter.feed(b"")


def _gtp(line: str) -> None:
    request = parse_gtp(line)
    if request is not None:
        arguments = Arguments(request.words)
        answer(request.id, arguments.rest())
        for read in (Arguments.colour, Arguments.integer, Arguments.number, Arguments.switch):
            with suppress(TengenError):
                read(Arguments(request.words), *(["a number"] if read is not Arguments.colour else []))  # type: ignore[operator]


def _gtp_vertex(text: str) -> None:
    start = game("go", size=9).start()
    Notation(start).read(text, start)


def _moves(text: str) -> None:
    for name in ("clobber", "go", "othello", "pente"):
        start = game(name).start()
        with suppress(TengenError):
            start.play(text)


def _options(text: str) -> None:
    for name in ("clobber", "go", "othello", "pente"):
        for option in ("size", "board"):
            with suppress(TengenError):
                game(name, **{option: text})


def _gomocup(text: str) -> None:
    for pattern in (_POINT, _STONE, FOREIGN_POINT, FOREIGN_NUMBER):
        pattern.fullmatch(text)


def _sgf_tokens(*properties: bytes) -> tuple[bytes, ...]:
    return (
        b"(;",
        b"(",
        b"(;B[aa]",
        b";B[aa]",
        b";B[]",
        b";",
        b"; ",
        b"(;)",
        b"(;GM[1])",
        b"(;GM[1]!",
        b"(;GM[1]!)",
        b"(;GM[1]!C[",
        b"(;!)",
        b"(;C[",
        b"C[",
        b"C[\\",
        b"C[\\]",
        b"C[a]",
        b"AB[aa:ss]",
        b"TR[aa:ss]",
        b";TR[aa:ss]",
        b";AB[aa]",
        b";AE[aa]C[x]",
        b"LB[aa:x]",
        b"LB[aa:",
        b"B[aa]",
        b"XX[]",
        b"[]",
        b"[x]",
        b"GM[1]",
        b"SZ[19]",
        b"KM[",
        b";C[[[]",
        b"(;B[aa])",
        b"(;B[aa]C[x])",
        b";W[tt]",
        b" ;\n B [aa]",
        b"CA[",
        b"CA [ ",
        b"CA[utf-8]",
        *properties,
    )


_TAGGED = (
    b'[Game "clobber"]\n',
    b'[Game "x"]\n\n',
    b'[Game "go"]\n{',
    b'[Game "go"]\n\nA1 zz\n',
    b"[",
    b"[ ",
    b'[a "',
    b'[a "b"]',
    b'[a "\\',
    b"[a\n",
    b"\n[",
    b'[a "b" ',
    b"{a}",
    b"{",
    b"{[%eval 1]",
    b"[%eval 1]",
    b"{}",
    b"{\\}",
    b"(A1",
    b"(A1)",
    b"A1 ",
    b"A01 ",
    b"A1 (A2) ",
    b"( ",
    b") ",
    b"1. ",
    b"1.",
    b"1-2 ",
    b"pass ",
    b"3 ",
    b"1-0 ",
    b"*",
    b"zz ",
)

_SQUARES = b"".join(
    b"%c%d" % (97 + column, row + 1)
    for row in range(8)
    for column in range(8)
    if not (2 < row < 5 and 2 < column < 5)
)

PARSERS: dict[str, Parser] = {
    "sgf": Parser(
        _records("sgf"),
        _sgf_tokens(),
        (b"(;GM[1]SZ[19]", b"(;GM[2]", b"(;GM[4];B[aa]", b"(;GM[1]!", b""),
        (b"", b")", b"]"),
    ),
    "ggf": Parser(
        _records("ggf"),
        (
            b"(;GM[",
            b"(;GM[Othello]",
            b"(;GM[Othello];)",
            b"(;",
            b"GM[",
            b"PB[x]",
            b"PB[",
            b"CO[x]",
            b"CO[(]",
            b"XX[x]",
            b"B[F5]",
            b"B[F5//2]",
            b"B[PA]",
            b"B[/",
            b"BO[8 x]",
            b"(;GM[Othello]BO[8 " + START.encode() + b" *]B[F5];)",
            b"( ; GM",
            b"(  ",
            b"12 ",
            b";)",
            b"RE[x]",
            b"TY[9]",
        ),
        (b"", b"(;GM[Othello]", b"(;GM[Othello]BO[8 " + START.encode() + b" *]"),
        (b"", b";)", b"]"),
    ),
    "obf": Parser(
        _records("obf"),
        (
            b"%\n",
            b"% x\n",
            b"%",
            b"-" * 64 + b" X;\n",
            b"-" * 16,
            b"-OOX-XX--XOO-X-- X;\n",
            b" A2:+38;",
            b"A2;",
            b";",
            b"X ",
            b"O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X; A2:+38;\n",
            b"\r",
            b"A2:",
        ),
        (
            b"",
            b"-OOX-XX--XOO-X-- X;",
            b"-OOX-XX--XOO-X--",
            b"O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X;",
        ),
    ),
    "wthor": Parser(
        lambda data: _records("wthor")(
            wthor([data[at : at + 68].ljust(68, b"\0") for at in range(0, len(data), 68)])
        ),
        (wthor_game("f5d6c3d3c4"), wthor_game("f5f5"), bytes(68), b"\xff" * 68, wthor_game("f5", discs=99)),
    ),
    "transcript": Parser(
        _records("transcript"),
        (
            b"f5",
            b"f5d6c3d3c4\n",
            b"f5 d6\n",
            b"zz\n",
            b"f5\n",
            b"f5 zz\n",
            b"1. ",
            b"12 ",
            b"1 - ",
            b"64-0 ",
            b"1-",
            b"pass",
            b"--",
            b"@@",
            b"1.\n",
            _SQUARES,
            b", ",
            b"f5d6c3d3c4",
            b"1) f5 ",
            b"12   ",
            b"Ann vs Bob\n",
            b"Black: Ann (1)\n\n",
            b'[Black "x"]\n',
            b"a 1 - ",
            b" (((",
            b"x : : ",
        ),
        (b"", b"f5", b"1", b"1.", b"f5d6\nf5d6\n", b"Ann vs Bob\nf5d6c3\n"),
        (b"", b"!", b"\n34-30"),
    ),
    "psq": Parser(
        _records("psq"),
        (
            b"Piskvorky 15x15, 0:0, 0\n",
            b"Piskvorky",
            b"Piskvorky 15x15,",
            b"8,8,0\n",
            b"1,2\n",
            b"8,",
            b"x\n",
            b"-1\n",
            b"\r",
        ),
        (b"", b"Piskvorky 15x15, ", b"Piskvorky 15x15, 0:0, 0\n", b"Piskvorky 15x15, 0:0, 0\n8,8,0\n9"),
        (b"", b"\n-1\n"),
    ),
    "pente.org": Parser(
        _records("pente.org"), _TAGGED, (b"", b'[Game "Pente"]\n', b'[Game "Pente"]\n\n1. K10 '), (b"", b"]", b"}")
    ),
    "text": Parser(
        _records("text"),
        _TAGGED,
        (
            b"",
            b'[Game "clobber"]\n',
            b'[Game "clobber"]\n[board "' + b"XO" * 500 + b'"]\n\n1-2 ',
            b'[Game "go"]\n\nA1 {',
        ),
        (b"", b"]", b"}", b'"]'),
    ),
    "recognition": Parser(_recognised, (*_TAGGED, *_sgf_tokens(), b"1 ", b"(  ", b"( \0", b"%\n", b"f5")),
    "encoding": Parser(
        decode,
        (
            b"CA[",
            b"CA [ ",
            b"CA[ ",
            b"\xa4\xe9",
            b"\xb0\xa1",
            b"\x81\x40",
            b"\xe9",
            b"a\xe9",
            b"\x1b$B",
            b"~{",
            b"+AGE-",
            b"\\u0061",
        ),
        (
            b"",
            b"(;CA[ ",
            b"(;CA[punycode]",
            b"(;CA[idna]",
            b"(;CA[unicode_escape]",
            b"(;CA[utf-7]",
            b"(;CA[hz]",
            b"(;CA[gb2312]",
            b"(;CA[iso2022_jp]",
            b"(;CA[big5]",
            b"(;CA[euc-kr]",
        ),
    ),
    "time control": Parser(
        _text(TimeControl.parse),
        (b"1m", b"1ms", b"1h", b"1.5s", b"10", b"1.", b"+", b"x", b"/", b"1m+", b"5x"),
        (b"", b"5m+"),
        (b"", b"/move", b"!"),
    ),
    "level": Parser(_text(parse_limits), (b"1s", b"1s,", b"500nodes,", b"depth4,", b"1.", b"12"), (b"", b"1")),
    "clobber board": Parser(_text(read_board), (b"XO", b"XO/", b"X\n", b"_-", b"/"), (b"", b"XO/")),
    "clobber position": Parser(
        _text(read_position),
        (b"XO", b"(XO)^3", b"(XO)^2000", b"(X", b"(X)", b"(X) ", b"(XO) ^ ", b"9"),
        (b"", b"(X)", b"(X)^"),
    ),
    "clobber batch": Parser(
        _text(read_batch), (b"XOXO N\n", b"(XO)^3 ?\n", b"# x\n", b"XO ", b"#", b"X\n"), (b"", b"XO ")
    ),
    "game value": Parser(
        _text(lambda text: read_value(Values(), text)),
        (b"{", b"{0|", b"1", b"1/2", b"^", b"*2", b"+-", b"tiny(", b"||", b",", b"- "),
    ),
    "moves": Parser(_text(_moves), (b"a1", b"1-2", b"1 ", b"12", b"a ", b"->"), (b"", b"1", b"1-", b"d ")),
    "options": Parser(_text(_options), (b"9x", b"9 ", b"19", b"x", b"XO/", b"...", b"X "), (b"", b"9 x")),
    "gtp line": Parser(
        _text(_gtp),
        (b"play b d4 ", b"1 ", b"12", b"1e", b"1.", b"\x07", b"# ", b"true "),
        (b"", b"1 play ", b"7 "),
    ),
    "gtp vertex": Parser(_text(_gtp_vertex), (b"d4", b"d4-", b"-", b"a", b"12"), (b"", b"d")),
    "lines": Parser(_split, (b"play b d4\n", b"\r\n", b"x", b"\n", b"\xc3", b"# x\n")),
    "nboard number": Parser(_text(lambda text: _read_integer(text, "a depth")), (b"1", b"-", b"1 "), (b"", b"-")),
    "nboard game": Parser(
        _text(lambda text: next(iter(records.parse(text, "ggf")), None)),
        (b"(;", b"B[F5]", b"PB[", b"(;GM["),
        (b"", b"(;GM[Othello]"),
        (b"", b";)"),
    ),
    "gomocup point": Parser(_text(_gomocup), (b"1", b"1,", b", ", b"1,2,"), (b"", b"1", b"1,", b" 1 ,")),
    "book": Parser(
        lambda data: load_book(data, "x"),
        (b"\0", b"TENGENBK"),
        (b"", b"TENGENBK\1\0\0\0", b"TENGENBK\1\0\0\0\2\0\0\0{}"),
    ),
    "statistics": Parser(
        lambda data: load_statistics(data, "x"), (b"\0", b"TENGENST"), (b"", b"TENGENST\1\0\0\0")
    ),
    "edax book": Parser(
        lambda data: load_edax(data, "x"),
        (b"\0", b"\xff", EDAX[:42], EDAX[42:], EDAX[42:82], b"\1\x0a"),
        (b"", EDAX[:42], EDAX),
    ),
    "egaroucid book": Parser(
        lambda data: load_egaroucid(data, "x"), (b"\0", b"\xff", EGAROUCID[14:], EGAROUCID), (b"", EGAROUCID[:14])
    ),
    "nbb": Parser(lambda data: load_nbb(data, "x"), (b"PK\5\6", b"PK\1\2", b"PK\3\4", b"\0"), (b"", b"PK\3\4")),
    "packed record": Parser(unpack_record, (b"\0", b"\1x\x9c"), (b"\1", b"\1x\x9c")),
}


def made(beginning: bytes, unit: bytes, end: bytes, size: int) -> bytes:
    """Input of about a size."""
    return beginning + unit * max(1, (size - len(beginning) - len(end)) // len(unit)) + end


def cases(parser: Parser) -> Iterator[tuple[bytes, bytes, bytes]]:
    for beginning in parser.beginnings:
        for end in parser.ends:
            for unit in dict.fromkeys((*parser.tokens, *RUNS)):
                yield beginning, unit, end


def seconds(parser: Parser, data: bytes) -> float:
    """The processor time of this thread that parsing takes. Bad input is a `TengenError`, and nothing else."""
    began = time.thread_time()
    with suppress(TengenError):
        parser.run(data)
    return time.thread_time() - began


@dataclass
class Growth:
    """How long a case took, by size."""

    case: tuple[bytes, bytes, bytes]
    times: dict[int, float] = field(default_factory=dict)

    def __str__(self) -> str:
        beginning, unit, end = (repr(part[:40])[1:] for part in self.case)
        took = ", ".join(f"{size:,} bytes {spent:.3f} s" for size, spent in self.times.items())
        return f"{beginning} + n * {unit} + {end}: {took}"


def too_fast_growth(parser: Parser, case: tuple[bytes, bytes, bytes], size: int) -> Growth | None:
    """The times of a case that grows faster than its input, from `size` to RATIO times that; else None."""
    small, large = made(*case, size), made(*case, RATIO * size)
    found = Growth(case)
    for _attempt in range(3):
        found.times[len(small)] = min(found.times.get(len(small), 1e9), seconds(parser, small))
        if found.times[len(small)] > TINY_S + SLOWEST_S_PER_BYTE * len(small):
            continue  # so slow already that the larger one might take hours
        found.times[len(large)] = min(found.times.get(len(large), 1e9), seconds(parser, large))
        if found.times[len(large)] <= max(TINY_S, SLACK * found.times[len(small)]):
            return None
    return found
