"""`tengen proofs …`: the library of solved positions."""

from __future__ import annotations

from tengen.cli.option_groups import command_group

app = command_group("The library of solved positions, each with a proof or the command that produces it.")
