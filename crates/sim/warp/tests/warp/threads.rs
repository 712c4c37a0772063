//! Threads over the fabric against the sequential engine: one result, whatever the options.

use models::{Phold, PholdOptions, Ping, PingOptions};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use timewarp::{
    Balance, Bundle, Cancellation, Committed, Context, Dealing, Limits, Model, ObjectId, Options,
    Outcome, Search, Split, Tell, Throttle, Timing, Unwatched, VirtualTime,
};
use warp::threads::{self, Ran};
use warp::{
    CriticalPath, Gauge, Job, Line, Meter, ModelSpec, NodeFiles, Recorded, WarpError, compare,
};

pub fn job(engine: Options) -> Job {
    // The model is not looked at: it is given.
    let model = ModelSpec::of(&PingOptions::default());
    Job { engine, gvt_interval_us: 2_000, trace: true, ..Job::new(model) }
}

fn phold() -> Phold {
    Phold::new(&PholdOptions { objects: 48, start: 2, remote: 0.5, ..PholdOptions::default() })
        .unwrap()
}

fn sequential<M: Model>(model: &M, cutoff: f64) -> Outcome {
    let limits = Limits { cutoff, ..Limits::default() };
    timewarp::sequential::run(model, &limits, &mut Unwatched).unwrap()
}

pub fn run<M: Model>(model: &M, job: &Job, nodes: u16) -> Result<Ran, WarpError> {
    threads::run(model, job, nodes, tempfile::tempdir().unwrap().path())
}

pub fn agrees<M: Model>(model: &M, job: &Job, nodes: u16) -> Outcome {
    let ran =
        run(model, job, nodes).unwrap_or_else(|error| panic!("{nodes} nodes, {job:?}: {error}"));
    let expected = sequential(model, job.engine.cutoff);
    compare(model, &ran.outcome, &expected)
        .unwrap_or_else(|error| panic!("{nodes} nodes, {job:?}: {error}"));
    ran.outcome
}

#[test]
fn every_option_gives_the_sequential_result() {
    let base = Options { cutoff: 30.0, gvt_events: 500, undo_check: false, ..Options::default() };
    let variants = [
        base.clone(),
        Options { cancellation: Cancellation::Aggressive, ..base.clone() },
        Options { max_acks: Some(4), max_neg_acks: 10, ..base.clone() },
        Options { penalty: 2, reward: 1, ..base.clone() },
        Options { throttle: Throttle::Never, ..base.clone() },
        Options { throttle: Throttle::Outputs { limit: 20 }, ..base.clone() },
        Options { throttle: Throttle::Allowance { tmult: 2.0, tadd: 200.0 }, ..base.clone() },
        Options { throttle: Throttle::GvtSteps { wsize: 20.0 }, ..base.clone() },
        Options { throttle: Throttle::States { limit: 20 }, ..base.clone() },
        Options { throttle: Throttle::Undone, ..base.clone() },
        Options { throttle: Throttle::Window { window: 2.0 }, ..base.clone() },
        Options { undo_check: true, ..base.clone() },
        Options { zip_forward: true, ..base.clone() },
        Options { gvt_events: 20, ..base },
    ];
    let model = phold();
    for engine in variants {
        for nodes in 1..=4 {
            let dealing = if nodes % 2 == 0 { Dealing::RoundRobin } else { Dealing::Blocks };
            agrees(&model, &Job { dealing, ..job(engine.clone()) }, nodes);
        }
    }
}

#[test]
fn load_that_is_balanced_gives_the_sequential_result() {
    let options = PholdOptions {
        objects: 24,
        start: 2,
        remote: 0.5,
        work_steps: 500,
        ..PholdOptions::default()
    };
    let model = Phold::new(&options).unwrap();
    let mut moved = 0;
    for (split, memory) in
        [(Split::NearFuture, None), (Split::None, None), (Split::Minimal, Some(1 << 20))]
    {
        for nodes in 2..=4 {
            let balance = Balance {
                interval_ms: 1,
                idle_cycles: 0,
                split,
                batch_max: 4,
                under_way_max: 2,
                ..Balance::default()
            };
            let engine = Options {
                cutoff: 150.0,
                gvt_events: 100,
                memory_bytes: memory,
                undo_check: false,
                balance: Some(balance),
                timing: Timing::Wall,
                ..Options::default()
            };
            let outcome = agrees(&model, &Job { dealing: Dealing::Heaped, ..job(engine) }, nodes);
            assert_eq!(outcome.migrations.len() as u64, outcome.total().migrations);
            moved += outcome.migrations.len();
        }
    }
    // How many is a matter of time.
    println!("{moved} moves");
}

#[test]
fn searching_what_has_arrived_gives_the_sequential_result() {
    let model = phold();
    for search in [Search::Plimit(50), Search::Plimit(2), Search::RecvqLimit(10)] {
        let engine = Options {
            cutoff: 30.0,
            search,
            max_acks: Some(20),
            undo_check: false,
            ..Options::default()
        };
        (1..=4).for_each(|nodes| drop(agrees(&model, &job(engine.clone()), nodes)));
    }
}

#[test]
fn a_small_budget_gives_the_sequential_result() {
    let model = phold();
    let committed = sequential(&model, 30.0).nodes[0].1.memory_peak as usize;
    for nodes in [1, 2, 3] {
        let memory_bytes = Some(committed + committed / 5);
        let engine =
            Options { cutoff: 30.0, memory_bytes, undo_check: false, ..Options::default() };
        agrees(&model, &job(engine), nodes);
    }
}

#[test]
fn ping_never_rolls_back() {
    let model = Ping::new(&PingOptions { stop: 300.0 }).unwrap();
    for nodes in [1, 2] {
        let total = agrees(&model, &job(Options::default()), nodes).total();
        assert_eq!(
            (total.events, total.started, total.anti_sent, total.annihilated),
            (301, 301, 0, 0)
        );
    }
}

#[test]
fn the_trace_and_the_lines_come_in_canonical_order() {
    let folder = tempfile::tempdir().unwrap();
    let model = Talkers;
    threads::run(&model, &job(Options { gvt_events: 50, ..Options::default() }), 3, folder.path())
        .unwrap();
    let (mut trace, mut lines) = (Vec::new(), Vec::new());
    warp::merge(&paths(3, folder.path(), NodeFiles::trace_path), |event: Committed| {
        trace.push(event);
        Ok(())
    })
    .unwrap();
    warp::merge(&paths(3, folder.path(), NodeFiles::lines_path), |line: Line| {
        lines.push(line);
        Ok(())
    })
    .unwrap();
    let mut expected = timewarp::Kept::default();
    timewarp::sequential::run(&model, &Limits::default(), &mut expected).unwrap();
    expected.sort();
    assert_eq!(trace, expected.trace);
    let lines: Vec<_> = lines.into_iter().map(|line| (line.time, line.object, line.text)).collect();
    assert_eq!(lines, expected.lines);
    assert!(lines.len() > 100);
}

#[test]
fn a_driven_sequential_run_leaves_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let files = NodeFiles::new(folder.path(), 0);
    files.prepare().unwrap();
    let mut watch = Recorded::new(None, Some(files.trace()), files.lines());
    let meter = Meter { stop: &AtomicBool::new(false), gauge: &Gauge::default() };
    warp::sequential::run(&Talkers, &Options::default(), &mut watch, meter, &mut |_, _| {})
        .unwrap();
    watch.finish().unwrap();
    let mut events = 0;
    warp::merge(&[files.trace_path()], |_: Committed| {
        events += 1;
        Ok(())
    })
    .unwrap();
    assert_eq!(events, sequential(&Talkers, f64::MAX).total().events);
}

/// Its length lies between the longest event and all work; and what it is made of is what the
/// counters say.
#[test]
fn the_critical_path_is_made_of_the_committed_work() {
    let model = phold();
    for (nodes, cancellation) in
        [(1, Cancellation::Lazy), (2, Cancellation::Lazy), (3, Cancellation::Aggressive)]
    {
        let options = Options {
            cutoff: 30.0,
            cancellation,
            timing: Timing::Wall,
            causes: true,
            ..Options::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let ran = threads::run(&model, &job(options), nodes, folder.path()).unwrap();
        let links: Vec<PathBuf> =
            (0..nodes).map(|node| NodeFiles::new(folder.path(), node).links_path()).collect();
        let path = CriticalPath::of_files(&links).unwrap();
        let total = ran.outcome.total();
        assert_eq!((path.events, path.work_ns), (total.events, total.spent_ns - total.undone_ns));
        assert_eq!(path.length_ns, path.steps.iter().map(|step| step.spent_ns).sum::<u64>());
        assert!(path.steps.windows(2).all(|pair| pair[0].time < pair[1].time));
        assert!((1..=path.work_ns).contains(&path.length_ns) && path.parallelism() >= 1.0);
    }
}

#[test]
fn longer_events_change_times_and_nothing_else() {
    let options =
        |stretch| Options { cutoff: 30.0, timing: Timing::Process, stretch, ..Options::default() };
    let spent: Vec<u64> = [1.0, 50.0]
        .into_iter()
        .map(|stretch| agrees(&phold(), &job(options(stretch)), 2).total().spent_ns)
        .collect();
    assert!(spent[1] > spent[0], "{spent:?}");
    assert!(run(&phold(), &job(Options { timing: Timing::None, ..options(2.0) }), 2).is_err());
}

#[test]
fn a_committed_fault_ends_the_run_for_all_and_names_object_and_time() {
    for nodes in 1..=3 {
        let error = run(&Faulty, &job(Options::default()), nodes).unwrap_err().to_string();
        assert!(
            error.contains("object 5 failed at virtual time 40")
                && error.contains("index out of bounds"),
            "{error}"
        );
    }
}

#[test]
fn more_nodes_than_objects_are_refused() {
    let model = Ping::new(&PingOptions::default()).unwrap();
    let error = run(&model, &job(Options::default()), 3).unwrap_err().to_string();
    assert!(error.contains("3 nodes for 2 objects"), "{error}");
}

fn paths(nodes: u16, folder: &std::path::Path, of: fn(&NodeFiles) -> PathBuf) -> Vec<PathBuf> {
    (0..nodes).map(|node| of(&NodeFiles::new(folder, node))).collect()
}

/// Six objects in a ring that print a line or two in every event.
struct Talkers;

impl Model for Talkers {
    type State = u32;
    type Payload = u64;
    type Undo = ();

    fn objects(&self) -> u32 {
        6
    }

    fn kind(&self, _: ObjectId) -> &'static str {
        "talker"
    }

    fn tells(&self) -> Vec<Tell<u64>> {
        let tell = |object| Tell {
            receiver: ObjectId(object),
            receive: VirtualTime::at(1.0),
            selector: 0,
            payload: 1,
        };
        (0..6).map(tell).collect()
    }

    fn init(&self, _: ObjectId, _: &mut Context<'_, u64>) -> u32 {
        0
    }

    fn event(&self, state: &mut u32, bundle: Bundle<'_, u64>, context: &mut Context<'_, u64>) {
        *state += bundle.len() as u32;
        let (object, now) = (context.object().0, context.now());
        context.print(format!("{object} has had {state} at {now}"));
        if state.is_multiple_of(3) {
            context.print("and is glad");
        }
        if now.simtime() < 200.0 {
            let step = f64::from((object * 7 + *state) % 3 + 1);
            context.send(ObjectId((object + 1) % 6), now.after(step), 0, u64::from(*state));
        }
    }
}

/// Object 5 fails at its first event from 40 on.
pub struct Faulty;

impl Model for Faulty {
    type State = ();
    type Payload = ();
    type Undo = ();

    fn objects(&self) -> u32 {
        6
    }

    fn kind(&self, _: ObjectId) -> &'static str {
        "faulty"
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, ()>) {
        context.send(object, VirtualTime::at(1.0), 0, ());
    }

    fn event(&self, (): &mut (), _: Bundle<'_, ()>, context: &mut Context<'_, ()>) {
        let (object, now) = (context.object(), context.now());
        if object == ObjectId(5) && now.simtime() >= 40.0 {
            let places = [0; 5];
            let place = places.iter().len() + now.simtime() as usize;
            context.print(places[place.min(7)]);
        }
        context.send(object, now.after(1.0), 0, ());
    }
}
