"""The moves of the opening book and their values."""

import tengen

position = tengen.game("othello").start()
book = tengen.book("othello")
assert book is not None
for option in book.options(position):
    print(option.text, option.value)
