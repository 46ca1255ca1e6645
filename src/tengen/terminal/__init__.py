"""Terminal front ends: line-based commands in this package, the full-screen app in `app`."""
