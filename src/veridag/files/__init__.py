"""Files of any kind: how they are written whole, how much they may cost, and TOML. Formats do not live here."""
