"""Files of all kinds as input of `bayesvc select`."""

from __future__ import annotations

import gzip
import json

import numpy as np
import polars as pl
import pytest

from tests.helpers.settings import SHORT_OPTIONS

SHORT = (*SHORT_OPTIONS, "--replicates", "3")


def write_parquet(frame, path):
    frame.write_parquet(path)


def write_feather(frame, path):
    frame.write_ipc(path)


def write_excel(frame, path):
    pytest.importorskip("xlsxwriter")
    pytest.importorskip("fastexcel")
    frame.write_excel(path)


def write_tsv(frame, path):
    frame.write_csv(path, separator="\t")


def write_gzipped(frame, path):
    path.write_bytes(gzip.compress(frame.write_csv().encode()))


def write_with_bom(frame, path):
    path.write_bytes(b"\xef\xbb\xbf" + frame.write_csv().encode())


def write_european(frame, path):
    frame.write_csv(path, separator=";", decimal_comma=True)


@pytest.mark.usefixtures("placeholder_figures")
@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("t.parquet", write_parquet),
        ("t.feather", write_feather),
        ("t.xlsx", write_excel),
        ("t.tsv", write_tsv),
        ("t.csv.gz", write_gzipped),
        ("t.csv", write_with_bom),
        ("t.csv", write_european),
    ],
)
def test_kinds_of_files(run, table, tmp_path, name, write):
    path = tmp_path / name
    write(table, path)
    done = run("select", path, "-y", "y", "--exclude", "who", "--json", *SHORT)
    assert done.returncode == 0, done.stderr
    assert sorted(json.loads(done.stdout)["selected"]) == ["b", "d"]


@pytest.mark.usefixtures("placeholder_figures")
def test_what_was_guessed_is_said(run, table, tmp_path):
    write_european(table, tmp_path / "t.csv")
    done = run("select", "t.csv", "-y", "y", "--exclude", "who", *SHORT)
    assert "separated by semicolons" in done.stderr
    assert "decimal commas" in done.stderr


@pytest.mark.usefixtures("placeholder_figures")
def test_latin_1_can_be_read_if_it_is_said(run, table, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(table.rename({"a": "größe"}).write_csv().encode("latin-1"))
    refused = run("select", path, "-y", "y", "--exclude", "who", *SHORT)
    assert refused.returncode == 2
    assert "not encoded in utf-8" in refused.stderr
    assert "--encoding" in refused.stderr
    done = run(
        "select", path, "-y", "y", "--exclude", "who", "--encoding", "latin-1", "--json", *SHORT
    )
    assert done.returncode == 0, done.stderr


def test_bytes_that_are_not_utf_8_far_down(tmp_path):
    from bayesvc.cli.errors import BadInput
    from bayesvc.cli.table_file import read_table

    path = tmp_path / "t.csv"
    path.write_bytes(b"y,a\n" + b"1,2\n" * 100_000 + b"2,\xe9\n")
    with pytest.raises(BadInput, match=r"not encoded in utf-8 \(a later row\)\. Give its"):
        read_table(path)
    path.write_bytes("y,a\n1,2\n".encode("utf-16"))
    with pytest.raises(BadInput, match="such as utf-16"):
        read_table(path)


def test_names_in_the_header(tmp_path):
    from bayesvc.cli.table_file import read_table

    path = tmp_path / "t.csv"
    path.write_text(",y,, a\n0,1,2,3\n1,2,3,4\n")  # as pandas writes an index
    found = read_table(path)
    assert found.frame.collect_schema().names() == ["column 1", "y", "column 3", "a"]
    assert found.notes == ["columns without a name are named after their position: 1, 3."]
    path.write_text('y,"two\nlines"\n1,2\n')
    assert read_table(path).frame.collect_schema().names() == ["y", "two\nlines"]
    path.write_text("y\ta\n1\t2\n")
    assert read_table(path, "\\t").frame.collect_schema().names() == ["y", "a"]


def test_a_file_too_large_for_memory_is_refused_before_it_is_read(tmp_path, monkeypatch):
    from bayesvc import _validation
    from bayesvc.cli.errors import BadInput
    from bayesvc.cli.table_file import read_table

    path = tmp_path / "huge.csv"
    with path.open("wb") as handle:
        handle.write(b"y,a,b\n" + b"1,2,3\n" * 50_000)
        handle.truncate(2_000_000_000)  # the rest is a hole
    monkeypatch.setattr(_validation, "available_memory", lambda: 4_000_000_000)
    with pytest.raises(BadInput, match=r"2\.0 GB\) needs about \d+ GB of memory, but only 4 GB"):
        read_table(path)


@pytest.mark.parametrize(("n_rows", "n_columns", "each"), [(300, 300, 10), (300, 301, 2)])
def test_memory_of_a_parquet_file_is_that_of_codes_and_linear_model(
    tmp_path, monkeypatch, n_rows, n_columns, each
):
    """There is no linear model of as many columns as rows; one column is the target."""
    from bayesvc import _validation
    from bayesvc.cli.errors import BadInput
    from bayesvc.cli.table_file import read_table

    path = tmp_path / "table.parquet"
    pl.DataFrame({f"x{j}": np.arange(n_rows) for j in range(n_columns)}).write_parquet(path)
    needed = n_rows * n_columns * each
    monkeypatch.setattr(_validation, "available_memory", lambda: needed)
    read_table(path)
    monkeypatch.setattr(_validation, "available_memory", lambda: needed - 1)
    with pytest.raises(BadInput, match=r"needs about \d+ GB of memory"):
        read_table(path)
