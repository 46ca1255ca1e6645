"""How the tables came to be, one version after the other (alembic)."""
