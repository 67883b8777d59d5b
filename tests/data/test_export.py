from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given

from strategies.data import data_sets, discrete, read_back
from veridag.data import Data
from veridag.errors import InputError


@pytest.mark.filterwarnings("ignore::veridag.data.DataWarning")
@given(data_sets())
def test_pandas_and_back_changes_nothing(data):
    assert read_back(data.to_pandas(weights="(weight)", group="(group)"), data) == data


@pytest.mark.filterwarnings("ignore::veridag.data.DataWarning")
@given(data_sets())
def test_polars_and_back_changes_nothing(data):
    frame = data.to_polars(weights="(weight)", group="(group)")
    assert read_back(frame, data) == data
    assert read_back(frame.to_arrow(), data) == data


def test_frames_have_weights_and_group_as_columns():
    data = Data([discrete()], weights=[1, 2, 3, 4], group=np.array([0, 1, 1, 0]), groups=("n", "s"))
    frame = data.to_pandas()
    assert list(frame.columns) == ["X", "group", "weight"]
    assert frame["weight"].dtype == np.int64
    assert isinstance(frame["X"].dtype, pd.CategoricalDtype)
    assert data.to_polars(weights="w").schema["X"] == pl.Enum(["no", "yes"])
    clash = Data([discrete("weight")], weights=[1, 2, 3, 4])
    with pytest.raises(InputError, match="weights='weight' is also the name of a variable"):
        clash.to_polars()
    assert clash.to_polars(weights="w").columns == ["weight", "w"]
    with pytest.raises(InputError, match="group= and weights= are both 'w': pass two names"):
        data.to_pandas(weights="w", group="w")
    with pytest.raises(InputError, match="weights=5 must be a name"):
        data.to_polars(weights=5)
