//! From requests to their answers, where a program was recorded and where it is predicted.

use super::case::Served;
use super::foretell::Foretold;
use super::latencies::{Latency, quantile, recorded};
use document::{Cell, Column, Section, Table, counted};

/// Pairs that are shown: those that ask most often.
const SHOWN: usize = 12;

/// A table of them, if the program has any.
pub fn section(served: &Served, foretold: &Foretold) -> Option<Section> {
    let columns = [
        Column::text("who", "asks"),
        Column::text("whom", "answers"),
        Column::count("exchanges", "exchanges"),
        Column::text("quantile", "quantile"),
        Column::time("measured", "recorded"),
        Column::time("recorded", "played there"),
        Column::time("target", "predicted on"),
    ];
    let measured = recorded(served);
    let mut pairs: Vec<usize> = (0..measured.len()).collect();
    pairs.sort_by_key(|pair| std::cmp::Reverse(measured[*pair].ns.len()));
    let name = |node: u16| served.name(node);
    let mut table = Table::new("exchanges", columns);
    for pair in pairs.iter().take(SHOWN) {
        let of = [&measured, &foretold.recorded.latencies, &foretold.target.latencies];
        let [measured, recorded, target] = of.map(|all| &all[*pair]);
        for p in [0.5, 0.99] {
            let at = |of: &Latency| Cell::new(quantile(&of.ns, p));
            table.push([
                Cell::new(name(measured.asker)),
                Cell::new(name(measured.answerer)),
                Cell::new(measured.ns.len() as u64),
                Cell::new(document::quantile_name(p)),
                at(measured),
                at(recorded),
                at(target),
            ]);
        }
    }
    let all: usize = measured.iter().map(|of| of.ns.len()).sum();
    let sentence = format!(
        "From when a request was ready to when its answer was taken: {}. Recorded is what was \
        measured; played there is what the model makes of it on the machine recorded on.",
        counted(all as u64, "exchange")
    );
    (all > 0).then(|| Section::new("exchanges", "Requests and answers", sentence).table(table))
}
