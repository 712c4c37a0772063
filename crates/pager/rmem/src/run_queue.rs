//! How long threads were ready to run and had no processor, as the kernel counts it
//! (`/proc/PID/task/TID/schedstat`).

use std::collections::HashMap;
use std::fs;

/// What threads of this process have had, ns: a processor, and to wait for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Had {
    pub ran: u64,
    pub queued: u64,
}

/// The sums over this process's threads. Of a thread that has ended they hold what was seen last.
#[derive(Debug, Default)]
pub struct Threads {
    /// By thread number: what was seen last.
    seen: HashMap<u32, Had>,
    program: Had,
    ours: Had,
}

/// Whether a thread of this name is one that paging has beside the program's: the engine, those
/// that write for it, those that keep its records.
fn is_ours(name: &str) -> bool {
    name == "pager" || name.starts_with("pager-") || name.starts_with("fourstamp-")
}

impl Threads {
    /// Of the program's threads and of ours, until now; `None` where the kernel does not count.
    pub fn had(&mut self) -> Option<(Had, Had)> {
        let tasks = fs::read_dir("/proc/self/task").ok()?.flatten();
        let numbers = tasks.filter_map(|task| task.file_name().to_str()?.parse().ok());
        let seen = numbers.filter_map(|thread: u32| {
            let read = |file| fs::read_to_string(format!("/proc/self/task/{thread}/{file}")).ok();
            // A program may be called like one of them; its first thread is never ours.
            let ours = thread != std::process::id() && is_ours(read("comm")?.trim_end());
            Some((thread, ours, had(&read("schedstat")?)?))
        });
        self.add(seen.collect())
    }

    fn add(&mut self, now: Vec<(u32, bool, Had)>) -> Option<(Had, Had)> {
        if now.is_empty() {
            return None;
        }
        let last = std::mem::take(&mut self.seen);
        for (thread, ours, had) in now {
            // Less than before: the number has gone to a new thread.
            let before = last
                .get(&thread)
                .copied()
                .filter(|before| before.ran <= had.ran)
                .unwrap_or_default();
            let sum = if ours { &mut self.ours } else { &mut self.program };
            sum.ran += had.ran - before.ran;
            sum.queued += had.queued.saturating_sub(before.queued);
            self.seen.insert(thread, had);
        }
        Some((self.program, self.ours))
    }
}

fn had(schedstat: &str) -> Option<Had> {
    let mut fields = schedstat.split_ascii_whitespace().map(|field| field.parse().ok());
    Some(Had { ran: fields.next()??, queued: fields.next()?? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_end_and_numbers_that_come_again_are_counted_once() {
        let mut threads = Threads::default();
        let mut program = |now: &[(u32, bool, u64, u64)]| {
            let one = |&(thread, ours, ran, queued): &_| (thread, ours, Had { ran, queued });
            threads
                .add(now.iter().map(one).collect())
                .map(|(had, ours)| [had.ran, had.queued, ours.ran])
        };
        assert_eq!(program(&[]), None, "a kernel that does not count");
        assert_eq!(
            program(&[(1, false, 10, 1), (2, false, 5, 2), (3, true, 7, 9)]),
            Some([15, 3, 7])
        );
        assert_eq!(program(&[(1, false, 30, 1), (3, true, 8, 9)]), Some([35, 3, 8]));
        assert_eq!(
            program(&[(1, false, 30, 4), (2, false, 4, 0)]),
            Some([39, 6, 8]),
            "another thread 2"
        );
        assert_eq!(program(&[(1, false, 7, 1), (2, false, 4, 0)]), Some([46, 7, 8]));
    }

    #[test]
    fn the_first_two_fields_are_times() {
        assert_eq!(had("708342 50275 3\n"), Some(Had { ran: 708_342, queued: 50_275 }));
        assert_eq!((had("0"), had("x 1")), (None, None));
    }
}
