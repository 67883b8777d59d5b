"""Commands that ask a network: predictions, explanations and most probable values."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Annotated

import typer

from veridag.errors import InputError, suggest

from .answers import EvidenceOption, evidence_of
from .app import command
from .inputs import check_one_input, load_network
from .options import DataSource, JobsOption, JsonOption, NetworkArgument, takes_data
from .outputs import TABLE_SUFFIXES, check_figure, check_one_pipe, check_path, whole, write_data
from .parsing import names_of
from .progress_bar import progress_bar
from .terminal import echo, say

if TYPE_CHECKING:
    from veridag.data import Data
    from veridag.network import Network
    from veridag.network.explanation import Explanation
    from veridag.network.prediction import Prediction
    from veridag.trust.prediction import NumberScores, PredictionScores

TargetArgument = Annotated[str, typer.Argument(help="The variable to ask about.", metavar="TARGET")]


@command(
    "predict",
    "veridag predict net.bif cases.csv cancer -o predicted.csv",
    "veridag predict net.bif cases.csv cancer --evaluate",
    "veridag predict net.bif cases.csv cancer --given smoker --evaluate --json",
)
@takes_data
def predict(
    network: NetworkArgument,
    source: DataSource,
    target: TargetArgument,
    given: Annotated[
        list[str] | None,
        typer.Option(
            help="The columns to predict from, such as smoker,age. Default: all other variables of the network.",
            metavar="NAMES",
        ),
    ] = None,
    evaluate: Annotated[
        bool,
        typer.Option(
            "--evaluate",
            help="Compare with the true values in the target's column: print accuracy, log-loss, AUC and more.",
        ),
    ] = False,
    jobs: JobsOption = 1,
    as_json: JsonOption = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the table of predictions to this file. Default: standard output, as CSV; with --evaluate, no "
            "table.",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Predict a variable in each row of a table.

    Predicts each row from its observed values; missing values are summed out. The table of predictions has one row for
    each row of the data: the most probable state and the probability of every state, or a mean and a standard
    deviation. To evaluate a network, use --evaluate on rows that it was not learned from.
    """
    from veridag.trust.prediction import evaluate_prediction

    check_one_input(network, source.path)
    check_path(output, TABLE_SUFFIXES)
    if as_json and not evaluate:
        raise InputError("--json: JSON is for the scores of --evaluate, and predictions are a table: add --evaluate")
    if as_json and output == "-":
        raise InputError("--json and -o -: only one of them can go to standard output: give a file with -o")
    net = load_network(network)
    chosen = None if given is None else names_of(given)
    wanted = [v for v in _wanted(net, target, chosen) if v not in source.settings.drop]
    columns = [*wanted, target] if evaluate else wanted
    data = source.with_gaps(net, columns, "summed out").read(columns)
    present = [v for v in wanted if v in data.names]  # one without any values may have been left out
    with progress_bar("prediction") as progress:
        if output is not None or not evaluate:
            found = net.predict(data, target, present, jobs=jobs, progress=progress)
            write_data(_as_data(found), output or "-")
        if evaluate:
            _print_scores(evaluate_prediction(net, data, target, present, jobs=jobs, progress=progress), as_json)


def _wanted(network: Network, target: str, given: tuple[str, ...] | None) -> list[str]:
    """The columns to predict from."""
    for name in (target, *(given or ())):
        if name not in network.names:
            raise InputError(f"the network has no variable {name!r}: {suggest(name, network.names)}")
    if given is not None and target in given:
        raise InputError(f"--given: {target!r} is the target: leave it out")
    return [v for v in (network.names if given is None else given) if v != target]


def _as_data(found: Prediction) -> Data:
    """A prediction as a table of data, to be written."""
    from veridag.data import Column, Data

    named = found.to_dict()
    if not found.is_discrete:
        return Data([Column.continuous(name, values) for name, values in named.items()])
    (first, _), *rest = named.items()
    columns = [Column.discrete(first, found.codes, found.states)]
    return Data([*columns, *(Column.continuous(name, values) for name, values in rest)])


def _print_scores(scores: PredictionScores | NumberScores, as_json: bool) -> None:
    if not as_json:
        echo(repr(scores).split("\n", 1)[1])
        left_out = f", without {scores.left_out} in which it was set" if scores.left_out else ""
        say(f"{scores.target} on {scores.n} observations{left_out}")
        return
    from veridag.trust.prediction import PredictionScores

    facts: dict[str, object] = {"target": scores.target, "n": scores.n, "left_out": scores.left_out}
    facts |= {name: value if isfinite(value) else None for name, value in scores.to_dict().items()}
    if isinstance(scores, PredictionScores):
        facts |= {
            "states": scores.states,
            "auc_by_state": scores.auc,
            "confusion": scores.confusion.tolist(),
            "calibration": [one._asdict() for one in scores.calibration().bins],
        }
    echo(json.dumps(facts, indent=1))


@command(
    "explain",
    "veridag explain asia lung -e xray=yes -e smoke=yes",
    "veridag explain net.bif cancer -e smoker=yes --state yes --figure why.svg",
)
def explain(
    network: NetworkArgument,
    target: TargetArgument,
    evidence: EvidenceOption = None,
    state: Annotated[
        str | None,
        typer.Option(
            help="The state of the target to explain, such as yes. Default: the most probable one given the evidence.",
            metavar="STATE",
        ),
    ] = None,
    figure: Annotated[
        str | None, typer.Option(help="Plot the contributions to this file, .svg or .png.", metavar="FILE")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Explain which evidence changed an answer, and by how much.

    Contributions are Shapley values of the log-odds of the state, or of the mean of a continuous target: how much an
    observation changes the answer, averaged over all orders of the observations. With more than ten observations, it is
    the change when the observation is left out.
    """
    from veridag.figures import explanation_figure

    check_figure(figure)
    if figure == "-" and as_json:
        check_one_pipe(json="-", figure="-")
    known = evidence_of(evidence)
    if not known:
        raise InputError("--evidence: it is missing, so there is nothing to explain: give it as -e NAME=STATE")
    found = load_network(network).explain(target, known, state)
    if figure is not None:
        with whole(figure, ".svg") as draft:
            explanation_figure(draft, found)
        if figure == "-":
            return
    echo(json.dumps(_facts(found), indent=1) if as_json else repr(found))


def _facts(found: Explanation) -> dict[str, object]:
    return {
        "target": found.target,
        "state": found.state,
        "prior": found.prior,
        "posterior": found.posterior,
        "measure": found.measure,
        "sentence": found.sentence,
        "findings": [own._asdict() for own in found.ranked],
    }


@command(
    "most-probable",
    "veridag most-probable asia -e dysp=yes",
    "veridag most-probable net.bif cancer smoker -e xray=yes --json",
)
def most_probable(
    network: NetworkArgument,
    variables: Annotated[
        list[str] | None,
        typer.Argument(help="Find only these variables, and sum out the others. Default: all.", metavar="VARIABLE"),
    ] = None,
    evidence: EvidenceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the jointly most probable values of variables.

    For all unobserved variables, this is the most probable explanation (MPE) of the evidence. If you name some of them,
    it is the marginal MAP: the others are summed out, which can give different values.
    """
    net, known = load_network(network), evidence_of(evidence)
    found = net.map(variables, known) if variables else net.most_probable(known)
    if not as_json:
        echo(repr(found))
        return
    facts = {
        "values": dict(found.values),
        "evidence": dict(found.evidence),
        "log_probability": found.log_probability,
        "log_posterior": found.log_posterior,
    }
    echo(json.dumps(facts, indent=1))
