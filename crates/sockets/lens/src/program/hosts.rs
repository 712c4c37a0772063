//! Which processes stay on one host: the network of another machine is between the others.
//!
//! In a run of several hosts those are the hosts. In a run of one each program is taken to be on a
//! host of its own, with the processes that it forked, and with those that it talks to over
//! Unix-domain sockets or pipes, which no network carries.

use super::messages::Read;
use crate::names::some_of;
use document::counted;
use record::RunInfo;
use std::collections::{BTreeMap, HashMap};
use streams::SocketsFacts;
use streams::connections::Connection;

/// Of nodes that belong together, each knows another one, and one itself.
pub(super) struct Together(Vec<usize>);

impl Together {
    /// Those of so many nodes that belong on one host.
    pub fn of(
        info: &RunInfo,
        facts: &SocketsFacts,
        read: &Read,
        connections: &HashMap<u32, Connection>,
        nodes: usize,
    ) -> Together {
        let mut together = Together((0..nodes).collect());
        let host_of = names(info);
        if host_of.values().any(|host| Some(host) != host_of.values().next()) {
            together.join_hosts(&host_of);
        } else {
            together.join_families(facts);
            together.join_local(read, connections);
        }
        together
    }

    /// These nodes are on one host.
    pub fn join_all(&mut self, nodes: &[u16]) {
        let Some((first, others)) = nodes.split_first() else { return };
        others.iter().for_each(|other| self.join((*first).into(), (*other).into()));
    }

    /// By node: its host, numbered as they come.
    pub fn hosts(mut self) -> Vec<u16> {
        let (nodes, mut numbers) = (self.0.len(), HashMap::<usize, u16>::new());
        let host = |node| {
            let next = numbers.len() as u16;
            *numbers.entry(self.first(node)).or_insert(next)
        };
        (0..nodes).map(host).collect()
    }

    fn join_hosts(&mut self, host_of: &HashMap<u32, String>) {
        let mut firsts: HashMap<&str, usize> = HashMap::new();
        for (node, host) in host_of {
            let node = *node as usize;
            let first = *firsts.entry(host).or_insert(node);
            if first.max(node) < self.0.len() {
                self.join(first, node);
            }
        }
    }

    /// A process that has its parent's name was forked by it.
    fn join_families(&mut self, facts: &SocketsFacts) {
        let name_of: HashMap<u32, &str> =
            facts.processes.iter().map(|one| (one.node, bare(&one.name))).collect();
        for process in &facts.processes {
            let is_alike = |parent: &u32| name_of.get(parent) == name_of.get(&process.node);
            if let Some(parent) = process.parent.filter(is_alike) {
                self.join(parent as usize, process.node as usize);
            }
        }
    }

    fn join_local(&mut self, read: &Read, connections: &HashMap<u32, Connection>) {
        for one in &read.messages {
            if connections.get(&one.connection).is_some_and(|of| !of.is_tcp) {
                self.join(one.nodes[0].into(), one.nodes[1].into());
            }
        }
    }

    fn first(&mut self, node: usize) -> usize {
        let mut at = node;
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        self.0[one.max(other)] = one.min(other);
    }
}

/// The host of each node of the run, by name.
fn names(info: &RunInfo) -> HashMap<u32, String> {
    let nodes = info.launches.iter().flat_map(|launch| &launch.nodes);
    nodes.map(|node| (node.node, node.host.clone())).collect()
}

/// A name without the port that is served.
fn bare(name: &str) -> &str {
    match name.rsplit_once(':') {
        Some((bare, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => bare,
        _ => name,
    }
}

/// Which processes that talk are on which host, in a sentence.
pub(super) fn said(facts: &SocketsFacts, host_of: &[u16], read: &Read) -> String {
    /// More are not named.
    const SHOWN: usize = 6;
    let mut talk: Vec<u16> = read.messages.iter().flat_map(|one| one.nodes).collect();
    talk.sort_unstable();
    talk.dedup();
    let mut hosts: BTreeMap<u16, Vec<u32>> = BTreeMap::new();
    for node in talk {
        hosts.entry(host_of[usize::from(node)]).or_default().push(node.into());
    }
    let mut all: Vec<String> =
        hosts.values().take(SHOWN).map(|nodes| some_of(facts, nodes)).collect();
    let others = hosts.len().saturating_sub(SHOWN);
    all.extend((others > 0).then(|| counted(others as u64, "other host")));
    format!("The network is between these hosts: {}.", all.join("; "))
}
