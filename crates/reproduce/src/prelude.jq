# What cards use besides jq's own. Each reads what `fourstamp report RUN --json` or a study says.

# One of the stages: end-to-end, send-wait, transit, receive-wait.
def stage($name): .analysis.stages[] | select(.stage == $name);

# A quantile of a stage, ns: 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999.
def quantile($name; $p): stage($name).summary.quantiles[] | select(.p == $p) | .value_ns;

# The mean of a stage, ns.
def mean($name): stage($name).summary.mean_ns;

# The rows of a table, each an object.
def table($id): ([.tables[]?, .sections[]?.tables[]?] | map(select(.id == $id)) | first).rows;

# A row of a study of several models, on nodes: of a model, a transport and a way to time objects.
def on_nodes($model; $transport; $timing): table("speedup")[]
  | select(.engine == "optimistic" and .model == $model and .transport == $transport
      and .timing == $timing);

# The peaks of a stage, from the fastest.
def peaks($name): [stage($name).peaks[] | select(.tail | not)];

# A count that messages carry: queue-length, in-flight, on-node-waited.
def counts($name): .analysis.counts[] | select(.of == $name);

# The middle of an array of numbers.
def median: sort | if length == 0 then null
  elif length % 2 == 1 then .[length / 2 | floor]
  else (.[length / 2 - 1 | floor] + .[length / 2 | floor]) / 2 end;

# The part of messages above x, from a tail: pairs of a time and the part that is slower.
def above($x): [.[] | select(.[0] <= $x) | .[1]] | if length == 0 then 1 else last end;

# The largest distance between two tails, as Kolmogorov and Smirnov have it.
def distance($a; $b): [($a + $b)[] | .[0] as $x | ($a | above($x)) - ($b | above($x)) | fabs] | max;

# How much of the variance of a stage lies between the groups of a breakdown (hops, packets, bytes,
# pair): the correlation ratio, eta squared.
def between($by; $name): [.analysis.breakdowns[] | select(.by == $by) | .groups[]
    | .stages[] | select(.[0] == $name) | .[1] | {count, mean: .mean_ns}] as $groups
  | stage($name).summary as $all
  | ([$groups[] | .count * (.mean - $all.mean_ns) * (.mean - $all.mean_ns)] | add)
    / ($all.count * $all.sd_ns * $all.sd_ns);

# Whether an array never falls, or never rises.
def rises: . as $a | all(range(1; length); $a[.] >= $a[. - 1]);
def falls: . as $a | all(range(1; length); $a[.] <= $a[. - 1]);
