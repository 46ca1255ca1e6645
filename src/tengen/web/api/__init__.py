"""What the pages do, for programs: over HTTP and WebSocket, described by OpenAPI at /api/openapi.json."""
