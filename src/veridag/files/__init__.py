"""Files of any kind: how they are written whole, how much they may cost, TOML, and SQLite. Formats do not live here."""
