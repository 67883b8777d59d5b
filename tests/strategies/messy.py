"""Small tables with the defects that people's files have, made here: a name, and the bytes of the file."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

ROWS = 24


def table(columns: Mapping[str, Sequence[object]], separator: str = ",", end: str = "\n") -> str:
    """Rows of text with a header; a field with the separator in it is quoted."""
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    quoted = [[f'"{v}"' if separator in str(v) or "\n" in str(v) else str(v) for v in row] for row in rows]
    return "".join(separator.join(row) + end for row in quoted)


def _draw(seed: int, values: Sequence[object], n: int = ROWS) -> list[object]:
    return random.Random(seed).choices(values, k=n)


def _numbers(seed: int, low: float, high: float, digits: int = 1, n: int = ROWS) -> list[float]:
    rng = random.Random(seed)
    return [round(rng.uniform(low, high), digits) for _ in range(n)]


SEX, SMOKER, GRADE = _draw(1, ["f", "m"]), _draw(2, ["no", "yes"]), _draw(3, ["high", "low", "mid"])
AGE = [int(v) for v in _numbers(4, 18, 90, 0)]
WEIGHT = _numbers(5, 50, 99)
PLAIN = {"sex": SEX, "smoker": SMOKER, "grade": GRADE}
WORDS = ["came back with fever and cough", "was tired for most of the week", "had no complaints at all today"]


def _with(**columns: Sequence[object]) -> dict[str, Sequence[object]]:
    return {**PLAIN, **columns}


def _replaced(values: Sequence[object], changes: Mapping[int, object]) -> list[object]:
    return [changes.get(i, value) for i, value in enumerate(values)]


def _comma(values: Sequence[float]) -> list[str]:
    return [str(value).replace(".", ",") for value in values]


def _days(form: str) -> list[str]:
    return [form.format(y=2020 + i % 4, m=1 + i % 12, d=1 + i) for i in range(ROWS)]


MONEY = [f"{1000 + 371 * i:,}" for i in range(ROWS)]
CITIES = {k: [*v] * 4 for k, v in PLAIN.items()} | {"city": [f"city {i % 22}" for i in range(4 * ROWS)]}
CAR, BIKE = _draw(7, ["Car", ""]), _draw(8, ["Bike", ""])
#: Each file by what is wrong with it: what strict reading refuses for the most part,
DEFECTS: dict[str, str | bytes] = {
    "clean": table(PLAIN),
    "identifier": table(_with(patient=[f"P{i:03d}" for i in range(ROWS)])),
    "row-numbers": table({"": range(1, ROWS + 1), **PLAIN}),
    "numeric-id": table(_with(case_id=random.Random(6).sample(range(10**6), ROWS))),
    "iso-dates": table(_with(visit=_days("{y}-{m:02d}-{d:02d}"))),
    "german-dates": table(_with(visit=_days("{d:02d}.{m:02d}.{y}"))),
    "american-dates": table(_with(visit=_days("{m}/{d}/{y}"))),
    "times-of-day": table(_with(visit=_days("{m:02d}:{d:02d}"))),
    "dates-and-times": table(_with(visit=_days("{y}-{m:02d}-{d:02d}T10:{d:02d}:00Z"))),
    "dates-in-words": table(_with(visit=_days("{d} March {y}"))),
    "dates-as-integers": table(_with(visit=_days("{y}{m:02d}{d:02d}"))),
    "free-text": table(_with(remark=[f"{WORDS[i % 3]} in week {i}" for i in range(ROWS)])),
    "nearly-unique": table(_with(name=[f"name {i // 2}" if i < 8 else f"name {i}" for i in range(ROWS)])),
    "many-states": table(
        {k: [*v] * 4 for k, v in PLAIN.items()} | {"city": [f"city {i % 22}" for i in range(4 * ROWS)]}
    ),
    "constant": table(_with(country=["DE"] * ROWS)),
    "duplicate": table(_with(gender=["female" if s == "f" else "male" for s in SEX])),
    "none-is-a-value": table(_with(drug=_draw(7, ["None", "aspirin", "statin"]))),
    "na-among-texts": table(_with(drug=_replaced(_draw(7, ["aspirin", "statin"]), {3: "NA", 9: "NA"}))),
    "question-marks": table(_with(drug=_replaced(_draw(7, ["aspirin", "statin"]), {3: "?", 9: "?"}))),
    "empty-fields": table(_with(drug=_replaced(_draw(7, ["aspirin", "statin"]), {3: "", 9: " "}))),
    "empty-column": table(_with(notes=[""] * ROWS)),
    "missing-number": table({"age": _replaced(AGE, {3: ""}), "weight": WEIGHT}),
    "mostly-missing-number": table({"age": AGE, "weight": WEIGHT, "lab": _replaced([""] * ROWS, {1: 3.5, 4: 2.25})}),
    "many-integers": table({"age": AGE, "weight": WEIGHT}),
    "mixed-kinds": table(_with(weight=WEIGHT)),
    "decimal-comma": table({"age": AGE, "weight": _comma(WEIGHT)}, ";"),
    "decimal-comma-quoted": table({"age": AGE, "weight": _comma(WEIGHT)}),
    "thousands": table({"age": AGE, "income": MONEY}),
    "thousands-points": table({"age": AGE, "income": [f"{v.replace(',', '.')},50" for v in MONEY]}, ";"),
    "thousands-blanks": table({"age": AGE, "income": [v.replace(",", " ") for v in MONEY]}),
    "percent": table({"age": AGE, "share": [f"{v}%" for v in _numbers(8, 0, 100)]}),
    "currency": table({"age": AGE, "price": [f"${v}" for v in _numbers(8, 1, 100, 2)]}),
    "currency-behind": table({"age": AGE, "price": [f"{v} €" for v in _numbers(8, 1, 100, 2)]}),
    "plus-signs": table({"age": AGE, "change": [f"+{v}" if v > 0 else str(v) for v in _numbers(8, -5, 5)]}),
    "stray-blanks": table(_with(drug=_replaced(_draw(7, ["aspirin", "statin"]), {3: "statin ", 9: " statin"}))),
    "stray-cases": table(_with(drug=_replaced(_draw(7, ["aspirin", "statin"]), {3: "Statin", 9: "STATIN"}))),
    "alleles": table(_with(allele=_draw(9, ["A", "a"]))),
    "code-minus-99": table({"age": _replaced(AGE, {3: -99, 9: -99}), "weight": WEIGHT}),
    "code-999": table({"age": AGE, "weight": _replaced(WEIGHT, {3: 999.0, 9: 999.0})}),
    "code-among-states": table(_with(children=_replaced(_draw(7, [0, 1, 2, 3]), {3: -9, 9: -9}))),
    "words-among-numbers": table({"age": _replaced(AGE, {3: "unknown"}), "weight": _replaced(WEIGHT, {5: "n.a."})}),
    "infinite": table({"age": AGE, "weight": _replaced(WEIGHT, {3: "inf"})}),
    "semicolons": table(PLAIN, ";"),
    "tabs": table(PLAIN, "\t"),
    "bars": table(PLAIN, "|"),
    "blanks-between": table(PLAIN, "  "),
    "latin-1": table(_with(ort=_draw(7, ["Köln", "Bonn"]))).encode("latin-1"),
    "utf-16": table(PLAIN).encode("utf-16"),
    "byte-order-mark": table(PLAIN).encode("utf-8-sig"),
    "windows-lines": table(PLAIN, end="\r\n"),
    "old-mac-lines": table(PLAIN, end="\r"),
    "title-above": "Survey of 2024\nexported on Monday\n\n" + table(PLAIN),
    "no-header": table({str(v): values for v, values in zip(("f", "no", "low"), PLAIN.values(), strict=True)}),
    "no-header-numbers": table({"41": AGE, "70.5": WEIGHT}),
    "years-as-names": table({"2021": WEIGHT, "2022": _numbers(8, 50, 99), "2023": _numbers(9, 50, 99)}),
    "names-twice": table(PLAIN).replace("smoker", "sex", 1),
    "blank-names": table(PLAIN).replace("smoker", " ", 1),
    "short-row": table(PLAIN).replace("\n", "\nf,no\n", 1),
    "trailing-separators": table(PLAIN).replace("\n", ",\n"),
    "blank-lines": table(PLAIN).replace("\n", "\n\n", 5),
    "quotes": table(_with(drug=_draw(7, ["aspirin, 100 mg", "statin"]))),
    "line-breaks-in-fields": table(_with(drug=_draw(7, ["aspirin\nstrong", "statin"]))),
    "leading-zeros": table(_with(ward=_draw(7, ["001", "002", "010"]))),
    "codes-as-decimals": table(_with(stage=_draw(7, ["1.0", "2.0", "3.0"]))),
    "booleans": table(_with(alive=_draw(7, ["TRUE", "FALSE"]))),
}
#: and values that have another meaning than the letters say.
DOUBTS: dict[str, str | bytes] = {
    "marks-among-texts": table(_with(drug=_replaced(_draw(7, ["aspirin", "statin"]), {3: "-", 9: "n.a.", 11: "."}))),
    "minus-beside-plus": table(_with(culture=_draw(7, ["-", "+", "++"]))),
    "unknown-among-texts": table(_with(drug=_replaced(_draw(7, ["aspirin", "statin"]), {3: "unknown", 9: "Unknown"}))),
    "unknown-among-codes": table(_with(stage=_replaced(_draw(7, [1, 2, 3, 4]), {3: "unknown", 9: "unknown"}))),
    "spreadsheet-errors": table(
        _with(drug=_replaced(_draw(7, ["aspirin", "statin"]), {3: "#REF!"}), bmi=_replaced(WEIGHT, {5: "#DIV/0!"}))
    ),
    "synonyms": table(
        _with(vaccinated=_draw(7, ["yes", "y", "no", "N"]), gender=_draw(8, ["male", "m", "female", "w"]))
    ),
    "truth-in-two-forms": table(_with(alive=_draw(7, ["TRUE", "FALSE", "1", "0"]))),
    "accents-and-plurals": table(
        _with(
            fruit=_draw(7, ["pear", "pears", "açaí", "acai"]), site=_draw(8, ["St. Mary", "St Mary", "Köln", "Koeln"])
        )
    ),
    "states-with-marks-of-options": table(_with(ratio=_draw(7, ["a:b, c=d", "a:b,c=d", "other"]))),
    "padded-title": "Survey 2024,,\n,,\n" + table(PLAIN),
    "totals-below": table(_with(cost=WEIGHT)) + "Total,,,1768.2\nMean,,,73.7\n",
    "german-totals": "Klinikum Nord;;;\n" + table(_with(Kosten=_comma(WEIGHT)), ";") + "Summe;;;1768,2\n",
    "remark-below": table(_with(cost=WEIGHT)) + "\nSource: ministry of health\n",
    "units": table(
        {"weight": [f"{v} kg" for v in WEIGHT], "temp": [f"{v}°C" for v in _numbers(8, 36, 40)], "age": AGE}
    ),
    "different-units": table(_with(weight=[f"{v} {'lb' if i % 5 == 0 else 'kg'}" for i, v in enumerate(WEIGHT)])),
    "different-currencies": table(_with(price=[f"{'$€'[i % 2]}{v}" for i, v in enumerate(WEIGHT)])),
    "accounting": table({"age": AGE, "balance": [f"({v})" if i % 4 == 0 else v for i, v in enumerate(WEIGHT)]}),
    "limits": table({"age": AGE, "crp": _replaced(_numbers(8, 1, 90), {2: "<0.5", 5: "<0.5", 9: ">100"})}),
    "top-coded": table(_with(hours=_replaced(_draw(7, range(1, 12)), {3: "more than 12", 8: "more than 12"}))),
    "nine-beside-a-scale": table(_with(mood=_replaced(_draw(7, [1, 2, 3, 4, 5]), {3: 9, 9: 9}))),
    "minus-one": table(_with(children=_replaced(_draw(7, [0, 1, 2, 3]), {3: -1, 9: -1}))),
    "long-nines": table(
        {"age": AGE, "income": _replaced([20_000 + 4_111 * i for i in range(ROWS)], {3: 99999, 9: 99999})}
    ),
    "postcodes": table(_with(zip=_draw(7, [90210, 10001, 60601]), plz=_draw(8, ["01067", "80331", "10115"]))),
    "phone-numbers": table(_with(phone=random.Random(6).sample(range(5_000_000, 9_999_999), ROWS))),
    "serial-numbers": table(_with(device=random.Random(6).sample(range(10**9, 10**10), ROWS))),
    "patients-with-several-visits": table(
        {k: [*v] * 2 for k, v in PLAIN.items()} | {"patient_id": [100 + i // 2 for i in range(2 * ROWS)]}
    ),
    "qualtrics": "Q1,Q2,Q3\nWhat is your sex?,Do you smoke?,Which grade?\n"
    + ",".join(f'"{{""ImportId"":""QID{i}""}}"' for i in range(3))
    + "\n"
    + table(PLAIN).split("\n", 1)[1],
    "questions-below-names": table(PLAIN).replace(
        "\n", "\nWhat is your sex?,Do you smoke?,Which grade did you get?\n", 1
    ),
    "ticked-boxes": "id,Which do you own?,,How do you feel?\n,Car,Bike,Response\n"
    + "".join(f"{i},{a},{b},{c}\n" for i, (a, b, c) in enumerate(zip(CAR, BIKE, GRADE, strict=True))),
    "separator-in-the-first-line": "sep=;\nZeit;Druck;Temp\n[s];[bar];[°C]\n"
    + table(dict(zip("abc", map(_comma, (WEIGHT, _numbers(8, 1, 3), _numbers(9, 18, 25))), strict=True)), ";").split(
        "\n", 1
    )[1],
    "points-between-thousands-alone": table(
        {"population": [f"{i % 9 + 1}.{i * 37 % 900 + 100}" for i in range(ROWS)], "weight": _comma(WEIGHT)}, ";"
    ),
    "two-decimal-marks": table({"share": [f"{v} %" for v in _numbers(8, -9, 9)], "weight": _comma(WEIGHT)}, ";"),
    "stata-missing": table(_with(stage=_replaced(_draw(7, [1, 2, 3]), {3: ".a", 9: ".b", 11: "."}))),
    "not-done": table({"age": AGE, "hgb": [v if i % 3 else "ND" for i, v in enumerate(WEIGHT)]}),
    "sensor-log": "# device TH-200\n# site 4\ntemp,humidity,status\n°C,%,\n"
    + table({"a": _numbers(8, 15, 30), "b": _numbers(9, 30, 70), "c": _draw(7, ["ok", "fault"])}).split("\n", 1)[1],
}
TEXTS = DEFECTS | DOUBTS


def content(name: str) -> bytes:
    """The bytes of one of the files."""
    text = TEXTS[name]
    return text if isinstance(text, bytes) else text.encode()
