//! What a simulation's rows say of a message beyond its stamps, against what the other rows say.

use crate::common::{folder, succeed};
use record::{Batch, Field, Kind, NULL, Run};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const FIELDS: [Field; 9] = [
    Field::Kind,
    Field::Src,
    Field::Dst,
    Field::ReadyNs,
    Field::SentNs,
    Field::ArrivedNs,
    Field::TakenNs,
    Field::Packets,
    Field::OnNodeWaited,
];

/// A message of either kind.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Message {
    kind: Kind,
    src: i64,
    dst: i64,
    ready: i64,
    sent: i64,
    arrived: i64,
    taken: i64,
    packets: i64,
    on_node_waited: i64,
}

fn read(path: &Path) -> Vec<Message> {
    let run = Run::open(path).expect("a closed run");
    let (mut batch, mut all) = (Batch::new(), Vec::new());
    for chunk in run.chunks() {
        chunk.read(&FIELDS, &mut batch).expect("readable");
        for row in 0..chunk.rows() {
            let [kind, src, dst, ready, sent, arrived, taken, packets, on_node_waited] =
                FIELDS.map(|field| batch.column(field).at(row));
            let kind = Kind::from_code(kind as u8).expect("a known kind");
            if !kind.is_interval() {
                all.push(Message {
                    kind,
                    src,
                    dst,
                    ready,
                    sent,
                    arrived,
                    taken,
                    packets,
                    on_node_waited,
                });
            }
        }
    }
    all
}

/// When messages within each node were handled.
fn within(messages: &[Message]) -> BTreeMap<i64, Vec<i64>> {
    let mut handled: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    let is_on_node = |message: &&Message| {
        message.src == message.dst && matches!(message.kind, Kind::Event | Kind::Anti)
    };
    for message in messages.iter().filter(is_on_node) {
        handled.entry(message.dst).or_default().push(message.taken);
    }
    handled.values_mut().for_each(|times| times.sort_unstable());
    handled
}

#[test]
fn on_node_messages_handled_while_one_waited_are_those_of_the_rows() {
    for transport in ["--transport thread", "--transport tcp", "--on mark3 --plimit 20"] {
        let folder = folder();
        let model = "warp phold --objects 32 --remote 0.5 --cutoff 30 --nodes 2 --out run";
        succeed(folder.path(), &format!("{model} {transport}"));
        let messages = read(&folder.path().join("run"));
        let handled = within(&messages);
        let until = |node: i64, time: i64| handled[&node].partition_point(|at| *at <= time) as i64;
        let (mut waited, mut between) = (0, 0);
        for message in &messages {
            if message.src == message.dst {
                assert_eq!(message.on_node_waited, NULL, "it waited for nothing");
                continue;
            }
            between += 1;
            // Stamps are rounded to a nanosecond each.
            let [least, most] = [(1, -1), (-1, 1)].map(|(after, before)| {
                until(message.dst, message.taken + before)
                    - until(message.dst, message.arrived + after)
            });
            let found = message.on_node_waited;
            let is_so = (least.max(0)..=most).contains(&found);
            assert!(is_so, "{transport}: {least} to {most}, not {found}");
            waited += found;
        }
        // On real nodes that is a matter of luck: they look at the network after each event.
        let some_must = transport.contains("--on");
        assert!(between > 100 && (waited > 0 || !some_must), "{transport}: {between}, {waited}");
    }
}

#[test]
fn a_messages_packets_are_its_own_not_those_of_its_frame() {
    let folder = folder();
    let model = "warp phold --objects 64 --remote 0.9 --start 8 --cutoff 20 --nodes 2";
    succeed(folder.path(), &format!("{model} --topology hypercube --packet 128 --out cube"));
    let packets = |kinds: &[Kind], run: &str| {
        let messages = read(&folder.path().join(run));
        let own = messages.iter().filter(|m| m.src != m.dst && kinds.contains(&m.kind));
        own.map(|message| message.packets)
            .fold((i64::MAX, 0), |(least, most), packets| (least.min(packets), most.max(packets)))
    };
    // A parcel is shorter than a packet here: it lies in one, or across the end of one.
    assert_eq!(packets(&[Kind::Event, Kind::Anti], "cube"), (1, 2));
    succeed(folder.path(), &format!("{model} --topology hypercube --packet 16 --out small"));
    let (least, most) = packets(&[Kind::Event], "small");
    assert!(least >= 4 && most <= 8, "{least} to {most} packets of 16 bytes");
    succeed(folder.path(), &format!("{model} --on mark3 --out mark3"));
    assert_eq!(packets(&[Kind::Event], "mark3").0, 1);
}

#[test]
fn what_the_slowest_overlap_is_said_of_a_cut() {
    let folder = folder();
    let model = "warp phold --objects 64 --remote 0.5 --cutoff 40 --nodes 4 --on mark3 --out run";
    succeed(folder.path(), model);
    let table = succeed(folder.path(), "explain run --cut transit:90%.. --csv=overlaps");
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let execution = rows.iter().find(|row| &row[0] == "execution").unwrap();
    let number = |at: usize| execution[at].parse::<u64>().unwrap();
    let (with, of, all_with, all_of) = (number(2), number(3), number(4), number(5));
    assert!(&execution[1] == "transit" && with <= of && all_with <= all_of, "{table}");
    // The cut is a tenth of them, to the nearest message.
    assert!((10 * of).abs_diff(all_of) <= 5, "{table}");
    let said = succeed(folder.path(), "explain run --cut transit:90%..");
    assert!(said.contains("What the cut overlaps"), "{said}");
    assert!(!succeed(folder.path(), "explain run").contains("What the cut overlaps"));
}

#[test]
fn when_messages_are_acknowledged_changes_no_result_and_who_overtook_is_counted() {
    let folder = folder();
    let model = "warp phold --objects 64 --remote 0.5 --cutoff 40";
    let result = |options: &str| -> Value {
        let said = succeed(folder.path(), &format!("{model} --json {options}"));
        serde_json::from_str(&said).expect("JSON")
    };
    let digests = |result: &Value| ["trace_digest", "state_digest"].map(|it| result[it].clone());
    let expected = digests(&result("--seq"));
    for at in ["arrival", "taken"] {
        for search in ["--plimit 50 --max-acks 2", "--recvq-limit 5 --max-acks 4", "--max-acks 2"] {
            for on in ["", "--transport tcp", "--on mark3"] {
                let options = format!("--nodes 4 {search} --ack-at {at} {on}");
                assert_eq!(digests(&result(&options)), expected, "{options}");
            }
        }
    }
    assert_eq!(result("--nodes 2 --on mark3")["overtook"], 0, "no queue was searched");
    let searched = "--nodes 4 --on mark3 --plimit 50 --reward 1 --penalty 2 --out searched";
    let overtook = result(searched)["overtook"].as_u64().expect("a count");
    assert!(overtook > 0, "nothing overtook");
    let run = Run::open(folder.path().join("searched")).expect("a closed run");
    let queues = run.info.parameters["result"]["queues"].as_array().expect("a row a node").clone();
    let by_node: u64 = queues.iter().filter_map(|node| node["overtook"].as_u64()).sum();
    assert_eq!((queues.len(), by_node), (4, overtook));
    let said = succeed(folder.path(), "report searched --csv=overtaking");
    assert_eq!(said.lines().next(), Some("node,taken,overtook,share"), "{said}");
    assert_eq!(said.lines().count(), 5, "{said}");
    // The stamps say as much, but for events that passed nothing but other kinds of messages.
    let by_stamps = |run: &str| {
        let said = succeed(folder.path(), &format!("report {run} --json"));
        let said: Value = serde_json::from_str(&said).expect("JSON");
        let groups = said["analysis"]["simulation"]["messages"].as_array().expect("groups");
        groups.iter().find_map(|group| group["overtook"].as_u64()).expect("a count")
    };
    let stamped = by_stamps("searched");
    assert!(stamped > overtook / 2 && stamped <= overtook, "{stamped} of {overtook}");
    result("--nodes 4 --on mark3 --out unsearched");
    assert_eq!(by_stamps("unsearched"), 0);
}

/// How many events' messages of one node were at most on their way to others at once, from `sent`
/// to `end`. (Anti-messages have a bound of their own.)
fn most_at_once(messages: &[Message], end: fn(&Message) -> i64) -> usize {
    let off_node = |message: &&Message| message.src != message.dst && message.kind == Kind::Event;
    let all: Vec<&Message> = messages.iter().filter(off_node).collect();
    let beside = |one: &Message| {
        let is_beside =
            |it: &&&Message| it.src == one.src && it.sent <= one.sent && end(it) > one.sent;
        all.iter().filter(is_beside).count()
    };
    all.iter().map(|message| beside(message)).max().unwrap_or(0)
}

#[test]
fn a_bound_counts_messages_until_they_arrive_or_until_they_are_taken() {
    let folder = folder();
    // Few objects a node, whose events of 20 ms hold arrivals up.
    let model = "warp phold --objects 32 --remote 0.8 --cutoff 15 --nodes 4 --max-acks 2";
    let run = |name: &str, options: &str| {
        succeed(folder.path(), &format!("{model} {options} --out {name}"));
        read(&folder.path().join(name))
    };
    let taken = run("taken", "--on mark3 --ack-at taken");
    let most = most_at_once(&taken, |message| message.taken);
    assert_eq!(most, 2, "a node that is busy does not acknowledge");
    let arrival = run("arrival", "--on mark3 --ack-at arrival");
    let most = most_at_once(&arrival, |message| message.arrived);
    assert_eq!(most, 2, "no more may have left and not arrived");
    let most = most_at_once(&arrival, |message| message.taken);
    assert!(most > 2, "no more than {most} had left and were not taken");
    assert!(run("again", "--on mark3 --ack-at arrival") == arrival, "a run is the same again");
}

/// Its event of 20 ms comes before it, and is no part of its wait to be sent.
#[test]
fn a_message_is_ready_when_its_event_is_over() {
    let folder = folder();
    let model = "warp phold --objects 32 --remote 0.8 --cutoff 15 --nodes 4";
    for (machine, event_ns) in [("mark3", 20_000_000), ("fast", 10_000_000)] {
        if machine == "fast" {
            let text = succeed(folder.path(), "machine print mark3");
            let fast = text.replace("speed = { value = 1,", "speed = { value = 2,");
            assert_ne!(fast, text);
            std::fs::write(folder.path().join("fast.toml"), fast).expect("written");
        }
        let on = if machine == "fast" { "fast.toml" } else { machine };
        succeed(folder.path(), &format!("{model} --on {on} --out {machine}"));
        let messages = read(&folder.path().join(machine));
        let off_node =
            |message: &&Message| message.src != message.dst && message.kind == Kind::Event;
        let waits = || messages.iter().filter(off_node).map(|it| it.sent - it.ready);
        assert!(waits().min().is_some_and(|wait| (0..event_ns / 4).contains(&wait)));
        let first = messages.iter().filter(off_node).map(|it| it.ready).min();
        assert!(first >= Some(event_ns), "{first:?}: before its event can be over");
    }
}

/// Each thread measures what its core loses, and no node waits for another on its own thread.
#[test]
fn nodes_that_share_threads_are_recorded_and_watched() {
    let folder = folder();
    succeed(folder.path(), "warp phold --objects 64 --nodes 9 --cutoff 20 --check --out a");
    let run: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("a/run.json")).unwrap()).unwrap();
    let spent = run["parameters"]["result"]["nodes"].as_array().expect("what nodes did");
    let sharing = spent.iter().filter(|node| node["sharing_ns"].as_u64() > Some(0)).count();
    let threads = std::thread::available_parallelism().unwrap().get().min(9);
    assert_eq!((spent.len(), sharing > 0), (9, threads < 9), "{spent:?}");
    let idle = succeed(folder.path(), "explain a --csv=idle");
    assert_eq!(idle.lines().count(), 1 + threads, "{idle}");
    let said = succeed(folder.path(), "report --terminal a");
    assert_eq!(said.contains("so they share threads"), threads < 9, "{said}");
}
