//! Plays of few steps, whose times are worked out by hand.

mod polls;
mod wild;

use super::*;
use crate::{Course, Parcel, Program, Share, Step};

/// A machine of round figures: sending 2 us, receiving 3 us, 10 us of latency, 1 byte a ns.
fn machine(more: &str) -> Machine {
    let text = format!(
        "name = \"round\"\nnodes = 8\ntopology = \"switch\"\n[processor]\nsend = \"2us\"\n\
         receive = \"3us\"\nlook = \"1ns\"\n[network]\nlatency = \"10us\"\nbandwidth = \"1GB/s\"\n\
         {more}"
    );
    machine::parse("round", &text).unwrap()
}

fn program(messages: &[(u16, u16, u64)], courses: &[&[Step]]) -> Program {
    let parcel =
        |(from, to, bytes): &(u16, u16, u64)| Parcel { from: *from, to: *to, bytes: *bytes };
    Program {
        courses: courses
            .iter()
            .map(|steps| Course { begins_ns: 0, steps: steps.to_vec() })
            .collect(),
        messages: messages.iter().map(parcel).collect(),
        own_messages: messages.len() as u32,
        ..Program::default()
    }
}

fn work(us: u64) -> Step {
    Step::Work { ns: 1000 * us, site: 0 }
}

fn played(program: &Program, machine: &Machine) -> (Played, Vec<Stamps>) {
    let mut stamps = vec![Stamps::default(); program.messages.len()];
    let played = play(program, machine, 1, |message, at| stamps[message as usize] = at).unwrap();
    let total: u64 = played.nodes.iter().map(|node| node.end).max().unwrap();
    assert_eq!(played.end(), total, "the path is as long as the play");
    (played, stamps)
}

fn us(time: u64) -> f64 {
    (time as f64 / 1e6 * 100.0).round() / 100.0
}

#[test]
fn a_message_takes_what_the_machine_says() {
    let one = program(&[(0, 1, 5000)], &[&[work(7), Step::Send(0)], &[Step::Take(0)]]);
    let (played, stamps) = played(&one, &machine(""));
    let Stamps { ready, sent, arrived, taken } = stamps[0];
    // 2 to send, 5 of bytes, 10 of latency, 3 to receive.
    assert_eq!([ready, sent, arrived, taken].map(us), [7.0, 7.0, 24.0, 27.0]);
    let path = played.path;
    let shares = Share::ALL.map(|share| us(path[share]));
    assert_eq!(shares, [7.0, 5.0, 10.0, 5.0, 0.0, 0.0]);
    assert_eq!(path.messages, 1);
    assert_eq!(us(played.nodes[1].waiting), 24.0);
}

#[test]
fn who_comes_late_does_not_wait() {
    let one = program(&[(0, 1, 0)], &[&[Step::Send(0)], &[work(100), Step::Take(0)]]);
    let (played, stamps) = played(&one, &machine(""));
    assert_eq!((us(stamps[0].arrived), us(stamps[0].taken)), (12.0, 103.0));
    assert_eq!(played.nodes[1].waiting, 0);
    assert_eq!(us(played.path[Share::Computing]), 100.0);
}

#[test]
fn a_long_message_waits_for_its_receive_to_be_posted() {
    let steps: [&[Step]; 2] =
        [&[Step::Send(0), Step::Free(0)], &[work(100), Step::Post(0), Step::Take(0)]];
    let one = program(&[(0, 1, 5000)], &steps);
    let (played, stamps) = played(&one, &machine("eager = \"4KiB\""));
    // Posted at 103 with the answer to what was asked; 10 back, 5 to answer, 15 to come.
    let answered = 100.0 + 3.0 + 2.0;
    assert_eq!(us(stamps[0].arrived), answered + 10.0 + 5.0 + 15.0);
    assert_eq!(us(played.nodes[0].blocked), us(stamps[0].arrived) - 2.0);
    assert_eq!(us(played.nodes[1].unheard), 100.0 - 12.0);
}

#[test]
fn a_long_message_stands_still_while_its_sender_computes() {
    let steps: [&[Step]; 2] =
        [&[Step::Send(0), work(200), Step::Free(0)], &[Step::Post(0), Step::Take(0)]];
    let one = program(&[(0, 1, 5000)], &steps);
    let (_, stamps) = played(&one, &machine("eager = \"4KiB\""));
    // The sender hears at 202 that it may, and answers in 5.
    assert_eq!(us(stamps[0].arrived), 202.0 + 5.0 + 15.0);
    let (_, eager) = played(&one, &machine(""));
    assert_eq!(us(eager[0].arrived), 17.0);
}

/// Two who exchange long messages; one comes late.
fn exchange() -> Program {
    let steps: [&[Step]; 2] = [
        &[Step::Post(1), Step::Send(0), Step::Take(1), Step::Free(0)],
        &[work(100), Step::Post(0), Step::Send(1), Step::Take(0), Step::Free(1)],
    ];
    program(&[(0, 1, 50_000), (1, 0, 50_000)], &steps)
}

/// The answer to who came late goes behind the message that it had itself asked for first.
#[test]
fn two_who_exchange_long_messages_take_turns_when_one_comes_late() {
    let both = exchange();
    let (_, asked) = played(&both, &machine("eager = \"4KiB\""));
    // Answered at 105, there at 115, sent at 120, there after 60.
    assert_eq!(us(asked[0].arrived), 180.0);
    // Asked at 107, answered at 125, which leaves behind the other and is there with it at 180;
    // sent in 5, there after 60.
    assert_eq!(us(asked[1].arrived), 245.0);
    let (_, eager) = played(&both, &machine(""));
    assert_eq!([us(eager[0].arrived), us(eager[1].arrived)], [62.0, 162.0]);
}

/// Who has asked for its own message before it hears of the other answers before its data.
#[test]
fn two_who_ask_first_exchange_long_messages_at_once_though_one_comes_late() {
    let both = Program { asks_first: true, ..exchange() };
    let (_, asked) = played(&both, &machine("eager = \"4KiB\""));
    // Asked at 102 and answered in 5: there at 117, sent in 5, there after 60.
    assert_eq!(us(asked[0].arrived), 182.0);
    // There at 112, answered in 5: there at 127, sent in 5, there after 60.
    assert_eq!(us(asked[1].arrived), 192.0);
}

#[test]
fn two_who_send_long_messages_to_each_other_first_and_wait_are_stuck() {
    let steps: [&[Step]; 2] = [
        &[Step::Send(0), Step::Free(0), Step::Post(1), Step::Take(1)],
        &[Step::Send(1), Step::Free(1), Step::Post(0), Step::Take(0)],
    ];
    let both = program(&[(0, 1, 5000), (1, 0, 5000)], &steps);
    let stuck = play(&both, &machine("eager = \"4KiB\""), 1, |_, _| ());
    assert_eq!(stuck, Err(Stuck::Waits { node: 0, step: 1, message: 0 }));
    assert!(play(&both, &machine(""), 1, |_, _| ()).is_ok());
}

#[test]
fn a_message_to_oneself_needs_no_network() {
    let own = program(&[(0, 0, 1000)], &[&[Step::Send(0), Step::Take(0)]]);
    let (played, _) = played(&own, &machine(""));
    assert_eq!(us(played.end()), 5.0);
    assert_eq!(played.path.messages, 0);
}

#[test]
fn a_faster_processor_computes_faster_and_sends_the_same() {
    let one = program(&[(0, 1, 0)], &[&[work(100), Step::Send(0)], &[Step::Take(0)]]);
    let end = |machine: &Machine| us(play(&one, machine, 1, |_, _| ()).unwrap().end());
    assert_eq!(end(&machine("")), 115.0);
    assert_eq!(end(&machine("").with("processor.speed", 2.0)), 65.0);
}

#[test]
fn a_machine_that_is_too_small_is_refused() {
    let idle: [&[Step]; 9] = [&[]; 9];
    let none = program(&[], &idle);
    let refused = play(&none, &machine(""), 1, |_, _| ());
    assert_eq!(refused, Err(Stuck::Nodes { machine: 8, program: 9 }));
}

#[test]
fn thousands_of_nodes_do_not_need_a_table_of_all_pairs() {
    const NODES: u16 = 4096;
    let around: Vec<_> = (0..NODES).map(|node| (node, (node + 1) % NODES, 1000)).collect();
    let steps: Vec<[Step; 2]> = (0..u32::from(NODES))
        .map(|node| [Step::Send(node), Step::Take((node + 4095) % 4096)])
        .collect();
    let courses: Vec<&[Step]> = steps.iter().map(|steps| &steps[..]).collect();
    let ring = program(&around, &courses);
    let end = |topology, nodes| {
        let machine = Machine { topology, nodes, ..machine("") };
        play(&ring, &machine, 1, |_, _| ()).map(|played| us(played.end()))
    };
    assert_eq!(end(machine::Topology::Switch, NODES), Ok(16.0));
    assert_eq!(end(machine::Topology::Mesh, NODES), Ok(16.0));
    let few = Stuck::Nodes { machine: NODES - 1, program: 4096 };
    assert_eq!(end(machine::Topology::Mesh, NODES - 1), Err(few));
}
