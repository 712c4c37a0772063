//! PHOLD without remote messages on nexosim: every object schedules its own next event. Prints the
//! rate as CSV.
//!
//! To send to an object chosen at random every model would need a connection to every other one; so
//! this is nexosim at its best, and on one thread, where it is fastest for events that do nothing.

use nexosim::model::{Context, Model, schedulable};
use nexosim::simulation::{Mailbox, SimInit, SimulationError};
use nexosim::time::MonotonicTime;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use timewarp::Random;

static EVENTS: AtomicU64 = AtomicU64::new(0);

#[derive(Serialize, Deserialize)]
struct Object {
    number: u32,
    /// Made by `init`: nexosim wants a model's state to be serialisable, and ours is not.
    #[serde(skip)]
    random: Option<Random>,
}

#[Model]
impl Object {
    #[nexosim(init)]
    async fn init(&mut self, context: &Context<Self>) {
        self.random = Some(Random::new(1, u64::from(self.number)));
        self.schedule(context);
    }

    #[nexosim(schedulable)]
    async fn event(&mut self, _: (), context: &Context<Self>) {
        EVENTS.fetch_add(1, Ordering::Relaxed);
        self.schedule(context);
    }
}

impl Object {
    fn schedule(&mut self, context: &Context<Self>) {
        let random = self.random.as_mut().expect("init makes it");
        let delay = Duration::from_secs_f64(0.1 + random.exponential(0.9));
        context.schedule_event(delay, schedulable!(Self::event), ()).expect("a delay lies ahead");
    }
}

fn main() -> Result<(), SimulationError> {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u32>().expect("OBJECTS END are \
    numbers"));
    let (objects, end) = (arguments.next().expect("OBJECTS"), arguments.next().expect("END"));
    let begin = Instant::now();
    let mut bench = SimInit::with_num_threads(1);
    for number in 0..objects {
        let object = Object { number, random: None };
        bench = bench.add_model(object, Mailbox::new(), &number.to_string());
    }
    let mut simulation = bench.init(MonotonicTime::EPOCH)?;
    simulation.step_until(Duration::from_secs(u64::from(end)))?;
    let events = EVENTS.load(Ordering::Relaxed);
    println!("events,events_per_s\n{events},{}", events as f64 / begin.elapsed().as_secs_f64());
    Ok(())
}
