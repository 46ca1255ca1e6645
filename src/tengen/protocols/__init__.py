"""Communication with other programs: GTP, NBoard and Gomocup, both as an engine and as a controller of engines.

`line_protocol` reads and answers lines for all three; `gtp`, `nboard` and `gomocup` implement the engine's side.
`external` drives other programs as engines.
"""
