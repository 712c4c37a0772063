//! Planted delays are where the stamps say that they should be, on a real fabric.

#![allow(clippy::unwrap_used)] // tests

extern crate fourstamp_fabric as fabric;

#[path = "conformance/table.rs"]
mod table;

use clock::Clock;
use fabric::{Node, NodeId, Passing, Plant, PlantStage, Recording, Wait, Waiting};
use record::Kind;
use std::sync::Mutex;
use table::{Carrier, Fabric};

const STAGES: [PlantStage; 3] =
    [PlantStage::SendWait, PlantStage::Transit, PlantStage::ReceiveWait];

/// A message as its receiver saw it.
struct Seen {
    /// Stages B, C and D, ns.
    stages: [i64; 3],
    /// When it was taken, ns of the receiver's clock.
    taken: i64,
}

/// Node 0 sends `sizes`, one after the other, each as soon as the one before has been answered;
/// what node 1 saw of them.
fn exchanged(carrier: Carrier, wait: Waiting, plant: &Plant, sizes: &[usize]) -> Vec<Seen> {
    let fabric = Fabric { plant: Some(plant.clone()), ..Fabric::mesh(carrier, 2, wait) };
    let seen = Mutex::new(Vec::new());
    fabric.run_recorded(
        |_| Recording::Delegated,
        |node, _| {
            for bytes in sizes {
                if node.id() == 0 {
                    node.send(1, Kind::Data, &vec![7; *bytes]).unwrap();
                    take(node, 1);
                } else {
                    seen.lock().unwrap().push(take(node, 0));
                    node.send(0, Kind::Reply, &[]).unwrap();
                }
            }
        },
    );
    seen.into_inner().unwrap()
}

fn take(node: &mut Node, from: NodeId) -> Seen {
    let deadline = node.after(table::PATIENCE);
    let rate = ticks_per_ns(&node.clock());
    let message = node.receive(Wait::Until(deadline)).unwrap().expect("it comes in time");
    assert_eq!(message.from, from);
    let stamps = message.stamps();
    let ns = |begin: u64, end: u64| (end.wrapping_sub(begin) as i64 as f64 / rate) as i64;
    let stages = [
        ns(message.ready.0, stamps.sent),
        ns(stamps.sent, stamps.arrived_ticks),
        ns(stamps.arrived_ticks, message.taken.0),
    ];
    Seen { stages, taken: ns(0, message.taken.0) }
}

fn ticks_per_ns(clock: &Clock) -> f64 {
    static RATE: std::sync::OnceLock<f64> = std::sync::OnceLock::new();
    *RATE.get_or_init(|| {
        let (began, ticks) = (std::time::Instant::now(), clock.now().0);
        std::thread::sleep(std::time::Duration::from_millis(20));
        (clock.now().0 - ticks) as f64 / began.elapsed().as_nanos() as f64
    })
}

fn plant(texts: &[&str]) -> Plant {
    Plant { seed: 5, plantings: texts.iter().map(|text| text.parse().unwrap()).collect() }
}

/// One attempt or several, each of which asserts what it plants and returns how long all else takes
/// at most, ns: nowhere near a delay that was planted. Other work on the machine only adds to that,
/// so one attempt that it leaves alone is enough.
fn elsewhere_is_no_delay(mut attempt: impl FnMut() -> i64) {
    let attempts: Vec<_> = (0..8).map(|_| attempt()).take_while(|ns| *ns >= 2_000_000).collect();
    assert!(attempts.len() < 8, "{attempts:?} ns without a delay");
}

/// Every stage of every message has at least what was planted there. Returns what half of the
/// messages without a delay in a stage have in it at most, ns.
fn check(seen: &[Seen], plant: &Plant, sizes: &[usize]) -> i64 {
    assert_eq!(seen.len(), sizes.len());
    let (mut hits, mut elsewhere) = (0, 0);
    for (at, stage) in STAGES.into_iter().enumerate() {
        let mut without = Vec::new();
        for (number, (Seen { stages, .. }, bytes)) in seen.iter().zip(sizes).enumerate() {
            let message = Passing { src: 0, dst: 1, number: number as u64, bytes: *bytes as u64 };
            let planted = plant.delay_ns(stage, &message) as i64;
            // The rates of the two clocks' readings are good to a per mille.
            assert!(
                stages[at] >= planted * 99 / 100,
                "{stage:?} of message {number}: {stages:?}, {planted} planted"
            );
            hits += u32::from(planted > 0);
            if planted == 0 {
                without.push(stages[at]);
            }
        }
        without.sort_unstable();
        elsewhere = elsewhere.max(without.get(without.len() / 2).copied().unwrap_or(0));
    }
    assert!(hits > 5, "{hits} delays: the test sees nothing");
    elsewhere
}

#[test]
fn peaks_are_in_the_stage_that_they_were_planted_in() {
    for (carrier, wait) in [
        (Carrier::Thread, Waiting::Blocking),
        (Carrier::Shm, Waiting::Blocking),
        (Carrier::Tcp, Waiting::Blocking),
    ] {
        for stage in ["send-wait", "transit", "receive-wait"] {
            let plant = plant(&[&format!("peak:mass=0.1,by=5ms,stage={stage}")]);
            let sizes = vec![16; 150];
            elsewhere_is_no_delay(|| {
                check(&exchanged(carrier, wait, &plant, &sizes), &plant, &sizes)
            });
        }
    }
}

#[test]
fn knees_and_packets_follow_the_size() {
    let plant =
        plant(&["knee:at=4040,jump=4ms", "packets:payload=3000,each=3ms,stage=receive-wait"]);
    let sizes: Vec<usize> = (0..60).map(|at| if at % 6 == 0 { 4040 + at % 4 } else { 0 }).collect();
    elsewhere_is_no_delay(|| {
        check(&exchanged(Carrier::Thread, Waiting::Blocking, &plant, &sizes), &plant, &sizes)
    });
}

#[test]
fn a_receiver_that_pauses_looks_at_nothing() {
    let plant = plant(&["pause:messages=10,for=5ms"]);
    elsewhere_is_no_delay(|| {
        let seen = exchanged(Carrier::Thread, Waiting::Blocking, &plant, &[16; 100]);
        // Before the eleventh, the twenty-first and so on nobody looked. Whether these waited in
        // the queue meanwhile, or their sender had no core, is the machine's affair; so is how long
        // after the tenth was found it was taken: from the ninth.
        let since = |number: usize, before: usize| seen[number].taken - seen[number - before].taken;
        let (paused, others): (Vec<_>, Vec<_>) = (2..100).partition(|number| number % 10 == 0);
        let paused: Vec<_> = paused.into_iter().map(|number| since(number, 2)).collect();
        assert!(paused.len() == 9 && paused.iter().all(|ns| *ns >= 4_950_000), "{paused:?}");
        let mut others: Vec<_> = others.into_iter().map(|number| since(number, 1)).collect();
        others.sort_unstable();
        others[others.len() / 2]
    });
}
