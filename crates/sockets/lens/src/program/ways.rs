//! What went from each host to each other one.

use super::messages::{Read, Seen};
use std::collections::HashMap;

/// From which host to which; `None` where no network is between.
pub(super) fn way(one: &Seen, host_of: &[u16]) -> Option<[u16; 2]> {
    let way = one.nodes.map(|node| host_of[usize::from(node)]);
    (way[0] != way[1]).then_some(way)
}

/// What was sent each way, by when: the bytes up to then.
pub(super) struct Ways(HashMap<[u16; 2], Vec<(i64, u64)>>);

impl Ways {
    pub fn of(read: &Read, host_of: &[u16]) -> Ways {
        let mut ways: HashMap<[u16; 2], Vec<(i64, u64)>> = HashMap::new();
        for one in &read.messages {
            if let Some(way) = way(one, host_of) {
                ways.entry(way).or_default().push((one.sent, one.bytes));
            }
        }
        for all in ways.values_mut() {
            all.sort_unstable();
            let mut sum = 0;
            all.iter_mut().for_each(|(_, bytes)| {
                sum += *bytes;
                *bytes = sum;
            });
        }
        Ways(ways)
    }

    /// Bytes that were sent from one moment to another.
    pub fn bytes(&self, way: [u16; 2], from: i64, until: i64) -> u64 {
        let Some(all) = self.0.get(&way) else { return 0 };
        let before = |at: i64| {
            let end = all.partition_point(|(sent, _)| *sent < at);
            end.checked_sub(1).map_or(0, |last| all[last].1)
        };
        before(until) - before(from)
    }
}
