"""The HTTP and WebSocket API for programs, described by OpenAPI at /api/openapi.json."""
