"""Files of any kind: writing them atomically, limits on their size, TOML, and SQLite. Formats do not belong here."""
