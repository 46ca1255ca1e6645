"""Communication with other programs: GTP, NBoard, Gomocup and KataGo, as an engine and as a controller of engines.

`line_protocol` reads and answers lines for all of them; `gtp`, `nboard`, `gomocup` and `katago` implement the
engine's side.
`external` drives other programs as engines.
"""
