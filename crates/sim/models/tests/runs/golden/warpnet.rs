//! Warpnet against the benchmark's golden files.

use super::invariants::Watched;
use crate::watched::{Run, run, shared};
use models::warpnet::{Counts, Table};
use models::{Network, Warpnet, WarpnetOptions};
use timewarp::{ObjectId, Payload};

pub fn benchmark() -> Option<Watched> {
    let (nodes, lines) = (shared("data/warpnet_nodes.csv")?, shared("data/warpnet_lines.csv")?);
    let network = Network::read(
        Table { file: "warpnet_nodes.csv", text: &nodes },
        Table { file: "warpnet_lines.csv", text: &lines },
    );
    Some(Watched(Warpnet::new(network.unwrap(), &WarpnetOptions::default()).unwrap()))
}

/// A line of the file of totals, by the names of its columns.
fn totals(text: &str, case: &str) -> Vec<(String, u64)> {
    let mut lines = text.lines().map(|line| line.split(',').map(String::from));
    let heading: Vec<_> = lines.next().unwrap().skip(1).collect();
    let mut line = lines.find_map(|mut line| (line.next()? == case).then_some(line)).unwrap();
    heading.into_iter().map(|name| (name, line.next().unwrap().parse().unwrap())).collect()
}

fn observed(run: &Run) -> Vec<(String, u64)> {
    let (counters, counts) = (run.outcome.total(), Watched::counts(run));
    let Counts {
        creates,
        packets,
        updates,
        arrived,
        packets_sent,
        updates_sent,
        searches,
        accepted,
        ..
    } = counts.counts;
    [
        ("objects", run.outcome.objects.len() as u64),
        ("events", counters.events),
        ("messages", counters.messages),
        ("sent", counters.committed_sends),
        ("dropped", counters.committed_drops),
        ("final_time", run.outcome.final_time as u64),
        ("packets_created", counts.packets_created),
        ("packets_arrived", arrived),
        // The initialisers' messages, the configuration's included, are of this kind too.
        ("create_consumed", creates + 32),
        ("packet_consumed", packets),
        ("update_consumed", updates),
        ("packets_sent", packets_sent),
        ("updates_sent", updates_sent),
        ("searches", searches),
        ("update_entries_accepted", accepted),
        ("largest_bundle", run.largest_bundle().into()),
    ]
    .map(|(name, value)| (name.to_string(), value))
    .to_vec()
}

fn same_lines(found: impl IntoIterator<Item = String>, golden: &str) {
    let mut found = found.into_iter();
    for (number, line) in golden.lines().enumerate().skip(1) {
        assert_eq!(found.next().as_deref(), Some(line), "line {}", number + 1);
    }
}

#[test]
fn the_full_run() {
    let (Some(model), Some(golden), Some(head)) =
        (benchmark(), shared("golden/warpnet_totals.csv"), shared("golden/warpnet_trace_head.csv"))
    else {
        return;
    };
    let run = run(&model, None);
    assert_eq!(observed(&run), totals(&golden, "full"));
    same_lines(run.trace(&model), &head);
    let counts = Watched::counts(&run);
    counts.check_at_the_end(&model, &run);
    // 9,070,392 bytes and the configuration's 16.
    let Counts { creates, packets, updates, .. } = counts.counts;
    let update_bytes = 4 + 4 * 40 + 2 * 160;
    let waking = 31 * 4 + 16;
    assert_eq!(creates * 4 + waking + packets * 100 + updates * update_bytes, 9_070_408);
}

#[test]
fn the_run_cut_at_250() {
    let (Some(model), Some(golden), Some(objects)) =
        (benchmark(), shared("golden/warpnet_totals.csv"), shared("golden/warpnet_cutoff250.csv"))
    else {
        return;
    };
    let run = run(&model, Some(250.0));
    assert_eq!(observed(&run), totals(&golden, "cutoff250"));
    let counts = run.counts(&model);
    assert_eq!(counts.len(), objects.lines().count() - 1);
    same_lines(counts, &objects);
    Watched::counts(&run).check_anywhere();
}

#[test]
fn the_benchmark_network_is_written_as_it_was_read() {
    let (Some(model), Some(nodes), Some(lines)) =
        (benchmark(), shared("data/warpnet_nodes.csv"), shared("data/warpnet_lines.csv"))
    else {
        return;
    };
    let network = model.0.network();
    assert_eq!((network.nodes(), network.lines()), (137, 316));
    assert_eq!(network.write(), [("warpnet_nodes.csv", nodes), ("warpnet_lines.csv", lines)]);
}

#[test]
fn payloads_have_the_documented_lengths() {
    let create = models::warpnet::WarpnetPayload::Create;
    assert_eq!(create.bytes(), 4);
    let body = models::warpnet::UpdateBody::new(&[0; 2 * 40 + 160]);
    assert_eq!(models::warpnet::WarpnetPayload::Update(body).bytes(), 484);
}

#[test]
fn names_and_types_are_the_documented_ones() {
    let Some(model) = benchmark() else { return };
    use timewarp::Model;
    let of = |object| (model.name(ObjectId(object)), model.kind(ObjectId(object)));
    assert_eq!(of(0), ("0".into(), "warpnet"));
    assert_eq!(of(136), ("136".into(), "warpnet"));
    assert_eq!(of(137), ("0-init".into(), "warpinit"));
    assert_eq!(of(168), ("31-init".into(), "warpinit"));
}
