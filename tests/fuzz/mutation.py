"""Damaged files: a few random changes to one of the corpus."""

from __future__ import annotations

import random
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"

#: What is put in besides: marks of the formats, numbers at the edges, and characters that mislead.
TOKENS = [
    *(
        b"{",
        b"}",
        b"(",
        b")",
        b"[",
        b"]",
        b"<",
        b">",
        b"|",
        b";",
        b",",
        b":",
        b"=",
        b'"',
        b"'",
        b"\\",
        b"/*",
        b"*/",
        b"//",
    ),
    *(b"#", b"->", b"--", b"\n", b"\r", b"\r\n", b"\t", b"\0", b"\xff", b"\xef\xbb\xbf", b"\x1b[2J", b"\xe2\x80\xae"),
    *(b"0", b"-1", b"1e999", b"-1e999", b"nan", b"inf", b"1e-320", b"9" * 40, b"18446744073709551616", b"0.5", b"NA"),
    *(
        b"variable",
        b"probability",
        b"network",
        b"node",
        b"states",
        b"parents",
        b"table",
        b"default",
        b"digraph",
        b"null",
    ),
    *(b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"<VARIABLE>", b"META VERSION = 1.0", b"{}", b"[]", b"true"),
]


def seeds(ending: str) -> list[bytes]:
    """The files of the corpus with this ending."""
    return [path.read_bytes() for path in sorted(CORPUS.glob(f"*{ending}"))]


def mutated(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """The content after one to six changes: parts removed, doubled, moved, overwritten, or taken from another file."""
    made = bytearray(content)
    for _ in range(chance.randint(1, 6)):
        start = chance.randrange(len(made) + 1)
        end = min(len(made), start + int(chance.expovariate(1 / 12)))
        match chance.randrange(7):
            case 0:
                del made[start:end]
            case 1:
                made[start:start] = made[start:end]
            case 2:
                made[start:start] = chance.choice(TOKENS)
            case 3:
                made[start:end] = chance.choice(TOKENS)
            case 4 if made:
                made[chance.randrange(len(made))] = chance.randrange(256)
            case 5:
                other = chance.choice(others)
                cut = chance.randrange(len(other) + 1)
                made[start:end] = other[cut : cut + chance.randint(1, 60)]
            case _:
                del made[start:]
                made += content[end:]
    return bytes(made)
