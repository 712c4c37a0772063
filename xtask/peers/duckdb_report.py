"""The distributions of a run as `fourstamp report` has them, by DuckDB: duckdb_report.py RUN sorted|counted

For each of the four stages: count, least, most, mean, standard deviation, quantiles, a histogram of 100 bins on a log
scale, and one of 100 equal bins for each of the three pieces (fastest 95 %, 95 - 99.9 %, slowest 0.1 %).

    sorted    with DuckDB's own exact quantiles: what one writes first
    counted   from how often each value occurs: the fastest way that we found
"""

import sys

import duckdb

STAGES = {
    "end-to-end": "taken_ns - ready_ns",
    "send-wait": "sent_ns - ready_ns",
    "transit": "arrived_ns - sent_ns",
    "receive-wait": "taken_ns - arrived_ns",
}
QUANTILES = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999, 0.999999]

run, method = sys.argv[1:]
db = duckdb.connect()
db.execute(f"CREATE VIEW messages AS SELECT * FROM read_parquet('{run}/messages/*.parquet') WHERE kind <> 'cycle'")


def sorted_summaries():
    """All stages in one pass over the files."""
    parts = [f"count({ns}), min({ns}), max({ns}), avg({ns}), stddev_samp({ns}), quantile_disc({ns}, {QUANTILES})"
             for ns in STAGES.values()]
    row = db.execute(f"SELECT {', '.join(parts)} FROM messages").fetchone()
    return {name: row[6 * i:6 * i + 6] for i, name in enumerate(STAGES)}


def counted_summaries():
    """Each stage's values with their counts, as a table that the histograms are made from too."""
    found = {}
    for name, ns in STAGES.items():
        table = values(name)
        db.execute(f"CREATE TEMP TABLE {table} AS SELECT {ns} AS ns, count(*) AS n FROM messages GROUP BY ALL")
        count, least, most, mean = db.execute(f"SELECT sum(n), min(ns), max(ns), sum(ns * n) / sum(n) FROM {table}").fetchone()
        deviation, = db.execute(f"SELECT sqrt(sum(n * (ns - {mean}) ** 2) / ({count} - 1)) FROM {table}").fetchone()
        wanted = ", ".join(f"min(ns) FILTER (upto >= ceil({p} * {count}))" for p in QUANTILES)
        at = db.execute(f"SELECT {wanted} FROM (SELECT ns, sum(n) OVER (ORDER BY ns) AS upto FROM {table})").fetchone()
        found[name] = (count, least, most, mean, deviation, at)
    return found


def values(name):
    return "values_" + name.replace("-", "_")


def histograms(source, least, most, second, third):
    """Bins on a log scale and within the pieces, in one pass."""
    return db.execute(f"""
        SELECT floor(ln(greatest(ns, 1)) / ln(1 + {most}) * 100) AS log_bin, piece,
               floor((ns - low) / greatest(high - low, 1) * 100) AS bin, sum(n)
        FROM (SELECT ns, n, CASE WHEN ns <= {second} THEN 1 WHEN ns <= {third} THEN 2 ELSE 3 END AS piece,
                     CASE WHEN ns <= {second} THEN {least} WHEN ns <= {third} THEN {second} ELSE {third} END AS low,
                     CASE WHEN ns <= {second} THEN {second} WHEN ns <= {third} THEN {third} ELSE {most} END AS high
              FROM {source})
        GROUP BY log_bin, piece, bin
    """).fetchall()


print("stage,n,min_ns,p50_ns,p90_ns,p99_ns,p99.9_ns,max_ns,mean_ns,sd_ns")
summaries = {"sorted": sorted_summaries, "counted": counted_summaries}[method]()
for name, (count, least, most, mean, deviation, found) in summaries.items():
    at = dict(zip(QUANTILES, found))
    counted = values(name) if method == "counted" else f"(SELECT {STAGES[name]} AS ns, 1 AS n FROM messages)"
    bins = histograms(counted, least, most, at[0.95], at[0.999])
    assert sum(n for *_, n in bins) == count
    print(f"{name},{count},{least},{at[0.5]},{at[0.9]},{at[0.99]},{at[0.999]},{most},{mean:.1f},{deviation:.1f}")
