"""directions.py messages.csv: how long so many directions had a large message on its way at once."""
import csv, sys

edges, open_now = [], {}
for row in csv.DictReader(open(sys.argv[1])):
    if int(row["bytes"]) > 20_000 and row["src"] != row["dst"]:
        pair = row["src"], row["dst"]
        open_now[pair] = 0
        edges += [(int(row["ready_ns"]), 1, pair), (int(row["taken_ns"]), -1, pair)]
edges.sort()
spent = [0] * (len(open_now) + 1)
for (at, step, pair), (after, _, _) in zip(edges, edges[1:]):
    open_now[pair] += step
    spent[sum(count > 0 for count in open_now.values())] += after - at
for at_work, ns in enumerate(spent):
    print(f"{at_work} of {len(open_now)} directions at work: {ns / 1e9:.2f} s")
