"""Commands on networks with parameters: estimating them, and asking what follows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .app import command
from .completion import network_names
from .inputs import load_network, load_structure
from .options import DataSource, JsonOption, NetworkArgument, takes_data
from .outputs import write_network, write_networks
from .parsing import split
from .terminal import say

if TYPE_CHECKING:
    from veridag.network import Network
    from veridag.network.query import JointTable


@command(
    "fit",
    "veridag fit cases.csv --graph graph.json -o net.bif",
    "veridag learn cases.csv -o - | veridag fit cases.csv --graph - -o net.bif",
)
@takes_data
def fit_parameters(
    source: DataSource,
    graph: Annotated[
        str,
        typer.Option(
            help="The structure: a reference network, a file (.json, .dot, .bif), a modelstring such as '[A][B|A]', "
            "or - for a pipe.",
            metavar="GRAPH",
            autocompletion=network_names,
        ),
    ],
    ess: Annotated[float, typer.Option(help="Imaginary sample size of the prior; 0 gives maximum likelihood.")] = 1.0,
    method: Annotated[
        str,
        typer.Option(
            help="mean or map, the mean or the mode of the posterior. With --group, a network for each group: "
            "hierarchical, pooled or separate.",
            metavar="METHOD",
        ),
    ] = "mean",
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            help="A network file, such as .bif; - is standard output, in BIF, or in JSON if the data is continuous.",
            metavar="FILE",
        ),
    ] = "-",
) -> None:
    """Estimate the parameters of a network from a table.

    The structure is given, by --graph.
    The result is a network that can be queried, sampled from and exchanged with other programs.
    """
    from veridag.network.fitting import RelatedNetworks, fit

    dag = load_structure(graph)
    data = source.read()
    chosen: Any = method  # fit says which there are
    network: Network | RelatedNetworks = fit(dag, data, ess, method=chosen)
    if isinstance(network, RelatedNetworks):
        write_networks(network, output)
        return
    write_network(network, output)
    if output == "-":
        return
    loss = -network.log_likelihood(data) / data.n
    say(f"{network.nparams} parameters from {data.n} rows written to {output}; log-loss on them {loss:.6g}")


@command(
    "query",
    "veridag query asia lung -e smoke=yes",
    "veridag query net.bif cancer xray -e smoker=yes --json",
)
def query(
    network: NetworkArgument,
    targets: Annotated[
        list[str], typer.Argument(help="The variables whose joint distribution is wanted.", metavar="VARIABLE")
    ],
    evidence: Annotated[
        list[str] | None,
        typer.Option(
            "--evidence",
            "-e",
            help="What is known, as NAME=STATE or NAME=NUMBER; may be repeated.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compute the distribution of variables, given evidence.

    The answer is exact.
    """
    net = load_network(network)
    known: dict[str, str | float] = dict(split(item, "evidence", "NAME=STATE") for item in evidence or [])
    answer = net.query(targets, known)
    if not as_json:
        typer.echo(repr(answer))
    elif net.is_gaussian:
        typer.echo(
            json.dumps(
                {
                    "variables": answer.names,
                    "mean": answer.mean.tolist(),  # type: ignore[union-attr]
                    "covariance": answer.covariance.tolist(),  # type: ignore[union-attr]
                    "evidence": dict(answer.evidence),
                },
                indent=1,
            )
        )
    else:
        typer.echo(json.dumps(_table_facts(answer), indent=1))  # type: ignore[arg-type]


def _table_facts(answer: JointTable) -> dict[str, object]:
    rows = [
        {**dict(zip(answer.names, states, strict=True)), "probability": p} for states, p in answer.to_dict().items()
    ]
    return {"variables": answer.names, "distribution": rows, "evidence": dict(answer.evidence)}
