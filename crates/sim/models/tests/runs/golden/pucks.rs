//! Pucks against the benchmark's golden files.

use crate::fnv::{BASIS, fnv};
use crate::watched::{Run, run, shared};
use models::pucks::{Audited, MESSAGES_FILE, OBJECTS_FILE, PucksPayload, PucksState, Scenario};
use models::warpnet::Table;
use models::{Pucks, PucksOptions};
use proptest::prelude::*;
use std::sync::Mutex;
use timewarp::{Bundle, Context, Message, Model, ObjectId, Payload, Tell};

const CUTOFF: f64 = 40.0;

pub fn benchmark() -> Option<Pucks> {
    let (objects, messages) =
        (shared("data/pucks_objects.csv")?, shared("data/pucks_initial_messages.csv")?);
    let scenario = Scenario::read(
        Table { file: OBJECTS_FILE, text: &objects },
        Table { file: MESSAGES_FILE, text: &messages },
    );
    Some(Pucks::new(scenario.unwrap()))
}

/// Pucks that digests its events in the order in which they come, as the golden file does.
struct Digesting {
    model: Pucks,
    digest: Mutex<Running>,
}

struct Running {
    hash: u64,
    events: usize,
    lines: Vec<String>,
    last: f64,
    by_selector: [u64; 12],
    bytes: usize,
}

impl Running {
    fn new() -> Running {
        Running {
            hash: BASIS,
            events: 0,
            lines: Vec::new(),
            last: 0.0,
            by_selector: [0; 12],
            bytes: 0,
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.hash = fnv(self.hash, bytes);
    }

    fn event(&mut self, bundle: Bundle<'_, PucksPayload>, context: &Context<'_, PucksPayload>) {
        let now = context.now();
        self.add(&now.simtime().to_be_bytes());
        for number in [now.seq1(), now.seq2(), context.object().0, bundle.len() as u32] {
            self.add(&number.to_be_bytes());
        }
        bundle.iter().for_each(|message| self.message(message));
        self.events += 1;
        self.last = now.simtime();
        if self.events.is_multiple_of(500) {
            self.note();
        }
    }

    fn message(&mut self, message: &Message<PucksPayload>) {
        let mut payload = Vec::new();
        message.payload.encode(&mut payload);
        self.add(&message.selector.to_be_bytes());
        self.add(&(payload.len() as u32).to_be_bytes());
        self.add(&payload);
        self.by_selector[message.selector as usize] += 1;
        self.bytes += payload.len();
    }

    fn note(&mut self) {
        self.lines.push(format!("{},{:?},{:016x}", self.events, self.last, self.hash));
    }
}

impl Model for Digesting {
    type State = PucksState;
    type Payload = PucksPayload;
    type Undo = ();

    fn objects(&self) -> u32 {
        self.model.objects()
    }

    fn kind(&self, object: ObjectId) -> &'static str {
        self.model.kind(object)
    }

    fn tells(&self) -> Vec<Tell<PucksPayload>> {
        self.model.tells()
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, PucksPayload>) -> PucksState {
        self.model.init(object, context)
    }

    fn event(
        &self,
        state: &mut PucksState,
        bundle: Bundle<'_, PucksPayload>,
        context: &mut Context<'_, PucksPayload>,
    ) {
        self.digest.lock().unwrap().event(bundle, context);
        self.model.event(state, bundle, context);
    }
}

fn same_lines(found: impl IntoIterator<Item = String>, golden: &str) {
    let mut found = found.into_iter();
    for (number, line) in golden.lines().enumerate().skip(1) {
        assert_eq!(found.next().as_deref(), Some(line), "line {}", number + 1);
    }
}

/// The golden file leaves out the column of sends beyond the cutoff.
fn without_drops(run: &Run, model: &Pucks) -> Vec<String> {
    let lines = run.counts(model);
    lines.iter().map(|line| line.rsplit_once(',').unwrap().0.to_string()).collect()
}

/// Lines of the trace; times as a reader of the golden file would take them.
fn same_trace(run: &Run, model: &Pucks, golden: &str) {
    let parsed = |line: &str| {
        let fields: Vec<String> = line.split(',').map(String::from).collect();
        (fields[1].parse::<f64>().unwrap(), fields[2..].join(","))
    };
    let found = run.kept.trace.iter().map(|event| {
        let (time, name) = (event.time, model.name(event.object));
        let rest =
            format!("{},{},{name},{},{}", time.seq1(), time.seq2(), event.messages, event.sent);
        (time.simtime(), rest)
    });
    let golden: Vec<_> = golden.lines().skip(1).map(parsed).collect();
    assert_eq!(golden.len(), 3000);
    for (number, (found, golden)) in found.zip(golden).enumerate() {
        assert_eq!(found, golden, "event {number}");
    }
}

#[test]
fn the_run_cut_at_40() {
    let (Some(model), Some(counts), Some(head)) =
        (benchmark(), shared("golden/pucks_cutoff40.csv"), shared("golden/pucks_trace_head.csv"))
    else {
        return;
    };
    let run = run(&model, Some(CUTOFF));
    let found = without_drops(&run, &model);
    assert_eq!(found.len(), counts.lines().count() - 1);
    same_lines(found, &counts);
    same_trace(&run, &model, &head);
    let total = run.outcome.total();
    assert_eq!((total.events, total.messages, total.committed_sends), (37_239, 41_746, 42_122));
    assert_eq!((total.committed_drops, run.largest_bundle()), (697, 10));
    assert_eq!(run.outcome.final_time, 39.994_053_754_160_53);
}

#[test]
fn payloads_and_their_order_are_the_benchmarks() {
    let (Some(model), Some(golden)) = (benchmark(), shared("golden/pucks_digests_cutoff40.csv"))
    else {
        return;
    };
    let model = Digesting { model, digest: Mutex::new(Running::new()) };
    run(&model, Some(CUTOFF));
    let mut digest = model.digest.into_inner().unwrap();
    digest.note();
    assert_eq!(digest.lines.len(), golden.lines().count() - 1);
    same_lines(digest.lines, &golden);
    assert_eq!(digest.by_selector, [0, 145, 48, 128, 145, 2212, 552, 352, 7628, 7410, 868, 22_258]);
    assert_eq!(digest.bytes, 3_457_794);
}

#[test]
fn the_full_run() {
    let Some(model) = benchmark() else { return };
    let total = run(&model, None).outcome.total();
    assert_eq!((total.events, total.messages), (365_452, 408_219));
    assert_eq!(total.messages, total.committed_sends + 321);
}

#[test]
fn the_benchmarks_tables_are_written_as_they_were_read() {
    let (Some(model), Some(objects), Some(messages)) =
        (benchmark(), shared("data/pucks_objects.csv"), shared("data/pucks_initial_messages.csv"))
    else {
        return;
    };
    assert_eq!(model.scenario().write(), [(OBJECTS_FILE, objects), (MESSAGES_FILE, messages)]);
}

#[test]
fn what_must_hold_holds_in_the_full_run() {
    let Some(model) = benchmark() else { return };
    let audited = Audited::new(&model);
    run(&audited, None);
    let found = audited.findings();
    assert_eq!((found.plans_most, found.sectors_most, found.pucks_most), ([5, 2, 11], 4, 8));
    assert_eq!((found.rejected, found.jumps, found.simtimes), (0, 0, 79_518));
    assert!((found.energy - 6_359_366.35).abs() < 0.01, "{}", found.energy);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn what_must_hold_holds_on_any_table(
        options in tables(),
        cutoff in prop_oneof![Just(None), (0.0f64..400.0).prop_map(Some)],
    ) {
        let model = Pucks::new(Scenario::generate(&options).unwrap());
        let audited = Audited::new(&model);
        let run = run(&audited, cutoff);
        let total = run.outcome.total();
        let told = run.outcome.tells + total.committed_sends - total.committed_drops;
        prop_assert_eq!(told, total.messages);
        if cutoff.is_none() {
            prop_assert_eq!(total.committed_drops, 0);
            prop_assert!(run.outcome.final_time > 390.0, "{}", run.outcome.final_time);
        }
    }
}

/// Small tables, some so full that pucks are never alone.
fn tables() -> impl Strategy<Value = PucksOptions> {
    let sides = || 24u32..200;
    (1u32..5, 1u32..5, sides(), sides(), 1u32..20, any::<u64>()).prop_map(
        |(rows, columns, width, height, pucks, seed)| {
            let room = rows * width * columns * height / (30 * 30);
            PucksOptions {
                rows,
                columns,
                width,
                height,
                pucks: pucks.min(room).max(1),
                radius: 6,
                seed,
            }
        },
    )
}
