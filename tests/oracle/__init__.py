"""Values from an independent implementation; README.md says which."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def load(name: str) -> Any:
    """The values of one file, such as ``load("graphs")``."""
    return json.loads((Path(__file__).parent / f"{name}.json").read_text("utf-8"))
