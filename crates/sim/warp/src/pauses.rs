//! The pauses that a node makes for fossil collection, out of a recorded run: how many, how long,
//! what they freed, and the longest wait of a message that arrived during one.
//!
//! A pause is one uninterrupted step of the engine; a pass is all steps of a node up to one GVT,
//! between which other work goes on.

use crate::WarpError;
use record::{Batch, Field, Kind, NULL, RecordError, Run};
use std::collections::BTreeMap;
use std::path::Path;

/// One step of fossil collection.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pause {
    begin_ns: i64,
    end_ns: i64,
    freed: u64,
    /// Bits of the GVT that it goes up to.
    gvt: i64,
}

/// A message's arrival at a node, and when it was taken.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Arrival {
    arrived_ns: i64,
    taken_ns: i64,
}

#[derive(Default)]
struct OfNode {
    pauses: Vec<Pause>,
    arrivals: Vec<Arrival>,
}

/// What is shown of them.
#[derive(Debug, Default, PartialEq)]
struct Figures {
    pauses: usize,
    median_ns: i64,
    longest_ns: i64,
    freed: u64,
    freed_most: u64,
    passes: usize,
    pass_median_ns: i64,
    pass_longest_ns: i64,
    /// Of messages that arrived during a pause: how many, and the longest wait.
    met: usize,
    wait_ns: i64,
}

/// The lines that are shown of the run in this folder.
///
/// # Errors
/// When its record cannot be read.
pub fn text(run: &Path) -> Result<String, WarpError> {
    let nodes = read(run).map_err(|error| WarpError::Model {
        reason: format!("cannot read the record of the pauses: {error}"),
    })?;
    let f = figures(nodes.into_values());
    if f.pauses == 0 {
        return Ok(
            "nothing was collected before the end: the run was shorter than its GVT interval\n"
                .into(),
        );
    }
    let mut text = format!(
        "fossil collection: {} pauses, median {}, longest {}; {} states freed, at most {} in one \
        pause\n\
         {} passes over a node, each the sum of its pauses: median {}, longest {}\n",
        f.pauses,
        ms(f.median_ns),
        ms(f.longest_ns),
        f.freed,
        f.freed_most,
        f.passes,
        ms(f.pass_median_ns),
        ms(f.pass_longest_ns),
    );
    text.push_str(&match f.met {
        0 => "no message arrived during a pause\n".to_string(),
        met => format!(
            "{met} messages arrived during one; the longest of their receive waits was {}\n",
            ms(f.wait_ns)
        ),
    });
    Ok(text)
}

fn ms(ns: i64) -> String {
    format!("{:.3} ms", ns as f64 / 1e6)
}

fn read(run: &Path) -> Result<BTreeMap<i64, OfNode>, RecordError> {
    const FIELDS: [Field; 8] = [
        Field::Kind,
        Field::Src,
        Field::Dst,
        Field::ReadyNs,
        Field::ArrivedNs,
        Field::TakenNs,
        Field::Packets,
        Field::VirtualReceive,
    ];
    let (run, mut batch) = (Run::open(run)?, Batch::new());
    let mut nodes = BTreeMap::<i64, OfNode>::new();
    for chunk in run.chunks() {
        chunk.read(&FIELDS, &mut batch)?;
        for row in 0..chunk.rows() {
            let at = |field| batch.column(field).at(row);
            let is_pause = Kind::from_code(at(Field::Kind) as u8) == Some(Kind::Collection);
            let node = nodes.entry(at(Field::Dst)).or_default();
            if is_pause {
                node.pauses.push(Pause {
                    begin_ns: at(Field::ReadyNs),
                    end_ns: at(Field::TakenNs),
                    freed: u64::try_from(at(Field::Packets)).unwrap_or(0),
                    gvt: at(Field::VirtualReceive),
                });
            } else if at(Field::Src) != at(Field::Dst) && at(Field::ArrivedNs) != NULL {
                node.arrivals.push(Arrival {
                    arrived_ns: at(Field::ArrivedNs),
                    taken_ns: at(Field::TakenNs),
                });
            }
        }
    }
    Ok(nodes)
}

fn figures(nodes: impl Iterator<Item = OfNode>) -> Figures {
    let mut figures = Figures::default();
    let (mut pauses_ns, mut passes_ns) = (Vec::new(), Vec::new());
    for mut node in nodes {
        node.pauses.sort_by_key(|pause| pause.begin_ns);
        passes_ns.extend(
            node.pauses
                .chunk_by(|a, b| a.gvt == b.gvt)
                .map(|pass| pass.iter().map(length_ns).sum::<i64>()),
        );
        pauses_ns.extend(node.pauses.iter().map(length_ns));
        figures.freed += node.pauses.iter().map(|pause| pause.freed).sum::<u64>();
        let most = node.pauses.iter().map(|pause| pause.freed).max().unwrap_or(0);
        figures.freed_most = figures.freed_most.max(most);
        for arrival in node.arrivals.iter().filter(|arrival| is_met(&node.pauses, arrival)) {
            figures.met += 1;
            figures.wait_ns = figures.wait_ns.max(arrival.taken_ns - arrival.arrived_ns);
        }
    }
    (figures.pauses, figures.median_ns, figures.longest_ns) = middle_and_longest(&mut pauses_ns);
    (figures.passes, figures.pass_median_ns, figures.pass_longest_ns) =
        middle_and_longest(&mut passes_ns);
    figures
}

fn length_ns(pause: &Pause) -> i64 {
    pause.end_ns - pause.begin_ns
}

/// Whether the message arrived while its node paused.
fn is_met(pauses: &[Pause], arrival: &Arrival) -> bool {
    let after = pauses.partition_point(|pause| pause.begin_ns <= arrival.arrived_ns);
    after.checked_sub(1).is_some_and(|at| arrival.arrived_ns <= pauses[at].end_ns)
}

fn middle_and_longest(ns: &mut [i64]) -> (usize, i64, i64) {
    ns.sort_unstable();
    let middle = ns.len().checked_sub(1).map_or(0, |last| ns[last / 2]);
    (ns.len(), middle, ns.last().copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pause(begin_ns: i64, end_ns: i64, gvt: i64) -> Pause {
        Pause { begin_ns, end_ns, freed: 32, gvt }
    }

    #[test]
    fn steps_up_to_one_gvt_are_a_pass() {
        let pauses = vec![pause(100, 105, 2), pause(0, 10, 1), pause(20, 40, 1)];
        let arrivals = [(9, 50), (15, 90), (40, 41)];
        let arrivals =
            arrivals.map(|(arrived_ns, taken_ns)| Arrival { arrived_ns, taken_ns }).to_vec();
        let found = figures([OfNode { pauses, arrivals }, OfNode::default()].into_iter());
        let expected = Figures {
            pauses: 3,
            median_ns: 10,
            longest_ns: 20,
            freed: 96,
            freed_most: 32,
            passes: 2,
            pass_median_ns: 5,
            pass_longest_ns: 30,
            met: 2,
            wait_ns: 41,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn no_pause_is_no_mistake() {
        assert_eq!(figures(std::iter::empty()), Figures::default());
    }
}
