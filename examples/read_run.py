"""Reads a run with DuckDB and with pandas: where did the time of the messages go?

    pip install duckdb pandas pyarrow
    python examples/read_run.py runs/tcp

A run is a folder of Parquet files; docs/FORMAT.md names the columns. Times are nanoseconds since the run's start.
"""

import sys

import duckdb
import pandas as pd

run = sys.argv[1] if len(sys.argv) > 1 else "runs/tcp"

# Round trips and a simulation's work are kept as rows too.
INTERVALS = ("cycle", "execution", "rollback", "collection", "gvt-round")

# DuckDB: the four stages of every message, in SQL, over files of any size.
stages = duckdb.sql(f"""
    SELECT src, dst, bytes,
           taken_ns - ready_ns   AS end_to_end_ns,
           sent_ns - ready_ns    AS send_wait_ns,
           arrived_ns - sent_ns  AS transit_ns,
           taken_ns - arrived_ns AS receive_wait_ns
    FROM read_parquet('{run}/messages/*.parquet')
    WHERE kind NOT IN {INTERVALS}
""")
print(stages.query("stages", """
    SELECT src, dst, count(*) AS messages,
           quantile_disc(end_to_end_ns, 0.5)   AS end_to_end_p50_ns,
           quantile_disc(end_to_end_ns, 0.999) AS end_to_end_p999_ns,
           round(sum(send_wait_ns)    / sum(end_to_end_ns), 3) AS send_wait_share,
           round(sum(transit_ns)      / sum(end_to_end_ns), 3) AS transit_share,
           round(sum(receive_wait_ns) / sum(end_to_end_ns), 3) AS receive_wait_share
    FROM stages GROUP BY ALL ORDER BY ALL
"""))

# pandas: the ten slowest messages, whole.
messages = pd.read_parquet(f"{run}/messages", filters=[("kind", "not in", INTERVALS)])
messages["end_to_end_ns"] = messages["taken_ns"] - messages["ready_ns"]
print(messages.nlargest(10, "end_to_end_ns").to_string(index=False))
