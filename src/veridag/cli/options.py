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

Output = Annotated[str, typer.Option("--output", "-o", help="The file to write; - is standard output.", metavar="FILE")]
NetworkArgument = Annotated[
    str,
    typer.Argument(
        help="A reference network (see `veridag networks`), a network file (.bif, .xml, .net, .dsc, .json; also .gz),"
        " or - for a pipe.",
        metavar="NET",
        autocompletion=network_names,
    ),
]
GraphArgument = Annotated[
    str,
    typer.Argument(
        help="A reference network, a file (.bif, .xml, .net, .dsc, .json, .dot), a modelstring such as '[A][B|A]',"
        " or - for a pipe.",
        metavar="GRAPH",
        autocompletion=network_names,
    ),
]
DataArgument = Annotated[
    str,
    typer.Argument(
        help="A table: .csv, .tsv, .txt, .xlsx, .ods, .dta, .sav, .sas7bdat, .parquet, .json, .sqlite and others, "
        "see docs/data.md; - for a pipe.",
        metavar="DATA",
    ),
]


KindOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Take a column as discrete or continuous, whatever it looks like; may be repeated.", metavar="COLUMN=KIND"
    ),
]
StatesOption = Annotated[
    list[str] | None,
    typer.Option(
        help="The states of a column in order, observed or not, as in grade=low,mid,high; may be repeated. A network, "
        "by name or file, gives the states of all its variables.",
        metavar="COLUMN=A,B|NET",
    ),
]
GroupOption = Annotated[
    str | None, typer.Option(help="Column that says which related data set a row belongs to.", metavar="COLUMN")
]
WeightsOption = Annotated[str | None, typer.Option(help="Column that says how often a row counts.", metavar="COLUMN")]
TargetsOption = Annotated[
    str | None,
    typer.Option(
        help="Column that names what was set in a row by an intervention, as in A or A;B; empty or none where nothing "
        "was. Scores leave such rows out where they are about a variable that was set.",
        metavar="COLUMN",
    ),
]
MissingOption = Annotated[
    Literal["error", "state", "drop", "keep", "indicator"] | None,
    typer.Option(
        help="What to do with missing values: keep them as missing and learn from what is observed; indicator: the "
        "same, with a column that says where; make them a state; drop the row; or refuse the table. Default: keep, but "
        "in a column with only one value, such as a tick box, they become a state, and nearly empty continuous columns "
        "are left out."
    ),
]
MissingValuesOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Texts and numbers that mean a missing value in a column, beside the usual ones, as in age=-99; *=A,B is "
        "for all columns. Without a column they replace the usual ones. May be repeated.",
        metavar="[COLUMN=]A,B",
    ),
]
MergeStatesOption = Annotated[
    list[str] | None,
    typer.Option(
        help="States of a column that mean the same as others, as in smoker=y:yes,Y:yes; may be repeated.",
        metavar="COLUMN=OLD:NEW,...",
    ),
]
ColumnsOption = Annotated[
    list[str] | None, typer.Option(help="Use only these columns, separated by commas.", metavar="A,B")
]
DropOption = Annotated[list[str] | None, typer.Option(help="Leave out these columns.", metavar="A,B")]
AsWrittenOption = Annotated[
    list[str] | None,
    typer.Option(help="Take the values of these columns as they are: blanks, spellings, codes and all.", metavar="A,B"),
]
DiscretizeOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Cut continuous columns into bins, all or one, as in age=interval(5): quantile(3), interval(3), "
        "hartemink(3), mdl(by=COLUMN), or blanket, which learns; may be repeated.",
        metavar="[COLUMN=]METHOD",
    ),
]
TransformOption = Annotated[
    list[str] | None,
    typer.Option(help="Take a skewed column on another scale, log or rank.", metavar="COLUMN=METHOD"),
]
MergeRareOption = Annotated[
    list[str] | None,
    typer.Option(help="Merge the states of a column that have fewer observations than this.", metavar="COLUMN=COUNT"),
]
SeparatorOption = Annotated[
    str | None,
    typer.Option(help="What separates fields, a character or tab; found from the file by default.", metavar="TEXT"),
]
DecimalOption = Annotated[
    str | None, typer.Option(help="The decimal mark, . or , ; found from the file by default.", metavar="MARK")
]
EncodingOption = Annotated[
    str | None, typer.Option(help="The encoding of a text file, such as latin-1; found by default.", metavar="NAME")
]
SheetOption = Annotated[
    str | None,
    typer.Option(help="The sheet of a workbook, the table of a database, or the file in a .zip.", metavar="NAME"),
]
RowsOption = Annotated[
    str | None, typer.Option(help="Read only the first N rows, or those after A up to B.", metavar="N|A:B")
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Refuse what would otherwise be put right: see docs/data.md.")
]
PriorOption = Annotated[
    str,
    typer.Option(
        help="Prior over structures, such as fair or 'edge(beta=0.05)'.",
        metavar="SPEC",
        autocompletion=spec_names("prior"),
    ),
]
MaybeAlgorithmOption = Annotated[
    str | None,
    typer.Option(
        help="Algorithm, such as tabu, pc-stable or 'hill-climbing(restarts=10)', with the score and prior of its spec "
        "unless --score or --prior is given. Default: boss, or tabu for groups and for more than 500 columns, with at "
        "most 8 parents of a variable, 5 if there are more columns than rows.",
        metavar="SPEC",
        autocompletion=spec_names("algorithm"),
    ),
]
MaybeTestOption = Annotated[
    str | None,
    typer.Option(
        help="Independence test, such as 'g2(alpha=0.01)' or 'score(bic)', for an algorithm that uses one.",
        metavar="SPEC",
        autocompletion=spec_names("test"),
    ),
]
MaybeScoreOption = Annotated[
    str | None,
    typer.Option(
        help="Score, such as bic or 'bdeu(ess=5)'. Default: bdeu; bge for continuous data, bcg for "
        "tables of both kinds; bhd for groups.",
        metavar="SPEC",
        autocompletion=spec_names("score"),
    ),
]
MaybePriorOption = Annotated[
    str | None,
    typer.Option(
        help="Prior over structures, such as 'edge(beta=0.05)'. Default: fair, or uniform if --score is given.",
        metavar="SPEC",
        autocompletion=spec_names("prior"),
    ),
]
TruthOption = Annotated[
    str | None,
    typer.Option(
        help="The true network, if it is known; the distance to it is reported.",
        metavar="GRAPH",
        autocompletion=network_names,
    ),
]
MaxIndegreeOption = Annotated[int | None, typer.Option(help="The maximum number of parents of a variable.")]
RequireOption = Annotated[
    list[str] | None, typer.Option(help="An arc that must be in the graph; may be repeated.", metavar="A:B")
]
ForbidOption = Annotated[
    list[str] | None, typer.Option(help="An arc that must not be in the graph; may be repeated.", metavar="C:D")
]
TiersOption = Annotated[
    str | None,
    typer.Option(
        help="A file that orders the variables in time: a tier a line, the earliest first, names separated by commas. "
        "No arc leads back to an earlier tier.",
        metavar="FILE",
    ),
]
TimeLimitOption = Annotated[
    float | None,
    typer.Option(help="Stop BOSS or exact search after so many seconds, with the best so far.", metavar="SECONDS"),
]
MemoryLimitOption = Annotated[
    float | None,
    typer.Option(help="The most memory to use, in GB. Default: three quarters of what is free.", metavar="GB"),
]
SeedOption = Annotated[
    int, typer.Option(help="Random seed. The same seed gives the same result with any number of jobs.")
]
JobsOption = Annotated[int, typer.Option(help="Number of threads.")]
ProcessesOption = Annotated[
    bool, typer.Option("--processes", help="Work in processes instead of threads, as many as --jobs says.")
]
DaskOption = Annotated[
    str | None,
    typer.Option(
        help="Work on a Dask cluster: the address of its scheduler, such as tcp://host:8786.", metavar="ADDRESS"
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def executor_for(jobs: int, processes: bool, dask: str | None) -> Executor:
    """Where the command line says that many pieces of work are done."""
    from veridag.work.executors import executor_of
    from veridag.work.processes import Processes

    if processes and dask is not None:
        raise InputError(f"--processes is for this machine, and --dask {dask} for a cluster: give one of them")
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
        """What was given, and where that says nothing, what is kept beside the table."""
        from veridag.data import TableSettings

        kept = None if self.path == "-" else TableSettings.beside(self.path)
        return self.settings if kept is None else self.settings.over(kept[1])

    def with_gaps(self, network: Network, names: Iterable[str] | None = None, done: str = "filled in") -> DataSource:
        """The same with missing values kept, and with the kinds and states of a network's variables unless given.

        Only `names` of the variables are columns, if given; `done` says what becomes of missing values.
        """
        asked = self.settings
        if asked.missing not in (None, "keep"):
            raise InputError(f"--missing {asked.missing}: here missing values are {done}: leave the option out")
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
            note(f"and {len(cut) - _MOST_CUT} more columns: `veridag describe` shows where each is cut")


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
