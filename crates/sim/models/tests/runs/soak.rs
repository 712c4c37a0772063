//! Every model under seeds that draw everything: nodes, placement, delays, forced rollbacks,
//! cancellation, budgets, throttles, limits. The committed result is always the sequential one. A
//! few hundred seeds in an ordinary run of the tests; `cargo xtask soak` draws tens of thousands. A
//! seed that fails is named, and replays.

use models::pucks;
use models::{
    Diary, DiaryOptions, GeneratorOptions, Network, Phold, PholdOptions, Ping, PingOptions, Pucks,
    PucksOptions, Scenario, Slooow, SlooowOptions, Stb88, Stb88Options, TheatreOptions, Undoing,
    Warpnet, WarpnetOptions,
};
use timewarp::simulated::{self, Simulation};
use timewarp::{
    Cancellation, Dealing, Limits, Model, Options, Outcome, Placement, Random, Search, Throttle,
    Unwatched, sequential,
};

/// A model with the result that it must have.
struct Entrant {
    name: &'static str,
    trial: Box<dyn Fn(u64) -> Result<Outcome, String>>,
}

fn entrant<M: Model + 'static>(name: &'static str, model: M, cutoff: f64) -> Entrant {
    let limits = Limits { cutoff, ..Limits::default() };
    let expected = sequential::run(&model, &limits, &mut Unwatched).unwrap();
    assert!(expected.total().events > 50, "{name} does too little");
    Entrant { name, trial: Box::new(move |seed| trial(&model, &limits, &expected, seed)) }
}

fn entrants() -> Vec<Entrant> {
    let phold = |undo, remote| {
        let options = PholdOptions {
            objects: 24,
            start: 2,
            remote,
            undo,
            state: 40,
            work_steps: 2,
            ..PholdOptions::default()
        };
        Phold::new(&options).unwrap()
    };
    let network = |seed| Network::generate(&GeneratorOptions { nodes: 16, seed }).unwrap();
    let warpnet = WarpnetOptions { packets_per_node: 2, update_nodes: 8 };
    let few = PucksOptions { rows: 3, columns: 3, pucks: 14, ..PucksOptions::default() };
    let table = pucks::Scenario::generate(&few).unwrap();
    let few = TheatreOptions {
        corps: 1,
        blue_divisions: 3,
        red_divisions: 4,
        ..TheatreOptions::default()
    };
    let theatre = Scenario::generate(&few).unwrap();
    vec![
        entrant("ping", Ping::new(&PingOptions { stop: 120.0 }).unwrap(), 1e6),
        entrant("phold, as often as pays", phold(Undoing::Auto, 0.5), 15.0),
        entrant("phold, copies", phold(Undoing::Copy, 0.3), 15.0),
        entrant("phold, records", phold(Undoing::Records, 1.0), 15.0),
        entrant("phold, snapshots", phold(Undoing::Snapshots { every: 4 }, 0.6), 15.0),
        entrant("warpnet", Warpnet::new(network(1), &warpnet).unwrap(), 1e6),
        entrant("pucks", Pucks::new(table), 6.0),
        entrant("stb88", Stb88::new(theatre, &Stb88Options::default()), 9000.0),
        entrant(
            "slooow",
            Slooow::new(&SlooowOptions { objects: 4, stop: 40, work_steps: 1 }).unwrap(),
            1e6,
        ),
        entrant(
            "diary",
            Diary::new(&DiaryOptions { days: 30, work_steps: 2, notes: 3 }).unwrap(),
            1e6,
        ),
    ]
}

/// One simulated run with all that `seed` draws, against the sequential one.
fn trial<M: Model>(
    model: &M,
    limits: &Limits,
    expected: &Outcome,
    seed: u64,
) -> Result<Outcome, String> {
    let mut random = Random::new(seed, 0x50a4);
    let nodes = 1 + random.below(4.min(u64::from(model.objects()))) as u16;
    let dealing = if random.below(2) == 0 { Dealing::Blocks } else { Dealing::RoundRobin };
    let mut options = options(&mut random, limits.cutoff);
    options.migration = nodes > 1 && random.below(3) == 0;
    if random.below(4) == 0 {
        // Where objects move, all may meet on one node.
        let counted = if options.migration { 1 } else { nodes };
        let placement =
            Placement::deal(model, counted, dealing).map_err(|error| error.to_string())?;
        let needs =
            sequential::needs(model, limits, &placement).map_err(|error| error.to_string())?;
        options.memory_bytes = needs.into_iter().max().map(|need| need * 5 / 4 + (8 << 10));
    }
    let slow = options.max_acks.is_some()
        || options.search != Search::All
        || options.memory_bytes.is_some();
    let simulation = Simulation {
        dealing,
        delay_max: [0, 5, 40, 300][random.below(4) as usize],
        steps_max: 1 + random.below(16),
        // Each forced rollback sends anti-messages; where few at a time leave or are taken, more
        // would pile up.
        rollback_every: if slow { 1000 } else { [0, 10, 50][random.below(3) as usize] },
        move_every: match options.migration {
            false => 0,
            true => [10, 60][random.below(2) as usize] * if slow { 20 } else { 1 },
        },
        intervals_every: [0, 5, 50][random.below(3) as usize],
        ..Simulation::new(nodes, seed, options)
    };
    let wrong = |what: &dyn std::fmt::Display| format!("{what}, under {simulation:?}");
    let (ours, _) = simulated::run(model, &simulation).map_err(|error| wrong(&error))?;
    ours.check().map_err(|error| wrong(&error))?;
    for (what, a, b) in [
        ("committed events", ours.trace_digest, expected.trace_digest),
        ("final states", ours.state_digest, expected.state_digest),
    ] {
        if a != b {
            return Err(wrong(&format!("the digest of {what} is {a:016x} and not {b:016x}")));
        }
    }
    Ok(ours)
}

fn options(random: &mut Random, cutoff: f64) -> Options {
    fn one<T: Copy>(random: &mut Random, of: &[T]) -> T {
        of[random.below(of.len() as u64) as usize]
    }
    let search =
        one(random, &[Search::All, Search::All, Search::Plimit(50), Search::RecvqLimit(5)]);
    // Arrivals that are not all taken at once need a bound, or they pile up for ever: commands see
    // to it as well.
    let bounds: &[Option<u32>] =
        if search == Search::All { &[None, None, Some(1), Some(20)] } else { &[Some(2), Some(20)] };
    Options {
        cutoff,
        cancellation: one(random, &[Cancellation::Lazy, Cancellation::Aggressive]),
        gvt_events: one(random, &[1, 16, 256, 8192]),
        max_acks: one(random, bounds),
        max_neg_acks: one(random, &[1, 100]),
        search,
        penalty: one(random, &[0, 0, 0, 2]),
        reward: 1,
        throttle: one(
            random,
            &[
                Throttle::Never,
                Throttle::Adaptive,
                Throttle::Outputs { limit: 5 },
                Throttle::Allowance { tmult: 2.0, tadd: 10.0 },
                Throttle::GvtSteps { wsize: 4.0 },
                Throttle::States { limit: 6 },
                Throttle::Undone,
                Throttle::Window { window: 5.0 },
            ],
        ),
        zip_forward: random.below(10) == 0,
        ..Options::default()
    }
}

fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn whatever_is_drawn_the_result_is_the_sequential_one() {
    let (from, seeds) = (number("FOURSTAMP_SEEDS_FROM", 0), number("FOURSTAMP_SEEDS", 300));
    let entrants = entrants();
    let (mut undone, mut sent_back, mut moved, mut uncopied) = (0, 0, 0, 0);
    for seed in from..from + seeds {
        let Entrant { name, trial } = &entrants[(seed % entrants.len() as u64) as usize];
        let outcome = trial(seed).unwrap_or_else(|error| panic!("{name}, seed {seed}: {error}"));
        undone += outcome.total().undone;
        sent_back += outcome.total().returns_sent;
        moved += outcome.total().migrations;
        uncopied += outcome.total().started - outcome.total().copies;
    }
    println!(
        "{seeds} seeds from {from}: {undone} events undone, {sent_back} messages sent back, \
        {moved} moves, {uncopied} events without a copy"
    );
    assert!(undone > seeds, "hardly anything was undone, so hardly anything was tested");
}
