//! The beginning and the end: joining the run when MPI is initialised, closing the log when it is
//! finalised.
//!
//! What the launcher says comes by environment ([`mpi_facts::variables`]).

use crate::arguments::PLACES;
use crate::communicators::Communicators;
use crate::company;
use crate::exchanges;
use crate::facts;
use crate::home::Home;
use crate::invocation::Invocation;
use crate::library::Library;
use crate::log::Log;
use crate::member::{Logging, Member};
use crate::mpi4py;
use crate::rank::{self, Rank, Tracer};
use crate::stamped::Stamped;
use crate::told;
use crate::trouble;
use crate::worlds;
use calls::entry::{Call, NO_PEER, POLLS_APART_NS};
use calls::list::Operation;
use clock::{Clock, Plant, Quality};
use mpi_facts::{LauncherClock, ThreadLevel, variables};
use record::{Machine, NodeSheet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A call of this family while nothing is logged.
pub fn before(call: &Invocation) {
    let initialises = [Operation::Init, Operation::Init_thread, Operation::Session_init]
        .iter()
        .any(|one| *one as usize == call.operation);
    let run = std::env::var_os(variables::RUN).filter(|run| initialises && !run.is_empty());
    let Some(run) = run.map(PathBuf::from) else {
        if call.operation == Operation::Finalize as usize {
            exchanges::again();
        }
        call.call();
        return;
    };
    let clock = clock_of(rank_by_environment());
    let enter = clock.now().0;
    call.call();
    if call.failed() {
        return;
    }
    let exit = clock.now().0;
    let init = Call { operation: call.operation as u16, enter, exit, ..Call::default() };
    let Some(mut library) = Library::find() else {
        return trouble::say(
            "not traced: the MPI library lacks functions of MPI 3.1; use a newer one",
        );
    };
    let session = PLACES[call.operation].session;
    // SAFETY: the call succeeded and has written its session.
    let session = || unsafe { session.read(call, &library.layout, 0) };
    let begun = match call.operation == Operation::Session_init as usize {
        true => Begun::Session(session()),
        false => Begun::World(asked_by(call)),
    };
    if let Begun::World(_) = begun {
        library.tells_of_both = told::of_both(&library);
    }
    let Some(world) = world(&begun, &library) else {
        return trouble::say("not traced: the MPI library does not tell which ranks there are");
    };
    let (number, size) = (world.number, library.size_of_group(world.group));
    let logging = begin(&run, clock, &library, &world, (&init, begun));
    let logging = logging.inspect_err(|error| {
        let what = format!(
            "rank {number} is not traced; the program continues: {}",
            error.to_string().replace('\n', "; ")
        );
        trouble::say_once(&run.join("live"), number, &what);
    });
    let member = Member { number, size, run: &run, logging: logging.ok() };
    match begun {
        // The ranks that were started brought their clocks together; these are on their hosts.
        Begun::World(_) if world.is_spawned => {}
        Begun::World(_) => company::meet(&library, &member),
        Begun::Session(_) => company::say_alone(&member),
    }
}

/// How the program has begun to use MPI.
#[derive(Clone, Copy)]
enum Begun {
    /// With the world of all ranks; it asked for this level of threads.
    World(ThreadLevel),
    /// With a session, in which there is no communicator of all ranks until it makes one.
    Session(usize),
}

/// All ranks that were started, or spawned, together.
struct World {
    group: usize,
    /// The number of this one in it.
    number: i32,
    /// Others have spawned it.
    is_spawned: bool,
}

fn world(begun: &Begun, library: &Library) -> Option<World> {
    let group = match begun {
        Begun::World(_) => library.group_of_world(),
        Begun::Session(session) => library.group_of_session(*session),
    }?;
    let is_spawned = matches!(begun, Begun::World(_)) && library.is_spawned();
    Some(World { group, number: library.rank_in_group(group)?, is_spawned })
}

/// The number in the run of the first rank of this world. Where a job spawns none it is asked for
/// once.
fn first_number(world: &World, size: u32, live: &Path) -> Result<u32, Box<dyn std::error::Error>> {
    let name = worlds::name();
    match name {
        Some(name) if world.is_spawned || world.number == 0 => {
            Ok(worlds::first_number(live, &name, size, world.is_spawned)?)
        }
        None if world.is_spawned => {
            Err("it was spawned, and the launcher does not say by which spawning".into())
        }
        _ => Ok(0),
    }
}

/// A call that moves data or waits, in ways that are not looked into.
pub fn passed(call: &Invocation, stamped: &mut Stamped) {
    rank::COUNTED[call.operation].fetch_add(1, Ordering::Relaxed);
    stamped.tracer.with(|rank| {
        stamped.place(rank, call);
        stamped.entry.peer = NO_PEER;
        let written = rank.log.pending(&stamped.entry);
        rank.check(written);
    });
    stamped.make(call);
    let in_vain = stamped.was_in_vain(call);
    stamped.tracer.with(|rank| match in_vain {
        true => {
            let written = rank.log.poll(&stamped.entry);
            rank.check(written);
        }
        false => rank.write(&stamped.entry),
    });
}

/// A call of this family while calls are logged.
pub fn during(call: &Invocation, stamped: &mut Stamped) {
    let tracer = stamped.tracer;
    let finalizes = call.operation == Operation::Finalize as usize;
    if finalizes {
        exchanges::again();
    }
    tracer.with(|rank| {
        stamped.place(rank, call);
        facts::write(rank);
        let written = rank.log.pending(&stamped.entry);
        rank.check(written);
    });
    stamped.make(call);
    tracer.with(|rank| rank.write(&stamped.entry));
    if !call.failed() && call.operation == Operation::Session_init as usize {
        SESSIONS.fetch_add(1, Ordering::Relaxed);
    }
    if call.operation == Operation::Session_finalize as usize {
        SESSIONS.fetch_sub(1, Ordering::Relaxed);
    }
    match finalizes {
        true if SESSIONS.load(Ordering::Relaxed) > 0 => end_at_exit(),
        true => end(tracer),
        false => {}
    }
}

fn begin(
    run: &Path,
    clock: Clock,
    library: &Library,
    world: &World,
    (init, begun): (&Call, Begun),
) -> Result<Logging, Box<dyn std::error::Error>> {
    let Home { folder, is_elsewhere, is_new } = Home::find(run, world.is_spawned)?;
    let size = library.size_of_group(world.group);
    let first = first_number(world, size, &folder.live())?;
    let node = first + u32::try_from(world.number)?;
    let number = i32::try_from(node)?;
    let sheet = sheet_of(node, &clock);
    let stem = folder.live().join(sheet.stem());
    let whose = (folder.info().id, node);
    let log =
        Log::create(&stem, whose, apart_ticks(&sheet.quality)).map_err(|error| {
            match error.kind() {
                std::io::ErrorKind::AlreadyExists => second_rank(run, number),
                _ => format!("cannot make {}: {error}", stem.with_extension("calls").display()),
            }
        })?;
    sheet.save_into(&folder.live())?;
    let in_session = matches!(begun, Begun::Session(_));
    let (communicators, entries) = Communicators::new(library, (world.group, first), in_session);
    let (clock_name, path) = (sheet.domain.clone(), folder.path().to_path_buf());
    let mut rank = Rank::new(number, log, communicators, sheet, folder);
    rank.facts = facts::known(library, &rank);
    if let Begun::World(asked) = begun {
        rank.facts.thread_asked = Some(asked);
        rank.facts.thread_level = Some(library.thread_level());
    }
    facts::write(&mut rank);
    for entry in &entries {
        rank.log.entry(entry)?;
    }
    rank.log.call(init)?;
    let threads = rank.facts.thread_level.is_none_or(|level| level >= ThreadLevel::MULTIPLE);
    watch_forks();
    mpi4py::look();
    let tracer = rank::start(clock, library.clone(), rank, threads);
    if in_session {
        // A program of sessions may end one and begin another.
        SESSIONS.fetch_add(1, Ordering::Relaxed);
        end_at_exit();
    }
    Ok(Logging { tracer, clock: clock_name, folder: path, is_elsewhere, is_new })
}

/// The thread level that the program wants.
fn asked_by(call: &Invocation) -> ThreadLevel {
    let required = PLACES[call.operation].required;
    if required.exists() { ThreadLevel(required.read(call)) } else { ThreadLevel::SINGLE }
}

fn apart_ticks(quality: &Quality) -> u64 {
    (POLLS_APART_NS / quality.ns_per_tick.max(f64::MIN_POSITIVE)) as u64
}

/// Every process believes to be the same rank: an `mpirun` of another MPI library than the
/// program's does that.
fn second_rank(run: &Path, number: i32) -> String {
    format!(
        "another rank {number} is already traced in {}: mpirun and the program use different MPI \
        libraries; use the mpirun of the program's library",
        run.display()
    )
}

/// Sessions that are open.
static SESSIONS: AtomicU32 = AtomicU32::new(0);

/// End when the process does.
fn end_at_exit() {
    extern "C" fn at_exit() {
        if let Some(tracer) = rank::tracer() {
            tracer.with(facts::write);
            end(tracer);
        }
    }
    // SAFETY: the handler is a plain function of this library, which is never unloaded.
    unsafe { libc::atexit(at_exit) };
}

fn end(tracer: &Tracer) {
    rank::stop();
    tracer.with(|rank| {
        if let Err(error) = rank.log.finish() {
            return rank.check(Err(error));
        }
        rank.sheet.anchors.push(tracer.clock.anchor());
        rank.sheet.finished = true;
        if let Err(error) = rank.sheet.save_into(&rank.live) {
            trouble::say_once(&rank.live, rank.rank, &error.to_string());
        }
        rank.folder = None;
    });
}

/// A child is not the rank: it must neither write into its log nor hold its lock.
fn watch_forks() {
    extern "C" fn in_child() {
        let tracer = rank::tracer();
        rank::stop();
        if let Some(tracer) = tracer {
            tracer.leave_to_parent();
        }
    }
    // SAFETY: the handler is a plain function of this library, which is never unloaded.
    unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
}

fn sheet_of(node: u32, clock: &Clock) -> NodeSheet {
    let told = std::env::var(variables::CLOCK).ok();
    let told = told.and_then(|text| serde_json::from_str::<LauncherClock>(&text).ok());
    let same = told.filter(|told| {
        !clock.is_planted()
            && told.quality.source == clock.source()
            && told.boot_id == Machine::boot_id_here()
    });
    match same {
        Some(told) => NodeSheet::with_quality(0, node, clock, told.quality),
        None => NodeSheet::new(0, node, clock),
    }
}

/// The rank, before MPI can be asked: by what launchers put into the environment.
fn rank_by_environment() -> Option<u32> {
    ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"]
        .iter()
        .find_map(|name| std::env::var(name).ok()?.parse().ok())
}

/// The machine's clock, or for tests one with the error that `FOURSTAMP_PLANT`
/// (`rank:offset_ticks:drift_ppm,…`) plants in it.
fn clock_of(rank: Option<u32>) -> Clock {
    let clock = Clock::best();
    let planted = || {
        let plants = std::env::var(variables::PLANT).ok()?;
        plants.split(',').find_map(|plant| parse_plant(plant, rank?))
    };
    match planted() {
        Some((offset_ticks, drift_ppm)) => {
            clock.planted(Plant { offset_ticks, drift_ppm, origin_ticks: clock.now().0 })
        }
        None => clock,
    }
}

fn parse_plant(plant: &str, rank: u32) -> Option<(u64, f64)> {
    let mut fields = plant.trim().split(':');
    let (of, offset, drift) = (fields.next()?, fields.next()?, fields.next()?);
    (of.parse() == Ok(rank)).then_some(())?;
    Some((offset.parse::<i64>().ok()? as u64, drift.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plant_is_for_one_rank() {
        assert_eq!(parse_plant("1:-5:2.5", 1), Some((-5i64 as u64, 2.5)));
        assert_eq!(parse_plant("1:-5:2.5", 0), None);
        assert_eq!(parse_plant("1:x:2.5", 1), None);
    }
}
