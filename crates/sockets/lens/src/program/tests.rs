//! Programs that are made up, so that what they do is known.

use super::events::{self, Did, Told};
use super::hosts::Together;
use super::messages::{Half, Read, Seen};
use super::roles::{self, Way};
use super::{network, stalls};
use record::{NULL, RunInfo};
use std::collections::HashMap;
use streams::connections::{Connection, Maker};
use streams::{ProcessSummary, SocketsFacts};

const US: i64 = 1_000;
const MS: i64 = 1_000_000;

/// A short message on a connection, sent then, and taken when it arrives 10 us later.
fn seen(nodes: [u16; 2], connection: u32, sent: i64) -> Seen {
    Seen {
        nodes,
        threads: [1, 1],
        seq: sent,
        bytes: 100,
        connection,
        ready: sent,
        sent,
        arrived: sent + 10 * US,
        is_observed: true,
        taken: sent + 10 * US,
        awaited: NULL,
        woken: NULL,
        waited_alone: false,
        stalled: 0,
    }
}

fn read(messages: Vec<Seen>) -> Read {
    Read { messages, ..Read::default() }
}

fn maker(node: u16) -> Maker {
    Maker { node: node.into(), thread: 1, enter_ns: 0, exit_ns: 1 }
}

/// Connections by number: who asks, who answers, and whether over TCP.
fn connections(all: &[(u32, u16, u16, bool)]) -> HashMap<u32, Connection> {
    let connection = |(number, asker, answerer, is_tcp): &(u32, u16, u16, bool)| {
        let (asker, answerer) = (maker(*asker), maker(*answerer));
        let port = if *is_tcp { 80 } else { NULL };
        let number = i64::from(*number);
        Connection { number, is_tcp: *is_tcp, port, asker, answerer, bytes: [0; 2] }
    };
    all.iter().map(|one| (one.0, connection(one))).collect()
}

fn process(node: u32, name: &str, parent: Option<u32>) -> ProcessSummary {
    ProcessSummary { node, name: name.into(), parent, ..ProcessSummary::default() }
}

#[test]
fn a_program_is_on_one_host_with_what_it_forked_and_talks_to_within() {
    let facts = SocketsFacts {
        processes: vec![
            process(0, "postgres:5432", None),
            process(1, "postgres", Some(0)),
            process(2, "psql", None),
            process(3, "cache:80", Some(2)),
            process(4, "web", None),
        ],
        ..SocketsFacts::default()
    };
    let local = connections(&[(0, 2, 1, true), (1, 4, 3, false)]);
    let read = read(vec![seen([2, 1], 0, 0), seen([4, 3], 1, 0)]);
    let info = RunInfo::new("a program");
    let hosts = |together: Together| together.hosts();
    let together = || Together::of(&info, &facts, &read, &local, 5);
    assert_eq!(hosts(together()), [0, 0, 1, 2, 2]);
    let mut all = together();
    all.join_all(&[4, 0]);
    assert_eq!(hosts(all), [0, 0, 1, 0, 0]);
}

/// The way of node 0's thread in a program of these messages.
fn way(messages: Vec<Seen>, known: &[(u32, u16, u16, bool)]) -> Way {
    let (read, known) = (read(messages), connections(known));
    let told = events::of_threads(&read, &known);
    roles::ways(&told, &read, &known)[&(0, 1)]
}

#[test]
fn who_has_two_requests_under_way_at_once_serves_who_comes_first() {
    let known = [(0, 0, 1, true), (1, 0, 2, true)];
    let in_turn = [(0, 0), (1, 2)].map(|(connection, at)| {
        let other = connection as u16 + 1;
        [seen([0, other], connection, at * MS), seen([other, 0], connection, (at + 1) * MS)]
    });
    assert_eq!(way(in_turn.concat(), &known), Way::InOrder);
    let at_once = [(0, 0), (1, 0)].map(|(connection, at)| {
        let other = connection as u16 + 1;
        [seen([0, other], connection, at * MS), seen([other, 0], connection, (at + 1) * MS)]
    });
    assert_eq!(way(at_once.concat(), &known), Way::ByConnection);
}

#[test]
fn who_has_clients_and_servers_is_between_and_who_waits_for_one_alone_is_in_order() {
    let known = [(0, 1, 0, true), (1, 0, 2, true)];
    let asked = [seen([1, 0], 0, 0), seen([0, 2], 1, MS), seen([2, 0], 1, 2 * MS)];
    assert_eq!(way(asked.to_vec(), &known), Way::ByTime);
    let waits = |one: &Seen| Seen { awaited: one.arrived - US, waited_alone: true, ..*one };
    assert_eq!(way(asked.iter().map(waits).collect(), &known), Way::InOrder);
    assert_eq!(way(vec![seen([1, 0], 0, 0)], &known), Way::ByConnection);
}

#[test]
fn the_network_is_what_messages_took_but_for_those_that_stood_still() {
    let mut messages: Vec<Seen> = (0..100).map(|at| seen([0, 1], 0, at * MS)).collect();
    for one in messages.iter_mut().skip(10).step_by(20) {
        one.arrived += 40 * MS;
    }
    let mut read = read(messages);
    let machine = network::measured(&read, &[0, 1]).unwrap();
    assert_eq!(machine.value("network.latency"), 10.0 * US as f64);
    let stalled = stalls::note(&mut read, &[0, 1], &machine);
    let said = stalled.said().unwrap();
    assert!(said.starts_with('5') && said.contains("stood still for 40.0"), "{said}");
    let stood = read.messages.iter().filter(|one| one.stalled > 39 * MS).count();
    assert_eq!(stood, 5, "no more and no less");
    assert!(network::measured(&read, &[0, 0]).is_none(), "no network is between");
}

#[test]
fn what_a_full_link_takes_is_no_stall() {
    let long = |at: i64| Seen {
        bytes: 1_000_000,
        arrived: (at + 1) * 10 * MS,
        taken: (at + 1) * 10 * MS,
        ..seen([0, 1], 0, 0)
    };
    let mut messages: Vec<Seen> = (0..20).map(long).collect();
    messages.extend((0..9).map(|at| seen([1, 0], 0, 300 * MS + at)));
    let mut read = read(messages);
    let machine = network::measured(&read, &[0, 1]).unwrap();
    // 20 MB in 200 ms.
    let rate = machine.value("network.bandwidth");
    assert!((0.9e8..=2.1e8).contains(&rate), "{rate}");
    let machine = machine.with("network.bandwidth", 1e8);
    assert!(stalls::note(&mut read, &[0, 1], &machine).said().is_none());
}

#[test]
fn what_was_before_the_first_thing_between_hosts_is_no_part_of_it() {
    let known = connections(&[(0, 0, 1, true), (1, 2, 1, false)]);
    let mut read = read(vec![seen([2, 1], 1, -50 * MS), seen([0, 1], 0, 3 * MS)]);
    let at = |at: i64| Half { node: 1, thread: 1, at, arrived: at };
    read.half = vec![at(-40 * MS), at(3 * MS), at(900 * MS)];
    let from = events::first(&read, &known, &[0, 1, 1]);
    assert_eq!(from, 0, "when the connection was asked for");
    read.keep_between(&[0, 1, 1], from);
    assert_eq!((read.messages.len(), read.half.len()), (1, 1));
    let Told { of, from, until } = events::of_threads(&read, &known);
    assert_eq!((from, until), (0, 3 * MS + 10 * US));
    assert_eq!(of[&(0, 1)][0].1, Did::Connected { connection: 0 });
}
