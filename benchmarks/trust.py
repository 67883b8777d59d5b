"""Are the chances and levels of `vd.assess` right, and is the recommended learner better than the default?

It reads the results of ``veridag study run trust`` and prints, for networks that the model was not fitted to: the
expected calibration error of chances of 0.3 and more and the Brier score, next to those of the posterior and of
bootstrap shares alone; by how many pairs the recommended learner is farther from the truth than the best compared, next
to the default learner; and how often it is within one pair at each level. With ``--refit`` the model is fitted again to
the part `train`, and its file is written: ``make trust-model`` does both.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import veridag.trust.assessment as home
from veridag.study.kinds.trust.fitting import Judged, fit_model, model_text, write_model
from veridag.study.kinds.trust.judging import LEVELS, WAYS, groups_of, judged_by_model, level_counts, said
from veridag.study.kinds.trust.tables import KnownTable, tables_of
from veridag.study.plan import load
from veridag.study.store import Store
from veridag.study.tables import results
from veridag.trust.assessment.chances import forget_model
from veridag.trust.assessment.levels import HitRate


def show(judged: Sequence[Judged]) -> None:
    for name, own in groups_of(judged):
        if not own:
            continue
        above = np.array([x.above_best for x in own])
        default = np.array([x.default_above_best for x in own])
        print(f"\n{name}: {len(own)} tables")
        print(f"  above the best compared, in pairs: recommended {above.mean():.2f}, default {default.mean():.2f}")
        print(f"  within one pair of it: recommended {np.mean(above <= 1):.2f}, default {np.mean(default <= 1):.2f}")
        for level, (number, within) in level_counts(own).items():
            print(
                f"  {level:9}: {number / len(own):.2f} of the tables, "
                f"within one pair {HitRate(number, within).share:.2f}"
            )
        for what in ("edges", "directions"):
            for way in WAYS:
                found = said(own, way, what)
                print(f"  {what:10} {way:9}: calibration error {found.error:.3f}, Brier score {found.brier:.4f}")


def refit(tables: Sequence[KnownTable]) -> None:
    """Write the model, then its hit rates on the part test, which need the model."""
    fitted = fit_model(tables)
    path = Path(str(home.__file__)).with_name("model.toml")
    train = sum(table.part == "train" for table in tables)
    about = (
        "The model of chances and levels: see chances.py and docs/trust.md. Written by benchmarks/trust.py --refit.\n"
        f"Fitted to {train} tables of the part train of the study trust. The rates are those of {len(tables) - train}\n"
        "tables of the part test, which share no network with them."
    )
    write_model(path, model_text(fitted, dict.fromkeys(LEVELS, (0, 0)), about))
    forget_model()
    rates = level_counts(judged_by_model(tables))
    write_model(path, model_text(fitted, rates, about))
    forget_model()
    print(f"fitted to {len(fitted.judged)} tables; {path.name} written")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", default="trust.sqlite")
    parser.add_argument("--scale", default="short")
    parser.add_argument("--refit", action="store_true")
    options = parser.parse_args()
    if not Path(options.store).is_file():
        print(f"{options.store} is not there: run `veridag study run trust --store {options.store}` first")
        return
    with Store(options.store, read_only=True) as store:
        tables = tables_of(results(load("trust", options.scale), store, only_done=True))
    if options.refit:
        refit(tables)
    show(judged_by_model(tables))


if __name__ == "__main__":
    main()
