//! A machine's file of any text: a machine, on whose network messages arrive, or an error with a
//! place.
#![no_main]

use libfuzzer_sys::fuzz_target;
use machine::{Happened, Network, parse};

fuzz_target!(|text: &str| {
    let Ok(machine) = parse("machine.toml", text) else { return };
    let nodes = machine.nodes.min(8);
    if nodes < 2 || machine.value("network.packet") < 64.0 {
        return;
    }
    let mut network = Network::new(&machine, nodes, 1);
    // Figures may differ by size.
    for to in 1..nodes {
        network.send(0, 0, to, 500 * u64::from(to));
    }
    let mut arrived = 0;
    // A network that loses nine packets of ten takes its time.
    for _ in 0..10_000 {
        let mut tell = |_, happened| arrived += u16::from(matches!(happened, Happened::Arrived(_)));
        if !network.play_next(&mut tell) {
            assert_eq!(arrived, nodes - 1);
            break;
        }
    }
});
