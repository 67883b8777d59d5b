"""Data in which values are missing: kept, carried along, shown, and refused where they cannot be used."""

from __future__ import annotations

import io
import pickle

import numpy as np
import polars as pl
import pytest

import veridag as vd
from veridag.counts import contingency_table, scatter_matrix
from veridag.data import Column, Data
from veridag.errors import InputError

CODES = [0, 1, 2, 1, 0, 2]
SEEN = [True, True, False, True, False, True]
CSV = b"A,B,w,g\nx,1.5,1,u\n,2.5,2,v\ny,,1,u\nx,4.5,3,v\n"


def incomplete() -> Data:
    discrete = Column.discrete("D", np.array(CODES), ("a", "b", "c"), observed=np.array(SEEN))
    numbers = np.array([1.0, np.nan, 3.0, 4.0, 5.0, 7.0])
    continuous = Column.continuous("C", numbers, observed=np.isfinite(numbers))
    whole = Column.discrete("E", np.array([0, 1, 0, 1, 0, 1]), ("n", "y"))
    return Data([discrete, continuous, whole])


def masks(data: Data) -> list[list[bool]]:
    return [data.observed(name).tolist() for name in data.names]


def test_values_at_missing_places_mean_nothing():
    one = Column.discrete("D", np.array([0, 1, 2]), ("a", "b", "c"), observed=np.array([True, True, False]))
    other = Column.discrete("D", np.array([0, 1, 1]), ("a", "b", "c"), observed=np.array([True, True, False]))
    assert one == other
    assert one != Column.discrete("D", np.array([0, 1, 0]), ("a", "b", "c"))
    assert one.values.tolist() == [0, 1, 0]
    assert Column.continuous("C", np.array([np.nan, 1.0]), observed=np.array([False, True])).values.tolist() == [0, 1]


def test_a_mask_of_all_values_is_none():
    assert Column.discrete("D", np.array([0, 1]), ("a", "b"), observed=np.ones(2, bool)).observed is None
    with pytest.raises(InputError, match="observed must hold True or False for each of the 2 rows"):
        Column.discrete("D", np.array([0, 1]), ("a", "b"), observed=np.ones(3, bool))
    with pytest.raises(InputError, match="not int64"):
        Column.discrete("D", np.array([0, 1]), ("a", "b"), observed=np.array([0, 1]))


def test_masks_are_read_only_copies():
    mask = np.array(SEEN)
    column = Column.discrete("D", np.array(CODES), ("a", "b", "c"), observed=mask)
    mask[:] = True
    assert column.observed.tolist() == SEEN
    with pytest.raises(ValueError, match="read-only"):
        column.observed[0] = False


def test_parts_keep_what_is_missing():
    data = incomplete()
    assert data.incomplete
    assert dict(data.missing_counts) == {"D": 2, "C": 1, "E": 0}
    assert masks(data.rows([5, 2, 2])) == [[True, False, False], [True] * 3, [True] * 3]
    assert masks(data.rows(slice(1, 3))) == [[True, False], [False, True], [True, True]]
    assert data.select(["C", "D"]).missing_counts == {"C": 1, "D": 2}
    assert not data.select(["E"]).incomplete
    again = pickle.loads(pickle.dumps(data))
    assert again == data
    assert masks(again) == masks(data)
    assert data != Data([*incomplete().select(["D", "C"]).columns, data.columns[2].take(slice(None, None, -1))])


def test_samples_keep_what_is_missing():
    data = incomplete()
    weighted = Data(data.columns, np.array([1, 2, 3, 1, 1, 1]))
    assert dict(weighted.missing_counts) == {"D": 4, "C": 2, "E": 0}
    drawn = [data.resample(1), data.subsample(4, 1), *(part for pair in data.folds(2, 1) for part in pair)]
    tags = Data([*data.columns, Column.continuous("row", np.arange(6.0))])
    same = [tags.resample(1), tags.subsample(4, 1), *(part for pair in tags.folds(2, 1) for part in pair)]
    for part, tagged in zip(drawn, same, strict=True):
        rows = tagged.column("row").astype(int)
        assert masks(part)[0] == [SEEN[i] for i in rows]


def test_complete_cases_are_the_rows_without_gaps():
    data = incomplete()
    complete = data.complete_cases()
    assert not complete.incomplete
    assert complete.column("C").tolist() == [1.0, 4.0, 7.0]
    assert complete.column("D").tolist() == [0, 1, 2]
    assert complete.notes == ("the 3 of 6 rows without missing values",)
    assert complete.complete_cases() is complete
    assert data.where_observed(["C", "E"]).column("C").tolist() == [1.0, 3.0, 4.0, 5.0, 7.0]
    either = {"X": np.array([True, False]), "Y": np.array([False, True])}
    never = Data([Column.discrete(v, np.zeros(2, int), "ab", observed=mask) for v, mask in either.items()])
    with pytest.raises(InputError, match=r"all 2 rows have missing values.*PNAL"):
        never.complete_cases()


@pytest.mark.parametrize(
    "use",
    [
        lambda d: d.column("D"),
        lambda d: d.core_mixed_table,
        lambda d: d.select(["D", "E"]).core_table,
        lambda d: contingency_table(d, ["D", "E"]),
        lambda d: scatter_matrix(d.select(["C"])),
        lambda d: vd.BIC().local("D", ["E"], d),
        lambda d: vd.local_score("D", ["E"], d.select(["D", "E"]), vd.BDeu()),
        lambda d: vd.score(vd.DAG.empty(d.names), d, vd.BCG()),
        lambda d: vd.score_table(d.select(["D", "E"]), vd.BIC()),
        lambda d: vd.HillClimbing(score=vd.BIC()).learn(d.select(["D", "E"])),
        lambda d: vd.PCStable(test=vd.ScoreTest(vd.BIC())).learn(d),
    ],
)
def test_what_needs_complete_data_says_so_and_names_the_remedy(use):
    with pytest.raises(InputError, match=r"needs complete data.*missing.*complete_cases\(\) or missing='drop'"):
        use(incomplete())


def test_scores_that_need_complete_data_name_the_one_that_does_not():
    with pytest.raises(
        InputError, match=r"BDs needs complete data.*, or use the score PNAL, or learn with StructuralEM$"
    ):
        vd.Tabu(score=vd.BDs()).learn(incomplete().select(["D", "E"]))


def test_inspections_count_gaps(tmp_path):
    path = tmp_path / "gaps.csv"
    incomplete().write(path)
    settings = vd.TableSettings(strict=False, missing="keep", drop=["E"])
    shown = str(vd.inspect(path, settings)).splitlines()
    assert shown[1].split()[-4:] == ["or", "range", "missing", "reason"]
    assert any(line.startswith("D ") and " 2 " in line for line in shown)
    assert vd.inspect(path, settings).counts("D") == {"a": 1, "b": 2, "c": 1}


def test_frames_get_nulls_back():
    data = incomplete()
    polars = data.to_polars()
    assert polars["D"].to_list() == ["a", "b", None, "b", None, "c"]
    assert polars["C"].to_list() == [1.0, None, 3.0, 4.0, 5.0, 7.0]
    pandas = data.to_pandas()
    assert pandas["D"].isna().tolist() == [not seen for seen in SEEN]
    assert pandas["C"].isna().tolist() == [False, True, False, False, False, False]
    for frame in (polars, pandas):
        assert Data.from_frame(frame, missing="keep") == data


def test_files_have_empty_fields():
    stream = io.BytesIO()
    incomplete().write(stream)
    assert stream.getvalue().splitlines()[2:4] == [b"b,,y", b",3.0,n"]
    stream.seek(0)
    assert vd.read(stream, missing="keep") == incomplete()


def test_reading_keeps_missing_values_if_asked():
    data = vd.read(io.BytesIO(CSV), missing="keep", weights="w", group="g")
    assert masks(data) == [[True, False, True, True], [True, True, False, True]]
    assert data.states["A"] == ("x", "y")
    assert data.notes == ("kept missing values as missing (1 in column 'A', 1 in column 'B')",)
    assert data.by_group()["v"].missing_counts == {"A": 2, "B": 0}
    declared = vd.read(io.BytesIO(CSV), missing="keep", columns=["A"], states={"A": ["y", "x", "missing"]})
    assert declared.states["A"] == ("y", "x", "missing")
    assert declared.observed("A").tolist() == [True, False, True, True]
    loose = vd.read(io.BytesIO(CSV), missing="keep", strict=False, columns=["A", "B"])
    assert masks(loose) == masks(data)


def test_groups_weights_and_empty_columns_cannot_be_missing():
    frame = pl.DataFrame({"A": ["x", "y", None], "g": ["u", None, "v"], "w": [1, None, 2], "N": [None, None, None]})
    with pytest.raises(InputError, match=r"group='g': 1 values are missing, but every row needs one.*missing='drop'"):
        Data.from_frame(frame, missing="keep", group="g", columns=["A"])
    with pytest.raises(InputError, match="weights='w': 1 values are missing, but every row needs one"):
        Data.from_frame(frame, missing="keep", weights="w", columns=["A"])
    with pytest.raises(InputError, match=r"column 'N' has no values: leave it out: drop=\['N'\]"):
        Data.from_frame(frame, missing="keep", columns=["A", "N"])


def test_the_error_for_missing_values_names_keep():
    counted = "values are missing: 1 in column 'A', 1 in column 'B'; pass missing='drop'"
    with pytest.raises(InputError, match=rf"{counted}.*missing='keep' to learn from the observed values"):
        vd.read(io.BytesIO(CSV))


def test_columns_with_one_observed_value_are_constant():
    column = Column.discrete("D", np.array([0, 1, 1]), ("a", "b"), observed=np.array([False, True, True]))
    assert column.is_constant()
    assert Data([column, Column.discrete("E", np.array([0, 1, 1]), ("a", "b"))]).constants == ("D",)


def test_descriptions_count_what_is_missing_and_summarize_the_rest():
    description = incomplete().describe()
    d, c, e = description.rows
    assert d["missing"] == 2
    assert d["share"] == 0.5  # two of four
    assert (c["mean"], c["min"], c["max"], c["missing"]) == (4.0, 1.0, 7.0, 1)
    assert "missing" not in e
    assert "missing" in str(description)
    assert "3 values missing" in repr(incomplete())


def test_cutting_leaves_gaps_and_places_edges_by_what_is_there():
    data = incomplete()
    for method in ("quantile(2)", "interval(2)", "mdl(by=E)", "hartemink(2)"):
        cut = data.discretize(method=method)
        complete = (
            Data([c.present() for c in [data.columns[1]]]).discretize(method=method) if method[0] in "qi" else None
        )
        assert cut.observed("C").tolist() == data.observed("C").tolist()
        assert complete is None or cut.columns[1].present().values.tolist() == complete.columns[0].values.tolist()


def test_scales_and_merged_states_leave_gaps():
    frame = incomplete().to_polars()
    changed = Data.from_frame(frame, missing="keep", transform={"C": "log"}, merge_rare={"D": 2})
    assert changed.columns[1].present().values == pytest.approx(np.log([1, 3, 4, 5, 7]))
    assert changed.states["D"] == ("b", "other")
    assert changed.columns[0].present().values.tolist() == [1, 0, 0, 1]
    assert masks(changed) == masks(incomplete())
    ranks = Data.from_frame(frame, missing="keep", transform={"C": "rank"})
    assert np.argsort(ranks.columns[1].present().values).tolist() == [0, 1, 2, 3, 4]
    assert abs(ranks.columns[1].present().values.sum()) < 1e-12


@pytest.mark.parametrize("names", [["D", "E"], ["C"], ["D", "C", "E"]])
def test_the_order_by_data_does_not_depend_on_names_or_places(names):
    data = incomplete().select(names)
    order = data.in_data_order().names
    turned = data.select(names[::-1]).rows([3, 1, 0, 5, 4, 2])
    assert turned.in_data_order().names == order
    assert data.in_data_order().missing_counts == {v: data.missing_counts[v] for v in order}


def test_many_states_leave_room_for_the_mark_of_missing_values():
    """256 states take a byte, and one more code takes two."""
    observed = np.arange(512) % 5 > 0
    column = Column.discrete("D", np.arange(512) % 256, [f"s{k}" for k in range(256)], observed=observed)
    other = Column.discrete("E", np.arange(512) % 2, ("n", "y"))
    data = Data([column, other])
    assert vd.local_score("E", ["D"], data, vd.PNAL(0)) == pytest.approx(vd.PNAL(0).local("E", ["D"], data), abs=1e-9)
    assert vd.local_score("D", [], data, vd.PNAL(1)) == pytest.approx(vd.PNAL(1).local("D", [], data))


def test_rows_of_weight_zero_are_no_observations():
    codes, observed = np.array([0, 1, 1, 0]), np.array([True, False, True, True])
    data = Data([Column.discrete("D", codes, ("a", "b"), observed=observed)], np.array([2, 0, 1, 1]))
    assert data.missing_counts == {"D": 0}
    assert vd.PNAL().penalty(data) == vd.PNAL().penalty(data.complete_cases())
    assert data.describe().rows[0]["share"] == 0.75


def test_rows_without_any_values_are_counted_in_a_note():
    frame = {"A": ["x", None, "y", "y", None], "B": [0.5, None, None, 2.5, None], "g": ["u", "u", "v", "v", "v"]}
    data = Data.from_frame(frame, missing="keep", group="g")
    assert data.notes[-1] == "2 rows have no values at all, and so no information about the variables"
    one = Data.from_frame({name: values[:4] for name, values in frame.items()}, missing="keep", group="g")
    assert one.notes[-1].startswith("1 row has no values at all")
    assert len(Data.from_frame(frame, missing="keep").notes) == 1  # each row has a value of g then


def test_functions_that_take_a_frame_say_how_to_keep_its_gaps():
    dag = vd.DAG.from_modelstring("[A][B]")
    frame = {"A": ["x", None, "y"], "B": ["u", "v", "v"]}
    for work in (vd.learn, lambda frame: vd.fit(dag, frame)):
        with pytest.raises(InputError, match=r"1 in column 'A'; pass vd\.Data\.from_frame\(frame, missing=\"keep\"\)"):
            work(frame)


def test_only_gaps_of_discrete_columns_are_proposed_as_a_state():
    with pytest.raises(InputError, match=r"missing='drop'.*missing='state'.*missing='keep'"):
        Data.from_frame({"A": ["x", None], "B": [0.5, 1.5]})
    with pytest.raises(InputError) as refused:
        Data.from_frame({"A": ["x", None], "B": [0.5, None]})
    assert "missing='keep'" in str(refused.value)
    assert "state" not in str(refused.value)
    with pytest.raises(InputError, match=r"missing='state' is for discrete columns.*missing='keep'"):
        Data.from_frame({"A": ["x", None], "B": [0.5, None]}, missing="state")


def test_fit_names_the_graph_of_a_result():
    data = Data.from_frame({"A": ["x", "y"] * 9, "B": ["u", "v", "v"] * 6})
    with pytest.raises(InputError, match=r"dag: a DAG is needed, not a Result; result\.dag is one"):
        vd.fit(vd.Tabu().learn(data), data)
