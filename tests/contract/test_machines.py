"""The same data gives the same scores and graphs on every machine, to the last bit."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

TESTS = Path(__file__).parent.parent
CORE = TESTS.parent / "src" / "core"

#: A machine without AVX and fused operations, as the C library, numpy and its BLAS see it.
PLAIN = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4,-AVX",
    "NPY_DISABLE_CPU_FEATURES": " ".join(np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])),
    "OPENBLAS_CORETYPE": "Nehalem",
}


def digests(environment: dict[str, str]) -> dict[str, dict[str, str]]:
    """By the instructions that count bits, and by what was computed."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(TESTS / "machines.py")],
        check=False,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, str]] = {}
    for line in done.stdout.splitlines():
        kernels, name, digest = line.split("\t")
        found.setdefault(kernels, {})[name] = digest
    return found


def test_the_core_calls_no_function_whose_last_digit_depends_on_the_machine():
    """Only `elementary.hpp` has these; the C library has a version of each for every kind of processor."""
    inexact = re.compile(
        r"std::(log|log2|log10|log1p|exp|exp2|expm1|pow|[lt]gamma|erfc?|a?(sin|cos|tan)h?|cbrt|hypot|fma)\("
    )
    sources = sorted(CORE.rglob("*.?pp"))
    assert CORE / "elementary.cpp" in sources
    assert [(path.name, found[0]) for path in sources for found in inexact.finditer(path.read_text())] == []


@pytest.mark.medium
def test_scores_samples_and_graphs_are_the_same_bits_with_and_without_wide_vectors_and_fused_operations():
    modern, plain = digests({}), digests(PLAIN)
    assert len(modern["portable"]) > 50
    assert modern.keys() == plain.keys()
    for kernels in modern:
        assert modern[kernels] == modern["portable"], kernels
        assert plain[kernels] == modern["portable"], kernels
