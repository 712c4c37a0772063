//! A model of a program's own: on threads and on a machine it gives what it gives in order.

use models::{Phold, PholdOptions};
use timewarp::{
    Bundle, Context, Dealing, Kept, Limits, Model, ObjectId, Options, Tell, VirtualTime, sequential,
};
use warp::{RunOptions, WarpError, run};

const END: f64 = 60.0;

fn phold() -> Phold {
    Phold::new(&PholdOptions { objects: 24, remote: 0.5, ..PholdOptions::default() }).unwrap()
}

/// Each object counts to ten, and says so.
struct Counters(u32);

impl Model for Counters {
    type State = u32;
    type Payload = ();
    type Undo = ();

    fn objects(&self) -> u32 {
        self.0
    }

    fn name(&self, object: ObjectId) -> String {
        format!("counter-{}", object.0)
    }

    fn kind(&self, _: ObjectId) -> &'static str {
        "counter"
    }

    fn tells(&self) -> Vec<Tell<()>> {
        let start = |object| Tell {
            receiver: ObjectId(object),
            receive: VirtualTime::at(0.0),
            selector: 0,
            payload: (),
        };
        (0..self.0).map(start).collect()
    }

    fn init(&self, _: ObjectId, _: &mut Context<'_, ()>) -> u32 {
        0
    }

    fn event(&self, count: &mut u32, _: Bundle<'_, ()>, context: &mut Context<'_, ()>) {
        *count += 1;
        context.print(format!("{} has {count}", self.name(context.object())));
        if *count < 10 {
            // To the next one, on another node.
            let next = ObjectId((context.object().0 + 1) % self.0);
            context.send(next, context.now().after(1.0), 0, ());
        }
    }
}

#[test]
fn threads_and_machines_give_what_comes_in_order() {
    let model = phold();
    let limits = Limits { cutoff: END, ..Limits::default() };
    let in_order = sequential::run(&model, &limits, &mut Kept::default()).unwrap();
    assert!(in_order.total().events > 1000);
    let mark3 = || Some(fabric::find_machine("mark3").unwrap());
    for nodes in [1, 2, 5] {
        for on in [None, mark3()] {
            let options = RunOptions { on, ..RunOptions::new(nodes, END) };
            let ran = run(&model, &options).unwrap();
            assert_eq!(ran.outcome.trace_digest, in_order.trace_digest, "{nodes} nodes");
            assert_eq!(ran.outcome.state_digest, in_order.state_digest, "{nodes} nodes");
        }
    }
}

#[test]
fn time_on_a_machine_is_the_machines_and_the_same_each_time() {
    let on = Some(fabric::find_machine("mark3").unwrap());
    let options = RunOptions { on, event_ns: Some(5_000_000), ..RunOptions::new(2, END) };
    let ran = run(&phold(), &options).unwrap();
    assert_eq!(run(&phold(), &options).unwrap(), ran);
    let least = ran.outcome.total().events * 5_000_000 / 2;
    assert!(ran.elapsed_ns > least, "{} ns, at least {least}", ran.elapsed_ns);
}

/// Events executed and copies made before them, where states are large and events short.
fn copied(cutoff: f64, on: Option<fabric::Machine>, memory_bytes: Option<usize>) -> (u64, u64) {
    let options = PholdOptions { objects: 64, state: 100_000, ..PholdOptions::default() };
    let model = Phold::new(&options).unwrap();
    let engine =
        Options { cutoff, gvt_events: 64, undo_check: false, memory_bytes, ..Options::default() };
    let options = RunOptions { on, engine, ..RunOptions::new(2, cutoff) };
    let total = run(&model, &options).unwrap().outcome.total();
    (total.started, total.copies)
}

#[test]
fn large_states_are_copied_seldom_where_time_is_real_and_memory_not_bounded() {
    let (executed, copies) = copied(2000.0, None, None);
    assert!(copies < executed * 9 / 10, "{copies} copies before {executed} events");
    let (executed, copies) = copied(150.0, None, Some(1 << 30));
    assert_eq!(copies, executed, "with a bound on memory");
    let (executed, copies) = copied(150.0, fabric::find_machine("mark3").ok(), None);
    assert_eq!(copies, executed, "in simulated time");
}

#[test]
fn what_is_printed_comes_in_order_of_virtual_time_however_objects_are_dealt() {
    let mut kept = Kept::default();
    sequential::run(&Counters(6), &Limits::default(), &mut kept).unwrap();
    let expected: Vec<&String> = kept.lines.iter().map(|(.., line)| line).collect();
    assert_eq!(expected.len(), 60);
    for dealing in [Dealing::Blocks, Dealing::RoundRobin] {
        let options = RunOptions { dealing, ..RunOptions::new(3, f64::INFINITY) };
        let ran = run(&Counters(6), &options).unwrap();
        assert!(ran.lines.iter().map(|line| &line.text).eq(expected.iter().copied()));
    }
}

#[test]
fn what_cannot_be_run_is_refused_with_its_reason() {
    let refused = |options: &RunOptions| run(&Counters(2), options).unwrap_err().to_string();
    let said = refused(&RunOptions::new(3, END));
    assert!(said.contains('3') && said.contains('2'), "{said}");
    let engine = Options { memory_bytes: Some(1), ..Options::default() };
    assert!(!refused(&RunOptions { engine, ..RunOptions::new(2, END) }).is_empty());
    // This machine's file says what a message takes, but not an event of a simulation.
    let on = Some(fabric::find_machine("myrinet").unwrap());
    let error = run(&Counters(2), &RunOptions { on, ..RunOptions::new(2, END) }).unwrap_err();
    assert!(matches!(error, WarpError::Model { .. }), "{error}");
}
