"""The commands that make random graphs, networks and data, to try learners on."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import typer

from veridag.errors import InputError

from .app import app, command
from .inputs import load_structure
from .options import DataSource, Output, takes_data
from .outputs import TABLE_SUFFIXES, check_network_path, check_path, write_data, write_graph, write_network
from .outputs import write_networks as write_each
from .terminal import echo, say

simulate = typer.Typer(help="Make random graphs, networks and data to test learners on.", rich_markup_mode=None)
app.add_typer(simulate, name="simulate")


@simulate.callback(invoke_without_command=True)
def show_commands(context: typer.Context) -> None:
    """Without a command, the help lists them."""
    if context.invoked_subcommand is None:
        echo(context.get_help())


VariablesArgument = Annotated[int, typer.Argument(help="Number of variables. They are named X1, X2, ...", metavar="N")]
SeedOption = Annotated[int, typer.Option(help="Random seed. The same seed gives the same result.")]
DensityOption = Annotated[float, typer.Option("--arcs-per-node", help="Arcs per variable, on average.")]
IndegreeOption = Annotated[int | None, typer.Option(help="The largest number of parents. Default: no limit.")]
StatesOption = Annotated[
    str, typer.Option(help="States of each discrete variable: a number, or a range such as 2-4.", metavar="N|A-B")
]


@command(
    "dag",
    "veridag simulate dag 20 --arcs-per-node 1.5 -o truth.json",
    "veridag simulate dag 8 --uniform --max-indegree 3 -o truth.json",
    group=simulate,
)
def simulate_dag(
    variables: VariablesArgument,
    arcs_per_node: Annotated[
        float | None, typer.Option("--arcs-per-node", help="Arcs per variable, on average. Default: 1.5.")
    ] = None,
    max_indegree: IndegreeOption = None,
    uniform: Annotated[
        bool, typer.Option("--uniform", help="Draw from all DAGs with equal probability, whatever their density.")
    ] = False,
    seed: SeedOption = 0,
    output: Output = "-",
) -> None:
    """Draw a random directed acyclic graph.

    The order of the variables is random, and each pair is joined with the same probability. With --uniform, each DAG
    has the same probability instead: such graphs are dense. The output is JSON, or DOT in a file that ends in .dot.
    """
    from veridag.simulate import random_dag, uniform_dag

    check_path(output, (".json", ".dot", ".gv"))
    if uniform and arcs_per_node is not None:
        raise InputError("--uniform and --arcs-per-node: give one of them")
    if uniform:
        dag = uniform_dag(variables, max_indegree=max_indegree, seed=seed)
    else:
        density = 1.5 if arcs_per_node is None else arcs_per_node
        dag = random_dag(variables, arcs_per_node=density, max_indegree=max_indegree, seed=seed)
    write_graph(dag, output)
    if output != "-":
        say(f"{dag!r} written to {output}")


@command(
    "network",
    "veridag simulate network graph.json --states 2-4 -o net.bif",
    "veridag simulate network 15 --kind mixed --seed 3 -o truth.json",
    "veridag simulate network 10 | veridag sample - -n 500 -o data.csv",
    group=simulate,
)
def simulate_network(
    graph: Annotated[
        str,
        typer.Argument(
            help="Number of variables, or the structure: a reference network, a file or a modelstring.",
            metavar="N|GRAPH",
        ),
    ],
    kind: Annotated[
        Literal["discrete", "continuous", "mixed"], typer.Option(help="What the variables are.")
    ] = "discrete",
    states: StatesOption = "2",
    alpha: Annotated[
        float,
        typer.Option(
            help="Dirichlet parameter of the tables: below 1 is nearer to deterministic, above 1 nearer to even."
        ),
    ] = 1.0,
    continuous: Annotated[
        float | None, typer.Option(help="With --kind mixed: share of continuous variables. Default: 0.5.")
    ] = None,
    arcs_per_node: Annotated[
        float | None, typer.Option("--arcs-per-node", help="With N: arcs per variable, on average. Default: 1.5.")
    ] = None,
    max_indegree: Annotated[int | None, typer.Option(help="With N: the largest number of parents. Default: 3.")] = None,
    seed: SeedOption = 0,
    output: Output = "-",
) -> None:
    """Draw a random network with parameters.

    The structure is random or given. Discrete variables have tables from a Dirichlet distribution, continuous ones
    linear regressions. --arcs-per-node and --max-indegree are for a random structure.
    """
    from veridag.simulate import random_dag, random_gaussian_network, random_mixed_network, random_network

    check_network_path(output)
    if continuous is not None and kind != "mixed":
        raise InputError(f"--continuous is for --kind mixed, not for --kind {kind}: leave it out")
    if graph.isdigit():
        density, most = 1.5 if arcs_per_node is None else arcs_per_node, 3 if max_indegree is None else max_indegree
        dag = random_dag(int(graph), arcs_per_node=density, max_indegree=most, seed=seed)
    elif arcs_per_node is not None or max_indegree is not None:
        raise InputError(
            "--arcs-per-node and --max-indegree are for a random structure, but GRAPH is given: leave them out"
        )
    else:
        dag = load_structure(graph)
    if kind == "continuous":
        network = random_gaussian_network(dag, seed=seed)
    elif kind == "mixed":
        network = random_mixed_network(
            dag, continuous=0.5 if continuous is None else continuous, states=_states(states), alpha=alpha, seed=seed
        )
    else:
        network = random_network(dag, states=_states(states), alpha=alpha, seed=seed)
    write_network(network, output)
    if output != "-":
        say(f"{network!r} written to {output}")


@command(
    "related",
    "veridag simulate related --nodes 8 --groups 4 --rows 100 -o related.csv",
    "veridag simulate related -n 200 -o related.csv --networks truth.bif",
    group=simulate,
)
def simulate_related(
    nodes: Annotated[int, typer.Option(help="Number of variables.")] = 10,
    groups: Annotated[int, typer.Option(help="Number of groups (related data sets).")] = 5,
    rows: Annotated[int, typer.Option("-n", "--rows", help="Rows of each group.", metavar="N")] = 100,
    states: Annotated[int, typer.Option(help="States of each variable.")] = 2,
    arcs_per_node: DensityOption = 1.2,
    parameters: Annotated[
        Literal["hier", "iid", "id"],
        typer.Option(help="Parameters of the groups: similar (hier), unrelated (iid) or identical (id)."),
    ] = "hier",
    iid: Annotated[
        Literal["ess", "cells"],
        typer.Option(help="With --parameters iid or id: a Dirichlet of total 10 (ess), or of 1 for each cell."),
    ] = "ess",
    changed_groups: Annotated[int, typer.Option(help="Groups that lack some of the arcs.")] = 0,
    removed_arcs: Annotated[int, typer.Option(help="Arcs that each of these groups lacks.")] = 0,
    seed: SeedOption = 0,
    networks: Annotated[
        str | None,
        typer.Option(
            help="Also write the network of each group: net.bif becomes net-F1.bif and so on.", metavar="FILE"
        ),
    ] = None,
    output: Output = "-",
) -> None:
    """Draw related data sets: groups that share a structure.

    The simulation of Azzimonti, Corani and Scutari (2020), section 4. The table has a column "group".
    """
    from veridag.simulate import related

    check_path(output, TABLE_SUFFIXES)
    if networks is not None:
        check_network_path(networks, several=True)
    if (changed_groups > 0) != (removed_arcs > 0):
        raise InputError("--changed-groups and --removed-arcs go together: give both, or neither")
    made = related(
        nodes, groups, states=states, arcs_per_node=arcs_per_node, parameters=parameters, rows=rows,
        changed_groups=changed_groups, removed_arcs=removed_arcs, iid=iid, seed=seed,
    )  # fmt: skip
    if networks is not None:
        write_each(made.networks, networks)
    write_data(made.data, output)


@command(
    "missing",
    "veridag simulate missing cases.csv --share 0.1 -o incomplete.csv",
    "veridag simulate missing cases.csv --share 0.2 --mechanism mar -o out.csv",
    group=simulate,
)
@takes_data
def simulate_missing(
    source: DataSource,
    share: Annotated[float, typer.Option(help="Share of the values to remove, such as 0.1.")],
    mechanism: Annotated[
        Literal["mcar", "mar"],
        typer.Option(help="mcar: each value with the same probability. mar: depending on other columns."),
    ] = "mcar",
    seed: SeedOption = 0,
    output: Output = "-",
) -> None:
    """Remove values from a complete table.

    Use it to test how learners handle missing values.
    """
    from veridag.simulate import remove_values

    check_path(output, TABLE_SUFFIXES)
    write_data(remove_values(source.read(), share, mechanism=mechanism, seed=seed), output)


def _states(text: str) -> int | tuple[int, int]:
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
    if found is None:
        raise InputError(f"--states {text} must be a number such as 3, or a range such as 2-4")
    low, high = found.groups()
    return int(low) if high is None else (int(low), int(high))
