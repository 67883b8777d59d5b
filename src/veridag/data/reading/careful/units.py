"""Units behind numbers, such as the kg of 12 kg."""

from __future__ import annotations

from functools import lru_cache

_UNITS = """
kg g mg µg μg ug mcg ng pg t lb oz st m cm mm km µm μm um nm in inch inches ft feet yd mi mile l dl cl ml µl μl
ul fl s sec second min minute h hr hour d day w wk week mo mth month y yr year jahr jahre tag tage std stunde
stunden minuten woche wochen monat monate an ans jour mois °c °f ℃ ℉ ° c f k bpm mmhg cmh2o kpa pa hpa mbar bar
psi hz khz mhz ghz kw mw v mv kv a ma mah ah wh kwh j kj cal kcal mol mmol µmol μmol umol nmol pmol iu u meq db
px mph kmh rpm kb mb gb tb ppm ppb dpt x % ‰ pt point cell beat breath copy copies
"""
_KNOWN = frozenset(_UNITS.split())


@lru_cache(1000)
def same_unit(unit: str) -> str:
    """A unit in one spelling: without spaces and case, and not in the plural."""
    folded = "".join(unit.split()).casefold().rstrip(".")
    singular = folded.removesuffix("s")
    return folded if folded in _KNOWN or len(singular) < 2 else singular


@lru_cache(1000)
def is_known(unit: str) -> bool:
    """Whether a text is a unit; behind a stroke anything may stand, as in mg/dL."""
    first, stroke, second = "".join(unit.split()).casefold().rstrip(".").partition("/")
    if not first:
        return bool(stroke) and second in _KNOWN
    bare = first.rstrip("²³").removesuffix("^2").removesuffix("^3")
    return any(text in _KNOWN for text in (first, bare, bare.removesuffix("s"), bare.rstrip("23")))
