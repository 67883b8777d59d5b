"""Arguments and options that several commands share, and the table that most of them read."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Literal, get_type_hints

import typer

from veridag.errors import InputError

from .completion import network_names, spec_names
from .parsing import (
    discretize_of,
    integer_of,
    merge_states_of,
    missing_values_of,
    names_of,
    pairs_of,
    rows_of,
    states_of,
)
from .terminal import detail, note

if TYPE_CHECKING:
    from veridag.data import Data, TableSettings
    from veridag.network import Network
    from veridag.work.pieces import Executor

Output = Annotated[
    str, typer.Option("--output", "-o", help="Write to this file; - is standard output.", metavar="FILE")
]
NetworkArgument = Annotated[
    str,
    typer.Argument(
        help="A reference network (see `veridag networks`), a network file (.bif, .xml, .net, .dsc, .json; also .gz), "
        "or - for standard input.",
        metavar="NET",
        autocompletion=network_names,
    ),
]
GraphArgument = Annotated[
    str,
    typer.Argument(
        help="A reference network, a file (.bif, .xml, .net, .dsc, .json, .dot), a modelstring such as '[A][B|A]', or "
        "- for standard input.",
        metavar="GRAPH",
        autocompletion=network_names,
    ),
]
DataArgument = Annotated[
    str,
    typer.Argument(
        help="A table: .csv, .tsv, .txt, .xlsx, .ods, .dta, .sav, .sas7bdat, .parquet, .json, .sqlite and others, see "
        "docs/data.md; - for standard input.",
        metavar="DATA",
    ),
]


KindOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Treat a column as discrete or continuous, such as age=continuous. Repeat for several columns. Default: "
        "decided from the values.",
        metavar="COLUMN=KIND",
    ),
]
StatesOption = Annotated[
    list[str] | None,
    typer.Option(
        help="The states of a column in order, observed or not, such as grade=low,mid,high. Repeat for several "
        "columns. A network, by name or file, gives the states of all its variables.",
        metavar="COLUMN=A,B|NET",
    ),
]
GroupOption = Annotated[
    str | None,
    typer.Option(
        help="Column of groups: which related data set each row belongs to, such as hospital.", metavar="COLUMN"
    ),
]
WeightsOption = Annotated[
    str | None, typer.Option(help="Column of weights: how many times each row counts.", metavar="COLUMN")
]
TargetsOption = Annotated[
    str | None,
    typer.Option(
        help="Column of interventions: the variables that were set in each row, such as A or A;B; empty or none for "
        "rows that were only observed. Scores of a variable leave out the rows in which it was set.",
        metavar="COLUMN",
    ),
]
MissingOption = Annotated[
    Literal["error", "state", "drop", "keep", "indicator"] | None,
    typer.Option(
        help="What to do with missing values. keep: learn from the observed values. indicator: the same, and add "
        "columns that show where values are missing. state: make them a state. drop: leave out the rows. error: "
        "refuse the table. Default: keep, but in a column with only one value, such as a tick box, they become a "
        "state, and nearly empty continuous columns are left out."
    ),
]
MissingValuesOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Texts and numbers that mean a missing value in a column, in addition to the usual ones, such as age=-99; "
        "*=A,B applies to all columns. Without a column name they replace the usual ones. Repeat for several "
        "columns.",
        metavar="[COLUMN=]A,B",
    ),
]
MergeStatesOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Merge states of a column that mean the same, such as smoker=y:yes,Y:yes. Repeat for several columns.",
        metavar="COLUMN=OLD:NEW,...",
    ),
]
ColumnsOption = Annotated[
    list[str] | None, typer.Option(help="Use only these columns, such as age,smoker.", metavar="A,B")
]
DropOption = Annotated[list[str] | None, typer.Option(help="Leave out these columns, such as name,id.", metavar="A,B")]
AsWrittenOption = Annotated[
    list[str] | None,
    typer.Option(help="Do not clean these columns: keep spaces, spellings and codes as they are.", metavar="A,B"),
]
DiscretizeOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Discretize all continuous columns, or one, such as age=interval(5). Methods: quantile(3), interval(3), "
        "hartemink(3), mdl(by=COLUMN), or blanket, which learns a network. Repeat for several columns.",
        metavar="[COLUMN=]METHOD",
    ),
]
TransformOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Transform a skewed column, such as income=log or income=rank. Repeat for several columns.",
        metavar="COLUMN=METHOD",
    ),
]
MergeRareOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Merge the states of a column that have fewer observations than this, such as city=10. Repeat for several "
        "columns.",
        metavar="COLUMN=COUNT",
    ),
]
SeparatorOption = Annotated[
    str | None,
    typer.Option(help="Field separator: a character, or tab. Default: detected from the file.", metavar="TEXT"),
]
DecimalOption = Annotated[
    str | None, typer.Option(help="Decimal mark, '.' or ','. Default: detected from the file.", metavar="MARK")
]
EncodingOption = Annotated[
    str | None, typer.Option(help="Encoding of a text file, such as latin-1. Default: detected.", metavar="NAME")
]
SheetOption = Annotated[
    str | None,
    typer.Option(
        help="Sheet of a workbook, table of a database, or file in a .zip. Default: the first sheet that has a table.",
        metavar="NAME",
    ),
]
RowsOption = Annotated[
    str | None,
    typer.Option(
        help="Read only the first N rows, such as 1000, or those after A up to B, such as 1000:2000.", metavar="N|A:B"
    ),
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Refuse a table with problems instead of correcting it: see docs/data.md.")
]
PriorOption = Annotated[
    str,
    typer.Option(
        help="Structure prior, such as fair or 'edge(beta=0.05)'.",
        metavar="SPEC",
        autocompletion=spec_names("prior"),
    ),
]
MaybeAlgorithmOption = Annotated[
    str | None,
    typer.Option(
        help="Algorithm, such as tabu, pc-stable or 'hill-climbing(restarts=10)'. --score and --prior replace the "
        "score and prior of the spec. Default: boss; tabu for groups and for more than 500 columns; with at most "
        "8 parents of a variable, 5 if there are more columns than rows.",
        metavar="SPEC",
        autocompletion=spec_names("algorithm"),
    ),
]
MaybeTestOption = Annotated[
    str | None,
    typer.Option(
        help="Independence test for an algorithm that uses one, such as 'g2(alpha=0.01)' or 'score(bic)'.",
        metavar="SPEC",
        autocompletion=spec_names("test"),
    ),
]
MaybeScoreOption = Annotated[
    str | None,
    typer.Option(
        help="Score, such as bic or 'bdeu(ess=5)'. Default: bdeu; bge for continuous and bcg for mixed data; bhd for "
        "groups.",
        metavar="SPEC",
        autocompletion=spec_names("score"),
    ),
]
MaybePriorOption = Annotated[
    str | None,
    typer.Option(
        help="Structure prior, such as 'edge(beta=0.05)'. Default: fair, or uniform if you give --score.",
        metavar="SPEC",
        autocompletion=spec_names("prior"),
    ),
]
TruthOption = Annotated[
    str | None,
    typer.Option(
        help="The true network, if you know it, such as alarm or net.bif; prints the distance to it.",
        metavar="GRAPH",
        autocompletion=network_names,
    ),
]
MaxIndegreeOption = Annotated[int | None, typer.Option(help="Maximum number of parents of a variable, such as 5.")]
RequireOption = Annotated[
    list[str] | None,
    typer.Option(
        help="An arc that the graph must have, such as smoker:cancer. Repeat for several arcs.", metavar="A:B"
    ),
]
ForbidOption = Annotated[
    list[str] | None,
    typer.Option(
        help="An arc that the graph must not have, such as cancer:smoker. Repeat for several arcs.", metavar="C:D"
    ),
]
TiersOption = Annotated[
    str | None,
    typer.Option(
        help="A file that orders the variables in time: one tier per line, the earliest first, names separated by "
        "commas. No arc leads back to an earlier tier.",
        metavar="FILE",
    ),
]
TimeLimitOption = Annotated[
    float | None,
    typer.Option(
        help="Stop BOSS or exact search after this many seconds, with the best network so far.", metavar="SECONDS"
    ),
]
MemoryLimitOption = Annotated[
    float | None,
    typer.Option(help="Maximum memory in GB, such as 2. Default: three quarters of the free memory.", metavar="GB"),
]
SeedOption = Annotated[
    int, typer.Option(help="Random seed. The same seed gives the same result with any number of jobs.")
]
JobsOption = Annotated[int, typer.Option(help="Number of threads.")]
ProcessesOption = Annotated[
    bool, typer.Option("--processes", help="Use processes instead of threads, as many as --jobs.")
]
DaskOption = Annotated[
    str | None,
    typer.Option(help="Use a Dask cluster: the address of its scheduler, such as tcp://host:8786.", metavar="ADDRESS"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def executor_for(jobs: int, processes: bool, dask: str | None) -> Executor:
    """Where the command line says that many pieces of work are done."""
    from veridag.work.executors import executor_of
    from veridag.work.processes import Processes

    if processes and dask is not None:
        raise InputError(f"--processes is for this machine, and --dask {dask} for a cluster: give only one of them")
    return executor_of(Processes(jobs) if processes else jobs, dask)


@dataclass(frozen=True)
class DataSource:
    """Where data comes from, and how it is read, as the command line says."""

    path: str
    settings: TableSettings

    @property
    def file(self) -> str | BinaryIO:
        """The file, or standard input."""
        return sys.stdin.buffer if self.path == "-" else self.path

    @property
    def in_effect(self) -> TableSettings:
        """What was given, and otherwise what is saved next to the table."""
        from veridag.data import TableSettings

        kept = None if self.path == "-" else TableSettings.beside(self.path)
        return self.settings if kept is None else self.settings.over(kept[1])

    def with_gaps(self, network: Network, names: Iterable[str] | None = None, done: str = "filled in") -> DataSource:
        """The same with missing values kept, and with the kinds and states of a network's variables unless given.

        Only `names` of the variables are columns, if given; `done` says what becomes of missing values.
        """
        asked = self.settings
        if asked.missing not in (None, "keep"):
            raise InputError(f"--missing {asked.missing}: missing values are {done} here: leave the option out")
        known = network.names if names is None else tuple(names)
        kinds: dict[str, Any] = {v: "discrete" if v in network.states else "continuous" for v in known}
        states = {**{v: network.states[v] for v in known if v in network.states}, **(asked.states or {})}
        kinds |= asked.kinds or {}
        return replace(self, settings=replace(asked, missing="keep", kinds=kinds, states=states))

    def read(self, only: Iterable[str] | None = None, *, optional: bool = False) -> Data:
        """The data, or only these variables of it, as far as they are there if they are `optional`; with notes."""
        from veridag.data.files import load

        start = time.perf_counter()
        loaded = load(self.file, self.settings, only, optional=optional)
        data = loaded.data
        if loaded.later is not None:
            from veridag.trust.discretizing import discretize

            data = discretize(data, loaded.later)
        detail(f"read {self.path} in {time.perf_counter() - start:.3f} s: {data!r}")
        _say_notes(data.notes)
        return data


#: Columns that were cut into bins and have a note each on standard error; with more of them the rest is counted.
_MOST_CUT = 8


def _say_notes(notes: Sequence[str]) -> None:
    """All notes, but of those on single columns that were cut only the first."""
    cut = [text for text in notes if text.startswith("discretized ")]
    for text in notes:
        if text not in cut[_MOST_CUT:]:
            note(text)
        elif text == cut[-1]:
            note(f"and {len(cut) - _MOST_CUT} more columns: `veridag describe` shows all cut points")


def _data_source(
    data: DataArgument,
    columns: ColumnsOption = None,
    drop: DropOption = None,
    kind: KindOption = None,
    states: StatesOption = None,
    group: GroupOption = None,
    weights: WeightsOption = None,
    targets: TargetsOption = None,
    missing: MissingOption = None,
    missing_values: MissingValuesOption = None,
    merge_states: MergeStatesOption = None,
    discretize: DiscretizeOption = None,
    transform: TransformOption = None,
    merge_rare: MergeRareOption = None,
    as_written: AsWrittenOption = None,
    separator: SeparatorOption = None,
    decimal: DecimalOption = None,
    encoding: EncodingOption = None,
    sheet: SheetOption = None,
    rows: RowsOption = None,
    strict: StrictOption = False,
) -> DataSource:
    from veridag.data import TableSettings

    kinds: dict[str, Any] = pairs_of(kind, "kind", "COLUMN=KIND")
    settings = TableSettings(
        states=states_of(states),
        kinds=kinds or None,
        group=group,
        weights=weights,
        targets=targets,
        missing=missing,
        missing_values=missing_values_of(missing_values),
        merge_states=merge_states_of(merge_states),
        columns=None if columns is None else names_of(columns),
        drop=names_of(drop),
        as_written=names_of(as_written),
        discretize=discretize_of(discretize),
        transform=pairs_of(transform, "transform", "COLUMN=METHOD") or None,
        merge_rare={
            name: integer_of("merge-rare", count)
            for name, count in pairs_of(merge_rare, "merge-rare", "COLUMN=COUNT").items()
        }
        or None,
        separator={"tab": "\t", "\\t": "\t", "semicolon": ";", "comma": ","}.get(separator or "", separator),
        decimal=decimal,
        encoding=encoding,
        sheet=sheet,
        rows=rows_of(rows),
        strict=strict,
    )
    return DataSource(data, settings)


def takes_data(command: Callable[..., None]) -> Callable[..., None]:
    """A command with a parameter `source`, a `DataSource`: the file, and the options for reading it."""
    own = list(signature(command).parameters.values())
    place = [parameter.name for parameter in own].index("source")
    reading = list(signature(_data_source).parameters.values())
    names = [parameter.name for parameter in reading]

    @wraps(command)
    def run(**given: Any) -> None:
        source = _data_source(**{name: given.pop(name) for name in names})
        command(source=source, **given)

    hints = get_type_hints(command, include_extras=True) | get_type_hints(_data_source, include_extras=True)
    for parameter in reading[1:]:
        hints[parameter.name].__metadata__[0].rich_help_panel = "Reading the table"  # the heading in the help
    shown = [*own[:place], reading[0], *own[place + 1 :], *reading[1:]]
    # Required ones first, as Python asks; the order of options on the command line is free anyway.
    shown.sort(key=lambda parameter: parameter.default is not Parameter.empty)
    run.__signature__ = signature(command).replace(  # type: ignore[attr-defined] # typer reads it
        parameters=[p.replace(annotation=hints[p.name], kind=Parameter.KEYWORD_ONLY) for p in shown],
        return_annotation=None,
    )
    run.__annotations__ = {p.name: hints[p.name] for p in shown}
    return run
