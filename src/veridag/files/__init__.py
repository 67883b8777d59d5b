"""Files of any kind: writing them atomically, limits on their size, and TOML. Formats do not belong here."""
