//! Draws of what is known within bounds only, for intervals.

use crate::{Course, Courses, Deed, Flow, Parcel, Program, Service, Step, Thread, What, Wildcards};
use machine::Machine;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::cell::RefCell;
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

/// A program's times of computing, by node and by site: what its draws are of.
#[derive(Debug, Default)]
pub struct Times(Vec<HashMap<u32, Vec<u64>>>);

impl Times {
    pub fn of(program: &Program) -> Times {
        let of_node = |course: &Course| {
            let mut times: HashMap<u32, Vec<u64>> = HashMap::new();
            for step in &course.steps {
                if let Step::Work { ns, site } = step {
                    times.entry(*site).or_default().push(*ns);
                }
            }
            times
        };
        Times(program.courses.iter().map(of_node).collect())
    }
}

/// A program with each time of computing replaced by one of the same node and site, drawn as it is
/// asked for. Nodes that do the same so often draw alike: what one of them took in a step stays
/// beside what the others took in it, or steps would wait for whichever node drew a long time.
///
/// In every second draw of an MPI program nodes ask for their own messages before they answer, if
/// they do not in the program, and the other way round: real ones do either, and two that exchange
/// long messages are quicker if they do.
pub struct DrawnProgram<'a> {
    program: &'a Program,
    times: &'a Times,
    seed: u64,
    draw: u32,
    nodes: Vec<RefCell<Drawing>>,
}

/// What a node has been told last, which it may ask for again.
#[derive(Default)]
struct Drawing {
    last: Option<(usize, u64)>,
    chances: HashMap<u32, Pcg64Mcg>,
}

impl<'a> DrawnProgram<'a> {
    pub fn of(program: &'a Program, times: &'a Times, seed: u64, draw: u32) -> DrawnProgram<'a> {
        let nodes = program.courses.iter().map(|_| RefCell::default()).collect();
        DrawnProgram { program, times, seed, draw, nodes }
    }

    /// A time of a node's site, for its step of this number.
    fn drawn(&self, node: u16, number: usize, site: u32) -> u64 {
        let mut drawing = self.nodes[usize::from(node)].borrow_mut();
        if let Some((_, ns)) = drawing.last.filter(|(last, _)| *last == number) {
            return ns;
        }
        let of_site = &self.times.0[usize::from(node)][&site];
        let chance = drawing.chances.entry(site);
        let random = chance.or_insert_with(|| random(self.seed, self.draw, u64::from(site)));
        let ns = of_site[random.random_range(0..of_site.len())];
        drawing.last = Some((number, ns));
        ns
    }
}

impl Courses for DrawnProgram<'_> {
    fn nodes(&self) -> usize {
        self.program.nodes()
    }

    fn begins_ns(&self, node: u16) -> u64 {
        self.program.begins_ns(node)
    }

    fn step(&self, node: u16, number: usize) -> Option<Step> {
        Some(match self.program.step(node, number)? {
            Step::Work { site, .. } => Step::Work { ns: self.drawn(node, number, site), site },
            other => other,
        })
    }

    fn messages(&self) -> u32 {
        self.program.messages()
    }

    fn message(&self, message: u32) -> Parcel {
        self.program.message(message)
    }

    fn flow(&self) -> Flow {
        self.program.flow()
    }

    fn own_messages(&self) -> u32 {
        self.program.own_messages()
    }

    fn wildcards(&self) -> Option<&Wildcards> {
        self.program.wildcards()
    }

    fn asks_first(&self) -> bool {
        self.program.asks_first != (self.program.flow == Flow::Eager && self.draw % 2 == 1)
    }
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
