//! What plays come to, to the last bit, for many drawn programs on many drawn machines.
//!
//! The sums were recorded from the plainest way to play: every packet of every message an event at
//! each link, at its goal, when it is handled, and when its buffer is free. Whatever is made faster
//! must give the same.

use super::*;
use crate::{Course, Envelope, Flow, Parcel, Program, Share, Step, Wildcards};
use machine::{Constant, Topology};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Plays of each kind.
const PLAYS: u64 = 60;

/// By topology: plays of MPI's flow with and without losses, and the same of the fabric's.
const SUMS: [(Topology, [u64; 4]); 4] = [
    (
        Topology::Switch,
        [
            0x081f_f61e_bda8_e175,
            0xa318_f1cd_d4ee_388e,
            0x9b93_3631_83fc_b665,
            0xb1af_e781_12a4_18dc,
        ],
    ),
    (
        Topology::Bus,
        [
            0x1e51_146a_a4c5_ae0e,
            0xcea7_4614_76cd_668d,
            0x76de_cbc0_cf2f_c342,
            0xbf7b_ddef_53fc_7a85,
        ],
    ),
    (
        Topology::Hypercube,
        [
            0xb89b_022d_4f83_acc2,
            0x15d2_cf70_7a4a_83c4,
            0xeae7_d297_22df_c696,
            0x8eb0_3d0d_b34d_cb3b,
        ],
    ),
    (
        Topology::Mesh,
        [
            0xcbdf_6155_8a0c_93ff,
            0x48df_7ea6_5b61_92b0,
            0xb197_102d_ad98_d778,
            0xca58_f3dd_e1c4_e680,
        ],
    ),
];

struct Draw(Pcg64Mcg);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0.random::<u64>() % bound
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }

    /// Whether it is one in so many.
    fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }
}

/// Round figures, so that many things happen at the same moment, or crooked ones.
fn machine(draw: &mut Draw, topology: Topology, lossy: bool) -> Machine {
    let text = format!(
        "name = \"drawn\"\nnodes = 64\ntopology = \"{}\"\n[processor]\nsend = \"0us\"\n\
         receive = \"0us\"\n[network]\nlatency = \"0us\"\nbandwidth = \"1GB/s\"\n",
        topology.word()
    );
    let mut machine = machine::parse("drawn", &text).unwrap();
    let times = if draw.one_in(2) { [0.0, 1000.0, 2000.0] } else { [0.7, 1234.567, 777.0] };
    for name in ["processor.send", "processor.receive", "network.latency"] {
        machine = machine.with(name, draw.of(&times));
    }
    let ways: [(&str, &[f64]); 14] = [
        ("processor.look", &[1.0, 100.0]),
        ("processor.wake", &[0.0, 5000.0]),
        ("processor.copy", &[1e15, 1e9]),
        ("processor.interrupt", &[0.0, 0.0, 0.0, 300.0]),
        ("processor.timer", &[0.0, 0.0, 10_000.0]),
        ("processor.timer-takes", &[0.0, 500.0]),
        ("network.bandwidth", &[1e9, 1e9, 1e8, 3.7e9]),
        ("network.packet", &[1e15, 1e15, 1024.0, 333.0]),
        ("network.header", &[0.0, 40.0]),
        ("network.gap", &[0.0, 1000.0, 130.0]),
        ("network.hop", &[0.0, 500.0]),
        ("network.handler", &[0.0, 0.0, 1000.0, 90.0]),
        ("network.buffers", &[1024.0, 1024.0, 2.0]),
        ("network.eager", &[1e15, 1e15, 2048.0, 0.0]),
    ];
    for (name, values) in ways {
        machine = machine.with(name, draw.of(values));
    }
    machine = machine.with("network.window", draw.of(&[524_288.0, 1000.0]));
    if draw.one_in(4) {
        let short = draw.of(&times);
        let latency = Constant::of(short).and_from(1000, Constant::of(short + draw.of(&times)));
        machine.constants.insert("network.latency".into(), latency);
    }
    if lossy {
        machine = machine.with("network.loss", 0.1).with("network.resend", 50_000.0);
    }
    machine
}

/// Rounds of messages; in each a node posts its receives, sends, takes and waits for its buffers.
fn program(draw: &mut Draw, flow: Flow) -> Program {
    let nodes = draw.of(&[2, 3, 5, 8, 13]);
    let mut courses = vec![Course::default(); nodes as usize];
    let mut messages: Vec<Parcel> = Vec::new();
    let even = draw.one_in(2);
    if !even {
        courses.iter_mut().for_each(|course| course.begins_ns = draw.below(3000));
    }
    for _ in 0..1 + draw.below(8) {
        let first = messages.len();
        for _ in 0..draw.below(3 * nodes) {
            let (from, to) = (draw.below(nodes) as u16, draw.below(nodes) as u16);
            let bytes = if even { 1000 } else { draw.of(&[0, 1, 64, 1000, 2048, 2049, 9000]) };
            messages.push(Parcel { from, to, bytes });
        }
        let round = first as u32..messages.len() as u32;
        for (node, course) in courses.iter_mut().enumerate() {
            let sent = |message: &u32| usize::from(messages[*message as usize].from) == node;
            let taken = |message: &u32| usize::from(messages[*message as usize].to) == node;
            let mine = |of: &dyn Fn(&u32) -> bool, step: fn(u32) -> Step| -> Vec<Step> {
                round.clone().filter(of).map(step).collect()
            };
            let mpi = flow == Flow::Eager;
            if !even || draw.one_in(2) {
                let ns = if even { 1000 } else { draw.below(20_000) };
                course.steps.push(Step::Work { ns, site: 0 });
            }
            let posts = if mpi { mine(&taken, Step::Post) } else { Vec::new() };
            let frees = if mpi { mine(&sent, Step::Free) } else { Vec::new() };
            course.steps.extend(posts);
            for send in mine(&sent, Step::Send) {
                if draw.one_in(5) {
                    course.steps.push(Step::Work { ns: draw.below(2000), site: 1 });
                }
                course.steps.push(send);
            }
            if draw.one_in(3) {
                course.steps.push(Step::Work { ns: draw.below(9000), site: 2 });
            }
            course.steps.extend(mine(&taken, Step::Take));
            course.steps.extend(frees);
        }
    }
    Program { courses, own_messages: messages.len() as u32, messages, flow, ..Program::default() }
}

/// FNV-1a over numbers.
struct Sum(u64);

impl Sum {
    fn add(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x100_0000_01b3).rotate_left(23);
    }

    fn add_all<const N: usize>(&mut self, numbers: [u64; N]) {
        numbers.into_iter().for_each(|number| self.add(number));
    }

    fn played(&mut self, played: &Played) {
        for spent in &played.nodes {
            let Spent { computing, overhead, waiting, blocked, unheard, end } = *spent;
            self.add_all([computing, overhead, waiting, blocked, unheard, end]);
        }
        // Those that there were when the sums were recorded; MPI has no other.
        Share::ALL[..5].iter().for_each(|share| self.add(played.path[*share]));
        self.add(played.path.messages);
    }
}

/// With receives that are matched while it is played, each from its source or from any.
fn matched_anew(program: Program, any_source: bool) -> Program {
    let mut wildcards = Wildcards::default();
    let envelope = Envelope { communicator: 0, tag: 0, any_source, any_tag: false };
    (0..program.messages.len()).for_each(|message| wildcards.add(message as u32, envelope));
    Program { wildcards: wildcards.into(), ..program }
}

/// What the plays of a kind come to; how many ended, and how many messages were taken.
fn sum(topology: Topology, kind: u64, change: impl Fn(Program) -> Program) -> (u64, u64, u64) {
    let (lossy, fabric) = (kind % 2 == 1, kind >= 2);
    let mut sum = Sum(0xcbf2_9ce4_8422_2325);
    let (mut ended, mut taken) = (0, 0);
    for play in 0..PLAYS {
        let mut draw = Draw(Pcg64Mcg::seed_from_u64(1000 * kind + play));
        let machine = machine(&mut draw, topology, lossy);
        let looks = draw.of(&[u32::MAX, 10]);
        let flow = if fabric { Flow::Window { looks } } else { Flow::Eager };
        let program = change(program(&mut draw, flow));
        let outcome = super::play(&program, &machine, play, |message, at| {
            taken += 1;
            let Stamps { ready, sent, arrived, taken } = at;
            sum.add_all([u64::from(message), ready, sent, arrived, taken]);
        });
        match outcome {
            Ok(played) => {
                ended += 1;
                sum.played(&played);
            }
            Err(Stuck::Waits { node, step, message }) => {
                sum.add_all([u64::from(node), step as u64, u64::from(message)]);
            }
            Err(Stuck::Nodes { .. }) => unreachable!("there are enough nodes"),
            // Waits for nothing but messages.
            Err(stuck @ Stuck::Stands { .. }) => panic!("{stuck}"),
            Err(Stuck::Unasked { .. }) => unreachable!("messages are taken as recorded"),
        }
    }
    (sum.0, ended, taken)
}

#[test]
fn plays_come_to_what_they_always_came_to() {
    for (topology, sums) in SUMS {
        for (kind, expected) in (0..).zip(sums) {
            let (sum, ended, taken) = sum(topology, kind, |program| program);
            assert!(ended > PLAYS / 2 && taken > 10 * PLAYS, "{ended} ended, {taken} taken");
            assert_eq!(sum, expected, "{topology:?}, kind {kind}: 0x{sum:016x}");
        }
    }
}

/// No message of a pair overtakes another, and their receives are posted in the order in which they
/// are sent: matched anew by their source, each takes its own.
#[test]
fn plays_whose_receives_name_their_source_come_to_the_same_when_matched_anew() {
    for (topology, sums) in SUMS {
        for (kind, expected) in (0..2).zip(sums) {
            let (sum, ..) = sum(topology, kind, |program| matched_anew(program, false));
            assert_eq!(sum, expected, "{topology:?}, kind {kind}: 0x{sum:016x}");
        }
    }
}

#[test]
fn from_any_source_each_message_is_taken_once_and_no_play_hangs() {
    let mut changed = 0;
    for play in 0..2 * PLAYS {
        let mut draw = Draw(Pcg64Mcg::seed_from_u64(play));
        let machine = machine(&mut draw, Topology::Switch, play % 2 == 1);
        let program = matched_anew(program(&mut draw, Flow::Eager), true);
        let mut taken = vec![0; program.messages.len()];
        let again = super::play(&program, &machine, play, |_, _| ());
        let played = super::play(&program, &machine, play, |message, _| {
            taken[message as usize] += 1;
        });
        assert_eq!(played, again);
        if let Ok(played) = played {
            assert!(taken.iter().all(|times| *times == 1), "play {play}: {taken:?}");
            assert_eq!(played.rematched.receives, taken.len() as u64);
            changed += played.rematched.changed;
        }
    }
    assert!(changed > PLAYS, "{changed} changed");
}
