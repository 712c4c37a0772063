use super::*;
use crate::{Topology, parse, write};

/// Planted: sending 3 µs, receiving 5 µs, latency 20 µs, 8 ns a byte on the wire, 0.5 ns at ends.
fn planted(sizes: &[u64], more: impl Fn(u64) -> f64) -> Vec<Stretch> {
    let stretch = |(at, bytes): (usize, &u64)| {
        let bytes = *bytes;
        // Launches differ a little, the same in each run of the test.
        let off = 1.0 + 0.002 * (at % 3) as f64 - 0.002;
        let receive = 5_000.0 + 0.5 * bytes as f64;
        Stretch {
            launch: (at % 3) as u32,
            bytes,
            packets: 1,
            one_way: Some(off * (23_000.0 + receive + 8.5 * bytes as f64 + more(bytes))),
            receive: Some(off * receive),
            ..Stretch::default()
        }
    };
    let visits = sizes.iter().flat_map(|bytes| [bytes; 9]);
    visits.enumerate().map(stretch).collect()
}

fn stream(bytes: u64) -> Vec<Stretch> {
    let sending = Some(3_000.0 + 0.5 * bytes as f64);
    let stretch = |launch| Stretch {
        run: 1,
        launch,
        bytes,
        packets: 1,
        sending,
        taking: Some(4_000.0 + 0.5 * bytes as f64),
        passing: Some((8.0 * bytes as f64).max(4_000.0 + 0.5 * bytes as f64)),
        ..Stretch::default()
    };
    (0..3).map(stretch).collect()
}

fn made(stretches: &[Stretch], knees: Knees<'_>) -> Calibrated {
    let wanted = Wanted {
        name: "made",
        about: "",
        runs: "a, b",
        nodes: 2,
        topology: Topology::Mesh,
        eager: None,
        clock_error: 0.0,
        seed: 1,
        knees,
    };
    calibrate(stretches, &wanted).unwrap()
}

const SIZES: [u64; 9] = [1, 8, 64, 256, 1024, 2048, 4096, 8192, 16_384];

fn is(machine: &Machine, name: &str, truth: f64) {
    let constant = &machine.constants[name];
    let [least, most] = constant.range.unwrap();
    assert!((least..=most).contains(&truth), "{name}: {truth} in {constant:?}");
    assert!((constant.value / truth - 1.0).abs() < 0.02, "{name}: {truth} is {}", constant.value);
}

#[test]
fn what_was_planted_comes_back() {
    let stretches = [planted(&SIZES, |_| 0.0), stream(8), stream(8192)].concat();
    let made = made(&stretches, &|_| Vec::new());
    let machine = parse("made", &write(&made.machine, &[])).unwrap();
    is(&machine, "processor.send", 3_000.0);
    is(&machine, "processor.receive", 4_000.0);
    is(&machine, "processor.wake", 1_000.0);
    is(&machine, "processor.copy", 2e9);
    is(&machine, "network.latency", 20_000.0);
    is(&machine, "network.bandwidth", 1e9 / 8.0);
    assert_eq!(made.short, None);
}

#[test]
fn draws_know_a_message_better_than_its_parts() {
    // What one way takes differs by a thousandth; how much of it the receiver takes, by a half.
    let noise = |at: usize| ((at * 7919) % 101) as f64 / 101.0 - 0.5;
    let trips = SIZES.iter().flat_map(|bytes| [*bytes; 9]).enumerate().map(|(at, bytes)| Stretch {
        launch: (at % 3) as u32,
        bytes,
        packets: 1,
        one_way: Some((28_000.0 + 8.0 * bytes as f64) * (1.0 + 0.001 * noise(at))),
        receive: Some(5_000.0 * (1.0 + noise(at + 37))),
        ..Stretch::default()
    });
    let stretches = [trips.collect(), stream(8), stream(8192)].concat();
    let machine = made(&stretches, &|_| Vec::new()).machine;
    let drawn: Vec<Machine> =
        (0..crate::DRAWS as usize).map(|draw| machine.clone().drawn(draw, |_| 0.5)).collect();
    let spread = |of: &dyn Fn(&Machine) -> f64| {
        let all: Vec<f64> = drawn.iter().map(of).collect();
        let [least, most] = [f64::min, f64::max].map(|end| all.iter().copied().reduce(end));
        most.unwrap() / least.unwrap()
    };
    let one_way = |one: &Machine| {
        let ends = one.value("processor.send") + one.value("processor.receive");
        let copies = 2.0 * 4096e9 / one.value("processor.copy");
        let wire = one.value("network.latency") + 4096e9 / one.value("network.bandwidth");
        ends + copies + one.value("processor.wake") + wire
    };
    let (whole, part) = (spread(&one_way), spread(&|one| one.value("processor.receive")));
    assert!(whole < 1.03 && part > 1.3, "{whole} {part}");
}

#[test]
fn a_jump_is_a_piece_and_round_trips_stay_right() {
    let jump = |bytes| if bytes >= 2048 { 7_000.0 } else { 0.0 };
    let stretches = [planted(&SIZES, jump), stream(8)].concat();
    let made = made(&stretches, &|_| vec![2048]);
    let latency = &made.machine.constants["network.latency"];
    assert!((latency.at(8).value - 20_000.0).abs() < 100.0, "{latency:?}");
    assert!((latency.at(2048).value - 27_000.0).abs() < 300.0, "{latency:?}");
    let (_, measured, fitted) = made.worst;
    assert!((fitted / measured - 1.0).abs() < 0.005, "{:?}", made.worst);
}

#[test]
fn what_the_runs_do_not_tell_is_left_open_and_named() {
    let one = made(&planted(&[64], |_| 0.0), &|_| Vec::new());
    let open: Vec<&str> = one.open.iter().map(|open| open.figures).collect();
    for figures in ["processor.send", "processor.wake", "processor.copy"] {
        assert!(open.contains(&figures), "{open:?}");
    }
    assert!(open.contains(&"network.latency and network.bandwidth"), "{open:?}");
    let [least, most] = one.machine.constants["network.latency"].range.unwrap();
    assert!(least == 0.0 && most > 23_000.0, "what sending takes may be in it");
    parse("made", &write(&one.machine, &[])).unwrap();
    let none = [Stretch { one_way: None, ..stream(8)[0].clone() }];
    let wanted = Wanted {
        name: "none",
        about: "",
        runs: "",
        nodes: 2,
        topology: Topology::Mesh,
        eager: None,
        clock_error: 0.0,
        seed: 1,
        knees: &|_| Vec::new(),
    };
    assert_eq!(calibrate(&none, &wanted), Err(CalibrateError::NoRoundTrips));
}

#[test]
fn parts_that_are_too_much_are_cut_and_told() {
    let slow = |mut stretch: Stretch| {
        stretch.sending = Some(90_000.0);
        stretch
    };
    let streams: Vec<Stretch> = stream(8).into_iter().map(slow).collect();
    let made = made(&[planted(&SIZES, |_| 0.0), streams].concat(), &|_| Vec::new());
    let short = made.short.unwrap();
    assert!(short.by > 60_000.0, "{short:?}");
    let (_, measured, fitted) = made.worst;
    assert!((fitted / measured - 1.0).abs() < 0.03, "{:?}", made.worst);
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(32))]
    /// Whatever stretches say, the machine can be read and its parts add up to one way.
    #[test]
    fn any_stretches_make_a_machine_that_can_be_read(
        seen in proptest::collection::vec((0u64..200_000, 1u32..9, 0f64..1e6, 0f64..1e6, 0f64..1e6),
            1..40),
    ) {
        let stretch = |(bytes, packets, one_way, receive, other): &(u64, u32, f64, f64, f64)| {
            let [one_way, receive, other] = [*one_way, *receive, *other].map(Some);
            Stretch {
                bytes: *bytes,
                packets: *packets,
                one_way,
                receive,
                sending: other,
                taking: receive,
                passing: other,
                under_way: Some(*packets),
                ..Stretch::default()
            }
        };
        let stretches: Vec<Stretch> = seen.iter().map(stretch).collect();
        let made = made(&stretches, &|_| vec![1000, 50_000]);
        let text = write(&made.machine, &[]);
        let read = parse("made", &text);
        proptest::prop_assert!(read.is_ok(), "{read:?}\n{text}");
    }
}

#[test]
fn a_link_with_a_burst_is_told_by_a_stream_that_is_slower_than_its_messages() {
    // 100 ns a byte, 10,000 bytes at once; one way is 20 µs besides. In a ping-pong the link earns
    // in a round trip what a message takes.
    let one_way = |bytes: u64| {
        let wire = bytes as f64 + 60.0;
        20_000.0_f64.max(50.0 * wire).max(20_000.0 + 100.0 * (wire - 10_000.0))
    };
    let trips = [1, 8, 64, 256, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072];
    let stretch = |bytes: u64| Stretch {
        bytes,
        packets: 1,
        one_way: Some(one_way(bytes)),
        receive: Some(2_000.0),
        ..Stretch::default()
    };
    let mut stretches: Vec<Stretch> = trips.into_iter().map(stretch).collect();
    let straight = made(&stretches, &|_| Vec::new());
    assert!(!straight.machine.constants.contains_key("network.burst"), "no stream tells");
    stretches.push(Stretch {
        run: 1,
        bytes: 4096,
        packets: 1,
        sending: Some(1_000.0),
        passing: Some(100.0 * (4096.0 + 60.0)),
        ..Stretch::default()
    });
    let machine = made(&stretches, &|_| Vec::new()).machine;
    is(&machine, "network.burst", 10_000.0);
    is(&machine, "network.bandwidth", 1e7);
    assert!((machine.value("network.header") - 60.0).abs() < 15.0);
    // Streams of two sizes tell what a header takes, whatever messages alone seem to have.
    stretches.push(Stretch {
        bytes: 8192,
        passing: Some(100.0 * (8192.0 + 20.0)),
        ..stretches.last().unwrap().clone()
    });
    stretches.iter_mut().filter(|one| one.bytes == 4096 && one.passing.is_some()).for_each(|one| {
        one.passing = Some(100.0 * (4096.0 + 20.0));
    });
    let machine = made(&stretches, &|_| Vec::new());
    is(&machine.machine, "network.bandwidth", 1e7);
    assert!((machine.machine.value("network.header") - 20.0).abs() < 1.0);
    let (_, measured, by) = machine.stream.unwrap();
    assert!((by / measured - 1.0).abs() < 0.01, "{by} {measured}");
}

#[test]
fn a_slow_stream_without_a_burst_is_no_burst() {
    let mut stretches = planted(&SIZES, |_| 0.0);
    stretches.extend(stream(1024));
    let made = made(&stretches, &|_| Vec::new());
    assert!(!made.machine.constants.contains_key("network.burst"));
}
