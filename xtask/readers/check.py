"""DuckDB, pandas and polars read a run and find what the report says: check.py RUN REPORT_CSV FORMAT_MD

REPORT_CSV is `fourstamp report RUN --csv`. Prints a line for each test, and a count that the harness understands.
"""

import csv
import glob
import math
import re
import sys

import duckdb
import pandas
import polars

run, report_csv, format_md = sys.argv[1:]
files = sorted(glob.glob(f"{run}/messages/*.parquet"))

ALWAYS = ["launch", "seq", "src", "dst", "kind", "bytes", "ready_ns", "sent_ns", "arrived_ns", "taken_ns", "arrived_how"]
STAGES = {
    "end-to-end": ("ready_ns", "taken_ns"),
    "send-wait": ("ready_ns", "sent_ns"),
    "transit": ("sent_ns", "arrived_ns"),
    "receive-wait": ("arrived_ns", "taken_ns"),
    "cycle": ("ready_ns", "taken_ns", True),
}
# Rows that are no messages.
INTERVALS = {"cycle", "execution", "rollback", "collection", "gvt-round"}
# The report counts every nanosecond below this; above, a counter is at most 1/4096 of its values wide.
EXACT_BELOW_NS = 65536
COARSEST = 1 / 4096


def read_duckdb():
    table = duckdb.sql(f"SELECT * FROM read_parquet({files!r})").fetchnumpy()
    return {name: list(values) for name, values in table.items()}


def read_pandas():
    table = pandas.concat(pandas.read_parquet(file) for file in files)
    return {name: table[name].tolist() for name in table.columns}


def read_polars():
    table = polars.read_parquet(files)
    return {name: table[name].to_list() for name in table.columns}


def documented():
    """What the tables and lists of docs/FORMAT.md describe: every name in backticks in a first cell or before a colon."""
    with open(format_md) as file:
        lines = list(file)
    cells = [line.split("|")[1] for line in lines if line.startswith("|")]
    heads = [line.split(":")[0] for line in lines if line.startswith("- ")]
    return {name for head in cells + heads for name in re.findall(r"`(\w+)`", head)}


def is_time(value):
    return value is not None and not math.isnan(value)


def stage(columns, first, last, cycles=False):
    """A stage's times, ascending, of the messages or of the cycles (round trips) that have both stamps."""
    rows = zip(columns["kind"], columns[first], columns[last])
    wanted = (lambda kind: kind == "cycle") if cycles else (lambda kind: kind not in INTERVALS)
    return sorted(int(b - a) for kind, a, b in rows if wanted(kind) and is_time(a) and is_time(b))


def close(ns, reported):
    return abs(ns - reported) <= (0 if ns < EXACT_BELOW_NS else ns * COARSEST)


def check_columns(columns):
    missing = [name for name in ALWAYS if name not in columns]
    assert not missing, f"lacks {missing}"
    undocumented = set(columns) - documented()
    assert not undocumented, f"docs/FORMAT.md does not name {sorted(undocumented)}"


def check_quantiles(columns):
    with open(report_csv) as file:
        rows = {row["stage"]: row for row in csv.DictReader(file)}
    for name, (first, last, *cycles) in STAGES.items():
        values, row = stage(columns, first, last, *cycles), rows[name]
        assert len(values) == int(row["n"]), f"{name}: {len(values)} messages, the report says {row['n']}"
        assert (values[0], values[-1]) == (int(row["min_ns"]), int(row["max_ns"])), f"{name}: least or most differ"
        for p in (50, 90, 99, 99.9):
            ns, reported = values[math.ceil(round(p / 100 * len(values), 6)) - 1], row[f"p{p}_ns"]
            assert reported and close(ns, int(reported)), f"{name}: p{p} is {ns} ns, the report says {reported}"


def check_identity(columns):
    rows = zip(columns["kind"], columns["launch"], columns["src"], columns["seq"])
    ids = [identity for kind, *identity in rows if kind not in INTERVALS]
    assert len(set(map(tuple, ids))) == len(ids) > 0, "two messages share (launch, src, seq)"


passed = failed = 0
for reader in (read_duckdb, read_pandas, read_polars):
    columns = reader()
    for check in (check_columns, check_quantiles, check_identity):
        name = f"{reader.__name__.removeprefix('read_')}: {check.__name__.removeprefix('check_')}"
        try:
            check(columns)
            passed += 1
            print(f"{name} ... ok")
        except AssertionError as error:
            failed += 1
            print(f"{name} ... FAILED: {error}")
print(f"test result: {'FAILED' if failed else 'ok'}. {passed} passed; {failed} failed")
sys.exit(1 if failed else 0)
