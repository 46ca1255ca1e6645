"""A progress bar for tests that interrupts a run."""


class StoppingBar:
    """Raises `KeyboardInterrupt` after `interrupt_after` finished tasks. `last` is the last progress shown."""

    def __init__(self):
        self.interrupt_after = None
        self.last = None

    def __call__(self, label):
        return self

    def __enter__(self):
        return self.show

    def __exit__(self, *error):
        return None

    def show(self, progress):
        self.last = progress
        if self.interrupt_after is not None and progress.done >= self.interrupt_after:
            raise KeyboardInterrupt
