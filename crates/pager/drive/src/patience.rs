//! Programs that wait for room which does not come.

use pager_facts::Paged;
use std::collections::BTreeMap;

/// For how long they are waited for. Counted in looks, not by a clock: a launcher that was stopped
/// must not end a program that was stopped, too.
pub struct Patience {
    most_looks: u64,
    waiting: BTreeMap<u32, Waiting>,
}

/// A process that waits.
struct Waiting {
    looks: u64,
    /// What it had done when that began.
    done: u64,
}

impl Patience {
    /// So many looks, 0 for ever.
    pub fn new(most_looks: u64) -> Patience {
        Patience { most_looks, waiting: BTreeMap::new() }
    }

    /// Look again. The processes that have waited too long now, each told once.
    pub fn look(&mut self, processes: &[Paged]) -> Vec<u32> {
        let too_long = |process: &&Paged| self.waits_too_long(process);
        processes.iter().filter(too_long).map(|process| process.pid).collect()
    }

    fn waits_too_long(&mut self, process: &Paged) -> bool {
        let done = done(process);
        let before = self.waiting.remove(&process.pid).filter(|before| before.done == done);
        if !process.no_room {
            return false;
        }
        let looks = before.map_or(0, |before| before.looks + 1);
        self.waiting.insert(process.pid, Waiting { looks, done });
        self.most_looks > 0 && looks == self.most_looks
    }
}

/// Grows while any thread gets a page.
fn done(process: &Paged) -> u64 {
    let faults = process.faults;
    process.transfers + faults.zero + faults.soft + faults.hard
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_gets_pages_is_waited_for() {
        let process =
            |pid, no_room, transfers| Paged { pid, no_room, transfers, ..Paged::default() };
        let mut patience = Patience::new(3);
        for transfers in 0..10 {
            assert!(patience.look(&[process(1, true, transfers)]).is_empty());
        }
        assert!(patience.look(&[process(1, true, 9), process(2, true, 0)]).is_empty());
        assert!(patience.look(&[process(1, true, 9), process(2, false, 0)]).is_empty());
        let both = [process(1, true, 9), process(2, true, 0)];
        assert_eq!(patience.look(&both), [1]);
        assert!(patience.look(&both).is_empty(), "told once");
        assert!((0..10).all(|_| Patience::new(0).look(&both).is_empty()), "for ever");
    }
}
