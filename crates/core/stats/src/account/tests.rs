//! Planted truth: schedules in simulated time, in which something takes a node's core, and a
//! watcher that is held up itself.

use super::*;
use crate::accumulator::Position;
use crate::columns::Columns;
use crate::explain::{Gatherer, Lateness};
use crate::filter::Filter;
use crate::story::{Gather, Picked, Row, Seen, tell};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use record::{Field, Kind, Values};

const MS: i64 = 1_000_000;
const RUN_NS: i64 = 3_000 * MS;

/// How something takes a core.
#[derive(Clone, Copy, Debug)]
enum Hog {
    /// All of it.
    RealTime,
    /// Nine tenths of it, a few milliseconds at a time.
    Nice,
}

/// A machine with two nodes, and what the kernel counts of their threads.
struct Machine {
    random: Pcg64Mcg,
    /// Waits for a core of each node's thread: begin and end.
    waits: [Vec<(i64, i64)>; 2],
    /// Times in which each node's process was stopped.
    stops: [Vec<(i64, i64)>; 2],
    /// Times in which each watcher was held up.
    held_up: [Vec<(i64, i64)>; 2],
}

impl Machine {
    /// One on which threads wait now and then for a tenth of a millisecond.
    fn new(seed: u64) -> Machine {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut waits: [Vec<(i64, i64)>; 2] = [Vec::new(), Vec::new()];
        for waits in &mut waits {
            for _ in 0..200 {
                let begin = random.random_range(0..RUN_NS);
                waits.push((begin, begin + random.random_range(10_000..150_000)));
            }
        }
        Machine { random, waits, stops: Default::default(), held_up: Default::default() }
    }

    /// Something takes the core of `node`; its watcher waits for the end of it, or goes on
    /// elsewhere.
    fn hog(&mut self, node: usize, (from, to): (i64, i64), hog: Hog) {
        match hog {
            Hog::RealTime => self.waits[node].push((from, to)),
            Hog::Nice => {
                let mut at = from;
                while at < to {
                    let end = (at + self.random.random_range(3 * MS..9 * MS)).min(to);
                    self.waits[node].push((at, end));
                    at = end + self.random.random_range(100_000..MS / 2);
                }
            }
        }
        if self.random.random_bool(0.5) {
            self.held_up[node].push((from, to));
        }
    }

    /// What the watcher of a node wrote down.
    fn watch(&mut self, node: usize) -> NodeCauses {
        let interval = if self.random.random_bool(0.5) { 10 * MS } else { 51 * MS };
        let mut spans = Vec::new();
        let (mut last, mut at) = (0, self.random.random_range(0..interval));
        let mut booked = 0;
        while at < RUN_NS + interval {
            let late = self.late(node, at);
            let still: i64 =
                self.stops[node].iter().map(|(from, to)| overlap((*from, *to), (at, late))).sum();
            at = late;
            // A wait is booked when it is over.
            let over = self.waits[node]
                .iter()
                .filter(|(_, to)| *to <= at)
                .map(|(from, to)| to - from)
                .sum();
            let mut note = |cause, amount| {
                if amount > 0 || cause == Cause::Watcher {
                    spans.push(CauseSpan { cause, from_ns: last, to_ns: at, amount });
                }
            };
            note(Cause::RunQueue, over - booked);
            note(Cause::Ran, (at - last) / 50);
            note(Cause::Stopped, if still >= 20 * MS { still } else { 0 });
            spans.push(CauseSpan {
                cause: Cause::Watcher,
                from_ns: at,
                to_ns: at + 20_000,
                amount: 20_000,
            });
            (booked, last) = (over, at);
            at += interval + self.random.random_range(0..MS / 10);
        }
        NodeCauses { launch: 0, node: node as u32, spans }
    }

    /// When a watcher that is due gets to look.
    fn late(&mut self, node: usize, due: i64) -> i64 {
        let all = self.held_up[node].iter().chain(&self.stops[node]);
        let until = all.filter(|(from, to)| (*from..*to).contains(&due)).map(|(_, to)| *to).max();
        until.map_or(due, |until| until + self.random.random_range(10_000..MS / 5))
    }

    fn causes(&mut self) -> Vec<NodeCauses> {
        vec![self.watch(0), self.watch(1)]
    }
}

fn overlap(a: (i64, i64), b: (i64, i64)) -> i64 {
    (a.1.min(b.1) - a.0.max(b.0)).max(0)
}

/// A message to or from a node that is held from and to these moments.
fn message(stage: Stage, (src, dst): (u32, u32), (from, to): (i64, i64)) -> Row {
    let [sent, arrived] = match stage {
        Stage::SendWait => [to, to + 5_000],
        Stage::Transit => [from, to],
        _ => [from - 5_000, from],
    };
    let (ready, taken) = (from.min(sent - 500).min(from), arrived.max(to) + 500);
    Row::stamped((src, dst), 1, [ready, sent, arrived, taken])
}

/// What `story` says of it: the account of its longest chapter.
fn story_account(row: &Row, causes: &[NodeCauses]) -> Account {
    let scene = Gather::new(row.clone(), 100).finish();
    let story = tell(&scene, Picked::Named, Seen { causes, launch: 0, traced: false });
    let longest = story.chapters.into_iter().max_by_key(|chapter| chapter.to_ns - chapter.from_ns);
    longest.expect("a chapter").account
}

/// What `explain` says of it, beside a thousand usual messages.
fn explain_account(row: &Row, causes: &[NodeCauses]) -> Account {
    let columns = |[ready, sent, arrived, taken]: [i64; 4], seq| {
        let stamp = |at| Values::Constant(at);
        Columns::new(1)
            .with(Field::Seq, Values::Constant(seq))
            .with(Field::Src, Values::Constant(row.src.into()))
            .with(Field::Dst, Values::Constant(row.dst.into()))
            .with(Field::Kind, Values::Constant(Kind::Data as i64))
            .with(Field::Bytes, Values::Constant(8))
            .with(Field::ReadyNs, stamp(ready))
            .with(Field::SentNs, stamp(sent))
            .with(Field::ArrivedNs, stamp(arrived))
            .with(Field::TakenNs, stamp(taken))
    };
    let stamps = [row.ready_ns, row.sent_ns, row.arrived_ns, row.taken_ns].map(Option::unwrap);
    let lateness = Lateness { median_ns: 20_000, total_ns: 2e7 + (stamps[3] - stamps[0]) as f64 };
    let mut gatherer = Gatherer::new(Vec::new(), Filter::all(), lateness);
    let at = Position { launch: 0, node: row.dst, first_row: 0 };
    gatherer.add_columns(&columns(stamps, 1), at);
    for usual in 0..1_000 {
        let ready = usual * MS / 10;
        gatherer.add_columns(
            &columns([ready, ready + 10, ready + 15_000, ready + 20_000], 2 + usual),
            at,
        );
    }
    let mut explanation = gatherer.explain(causes, 2);
    assert_eq!(explanation.episodes.len(), 1, "{explanation:?}");
    explanation.episodes.remove(0).account
}

/// Both verbs of one message.
fn both(row: &Row, causes: &[NodeCauses]) -> [Account; 2] {
    [story_account(row, causes), explain_account(row, causes)]
}

#[test]
fn a_hog_of_any_length_on_either_core_is_named_by_both_verbs() {
    for length_ms in [5, 20, 100, 300] {
        let mut right = 0;
        for seed in 0..40 {
            let mut machine = Machine::new(seed);
            let victim = (seed % 2) as u32;
            let from = machine.random.random_range(500 * MS..1_500 * MS);
            let time = (from, from + length_ms * MS);
            let hog = if machine.random.random_bool(0.5) { Hog::RealTime } else { Hog::Nice };
            machine.hog(victim as usize, time, hog);
            let stages = [Stage::ReceiveWait, Stage::SendWait, Stage::Transit];
            let stage = stages[machine.random.random_range(0..3)];
            let pair = if stage == Stage::ReceiveWait {
                (1 - victim, victim)
            } else {
                (victim, 1 - victim)
            };
            // It comes when the core is taken already, and has to wait for the rest.
            let begin = from + machine.random.random_range(0..length_ms * MS / 20);
            let row = message(stage, pair, (begin, time.1));
            let causes = machine.causes();
            let named = |account: &Account| {
                let chief = account.chief().map(|part| (part.node, part.cause));
                let least = if matches!(hog, Hog::Nice) { 0.8 } else { 0.9 };
                chief == Some((victim, Cause::RunQueue))
                    && account.covered_ns as f64 >= least * account.of_ns as f64
            };
            right += usize::from(both(&row, &causes).iter().all(named));
        }
        assert_eq!(right, 40, "a hog of {length_ms} ms");
    }
}

#[test]
fn another_nodes_thread_is_never_blamed() {
    for seed in 0..100 {
        let mut machine = Machine::new(seed);
        let from = machine.random.random_range(500 * MS..1_500 * MS);
        let time = (from, from + 100 * MS);
        machine.hog(0, time, Hog::RealTime);
        let causes = machine.causes();
        for (stage, pair) in [(Stage::ReceiveWait, (0, 1)), (Stage::SendWait, (1, 0))] {
            for account in both(&message(stage, pair, time), &causes) {
                assert!(
                    account.parts.iter().all(|part| part.node == 1),
                    "seed {seed}: {account:?}"
                );
                assert_eq!(account.chief(), None, "seed {seed}");
                assert!(
                    account.watched && account.unknown_ns() >= 90 * MS,
                    "seed {seed}: {account:?}"
                );
            }
        }
    }
}

#[test]
fn a_clean_run_accuses_nobody() {
    for seed in 0..200 {
        let mut machine = Machine::new(seed);
        let from = machine.random.random_range(500 * MS..1_500 * MS);
        let length = machine.random.random_range(5 * MS..300 * MS);
        let causes = machine.causes();
        for stage in [Stage::ReceiveWait, Stage::SendWait, Stage::Transit] {
            for account in both(&message(stage, (0, 1), (from, from + length)), &causes) {
                assert_eq!(account.chief(), None, "seed {seed}: {account:?}");
            }
        }
    }
}

#[test]
fn a_stopped_process_is_told_from_a_machine_that_stood_still() {
    for seed in 0..40 {
        for all in [false, true] {
            let mut machine = Machine::new(seed);
            let from = machine.random.random_range(500 * MS..1_500 * MS);
            let time = (from, from + 600 * MS);
            machine.stops[1].push(time);
            machine.stops[0].extend(all.then_some(time));
            let causes = machine.causes();
            for account in both(&message(Stage::ReceiveWait, (0, 1), time), &causes) {
                let chief = account.chief().expect("a cause");
                assert_eq!((chief.node, chief.cause), (1, Cause::Stopped), "seed {seed}");
                assert_eq!(chief.while_ran, (!all).then_some(0), "seed {seed}");
                assert!(account.covered_ns >= 540 * MS, "seed {seed}: {account:?}");
            }
        }
    }
}

fn of_node_1(spans: &[(Cause, i64, i64, i64)]) -> Account {
    let span = |&(cause, from, to, amount): &(Cause, i64, i64, i64)| CauseSpan {
        cause,
        from_ns: from * MS,
        to_ns: to * MS,
        amount,
    };
    let causes = [NodeCauses { launch: 0, node: 1, spans: spans.iter().map(span).collect() }];
    let held =
        Held { launch: 0, stage: Stage::ReceiveWait, src: 0, dst: 1, time: (100 * MS, 400 * MS) };
    account(&causes, held)
}

#[test]
fn page_faults_take_the_time_in_which_the_thread_ran_or_was_blocked() {
    let storm =
        of_node_1(&[(Cause::Ran, 90, 410, 310 * MS), (Cause::MinorFaults, 90, 410, 200_000)]);
    let chief = storm.chief().expect("a cause");
    assert_eq!(
        (chief.cause, chief.times, storm.unknown_ns()),
        (Cause::MinorFaults, Some(200_000), 10 * MS)
    );
    let few = of_node_1(&[(Cause::Ran, 90, 410, 310 * MS), (Cause::MinorFaults, 90, 410, 20)]);
    assert_eq!((few.chief(), few.ran_ns), (None, Some(290 * MS)));
    let disk = of_node_1(&[(Cause::Ran, 90, 410, 25 * MS), (Cause::MajorFaults, 90, 410, 40)]);
    assert_eq!(disk.chief().map(|part| part.cause), Some(Cause::MajorFaults));
}

#[test]
fn whether_a_message_on_its_way_waited_for_pages_of_a_node_is_not_known() {
    let spans = vec![CauseSpan {
        cause: Cause::MajorFaults,
        from_ns: 90 * MS,
        to_ns: 410 * MS,
        amount: 24,
    }];
    let causes = [NodeCauses { launch: 0, node: 0, spans }];
    let held = |stage, from| Held { launch: 0, stage, src: 0, dst: 1, time: (from * MS, 600 * MS) };
    let account_of = |stage, from| account(&causes, held(stage, from));
    let transit = account_of(Stage::Transit, 100);
    assert_eq!(transit.paged, [Paged { node: 0, pages: 24 }]);
    assert_eq!((transit.chief(), transit.unknown_ns()), (None, 500 * MS));
    assert_eq!(account_of(Stage::Transit, 420).paged, [], "that was over");
    assert_eq!(
        account_of(Stage::ReceiveWait, 100).paged,
        [],
        "node 1 does not wait for pages of node 0"
    );
}

#[test]
fn a_full_record_is_a_cause() {
    let account =
        of_node_1(&[(Cause::Ran, 90, 410, 5 * MS), (Cause::Recording, 95, 405, 306 * MS)]);
    let chief = account.chief().expect("a cause");
    assert_eq!(chief.cause, Cause::Recording);
    assert!(account.covered_ns >= 297 * MS, "{account:?}");
}

#[test]
fn a_watcher_that_waited_for_a_core_did_not_work_all_that_time() {
    let late = of_node_1(&[(Cause::Watcher, 100, 390, 200_000)]);
    assert_eq!((late.chief(), late.covered_ns), (None, 200_000));
    let old = of_node_1(&[(Cause::Watcher, 100, 390, 0)]);
    assert_eq!(
        old.chief().map(|part| part.ns),
        Some(290 * MS),
        "older runs do not say how long it worked"
    );
}

#[test]
fn amounts_are_placed_as_late_as_they_can_be_and_none_over_another() {
    let row = |from, to, amount| {
        Timed::of(&CauseSpan { cause: Cause::RunQueue, from_ns: from, to_ns: to, amount })
    };
    let time = (100, 200);
    assert_eq!(place(vec![row(190, 210, 90)], time), [(110, 200)], "booked when it was over");
    assert_eq!(place(vec![row(100, 150, 30), row(150, 260, 60)], time), [(110, 140), (140, 200)]);
    assert_eq!(place(vec![row(150, 160, 500)], time), [(100, 160)], "no longer than the time");
    assert!(!row(200, 210, 90).meets(time), "what ended after the time did not hold it");
    assert!(!row(50, 100, 20).meets(time));
}
