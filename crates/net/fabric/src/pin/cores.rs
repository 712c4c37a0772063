//! The cores of this machine, and which of them nodes are pinned to already.
//!
//! A core is claimed by a name in the abstract namespace of Unix sockets: whatever becomes of the
//! process, the system takes the name back, and no file is left behind. Two runs at once then get
//! different cores, where both would have taken the first.

use rustix::thread::{CpuSet, sched_getaffinity};
use std::collections::BTreeMap;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Claimed cores by the rank of the node, each with the name that says so.
#[derive(Default)]
struct Claims(BTreeMap<usize, (usize, UnixListener)>);

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

/// A core for this node of the process, for as long as the process lives.
pub fn claim(rank: usize, cores: &[usize]) -> Option<usize> {
    static OF_THIS_PROCESS: Mutex<Claims> = Mutex::new(Claims(BTreeMap::new()));
    OF_THIS_PROCESS.lock().unwrap_or_else(PoisonError::into_inner).claim(rank, cores)
}

impl Claims {
    /// The core that the node has, else its own by rank, else any that nobody has claimed.
    fn claim(&mut self, rank: usize, cores: &[usize]) -> Option<usize> {
        if let Some((core, _)) = self.0.get(&rank) {
            return Some(*core);
        }
        let (before, from) = cores.split_at(rank.min(cores.len()));
        let mut in_turn = from.iter().chain(before);
        let (core, name) = in_turn.find_map(|core| Some((*core, take(*core).ok()?)))?;
        self.0.insert(rank, (core, name));
        Some(core)
    }
}

/// The name that stands for a core, if nobody holds it.
fn take(core: usize) -> io::Result<UnixListener> {
    UnixListener::bind_addr(&SocketAddr::from_abstract_name(format!("fourstamp-core-{core}"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn nodes_get_their_own_cores_and_not_those_of_others() {
        let cores = [70_000, 70_001, 70_002, 70_003];
        let (mut ours, others) = (Claims::default(), take(70_001).unwrap());
        assert_eq!(ours.claim(9, &cores), Some(70_000), "a rank past the end begins at the first");
        assert_eq!(ours.claim(9, &cores), Some(70_000), "it keeps what it has");
        assert_eq!(ours.claim(1, &cores), Some(70_002), "its own is taken");
        drop(others);
        assert_eq!(ours.claim(2, &cores), Some(70_003));
        assert_eq!(ours.claim(3, &cores), Some(70_001));
        assert_eq!(ours.claim(4, &cores), None);
        assert_eq!(Claims::default().claim(0, &cores), None);
    }
}
