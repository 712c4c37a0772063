//! The model: branches of a bank, in each of which customers go from desk to desk.
//!
//! Customers come at random (mean gap 2 min) and go through three desks in turn; each desk serves
//! one at a time, in order of coming, for a random time (mean 1.25 min).

use fourstamp::timewarp::{Bundle, Context, Model, ObjectId, Payload, Random, Tell, VirtualTime};

pub const DESKS: u32 = 3;
/// A door, the desks, a way out.
const OBJECTS_PER_BRANCH: u32 = DESKS + 2;
pub const GAP_MIN: f64 = 2.0;
pub const SERVICE_MIN: f64 = 1.25;
pub const WALK_MIN: f64 = 0.1;

/// What messages carry: when the customer came in.
#[derive(Clone, Debug, PartialEq)]
pub struct Customer {
    came_min: f64,
}

/// Canonical bytes: messages of a bundle are handled in their order, and they travel between
/// processes.
impl Payload for Customer {
    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.came_min.to_be_bytes());
    }

    fn decode(bytes: &[u8]) -> Option<Customer> {
        Some(Customer { came_min: f64::from_be_bytes(bytes.try_into().ok()?) })
    }
}

/// State: an enum, because objects are of three types.
#[derive(Clone, Debug)]
pub enum State {
    Door { random: Random },
    Desk { random: Random, free_min: f64, served: u64 },
    Exit { left: u64, stays_min: f64 },
}

pub struct Bank {
    pub branches: u32,
    pub seed: u64,
}

impl Model for Bank {
    type State = State;
    type Payload = Customer;
    type Undo = ();

    fn objects(&self) -> u32 {
        self.branches * OBJECTS_PER_BRANCH
    }

    fn name(&self, object: ObjectId) -> String {
        let (branch, place) = (object.0 / OBJECTS_PER_BRANCH, object.0 % OBJECTS_PER_BRANCH);
        format!("{}-{branch}-{place}", self.kind(object))
    }

    fn kind(&self, object: ObjectId) -> &'static str {
        match object.0 % OBJECTS_PER_BRANCH {
            0 => "door",
            place if place <= DESKS => "desk",
            _ => "exit",
        }
    }

    /// Each door opens at 0.
    fn tells(&self) -> Vec<Tell<Customer>> {
        let open = |branch| Tell {
            receiver: ObjectId(branch * OBJECTS_PER_BRANCH),
            receive: VirtualTime::at(0.0),
            selector: 0,
            payload: Customer { came_min: 0.0 },
        };
        (0..self.branches).map(open).collect()
    }

    fn init(&self, object: ObjectId, _: &mut Context<'_, Customer>) -> State {
        // Each object draws from a stream of its own.
        let random = Random::new(self.seed, u64::from(object.0));
        match self.kind(object) {
            "door" => State::Door { random },
            "desk" => State::Desk { random, free_min: 0.0, served: 0 },
            _ => State::Exit { left: 0, stays_min: 0.0 },
        }
    }

    fn event(
        &self,
        state: &mut State,
        bundle: Bundle<'_, Customer>,
        context: &mut Context<'_, Customer>,
    ) {
        let (here, now_min) = (context.object(), context.now().simtime());
        let next = ObjectId(here.0 + 1);
        for customer in bundle.iter().map(|message| &message.payload) {
            match state {
                State::Door { random } => {
                    // A send goes strictly later, and a draw may be 0.
                    let comes_min = now_min + random.exponential(GAP_MIN).max(1e-6);
                    let customer = Customer { came_min: comes_min };
                    context.send(here, VirtualTime::at(comes_min), 0, customer.clone());
                    context.send(next, VirtualTime::at(comes_min + WALK_MIN), 0, customer);
                }
                State::Desk { random, free_min, served } => {
                    *free_min = free_min.max(now_min) + random.exponential(SERVICE_MIN);
                    *served += 1;
                    context.send(next, VirtualTime::at(*free_min + WALK_MIN), 0, customer.clone());
                }
                State::Exit { left, stays_min } => {
                    *left += 1;
                    *stays_min += now_min - customer.came_min;
                }
            }
        }
    }

    /// At the end every exit prints. Lines appear once they can no longer be undone.
    fn term(
        &self,
        state: &mut State,
        _: Bundle<'_, Customer>,
        context: &mut Context<'_, Customer>,
    ) {
        if let State::Exit { left, stays_min } = state {
            let branch = context.object().0 / OBJECTS_PER_BRANCH;
            context.print(format!(
                "branch {branch}: {left} customers stayed {:.2} min on average",
                *stays_min / *left as f64
            ));
        }
    }
}
