"""Arguments and options that several commands share, and the table that most of them read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from veridag.errors import InputError

if TYPE_CHECKING:
    from veridag.data import Data

Output = Annotated[str, typer.Option("--output", "-o", help="Where to write to; - is standard output.", metavar="FILE")]
NetworkArgument = Annotated[
    str,
    typer.Argument(
        help="A reference network (see `veridag networks`), a network file (.bif, .xml, .net, .dsc, .json; also .gz),"
        " or - for a pipe.",
        metavar="NET",
    ),
]
GraphArgument = Annotated[
    str,
    typer.Argument(
        help="A reference network, a file (.bif, .xml, .net, .dsc, .json, .dot), a modelstring such as '[A][B|A]',"
        " or - for a pipe.",
        metavar="GRAPH",
    ),
]
DataArgument = Annotated[
    str,
    typer.Argument(help="A table: .csv, .tsv (also .gz), .parquet, .arrow, or - for CSV from a pipe.", metavar="DATA"),
]


KindOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Override the detected kind: NAME=discrete or NAME=continuous; may be repeated.", metavar="NAME=KIND"
    ),
]
StatesOption = Annotated[
    str | None, typer.Option(help="Take the states of the columns from this network, observed or not.", metavar="NET")
]
GroupOption = Annotated[
    str | None, typer.Option(help="Column that says which related data set a row belongs to.", metavar="NAME")
]
WeightsOption = Annotated[str | None, typer.Option(help="Column that says how often a row counts.", metavar="NAME")]
MissingOption = Annotated[Literal["error", "state", "drop"], typer.Option(help="What to do with missing values.")]
SeparatorOption = Annotated[
    str | None, typer.Option(help="What separates fields; without it the file's ending decides.", metavar="TEXT")
]
EncodingOption = Annotated[str, typer.Option(help="How a text file is encoded, such as latin-1.", metavar="NAME")]
MissingValuesOption = Annotated[
    str | None, typer.Option(help="Texts that mean a missing value, separated by commas.", metavar="A,B")
]
PriorOption = Annotated[str, typer.Option(help="Structure prior, such as 'fair' or 'edge(beta=0.05)'.", metavar="SPEC")]
MaybeAlgorithmOption = Annotated[
    str | None,
    typer.Option(
        help="Algorithm, such as 'tabu', 'pc-stable' or 'hill-climbing(restarts=10)', with the score and prior of its "
        "spec unless they are given. Without it: boss, or tabu for groups and for more than 300 columns, with at "
        "most 8 parents for a variable, or 5 in a wide table.",
        metavar="SPEC",
    ),
]
MaybeTestOption = Annotated[
    str | None, typer.Option(help="Test of independence, such as 'g2(alpha=0.01)' or 'score(bic)'.", metavar="SPEC")
]
MaybeScoreOption = Annotated[
    str | None,
    typer.Option(
        help="Score, such as 'bdeu(ess=1)'. Without it and --algorithm: bdeu, for continuous data bge, for groups bhd.",
        metavar="SPEC",
    ),
]
MaybePriorOption = Annotated[
    str | None,
    typer.Option(help="Structure prior, such as 'edge'. Without it, --score and --algorithm: fair.", metavar="SPEC"),
]
MaxIndegreeOption = Annotated[int | None, typer.Option(help="The most parents that a variable may have.")]
RequireOption = Annotated[
    list[str] | None, typer.Option(help="An arc that must be there; may be repeated.", metavar="A:B")
]
ForbidOption = Annotated[
    list[str] | None, typer.Option(help="An arc that must not be there; may be repeated.", metavar="C:D")
]
TiersOption = Annotated[
    str | None,
    typer.Option(help="File of tiers: one tier per line, earliest first, names separated by commas.", metavar="FILE"),
]
TimeLimitOption = Annotated[
    float | None, typer.Option(help="Seconds after which exact search gives the best so far.", metavar="SECONDS")
]
MemoryLimitOption = Annotated[
    float | None,
    typer.Option(help="The most memory, in GB; three quarters of what is free if not given.", metavar="GB"),
]
SeedOption = Annotated[int, typer.Option(help="The same seed gives the same result, whatever the number of jobs.")]
JobsOption = Annotated[int, typer.Option(help="Number of threads.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


@dataclass(frozen=True)
class DataSource:
    """Where data comes from, and how it is read, as the command line says."""

    path: str
    kind: list[str] | None
    states: str | None
    group: str | None
    weights: str | None
    missing: Literal["error", "state", "drop"]
    separator: str | None
    encoding: str | None
    missing_values: str | None

    def read(self) -> Data:
        """The data."""
        from veridag.data import MISSING_VALUES, read

        from .inputs import load_network

        kinds: dict[str, Any] = dict(split(item, "kind", "NAME=KIND") for item in self.kind or [])
        return read(
            sys.stdin.buffer if self.path == "-" else self.path,
            kinds=kinds,
            states=None if self.states is None else dict(load_network(self.states).states),
            group=self.group,
            weights=self.weights,
            missing=self.missing,
            separator=self.separator,
            encoding=self.encoding,
            missing_values=MISSING_VALUES if self.missing_values is None else self.missing_values.split(","),
        )


def _data_source(
    data: DataArgument,
    kind: KindOption = None,
    states: StatesOption = None,
    group: GroupOption = None,
    weights: WeightsOption = None,
    missing: MissingOption = "error",
    separator: SeparatorOption = None,
    encoding: EncodingOption = "utf-8",
    missing_values: MissingValuesOption = None,
) -> DataSource:
    return DataSource(data, kind, states, group, weights, missing, separator, encoding, missing_values)


def takes_data(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose first parameter is a `DataSource`: the file, and the options for reading it."""
    own = list(signature(command).parameters.values())[1:]
    reading = list(signature(_data_source).parameters.values())
    names = [parameter.name for parameter in reading]

    @wraps(command)
    def run(**given: Any) -> None:
        command(_data_source(**{name: given.pop(name) for name in names}), **given)

    hints = get_type_hints(command, include_extras=True) | get_type_hints(_data_source, include_extras=True)
    shown = [reading[0], *own, *reading[1:]]
    # Required ones first, as Python asks; the order of options on the command line is free anyway.
    shown.sort(key=lambda parameter: parameter.default is not Parameter.empty)
    run.__signature__ = signature(command).replace(  # type: ignore[attr-defined] # typer reads it
        parameters=[p.replace(annotation=hints[p.name], kind=Parameter.KEYWORD_ONLY) for p in shown],
        return_annotation=None,
    )
    run.__annotations__ = {p.name: hints[p.name] for p in shown}
    return run


def split(text: str, option: str, form: str) -> tuple[str, str]:
    """The two sides of NAME=VALUE; a name may hold the sign too."""
    name, found, value = text.rpartition("=")
    if not found or not name:
        raise InputError(f"--{option} takes {form}, not {text!r}")
    return name, value
