"""People and engine configurations: plain data that can be stored, and one textual syntax for them."""
