//! What is said of programs whose threads serve who comes first, where other programs have nodes
//! that do the same things in the same order.

use super::case::Served;
use super::foretell::Foretold;
use super::latencies::{Latency, quantile, recorded};
use document::{Cell, Column, Section, Table, count, counted, time};
use predict::Spent;

const PS_PER_S: f64 = 1e12;
/// Processes that are shown: those that were busy longest.
const SHOWN: usize = 24;

/// From request to answer, there and here, in a sentence.
pub fn latency(served: &Served, foretold: &Foretold, target: &str) -> Option<String> {
    let pooled = |all: &[Latency]| {
        let mut ns: Vec<u64> = all.iter().flat_map(|of| of.ns.iter().copied()).collect();
        ns.sort_unstable();
        ns
    };
    let (recorded, there) = (pooled(&recorded(served)), pooled(&foretold.target.latencies));
    let at = |ns: &[u64], p: f64| quantile(ns, p).map(|ns| time(ns as f64));
    if there.len() < 2 {
        return None;
    }
    let [half, most] = [at(&there, 0.5)?, at(&there, 0.99)?];
    let [was_half, was_most] = [at(&recorded, 0.5)?, at(&recorded, 0.99)?];
    Some(format!(
        "From a request to its answer half of {} take up to {half} on {target}, and 99\u{a0}% up \
        to {most}; recorded were {was_half} and {was_most}.",
        counted(there.len() as u64, "exchange"),
    ))
}

/// Where each process's time goes.
pub fn nodes(served: &Served, foretold: &Foretold) -> Section {
    let columns = [
        Column::text("process", "process"),
        Column::text("machine", "machine"),
        Column::seconds("computing", "computing"),
        Column::seconds("overhead", "sends, receives"),
        Column::seconds("waiting", "waits for messages"),
        Column::seconds("blocked", "waits to send"),
        Column::seconds("end", "done after"),
    ];
    let (recorded, target) = (&foretold.recorded.played.nodes, &foretold.target.played.nodes);
    let busy = |node: &usize| recorded[*node].computing + target[*node].computing;
    let did = |node: &usize| recorded[*node] != Spent::default();
    let mut shown: Vec<usize> = (0..recorded.len().min(target.len())).filter(did).collect();
    let all = shown.len();
    shown.sort_by_key(|node| std::cmp::Reverse(busy(node)));
    shown.truncate(SHOWN);
    let mut table = Table::new("nodes", columns);
    for node in shown {
        for (place, spent) in [("recorded on", recorded[node]), ("predicted on", target[node])] {
            let s = |ps: u64| Cell::new(ps as f64 / PS_PER_S);
            table.push([
                Cell::new(served.name(node as u16)),
                Cell::new(place),
                s(spent.computing),
                s(spent.overhead),
                s(spent.waiting),
                s(spent.blocked),
                s(spent.end),
            ]);
        }
    }
    let which = match all > SHOWN {
        true => format!(" Of {} processes those that compute longest.", count(all as u64)),
        false => String::new(),
    };
    let sentence = format!(
        "Where the time of each process's threads goes, all together, as played on both \
        machines.{which}"
    );
    Section::new("nodes", "Processes", sentence).table(table).as_detail()
}

/// What the play takes for granted.
pub const METHOD: &str = "Computing takes as long as it did, divided by the processors' speed, and \
    each thread has a processor for itself. A thread that waits for several serves who comes \
    first.";
