"""Tables as people have them: what a careful analyst would do by default is done, and said in one line each.

Nothing here refuses a column: what cannot be a variable is left out. The rules that refuse are in `coding`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from veridag.data.reading.raw import Levels, Numbers, Raw, RawTable, Unusable
from veridag.data.reading.rules import Rules
from veridag.data.remembering import remembered
from veridag.errors import setting

from .deciding import Decision, decide, merged_exactly
from .findings import Finding, notes_of
from .numerals import has_decimal_comma

__all__ = ["Finding", "careful", "notes_of"]

# The share of missing values from which on a continuous column costs more rows than it is worth, if they are left out,
# or says too little, if gaps are kept without anybody having asked for it.
_MOST_MISSING = {"drop": 0.5, None: 0.9}


def careful(table: RawTable, rules: Rules) -> tuple[RawTable, tuple[Finding, ...]]:
    """The columns that can be variables, settled, and what was found in all of them."""
    decimal = rules.decimal or _decimal_mark(table.columns, rules)
    special = {*rules.roles}
    columns: list[Raw] = []
    findings: list[Finding] = []
    for raw in table.columns:
        named_apart = raw.name in special
        decision = _named_apart(raw, rules) if named_apart else decide(raw, rules.about(raw.name), decimal)
        findings += decision.findings
        if decision.column is not None:
            columns.append(decision.column)
    kept = []
    for column in columns:
        sparse = _too_sparse(column, rules) if column.name not in special else None
        findings += [] if sparse is None else [sparse]
        kept += [column] if sparse is None else []
    return replace(table, columns=kept), tuple(findings)


def _named_apart(raw: Raw, rules: Rules) -> Decision:
    """The column of groups, weights or targets, which is no variable."""
    findings: list[Finding] = []
    column = raw if isinstance(raw, Unusable) else merged_exactly(raw, rules, findings)
    return Decision(column, tuple(findings))  # type: ignore[arg-type] # what cannot be used is refused later


def _decimal_mark(columns: Sequence[Raw], rules: Rules) -> str | None:
    """A comma, if one column cannot be read otherwise: a file has one decimal mark."""
    return "," if any(_has_decimal_comma(raw, rules.about(raw.name)) for raw in columns) else None


@remembered
def _has_decimal_comma(raw: Raw, rules: Rules) -> bool:
    if not isinstance(raw, Levels) or raw.origin not in ("field", "text") or raw.name in rules.as_written:
        return False
    tokens = rules.tokens(raw.name)
    texts = [label for label in raw.labels if label is not None and label not in tokens]
    return has_decimal_comma([label.strip() for label in texts])


def _too_sparse(column: Raw, rules: Rules) -> Finding | None:
    """A continuous column without most of its values."""
    if rules.missing not in _MOST_MISSING or not isinstance(column, Numbers):
        return None
    share = float(np.isnan(column.values).mean())
    if share <= _MOST_MISSING[rules.missing]:
        return None
    keep = setting("kinds", {column.name: "continuous"})
    if rules.kind(column.name) is not None:
        return None
    return Finding(column.name, "mostly missing", f"{share:.0%} of its values", "left out", keep)
