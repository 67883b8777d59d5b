from __future__ import annotations

from contextlib import suppress
from dataclasses import MISSING, fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from veridag.specs import FAMILIES, members, spell


@pytest.mark.parametrize(
    ("spec", "family", "expected"),
    [
        ("bdeu", "score", vd.BDeu()),
        ("bdeu(ess=10)", "score", vd.BDeu(ess=10)),
        (" BDeu ( 10 ) ", "score", vd.BDeu(ess=10)),
        ("bic(gamma=.5)", "score", vd.BIC(gamma=0.5)),
        ("loglik", "score", vd.LogLik()),
        ("jeffreys", "score", vd.BDJeffreys()),
        ("bge(iss_mu=2, iss-w=20)", "score", vd.BGe(iss_mu=2, iss_w=20)),
        ("marginal-uniform(beta=sparse)", "prior", vd.MarginalUniform(beta="sparse")),
        ("marginal_uniform('finite')", "prior", vd.MarginalUniform(beta="finite")),
        ("MarginalUniform", "prior", vd.MarginalUniform()),
        ("variable-selection(beta=none)", "prior", vd.VariableSelection()),
        ("indegree-at-most(3)", "prior", vd.IndegreeAtMost(3)),
        ("castelo-siebes([[[A, B], 0.8]])", "prior", vd.CasteloSiebes({("A", "B"): 0.8})),
        ("g2(alpha=1e-3, df=adjusted)", "test", vd.G2(alpha=0.001, df="adjusted")),
        ("score(bic)", "test", vd.ScoreTest(vd.BIC())),
        ("score(bdeu(ess=5), prior=fair)", "test", vd.ScoreTest(vd.BDeu(ess=5), vd.Fair())),
        ("score-test(score=bge, prior=vsp)", "test", vd.ScoreTest(vd.BGe(), vd.VariableSelection())),
    ],
)
def test_a_spec_says_in_text_what_a_call_says_in_python(spec, family, expected):
    assert vd.parse(spec, family) == expected


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "metric"])
def test_every_member_that_needs_nothing_has_a_spec_of_its_name_alone(family):
    for name, cls in members(family).items():
        if all(field.default is not MISSING or field.default_factory is not MISSING for field in fields(cls)):
            assert vd.parse(name, family) == cls()
        assert spell(cls.__name__) == name


def test_a_metric_is_the_function_of_that_name():
    assert vd.parse("shd", "metric") is vd.shd
    assert vd.parse("Scaled_SHD", "metric") is vd.scaled_shd
    assert vd.parse("unshielded-v-structures", "metric") is vd.unshielded_v_structures
    assert all(vd.parse(name, "metric") is function for name, function in members("metric").items())
    assert "sid-bounds" not in members("metric")
    with pytest.raises(vd.InputError, match="did you mean 'shd'"):
        vd.parse("sdh", "metric")
    with pytest.raises(vd.InputError, match="unexpected: remove it"):
        vd.parse("shd(1)", "metric")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("bdue", "did you mean 'bdeu'. There are aic, "),
        ("bdee", "did you mean 'bde'. There are aic, "),
        (None, "spec=None: a score is given as a string, such as 'aic'"),
        (vd.BIC(), "a score is given as a string"),
        ("bge(nu=" + "[" * 10_000, r"\.\.\.': brackets are nested more than 20 deep"),
        ("bge(nu=" * 10_000, "nested more than 20 deep"),
        ("", "give the name of a score first"),
        ("bdeu(", "a value for ess is missing"),
        ("bdeu(1", "closing parenthesis"),
        ("bdeu(ess=)", "a value for ess is missing"),
        ("bdeu(es=1)", "did you mean 'ess'"),
        ("bdeu(1, 2)", "more values than the parameters ess"),
        ("bdeu(1, ess=2)", "ess is given twice"),
        ("bdeu) + 1", "unexpected: remove it|cannot be read"),
        ("bdeu(ess=-1)", "ess=-1 must be a finite number above 0"),
        ("bdeu(ess=[1", "closing bracket"),
        ("bdeu(ess=__import__('os'))", "."),
        ("bde", "bde needs ess"),
        ("1", "give the name of a score first"),
        ("bdeu(ess=$)", "cannot be read"),
    ],
)
def test_a_mistake_in_a_spec_is_named(spec, message):
    with pytest.raises(vd.InputError, match=message):
        vd.parse(spec, "score")


def test_an_unknown_family_is_named():
    with pytest.raises(vd.InputError, match="did you mean 'score'"):
        vd.parse("bic", "scores")


@given(st.text(max_size=30))
def test_any_text_is_a_spec_or_an_error_and_never_more(text):
    for family in FAMILIES:
        with suppress(vd.InputError):
            vd.parse(text, family)


@pytest.mark.parametrize(
    "made",
    [
        vd.CasteloSiebes({("A", "B"): 0.5, ("B, x", 'it\'s "q"\\'): 0.1}),
        vd.IndegreeEquals({"A": 1, "B c": 0}),
        vd.BGe(nu={"A": 1.5, "B": -2.0}),
        vd.BGe(T=((2.0, 0.5), (0.5, 1.0)), nu=(0.0, 1.0)),
        vd.BDe(2, vd.networks.load("asia")),
        vd.Tabu(score=vd.BDe(2, vd.networks.load("asia")), prior=vd.CasteloSiebes({("asia", "tub"): 0.9})),
    ],
    ids=lambda made: type(made).__name__,
)
def test_what_is_printed_of_settings_can_be_read_again(made):
    family = "algorithm" if isinstance(made, vd.Tabu) else "score" if hasattr(made, "local") else "prior"
    assert vd.parse(repr(made), family) == made
    if isinstance(made, vd.Tabu):
        assert vd.parse(made.label, family) == made


def test_a_prior_network_is_read_from_its_file(tmp_path):
    network = vd.simulate.random_network(vd.networks.load("asia").dag, seed=3)
    path = tmp_path / "it's mine.bif"
    network.write(path)
    assert vd.parse(f"bde(ess=10, network={str(path)!r})", "score") == vd.BDe(10, vd.read_network(path))
    assert vd.parse("bde(10, asia)", "score") == vd.BDe(10, vd.networks.load("asia"))
    with pytest.raises(vd.InputError, match="names of files and other texts need quotes"):
        vd.parse("bde(10, network=expert.bif)", "score")
    with pytest.raises(vd.InputError, match="there is no reference network 'asai': name a file"):
        vd.parse("bde(10, asai)", "score")
