"""Commands that score a structure, test independence, and count the structures there are."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from veridag.errors import InputError

from .app import command
from .inputs import check_one_input, load_structure
from .options import DataSource, GraphArgument, JsonOption, PriorOption, takes_data
from .outputs import check_figure, whole
from .terminal import echo, say


@command(
    "score",
    'veridag score cases.csv graph.json --score "bdeu(ess=1)" --by-node',
    'veridag score cases.csv "[smoker][cancer|smoker]"',
)
@takes_data
def score(
    source: DataSource,
    graph: GraphArgument,
    score: Annotated[str, typer.Option(help="Score, such as 'bdeu(ess=1)' or 'bic'.", metavar="SPEC")] = "bic",
    prior: PriorOption = "uniform",
    by_node: Annotated[bool, typer.Option("--by-node", help="Print the local score of each variable.")] = False,
    entropy: Annotated[
        bool,
        typer.Option(
            "--entropy",
            help="Print the posterior entropy of each variable given its parents (ess 1), summed over their states.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Compute the score of a network structure on a table.

    The score is a natural logarithm and includes the prior; higher is better. The entropy is for discrete tables.
    """
    from veridag.criteria import scorer
    from veridag.criteria.scores import posterior_entropy
    from veridag.specs import parse

    chosen, chosen_prior = parse(score, "score"), parse(prior, "prior")
    check_one_input(source.path, graph)
    dag = load_structure(graph)
    data = source.read(dag.names)
    nodes = scorer.score(dag, data, chosen, chosen_prior, by_node=True)
    total = sum(nodes.values())
    if entropy and data.kind != "discrete":
        raise InputError(f"--entropy: the table is {data.kind}, and entropies are for discrete tables: leave it out")
    entropies = {v: posterior_entropy(data, v, dag.parents(v)) for v in dag.names} if entropy else {}
    if as_json:
        settings = {
            "data": source.path,
            "graph": graph,
            "score": repr(chosen),
            "prior": repr(chosen_prior),
            "rows": data.n,
            "notes": list(data.notes),
        }
        found = {"total": total, "nodes": nodes} | ({"entropies": entropies} if entropy else {})
        echo(json.dumps({**settings, **found}, indent=1))
        return
    width = max(len(name) for name in (*nodes, "total"))
    for name, value in nodes.items() if by_node or entropy else ():
        line = f"{name:{width}}  {value:.6f}"
        echo(f"{line:{width + 16}}  entropy {entropies[name]:.6f}" if entropy else line)
    echo(f"{'total':{width}}  {total:.6f}" if by_node or entropy else f"{total:.6f}")


@command(
    "test",
    "veridag test cases.csv smoker cancer",
    'veridag test cases.csv smoker xray --given cancer --test "g2(alpha=0.01)"',
)
@takes_data
def decide_independence(
    source: DataSource,
    x: Annotated[str, typer.Argument(help="A variable.", metavar="X")],
    y: Annotated[str, typer.Argument(help="Another.", metavar="Y")],
    given: Annotated[str, typer.Option(help="Variables to condition on, such as age,smoker.", metavar="A,B")] = "",
    test: Annotated[
        str, typer.Option(help="Independence test, such as 'g2(alpha=0.01)', fisher-z or 'score(bic)'.", metavar="SPEC")
    ] = "g2",
    as_json: JsonOption = False,
) -> None:
    """Test whether two variables are independent, given others."""
    from veridag.criteria import independence
    from veridag.criteria.independence import ScoreTest
    from veridag.specs import parse

    chosen = parse(test, "test")
    names = [name.strip() for name in given.split(",") if name.strip()]
    data = source.read([x, y, *names])
    result = independence.test(x, y, names, data, chosen)
    rows = data.where_observed([x, y, *names]).n if data.incomplete else data.n
    if as_json:
        settings = {"data": source.path, "x": x, "y": y, "given": names, "test": repr(chosen), "rows": rows}
        echo(json.dumps({**settings, **asdict(result), "notes": list(data.notes)}, indent=1))
        return
    condition = f" given {', '.join(names)}" if names else ""
    verdict = "independent" if result.independent else "dependent"
    numbers = f"statistic {result.statistic:.6g}, df {result.df:g}, p-value {result.p_value:.6g}"
    doubt = "" if result.reliable else ", with too few observations to rely on it"
    seen = f", from the {rows} of {data.n} rows in which all these variables are observed" if rows < data.n else ""
    if isinstance(chosen, ScoreTest):  # each family has its own rows
        seen = ""
    elif rows == 0:
        verdict, doubt = "not tested", ", since no row has values of all these variables; they count as independent"
    echo(f"{x} and {y} are {verdict}{condition}{doubt}: {numbers} ({chosen!r}{seen})")


@command(
    "count",
    "veridag count 8",
    "veridag count 37 --max-indegree 5",
    "veridag count 32 --prior fair",
)
def count(
    n: Annotated[int | None, typer.Argument(help="Number of variables.", metavar="[N]")] = None,
    max_indegree: Annotated[
        int | None, typer.Option(help="Maximum number of parents of a variable, such as 5.")
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(
            help="Print the distribution of the number of parents under this prior, such as fair.", metavar="SPEC"
        ),
    ] = None,
    rows: Annotated[int | None, typer.Option(help="Number of rows, for the prior data-size.")] = None,
    figure: Annotated[
        bool, typer.Option("--figure", help="Plot the number of parents under all priors, for n = 32 and 128.")
    ] = False,
    output: Annotated[
        str, typer.Option("--output", "-o", help="Write the figure to this file, .svg or .png.", metavar="FILE")
    ] = "indegrees.svg",
) -> None:
    """Count directed acyclic graphs (DAGs).

    With --prior, prints how probable each number of parents of a variable is. With --figure, draws figure 1 of Eggeling
    et al. (2019).
    """
    if figure:
        check_figure(output)
        from veridag.figures import indegree_figure

        with whole(output, ".svg") as draft:
            indegree_figure(draft)
        if output != "-":
            say(f"drawn to {output}")
        return
    if n is None:
        raise InputError(
            "N, the number of variables, is missing: give it, as in `veridag count 8`, or use `veridag count --figure`"
        )
    from veridag.criteria.priors.dag_counts import count_dags, indegree_distribution

    if prior is None:
        echo(_all_digits(count_dags(n, max_indegree)))
        return
    from veridag.specs import parse

    for parents, p in enumerate(indegree_distribution(parse(prior, "prior"), n, max_indegree, rows)):
        echo(f"{parents:4d}  {p:.6g}")


def _all_digits(number: int) -> str:
    """The number in full: that of the DAGs on 200 variables has more digits than Python prints by itself."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return str(number)
    finally:
        sys.set_int_max_str_digits(limit)
