//! The cores of this machine, and which of them nodes are pinned to already.
//!
//! A core is claimed by a name in the abstract namespace of Unix sockets: whatever becomes of the
//! process, the system takes the name back, and no file is left behind. Two runs at once then get
//! different cores, where both would have taken the first. (Runs in two network namespaces do not
//! see each other's names.)

use rustix::thread::{CpuSet, sched_getaffinity};
use std::cell::RefCell;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::sync::OnceLock;

thread_local! {
    /// What the thread has claimed: a core, and the name that says so.
    static CLAIMED: RefCell<Option<(usize, UnixListener)>> = const { RefCell::new(None) };
}

/// The cores that this process may use, in the order in which nodes should get them: those that
/// share their circuits with an earlier one (simultaneous multithreading) come last.
///
/// A thread that is pinned sees no other core, so what the first caller saw holds for all.
pub fn usable() -> io::Result<Vec<usize>> {
    static USABLE: OnceLock<Vec<usize>> = OnceLock::new();
    if let Some(cores) = USABLE.get() {
        return Ok(cores.clone());
    }
    let allowed = sched_getaffinity(None)?;
    let cores = (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu));
    Ok(USABLE.get_or_init(|| whole_ones_first(cores.collect(), siblings)).clone())
}

/// The first of each group of siblings, then the second of each.
fn whole_ones_first(mut cores: Vec<usize>, siblings: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let known = cores.clone();
    let earlier = |core: usize| {
        siblings(core).into_iter().filter(|other| *other < core && known.contains(other)).count()
    };
    cores.sort_by_key(|core| (earlier(*core), *core));
    cores
}

/// The cores of the system that are one core of the machine, this one too; none where the system
/// does not tell.
fn siblings(core: usize) -> Vec<usize> {
    let file = format!("/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list");
    std::fs::read_to_string(file).map(|list| listed(list.trim())).unwrap_or_default()
}

/// `0,4` and `0-1,8` in numbers; none for anything else.
fn listed(list: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    list.split(',').filter_map(range).flatten().collect()
}

/// A core for the calling thread, for as long as it lives: the one that it has, else the node's own
/// by rank, else any that nobody has claimed.
pub fn claim(rank: usize, cores: &[usize]) -> Option<usize> {
    CLAIMED.with_borrow_mut(|claimed| {
        if claimed.is_none() {
            *claimed = unclaimed(rank, cores);
        }
        claimed.as_ref().map(|(core, _)| *core)
    })
}

fn unclaimed(rank: usize, cores: &[usize]) -> Option<(usize, UnixListener)> {
    let (before, from) = cores.split_at(rank.min(cores.len()));
    let mut in_turn = from.iter().chain(before);
    in_turn.find_map(|core| Some((*core, take(*core).ok()?)))
}

/// The name that stands for a core, if nobody holds it.
fn take(core: usize) -> io::Result<UnixListener> {
    UnixListener::bind_addr(&SocketAddr::from_abstract_name(format!("fourstamp-core-{core}"))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_second_thread_of_a_core_comes_after_all_first_ones() {
        let pairs = |core: usize| vec![core / 2 * 2, core / 2 * 2 + 1];
        assert_eq!(whole_ones_first((0..6).collect(), pairs), [0, 2, 4, 1, 3, 5]);
        let halves = |core: usize| vec![core % 3, core % 3 + 3];
        assert_eq!(whole_ones_first((0..6).collect(), halves), [0, 1, 2, 3, 4, 5]);
        assert_eq!(
            whole_ones_first(vec![1, 2, 3], pairs),
            [1, 2, 3],
            "the sibling of 1 is not ours"
        );
        assert_eq!(whole_ones_first(vec![1, 0], |_| vec![]), [0, 1]);
    }

    #[test]
    fn a_list_of_the_kernel_is_read() {
        assert_eq!(listed("0,4"), [0, 4]);
        assert_eq!(listed("0-2,8"), [0, 1, 2, 8]);
        assert_eq!(listed("?"), [0; 0]);
    }

    /// Numbers of cores that no machine has, so that no test beside this one wants them.
    #[test]
    fn threads_get_their_own_cores_and_let_them_go_when_they_end() {
        const CORES: [usize; 3] = [70_000, 70_001, 70_002];
        let of_a_thread = |rank| thread::spawn(move || claim(rank, &CORES)).join().unwrap();
        let others = take(70_001).unwrap();
        assert_eq!(claim(9, &CORES), Some(70_000), "a rank past the end begins at the first");
        assert_eq!(claim(1, &CORES), Some(70_000), "it keeps what it has");
        assert_eq!(of_a_thread(0), Some(70_002), "its own is taken");
        assert_eq!(of_a_thread(1), Some(70_002), "it was let go");
        drop(others);
        assert_eq!(of_a_thread(1), Some(70_001));
        let held = (take(70_001), take(70_002));
        assert_eq!(of_a_thread(1), None);
        drop(held);
    }
}
