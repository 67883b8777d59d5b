"""Texts that stand for a missing value: those that can mean nothing else, and words that may be states."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

#: Errors of spreadsheet programs, as they are written in English, German, French and Spanish ones.
_ERRORS = """
#div/0! #ref! #value! #name? #num! #null! #n/a #spill! #calc! #getting_data #field! #wert! #bezug! #zahl! #nv
#valeur! #nom? #nombre! #nul! #¡valor! #¡ref! #¡div/0! #¿nombre? #¡num! err:502 err:508 err:509
"""
_MARKS = """
- -- --- – — . .. ... … ? ?? ??? n.a. n.a n/a n.d. k.a. n.v. <na> null nan (null) <null> (blank) (empty) (leer)
(vide)
"""
_WORDS = """
none | nil | na | nd | n.k. | n/k | nk | dk | d/k | unk | unknown | not known | missing | undefined |
unspecified | not specified | not stated | not recorded | not available | not applicable | not answered | not
done | not tested | no answer | no data | no response | no information | refused | refused to answer | declined
| declined to answer | prefer not to say | prefer not to answer | don't know | dont know | do not know | not
sure | blank | empty | unbekannt | keine angabe | weiß nicht | weiss nicht | entfällt | nicht erhoben | fehlt |
fehlend | inconnu | inconnue | non renseigné | ne sait pas | sans réponse | desconocido | desconocida | no sabe
| sin dato | sin datos | sconosciuto | non noto | onbekend | geen antwoord | okänd | ukendt | nieznany | brak
danych | desconhecido | 不明 | 未知 | неизвестно | * | ** | /
"""
_STATA = re.compile(r"\.[a-z]")
_OPPOSITE = re.compile(r"\(?[+±]+\)?|(?:pos|neg)(?:itive?|itiv|ative?|ativ)?\.?", re.I)  # of the mark -


@cache
def _split(texts: str, mark: str | None = None) -> frozenset[str]:
    return frozenset(" ".join(text.split()) for text in texts.split(mark))


def is_error(text: str) -> bool:
    """Whether a text is what a spreadsheet program shows for a formula that fails."""
    return text.casefold() in _split(_ERRORS)


def marks_among(labels: Iterable[str]) -> list[str]:
    """The labels that are no words and unlikely values. Together with + or "positive", - is a value."""
    known, known_marks = list(labels), _split(_MARKS)
    signed = any(map(_OPPOSITE.fullmatch, known))
    marks = [label for label in known if label.casefold() in known_marks or _STATA.fullmatch(label)]
    return [label for label in marks if not (signed and set(label) <= set("-–—"))]


def words_among(labels: Iterable[str]) -> list[str]:
    """The labels that are words for a missing value, such as "unknown", which may be states of their own."""
    words = _split(_WORDS, "|")
    return [label for label in labels if {label.casefold(), label.casefold().strip("()[]<>. ")} & words]


def counted_texts(texts: Iterable[str], counts: Mapping[Any, int], most: int = 4) -> str:
    """Texts with the number of rows that have them, for a line of a finding."""
    shown = [f"{text!r} in {counts[text]} row{'' if counts[text] == 1 else 's'}" for text in texts]
    return ", ".join(shown[:most]) + (f" and {len(shown) - most} more" if len(shown) > most else "")
