"""States that seem to mean the same: yes and y, male and m, and spellings that differ in accents or marks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

_SAME = (
    ("yes y true t 1 ja j oui o vrai si sí s wahr x", "no n false f 0 nein non faux falsch nej nee não"),
    (
        "male m man men männlich maennlich mann homme masculin hombre",
        "female f w woman women weiblich frau femme féminin mujer",
    ),
    ("positive pos positiv +", "negative neg negativ -"),
)
#: Members that are too short to mean this by themselves: the other states of the column have to be of the two groups.
_SHORT = 2
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_MARKS = re.compile(r"(?<=[^\W\d_])[\s_./'’-]+(?=\w)|(?<=\d)[\s_-]+(?=[^\W\d_])|(?<=\w{2})[.!:;]+$|\s+")


def mergers_of(counts: Mapping[str, int]) -> dict[str, str]:
    """Which states might become which other ones, by their numbers of rows."""
    found = _same_words(counts)
    groups: dict[str, list[str]] = {}
    for state in counts:
        if state not in found:
            keys = _keys(state)
            key = next((key for key in keys if key in groups), keys[0])
            groups.setdefault(key, []).append(state)
    for key in [key for key in groups if key]:
        for plural in (f"{key}s", f"{key}es"):
            if len(key) >= 3 and not key.endswith("s") and key in groups and plural in groups:
                groups[key] += groups.pop(plural)
    for key, members in groups.items():
        if key and len(members) > 1:
            chosen = max(members, key=lambda state: (counts[state], state))
            found |= {state: chosen for state in members if state != chosen}
    return found


def _same_words(counts: Mapping[str, int]) -> dict[str, str]:
    folded = {state: state.casefold() for state in counts}
    for pair in _SAME:
        sides = [set(words.split()) for words in pair]
        members = [[state for state, word in folded.items() if word in side] for side in sides]
        complete = len(members[0]) + len(members[1]) == len(counts)
        found: dict[str, str] = {}
        for states in members:
            sure = [state for state in states if complete or len(state) >= _SHORT or _is_initial(state, states)]
            if len(sure) > 1:
                # A word says more than a number or a letter.
                chosen = max(sure, key=lambda state: (len(state) > 1, counts[state], state))
                found |= {state: chosen for state in sure if state != chosen}
        if found:
            return found
    return {}


def _is_initial(state: str, others: list[str]) -> bool:
    """Whether a letter begins one of the other words."""
    return any(other != state and other.casefold().startswith(state.casefold()) for other in others)


def _keys(state: str) -> list[str]:
    """What two spellings of the same name have in common; the first is without accents."""
    plain = _MARKS.sub("", state.casefold().strip())
    bare = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    german = unicodedata.normalize("NFC", plain).translate(_GERMAN)
    return [bare] if german == plain else [german, bare]
