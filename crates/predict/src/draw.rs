//! Draws of what is known within bounds only, for intervals.

use crate::{Course, Deed, Flow, Program, Service, Step, Thread, What};
use machine::Machine;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::HashMap;

pub use machine::DRAWS;

/// The probability that the next one is within them.
pub const COVERS_PERCENT: u32 = 90;

/// The machine as one of its draws has it, and each figure without draws somewhere in its range. A
/// draw has the same place in the range of a figure for all machines.
pub fn drawn_machine(machine: &Machine, seed: u64, draw: u32) -> Machine {
    // FNV-1a.
    let step = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let number = |name: &str| name.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    machine.clone().drawn(draw as usize, |name| random(seed, draw, number(name)).random())
}

/// The program, with each time of computing replaced by one of the same node and site. Nodes that
/// do the same so often draw alike: what one of them took in a step stays beside what the others
/// took in it, or steps would wait for whichever node drew a long time.
///
/// In every second draw of an MPI program nodes ask for their own messages before they answer, if
/// they do not in `program`, and the other way round: real ones do either, and two that exchange
/// long messages are quicker if they do.
pub fn drawn_program(program: &Program, seed: u64, draw: u32) -> Program {
    let course = |course: &Course| {
        let mut times: HashMap<u32, Vec<u64>> = HashMap::new();
        for step in &course.steps {
            if let Step::Work { ns, site } = step {
                times.entry(*site).or_default().push(*ns);
            }
        }
        let mut chances: HashMap<u32, Pcg64Mcg> = HashMap::new();
        let mut drawn = |step: &Step| match step {
            Step::Work { site, .. } => {
                let of_site = &times[site];
                let chance = chances.entry(*site);
                let random = chance.or_insert_with(|| random(seed, draw, u64::from(*site)));
                Step::Work { ns: of_site[random.random_range(0..of_site.len())], site: *site }
            }
            other => *other,
        };
        Course { begins_ns: course.begins_ns, steps: course.steps.iter().map(&mut drawn).collect() }
    };
    let courses = program.courses.iter().map(course).collect();
    let (messages, wildcards) = (program.messages.clone(), program.wildcards.clone());
    let asks_first = program.asks_first != (program.flow == Flow::Eager && draw % 2 == 1);
    Program { courses, messages, wildcards, asks_first, ..*program }
}

/// The service, with each time of computing replaced by one of the same process, before a deed of
/// the same kind.
pub fn drawn_service(service: &Service, seed: u64, draw: u32) -> Service {
    let places = KINDS * service.host_of.len();
    let mut times: Vec<Vec<u64>> = vec![Vec::new(); places];
    for thread in &service.threads {
        thread.deeds.iter().for_each(|deed| times[place(thread, deed)].push(deed.work_ns));
    }
    let mut chances: Vec<_> = (0..places as u64).map(|place| random(seed, draw, place)).collect();
    let mut drawn = service.clone();
    for thread in &mut drawn.threads {
        for at in 0..thread.deeds.len() {
            let place = place(thread, &thread.deeds[at]);
            let of_place = &times[place];
            let picked = chances[place].random_range(0..of_place.len());
            thread.deeds[at].work_ns = of_place[picked];
        }
    }
    drawn
}

/// Kinds of deeds.
const KINDS: usize = 4;

/// Whose deed it is, and of which kind.
fn place(thread: &Thread, deed: &Deed) -> usize {
    let kind = match deed.what {
        What::Compute => 0,
        What::Send(_) => 1,
        What::Take(_) => 2,
        What::Connect { .. } => 3,
    };
    KINDS * usize::from(thread.node) + kind
}

fn random(seed: u64, draw: u32, of: u64) -> Pcg64Mcg {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    Pcg64Mcg::seed_from_u64(seed ^ (u64::from(draw) + 1).wrapping_mul(STEP) ^ of.rotate_left(32))
}
