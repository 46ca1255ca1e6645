"""The full-screen terminal app. docs/guide/terminal.md describes its screens.

`main` starts it. `main` and `menu_screen` import nothing heavy, so that the menu appears at once; everything else
is loaded in the background. Drawing is separate from widgets: see `board_drawing` and `match_snapshot`.
"""
