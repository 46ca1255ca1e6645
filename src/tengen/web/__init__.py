"""The web app: pages to play, analyse and keep games, and the same over HTTP for programs.

Read it in this order: `hall` and `room` (the games that are open on this server, and who may do what in them),
`guard` (who is let in at all), `picture` and `elements` (what the board draws), `study` (an analysis), `panels`
(how engines add views of their own), then `pages`, one module each, and `api`. `server` puts it together.
"""
