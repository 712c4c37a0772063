"""The time of one call of fourstamp.Stamper: stamps.py RUN nothing|now|header|taken

As stamps.c: prints `call_ns`, the median over batches.
"""

import sys
import time

import fourstamp

BATCHES, CALLS = 500, 1000


def nothing(_, calls):
    for _ in calls:
        pass


def now(node, calls):
    for _ in calls:
        node.now()


def header(node, calls):
    for _ in calls:
        node.header(1, READY, SENT)


def taken(node, calls):
    for _ in calls:
        node.taken(HEADER, ARRIVED, 64)


path, operation = sys.argv[1:]
batch = {"nothing": nothing, "now": now, "header": header, "taken": taken}[operation]
with fourstamp.create(path) as run:
    with run.node(0, capacity_rows=BATCHES * CALLS + 1) as node:
        READY, SENT, ARRIVED = node.now(), node.now(), node.now()
        HEADER = node.header(0, READY, SENT)
        times = []
        for _ in range(BATCHES):
            before = time.perf_counter_ns()
            batch(node, range(CALLS))
            times.append((time.perf_counter_ns() - before) / CALLS)
    run.leave()
print(f"call_ns\n{sorted(times)[BATCHES // 2]:.2f}")
