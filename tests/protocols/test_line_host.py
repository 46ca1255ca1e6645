"""The host under the protocols: order, stops, ends, and lines of any length."""

from __future__ import annotations

import threading
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from tengen.protocols.line_protocol import MAX_LINE_BYTES, InputQueue, LineProtocol, LineSplitter, any_input
from tests.helpers.protocol_client import Pipes


class Parrot(LineProtocol):
    """Repeats lines; `think` waits for a line that ends it, and `fail` fails."""

    def handle(self, line: str) -> bool:
        if line == "think":
            with self.input_queue.interrupted_by(any_input) as interrupt:
                self.write("thinking")
                interrupt.wait()
            self.write("thought")
            return True
        if line == "think until stop":
            with self.input_queue.interrupted_by(lambda line: line == "stop") as interrupt:
                self.write("thinking")
                interrupt.wait()
        if line == "fail":
            raise RuntimeError("a fault of ours")
        self.write(f"said {line}")
        return line != "bye"

    def report_error(self, error: Exception) -> None:
        self.write(f"oh: {error}")


def talk() -> Pipes:
    return Pipes(Parrot)


def test_lines_are_answered_in_order() -> None:
    pipes = talk()
    pipes.send("a\nb\nc\n")
    assert [pipes.line() for _ in range(3)] == ["said a", "said b", "said c"]
    pipes.hang_up()


def test_any_line_ends_what_thinks_and_is_answered_after_it() -> None:
    pipes = talk()
    pipes.send("think\n")
    assert pipes.line() == "thinking"
    pipes.send("a\n")
    assert [pipes.line(), pipes.line()] == ["thought", "said a"]
    pipes.hang_up()


def test_a_line_that_came_before_the_thinking_began_ends_it_too() -> None:
    pipes = talk()
    pipes.send("a\nthink\nthink\nb\n")
    assert pipes.until(lambda line: line == "said b")[-2:] == ["thought", "said b"]
    pipes.hang_up()


def test_only_the_right_line_ends_what_says_so() -> None:
    pipes = talk()
    pipes.send("think until stop\na\n")
    assert pipes.line() == "thinking"
    pipes.send("stop\n")
    assert [pipes.line() for _ in range(3)] == ["said think until stop", "said a", "said stop"]
    pipes.hang_up()


def test_the_end_of_the_input_ends_an_analysis_and_the_conversation() -> None:
    pipes = talk()
    pipes.send("think\n")
    assert pipes.line() == "thinking"
    pipes.hang_up()


def test_a_last_line_without_its_end_is_heard() -> None:
    pipes = talk()
    pipes.send("a\nbye")
    assert pipes.line() == "said a"
    pipes.hang_up()


def test_a_fault_of_ours_is_answered_and_the_conversation_goes_on(capfd: object) -> None:
    pipes = talk()
    pipes.send("fail\na\nbye\nnever heard\n")
    assert [pipes.line() for _ in range(3)] == ["oh: a fault of ours", "said a", "said bye"]
    pipes.hang_up()


def test_nobody_listens_any_more() -> None:
    """The other program closes its end: no error, the conversation is over."""
    import io
    import os

    from tengen.protocols.line_protocol import run_protocol

    source, to = os.pipe()
    heard, sink = os.pipe()
    os.close(heard)
    os.write(to, b"a\n")
    with os.fdopen(source, "rb") as reads, io.FileIO(sink, "w") as writes:
        run_protocol(Parrot, reads, writes)
    os.close(to)


@given(st.lists(st.binary(max_size=20)), st.lists(st.integers(1, 30), min_size=1))
def test_lines_come_out_however_their_bytes_come_in(lines: list[bytes], sizes: list[int]) -> None:
    data = b"".join(line.replace(b"\n", b"") + b"\n" for line in lines)
    splitter = LineSplitter()
    found: list[str] = []
    while data:
        sizes = sizes[1:] + sizes[:1]
        found += splitter.feed(data[: sizes[0]])
        data = data[sizes[0] :]
    found += splitter.feed(b"")
    assert found == [line.replace(b"\n", b"").decode("utf-8", errors="replace") for line in lines]


def test_a_line_without_end_is_cut_and_the_next_one_is_whole() -> None:
    splitter = LineSplitter()
    for _ in range(40):
        assert splitter.feed(b"x" * (MAX_LINE_BYTES // 10)) == []
    first, second = splitter.feed(b"\nb\n")
    assert len(first) == MAX_LINE_BYTES
    assert second == "b"


def test_a_flood_of_lines_waits() -> None:
    input_queue = InputQueue()
    heard: list[str | None] = []

    def flood() -> None:
        for number in range(30_000):
            input_queue.put(str(number))
        input_queue.put(None)

    writer = threading.Thread(target=flood, daemon=True)
    writer.start()
    writer.join(1)
    assert writer.is_alive()  # it is waiting for us
    take: Callable[[], str | None] = input_queue.take
    while (line := take()) is not None:
        heard.append(line)
    assert heard == [str(number) for number in range(30_000)]
