"""What every test process needs."""

import contextlib
import signal

# A test runner started in the background ignores Ctrl-C, and so would every program that the tests start.
with contextlib.suppress(ValueError):  # not in the main thread
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
