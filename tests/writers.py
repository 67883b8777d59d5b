"""Each writer of the package, on something small."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import polars as pl
from matplotlib.figure import Figure as Drawing

import veridag as vd
from veridag import figures
from veridag.criteria.score_table import write_table
from veridag.data.settings import TableSettings
from veridag.files.writing import write_bytes, write_text
from veridag.graph.files import write_graph
from veridag.study import style
from veridag.study.kind import Figure
from veridag.study.kinds.trust.fitting import write_model
from veridag.study.tables import write_parquet


def _report() -> object:
    """A report whose page does not matter here."""
    from veridag.report.content import Report

    report = object.__new__(Report)
    object.__setattr__(report, "to_html", lambda: "<html>" + "x" * 1000)
    return report


def _drawing() -> Drawing:
    drawing = Drawing()
    drawing.subplots().plot([1, 2])
    return drawing


@cache
def few_draws() -> vd.Draws:
    few = vd.networks.load("cancer").sample(100, seed=1)
    return vd.sample_posterior(few, draws=20, chains=1, seed=1)


def _style(path: Path) -> None:
    """The CSV of a study's figure; the drawing is in the cases svg and png."""
    style.write(Figure(path.stem, Drawing(), pl.DataFrame({"x": range(1000)})), path.parent)


#: Each writer of the package: the ending of its file, and how it is called.
WRITERS: dict[str, tuple[str, Callable[[vd.Network, vd.Data, Path], object]]] = {
    "text": (".txt", lambda net, data, path: write_text(path, "x" * 1000)),
    "bytes": (".txt", lambda net, data, path: write_bytes(path, b"x" * 1000)),
    "bif": (".bif", lambda net, data, path: net.write(path)),
    "bif.gz": (".bif.gz", lambda net, data, path: net.write(path)),
    "xmlbif": (".xml", lambda net, data, path: net.write(path)),
    "net": (".net", lambda net, data, path: net.write(path)),
    "dsc": (".dsc", lambda net, data, path: net.write(path)),
    "json": (".json", lambda net, data, path: net.write(path)),
    "csv": (".csv", lambda net, data, path: data.write(path)),
    "tsv.gz": (".tsv.gz", lambda net, data, path: data.write(path)),
    "parquet": (".parquet", lambda net, data, path: data.write(path)),
    "arrow": (".arrow", lambda net, data, path: data.write(path)),
    "graph": (".json", lambda net, data, path: write_graph(net.dag, path)),
    "dot": (".dot", lambda net, data, path: write_graph(net.dag, path)),
    "drawing": (".svg", lambda net, data, path: net.dag.draw(path)),
    "score table": (".jkl", lambda net, data, path: write_table(vd.score_table(data, vd.BIC(), max_indegree=1), path)),
    "svg": (".svg", lambda net, data, path: figures.save(_drawing(), path)),
    "png": (".png", lambda net, data, path: figures.save(_drawing(), path)),
    "settings": (".toml", lambda net, data, path: TableSettings(drop=("x" * 1000,)).write(path)),
    "model": (".toml", lambda net, data, path: write_model(path, "x" * 1000)),
    "report": (".html", lambda net, data, path: _report().write(path)),
    "draws": (".npz", lambda net, data, path: few_draws().save(path)),
    "study figure": (".csv", lambda net, data, path: _style(path)),
    "study export": (".parquet", lambda net, data, path: write_parquet(pl.DataFrame({"x": range(1000)}), path)),
}
