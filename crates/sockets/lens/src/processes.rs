//! The words for the processes of a run: which node is which, and what is not known of them.

use crate::families::Families;
use crate::names::some_of;
use document::{count, counted, time};
use std::collections::BTreeSet;
use streams::{NODES_MAX, ProcessSummary, SocketsFacts};

/// Which node, or which family of them, is which program. A shell's many helpers have pipes and
/// sockets, and leave them to others: those are only counted.
pub fn named(facts: &SocketsFacts) -> Vec<String> {
    let families = Families::of(facts);
    let talk = |process: &&ProcessSummary| process.messages > 0;
    let told: BTreeSet<u32> =
        facts.processes.iter().filter(talk).map(|process| families.key(process.node)).collect();
    let is_told = |process: &&ProcessSummary| told.contains(&process.node);
    let mut lines: Vec<String> =
        facts.processes.iter().filter(is_told).map(|one| line(&families, one)).collect();
    let is_untold = |process: &&ProcessSummary| !told.contains(&families.key(process.node));
    let untold = facts.processes.iter().filter(is_untold).count();
    if untold > 0 {
        lines.push(format!(
            "{} moved no bytes by calls that were seen.",
            counted(untold as u64, "further node")
        ));
    }
    lines
}

fn line(families: &Families, process: &ProcessSummary) -> String {
    let ProcessSummary { node, name, pid, .. } = process;
    if families.others(*node) == 0 {
        return format!("Node {node} is {name} (pid {pid}).");
    }
    let number = families.number(i64::from(*node));
    let parents = process.parent.map(|parent| families.key(parent));
    let whose = parents.map_or_else(String::new, |parents| {
        let number = families.number(i64::from(parents));
        let nodes = if families.others(parents) == 0 { "node" } else { "nodes" };
        format!(", children of {nodes} {number}")
    });
    format!("Nodes {number} are {name}{whose}; the first has pid {pid}.")
}

/// Whom a sentence is about.
struct Those<'a> {
    processes: Vec<&'a ProcessSummary>,
    it: &'static str,
    its: &'static str,
    /// What more than one has more than one of.
    plural: &'static str,
}

/// Of which processes something is not known, and what.
struct Loss {
    of: fn(&ProcessSummary) -> bool,
    words: fn(&Those<'_>) -> String,
}

const LOSSES: [Loss; 10] = [
    Loss {
        of: |one| one.stopped_ns.is_some() && one.noticed.restricted,
        words: |those| {
            format!(
                "{} restricted {} own system calls (seccomp){}; {} later calls are missing.",
                those.it,
                those.its,
                those.stopped(),
                those.its
            )
        },
    },
    Loss {
        of: |one| one.stopped_ns.is_some() && !one.noticed.restricted,
        words: |those| {
            format!(
                "no room was left for {} log{}{}, on the disk or within {} limit of a file's \
                length (ulimit -f); {} later calls are missing.",
                those.its,
                those.plural,
                those.stopped(),
                those.its,
                those.its
            )
        },
    },
    Loss {
        of: |one| one.goes_on,
        words: |those| {
            format!(
                "{} still ran when the run was closed; what {} did from then on is missing.",
                those.it, those.it
            )
        },
    },
    Loss {
        of: |one| one.noticed.io_uring,
        words: |those| format!("{} set up io_uring, whose transfers are not seen.", those.it),
    },
    Loss {
        of: |one| one.noticed.listens_unseen,
        words: |those| {
            format!(
                "{} listened on a TCP port without having called the C library's listen; what {} \
                did with {} connections is not seen.",
                those.it, those.it, those.its
            )
        },
    },
    Loss {
        of: |one| one.unseen_connections > 0,
        words: |those| {
            format!(
                "{} that carried bytes when {} ended had no call that was seen: {} made system \
                calls without the C library, or by io_uring. Those that were closed before are \
                not counted.",
                counted(those.sum(|one| one.unseen_connections), "connection"),
                those.it,
                those.it
            )
        },
    },
    Loss {
        of: |one| one.noticed.streams,
        words: |those| {
            format!(
                "{} used connections through the C library's streams (fdopen), whose transfers \
                are not seen.",
                those.it
            )
        },
    },
    Loss {
        of: |one| one.noticed.urgent,
        words: |those| {
            format!(
                "{} used urgent data (MSG_OOB), which the offsets do not count exactly.",
                those.it
            )
        },
    },
    Loss {
        of: |one| one.noticed.lost_child,
        words: |those| {
            format!(
                "at least one child process of {} could not open a log in the run's folder, and \
                is not traced. If the disk is full, make room; if it runs as another user, make \
                the folder one to which that user may write.",
                if those.processes.len() == 1 { "it" } else { "each" }
            )
        },
    },
    Loss {
        of: |one| one.datagram_sockets > 0,
        words: |those| {
            format!(
                "{} opened; datagrams are not traced.",
                counted(those.sum(|one| one.datagram_sockets), "datagram socket")
            )
        },
    },
];

impl<'a> Those<'a> {
    fn of(processes: Vec<&'a ProcessSummary>) -> Those<'a> {
        let [it, its, plural] =
            if processes.len() == 1 { ["it", "its", ""] } else { ["they", "their", "s"] };
        Those { processes, it, its, plural }
    }

    fn sum(&self, of: fn(&ProcessSummary) -> u64) -> u64 {
        self.processes.iter().map(|one| of(one)).sum()
    }

    /// When recording stopped.
    fn stopped(&self) -> String {
        let first = self.processes.iter().filter_map(|one| one.stopped_ns).min();
        let the_first = if self.processes.len() == 1 { "" } else { ", the first" };
        format!("{the_first} at {} of the run", time(first.unwrap_or(0) as f64))
    }

    /// One by its name, several with their numbers.
    fn names(&self, facts: &SocketsFacts) -> String {
        match self.processes.as_slice() {
            [one] => one.name.clone(),
            several => {
                let nodes: Vec<u32> = several.iter().map(|one| one.node).collect();
                some_of(facts, &nodes)
            }
        }
    }
}

/// What is not known of them: a sentence for each thing, however many it is true of.
pub fn losses(facts: &SocketsFacts) -> Vec<String> {
    let mut lines = Vec::new();
    for Loss { of, words } in LOSSES {
        let processes: Vec<_> = facts.processes.iter().filter(|one| of(one)).collect();
        if !processes.is_empty() {
            let those = Those::of(processes);
            lines.push(format!("{}: {}", those.names(facts), words(&those)));
        }
    }
    if facts.processes.iter().any(|one| one.noticed.crowded) {
        lines.push(format!(
            "Processes that began when the run had {} processes are not traced: it can have no \
            more.",
            count(u64::from(NODES_MAX))
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forking(children: u32) -> SocketsFacts {
        let process = |node, name: &str, parent| {
            let (name, pid) = (name.to_owned(), 100 + node);
            ProcessSummary { node, name, pid, parent, messages: 1, ..ProcessSummary::default() }
        };
        let mut processes = vec![process(0, "server:80", None), process(1, "client", None)];
        processes.extend((2..2 + children).map(|node| process(node, "server", Some(0))));
        SocketsFacts { processes, ..SocketsFacts::default() }
    }

    fn plain(lines: &[String]) -> Vec<String> {
        lines.iter().map(|line| line.replace('\u{a0}', " ")).collect()
    }

    #[test]
    fn children_of_a_server_that_forks_are_one_line() {
        let mut facts = forking(40);
        facts.processes.push(ProcessSummary { node: 42, ..ProcessSummary::default() });
        assert_eq!(
            plain(&named(&facts)),
            [
                "Node 0 is server:80 (pid 100).",
                "Node 1 is client (pid 101).",
                "Nodes 2 +39 are server, children of node 0; the first has pid 102.",
                "1 further node moved no bytes by calls that were seen."
            ]
        );
        assert_eq!(named(&forking(3)).len(), 5);
    }

    #[test]
    fn what_is_the_same_for_many_is_said_once() {
        let mut facts = forking(40);
        facts.processes.iter_mut().skip(1).for_each(|one| one.noticed.io_uring = true);
        facts.processes[0].noticed.streams = true;
        let said = plain(&losses(&facts));
        assert_eq!(
            said,
            [
                "client (1), server (2), server (3), server (4), 37 others: they set up io_uring, \
                 whose transfers are not seen.",
                "server:80: it used connections through the C library's streams (fdopen), whose \
                 transfers are not seen."
            ]
        );
        for (place, process) in facts.processes.iter_mut().enumerate() {
            process.stopped_ns = Some((place as i64 + 2) * 1_000_000_000);
            process.datagram_sockets = 2;
        }
        let said = plain(&losses(&facts));
        assert_eq!(said.len(), 4);
        let room = "no room was left for their logs, the first at 2.00 s of the run, on the disk";
        assert!(said[0].contains(room), "{said:?}");
        assert!(said[3].contains("38 others: 84 datagram sockets opened"), "{said:?}");
    }

    #[test]
    fn a_run_with_all_the_processes_that_it_can_have_says_so() {
        let mut facts = forking(2);
        facts.processes[0].noticed.crowded = true;
        let said = plain(&losses(&facts)).remove(0);
        assert!(said.starts_with("Processes that began when the run had 65"), "{said}");
    }
}
