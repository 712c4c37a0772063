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

const STAGES: [PlantStage; 3] = [PlantStage::SendWait, PlantStage::Transit, PlantStage::ReceiveWait];

/// Stages B, C and D of a message, ns.
type Stages = [i64; 3];

/// Node 0 sends `sizes`, one after the other, each as soon as the one before has been answered; what node 1 saw of them.
fn exchanged(carrier: Carrier, wait: Waiting, plant: &Plant, sizes: &[usize]) -> Vec<Stages> {
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

fn take(node: &mut Node, from: NodeId) -> Stages {
    let deadline = node.after(table::PATIENCE);
    let rate = ticks_per_ns(&node.clock());
    let message = node.receive(Wait::Until(deadline)).unwrap().expect("it comes in time");
    assert_eq!(message.from, from);
    let stamps = message.stamps();
    let ns = |begin: u64, end: u64| (end.wrapping_sub(begin) as i64 as f64 / rate) as i64;
    [
        ns(message.ready.0, stamps.sent),
        ns(stamps.sent, stamps.arrived_ticks),
        ns(stamps.arrived_ticks, message.taken.0),
    ]
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

/// Every stage of every message has at least what was planted there; and what was planted elsewhere is not in it.
fn check(seen: &[Stages], plant: &Plant, sizes: &[usize]) {
    assert_eq!(seen.len(), sizes.len());
    let mut hits = 0;
    for (at, stage) in STAGES.into_iter().enumerate() {
        let mut without = Vec::new();
        for (number, (stages, bytes)) in seen.iter().zip(sizes).enumerate() {
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
        // Half of the messages without a delay are far from having one, on however busy a machine.
        if let Some(median) = without.get(without.len() / 2) {
            assert!(*median < 2_000_000, "{stage:?}: {median} ns without a delay");
        }
    }
    assert!(hits > 5, "{hits} delays: the test sees nothing");
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
            check(&exchanged(carrier, wait, &plant, &sizes), &plant, &sizes);
        }
    }
}

#[test]
fn knees_and_packets_follow_the_size() {
    let plant = plant(&["knee:at=4040,jump=4ms", "packets:payload=3000,each=3ms,stage=receive-wait"]);
    let sizes: Vec<usize> = (0..60).map(|at| if at % 6 == 0 { 4040 + at % 4 } else { 0 }).collect();
    check(&exchanged(Carrier::Thread, Waiting::Blocking, &plant, &sizes), &plant, &sizes);
}

#[test]
fn a_receiver_that_pauses_looks_at_nothing() {
    let plant = plant(&["pause:messages=10,for=5ms"]);
    let seen = exchanged(Carrier::Thread, Waiting::Polling, &plant, &[16; 100]);
    // The eleventh, the twenty-first and so on were in the queue all the while; on a busy machine some were sent late.
    let waits = |number: &usize| seen[*number].iter().sum::<i64>() >= 4_000_000;
    let paused: Vec<usize> =
        (0..100).filter(|number| number % 10 == 0 && *number > 0).filter(waits).collect();
    assert!(paused.len() >= 5, "{paused:?}");
}
