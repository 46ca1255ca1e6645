"""The web app: pages to play, analyse and store games, and the same functions as an HTTP API.

Reading order: `game_sessions` and `game_session` (the games open on this server, and who may change them),
`security` and `authentication` (which requests are accepted), `board_data` and `elements` (what the board
component draws), `analysis_session`, `panels` (how engines add their own views), then `pages`, one module per
page, and `api`. `server` assembles the application.
"""
