"""Engine settings that were renamed: stored players get the new names, so that a player stays one player."""

import hashlib
import json

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_RENAMED = {
    "go": {"even": "prior_games", "likely": "policy_games", "shapes": "patterns", "answers": "replies"},
    "strings": {"big": "big_moves", "shapes": "patterns", "answers": "replies"},
    "pente": {"leaf": "leaf_nodes", "inner": "inner_nodes", "share": "threes_divisor"},
    "classic": {"choke": "choke_ply", "choked": "choked_width", "start": "presort_width"},
}


def upgrade() -> None:
    connection = op.get_bind()
    players = sa.table("players", sa.column("id"), sa.column("kind"), sa.column("likeness"), sa.column("player"))
    for identity, text in connection.execute(
        sa.select(players.c.id, players.c.player).where(players.c.kind == "engine")
    ).all():
        player = json.loads(text)
        config = player["genome"]
        renamed = _RENAMED.get(config["engine"], {})
        if not renamed.keys() & config["settings"].keys():
            continue
        config["settings"] = {renamed.get(name, name): value for name, value in config["settings"].items()}
        key = json.dumps([player["name"].casefold(), config], sort_keys=True)
        connection.execute(
            players.update()
            .where(players.c.id == identity)
            .values(player=json.dumps(player), likeness=hashlib.sha256(key.encode()).hexdigest())
        )
