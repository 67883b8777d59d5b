"""Each variable given its parents: a table or an equation, cut to what a page has room for."""

from __future__ import annotations

from itertools import islice, product
from math import isinf, isnan
from typing import Any

from veridag.network import ConditionalGaussian, LinearGaussian, Network, Table
from veridag.network.tables import equation

#: The most rows of a variable's table that the page carries, and cells of all; the file to download has them all.
MOST_CONFIGURATIONS, MOST_CELLS = 64, 15_000
#: The level of intervals, and the most of them that the page shows.
LEVEL, MOST_INTERVALS = 0.95, 5_000


def most_configurations(network: Network) -> int:
    """How many rows of each table a page has room for."""
    widths, heights = {}, {}
    for name, cpd in network.cpds.items():
        if isinstance(cpd, Table):
            r = cpd.probabilities.shape[-1]
            widths[name], heights[name] = len(cpd.parents) + r, cpd.probabilities.size // r
        elif isinstance(cpd, ConditionalGaussian):
            widths[name], heights[name] = len(cpd.discrete) + 2, cpd.sds.size
    most = MOST_CONFIGURATIONS
    while most > 1 and sum(min(heights[v], most) * widths[v] for v in widths) > MOST_CELLS:
        most //= 2
    return most


def described(network: Network, name: str, most: int, digits: int) -> dict[str, Any]:
    """The distribution of a variable given its parents: an equation, or a table of at most so many rows.

    Probabilities have so many digits after the point, and equations one more digit in all. The first `words` columns of
    a table are texts, `given` says whether there are parents, and `by` which.
    """
    cpd = network.cpds[name]
    if isinstance(cpd, Table):
        return _table(network, name, most, digits)
    if isinstance(cpd, LinearGaussian):
        return _equation(network, name, digits + 1)
    return _regressions(network, name, most, digits + 1)


def _equation(network: Network, name: str, digits: int) -> dict[str, Any]:
    cpd = network.gaussian(name)
    mean = equation((cpd.intercept, *cpd.coefficients.tolist()), cpd.parents, digits)
    return {"equation": f"{name} = {mean}, standard deviation {cpd.sd:.{digits}g}"}


def _regressions(network: Network, name: str, most: int, digits: int) -> dict[str, Any]:
    shown = network.regressions(name)
    rows = shown.rows(digits, most)
    words = len(shown.columns) - 1
    return {
        "head": list(shown.columns),
        "given": True,
        "by": list(shown.parameters.parents),
        "words": words,
        "rows": rows,
        "configurations": shown.size,
    }


def _table(network: Network, name: str, most: int, digits: int) -> dict[str, Any]:
    cpt, states = network.table(name), network.states[name]
    flat = cpt.probabilities.reshape(-1, len(states))
    configurations = islice(product(*(network.states[p] for p in cpt.parents)), most)
    rows = [
        [*configuration, *(_probability(p, digits) for p in row)]
        for configuration, row in zip(configurations, flat[:most].tolist(), strict=True)
    ]
    head, words = [*cpt.parents, *states], len(cpt.parents)
    by = list(cpt.parents)
    return {"head": head, "given": words > 0, "by": by, "words": words, "rows": rows, "configurations": len(flat)}


def _probability(p: float, digits: int) -> str:
    """With so many digits; never 0 or 1 for what is not."""
    least = 10.0**-digits
    if 0 < p < least / 2:
        return f"<{least:.{digits}f}"
    return f">{1 - least:.{digits}f}" if 1 - least / 2 < p < 1 else f"{p:.{digits}f}"


def shows_intervals(network: Network, most: int) -> bool:
    """Whether all parameters that are shown have intervals, and are few enough to show them."""
    if network.spread is None or len(network.spread) < len(network.names):
        return False
    cells = 0
    for cpd in network.cpds.values():
        values = cpd.probabilities if isinstance(cpd, Table) else ConditionalGaussian.of(cpd).rows
        cells += min(values.size, most * values.shape[-1])
    return cells <= MOST_INTERVALS


def intervals_shown(network: Network, name: str, most: int) -> dict[str, Any]:
    """A table of estimates with their intervals, of at most so many rows; its first `words` columns are texts.

    The parameters of one regression are below each other.
    """
    found = network.intervals(name, LEVEL)
    discrete, width = name in network.states, len(found.parameters)
    cells = [
        (f"{x.estimate:.3f}", f"{x.lower:.3f} to {x.upper:.3f}") if discrete else _regression_cell(*x[2:])
        for x in islice(found, most * width)
    ]
    parameters = [p if discrete or p != "sd" else "standard deviation" for p in found.parameters]
    if not discrete and not found.parents:
        below = [((p,), [cell]) for p, cell in zip(parameters, cells, strict=True)]
        return {"head": ["parameter", "estimate"], "words": 1, "rows": below}
    configurations = islice(product(*found.parent_states), most)
    rows = [(given, cells[i * width : (i + 1) * width]) for i, given in enumerate(configurations)]
    return {"head": [*found.parents, *parameters], "words": len(found.parents), "rows": rows}


def _regression_cell(estimate: float, lower: float, upper: float) -> tuple[str, str]:
    if isnan(lower):
        return f"{estimate:.4g}", "too few rows"
    return f"{estimate:.4g}", "not determined" if isinf(lower) else f"{lower:.3g} to {upper:.3g}"
