//! Which process is whose parent.

use crate::logs::Process;
use rustc_hash::FxHashMap;

/// Processes by host and number. One has several nodes where it called `exec`, or where its number
/// was used again.
pub(crate) struct Parents<'a> {
    nodes: FxHashMap<Number<'a>, Vec<u32>>,
}

/// A host, by its name and its start, and a process's number there.
type Number<'a> = (&'a str, &'a str, u32);

fn number(process: &Process, pid: u32) -> Number<'_> {
    (&process.sheet.host, &process.sheet.boot_id, pid)
}

impl<'a> Parents<'a> {
    /// Among these processes.
    pub fn of(processes: &'a [Process]) -> Parents<'a> {
        let mut nodes: FxHashMap<_, Vec<u32>> = FxHashMap::default();
        for process in processes {
            nodes.entry(number(process, process.facts.pid)).or_default().push(process.sheet.node);
        }
        nodes.values_mut().for_each(|nodes| nodes.sort_unstable());
        Parents { nodes }
    }

    /// The node of a process's parent, where that is one.
    pub fn node(&self, process: &Process) -> Option<u32> {
        let nodes = self.nodes.get(&number(process, process.facts.parent))?;
        last_before(nodes, process.sheet.node)
    }
}

/// Of a number's nodes, the last that began before this one; of those that began later, the first:
/// a parent may use its first socket after its child did.
fn last_before(nodes: &[u32], node: u32) -> Option<u32> {
    let later = nodes.partition_point(|other| *other < node);
    later.checked_sub(1).map_or_else(|| nodes.get(later), |before| nodes.get(before)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_the_last_that_had_the_number_before_or_else_the_first_after() {
        assert_eq!(last_before(&[1, 5, 9], 7), Some(5));
        assert_eq!(last_before(&[8, 9], 7), Some(8));
        assert_eq!(last_before(&[], 7), None);
    }
}
