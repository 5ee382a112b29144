"""How long from a file to a model? The adult data written as a CSV file, read, prepared, fitted and explained.

    python benchmarks/from_file.py --data folder/of/adult

The folder holds ``adult.npz`` with X_num, X_cat, their names, categories as JSON, y and is_test. Reading is compared
with pandas and polars, which are told the separator and guess types only.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import one_thread  # noqa: F401  # before NumPy's libraries start their threads
import pandas as pd
import polars as pl
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import chemin


def write_csv(source: Path, file: Path) -> np.ndarray:
    """Write the data as people have them, and return which rows are for the test."""
    with np.load(source / "adult.npz", allow_pickle=False) as held:
        numbers, codes, y = held["X_num"], held["X_cat"], held["y"]
        names = [name.decode() for name in (*held["num_names"], *held["cat_names"])]
        labels = [name.decode() for name in held["class_names"]]
        words = json.loads(str(held["categories_json"]))
        is_test = held["is_test"]
    columns = [[f"{value:.0f}" for value in column] for column in numbers.T]
    for name, column in zip(names[len(columns) :], codes.T, strict=True):
        columns.append(["?" if code < 0 else words[name][code] for code in column])
    columns.append([labels[int(value > 0)] for value in y])
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([*names, "income"])
        writer.writerows(zip(*columns, strict=True))
    return is_test


def timed(what: str, work: Callable[[], Any]) -> Any:
    """Do some work and print how long it took."""
    begin = time.perf_counter()
    result = work()
    print(f"{what:<44} {time.perf_counter() - begin:8.2f} s", flush=True)
    return result


def main(data: Path) -> None:
    """Time every step."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "adult.csv"
        is_test = write_csv(data, file)
        print(f"adult.csv: {file.stat().st_size / 1e6:.1f} MB, {len(is_test)} rows")
        table = timed("chemin.read", lambda: chemin.read(file, target="income"))
        timed("pandas.read_csv", lambda: pd.read_csv(file, na_values="?"))
        timed("polars.read_csv", lambda: pl.read_csv(file, null_values="?"))
    X, y = table.X, table.y
    known, labels = X[~is_test], y[~is_test]
    prepared = timed(
        "chemin.Prepare, fitted and applied", lambda: chemin.Prepare().fit_transform(known, labels)
    )
    words = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder())
    peer = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include="number")),
        (words, make_column_selector(dtype_exclude="number")),
    )
    timed(
        "scikit-learn's imputer, encoder and scaler",
        lambda: peer.fit_transform(known.astype({"sex": object})),
    )
    print(f"{len(known)} rows, {prepared.shape[1]} columns")
    estimator = chemin.SparseSVCCV(standardize=True, rule="1se", positive=">50K", random_state=0)
    model = make_pipeline(chemin.Prepare(), estimator)
    timed("SparseSVCCV behind Prepare", lambda: model.fit(known, labels))
    right = timed("score of the test rows", lambda: model.score(X[is_test], y[is_test]))
    explanation = timed(
        "one decision explained", lambda: chemin.interpret.explain(model, X[is_test][:1])[0]
    )
    print(f"{estimator.n_terms_} terms, {right:.1%} of the test rows right\n{explanation}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of adult.npz")
    main(parser.parse_args().data)
