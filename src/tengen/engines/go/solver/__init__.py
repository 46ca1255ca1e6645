"""Small boards of Go solved: exact values under area scoring. See docs/internals/go.md."""
