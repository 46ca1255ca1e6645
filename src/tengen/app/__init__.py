"""Use cases shared by all front ends (web, terminal, command line). Nothing here imports a front end."""
