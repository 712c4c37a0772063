//! One node's loop: take what has come, let the engine work for a moment, hand over what leaves it;
//! wait when there is nothing to do.
//!
//! Nothing here waits for room or for a message without an end: what finds no room is kept while
//! the loop goes on receiving ([`crate::outgoing`] says why), and a peer that is lost or says
//! nothing for too long ends the run. A node with nothing to do looks for messages for a moment,
//! has GVT computed, and then sleeps until the fabric wakes it: with more busy processes than
//! cores, spinning would take from the others what they need to go on.
//!
//! A node that fails tells the others, which then end as well; so one node says why, and not each
//! in its own words.

mod taking;
mod waiting;

use crate::crowd::Crowd;
use crate::meter::Meter;
use crate::object_clock::copy_clock;
use crate::offer::Offer;
use crate::outgoing::Outgoing;
use crate::pace::{DriveOptions, Pace};
use crate::samples::{Look, Sample};
use crate::spent::{Doing, Laps, Spent};
use crate::witness::Witness;
use crate::{Costs, WarpError};
use clock::Ticks;
use fabric::Wait;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use timewarp::{Model, Progress, VirtualTime};

/// How long a node that has failed tries to tell the others.
const ABORT: Duration = Duration::from_millis(500);

/// How a node's part ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The simulation is over.
    Finished,
    /// It was stopped from outside.
    Stopped,
    /// Another node has failed, and says why itself.
    Aborted,
}

/// What it came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// How it ended.
    pub ending: Ending,
    /// From the first step to the end, ns.
    pub elapsed_ns: u64,
    /// What that time went to.
    pub spent: Spent,
}

impl Drive {
    /// It did not begin.
    pub(crate) fn none() -> Drive {
        Drive { ending: Ending::Stopped, elapsed_ns: 0, spent: Spent::default() }
    }
}

/// See one node through that has this thread to itself.
///
/// # Errors
/// When a committed event is at fault, memory does not suffice, a peer is lost or silent or sends
/// nonsense, or a file cannot be written. The others have been told.
pub(crate) fn drive<M: Model, W: Witness>(
    mut driver: Driver<'_, '_, M, W>,
) -> Result<Drive, WarpError> {
    let ended = driver.run();
    if ended.is_err() {
        driver.abort();
    }
    driver.end(ended)
}

/// What came of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Something was done.
    Worked,
    /// There is nothing to do before something comes.
    Idle,
    /// It was the last.
    Last(Ending),
}

/// When each of these was last done.
struct Last {
    called: u64,
    polled: u64,
    looked: u64,
    gvt_asked: u64,
    balance_asked: u64,
}

/// One node on its way through the simulation, to its end or to `meter.stop`. Whoever drives it
/// closes the fabric's node afterwards.
pub(crate) struct Driver<'d, 'm, M: Model, W: Witness> {
    fabric: &'d mut fabric::Node,
    engine: &'d mut timewarp::Node<'m, M, W>,
    meter: Meter<'d>,
    pace: Pace,
    outgoing: Outgoing,
    /// When each peer was last heard.
    heard: Vec<u64>,
    aborted: bool,
    offer: Offer,
    crowd: Crowd,
    /// Since when there has been nothing to do, if others have turns on this thread.
    idle_since: Option<u64>,
    /// When the simulation was over.
    over: Option<u64>,
    /// When it began.
    begun: u64,
    last: Last,
    /// What GVT was when it was last asked for.
    gvt_then: VirtualTime,
    laps: Laps,
}

impl<'d, 'm, M: Model, W: Witness> Driver<'d, 'm, M, W> {
    pub fn new(
        fabric: &'d mut fabric::Node,
        engine: &'d mut timewarp::Node<'m, M, W>,
        options: &DriveOptions,
        meter: Meter<'d>,
    ) -> Self {
        let now = fabric.clock().now().0;
        if let Some(clock) = copy_clock(fabric) {
            engine.time_copies(clock);
        }
        let receipts = fabric.gives_receipts() && engine.leave_acknowledging();
        let mut driver = Driver {
            pace: Pace::new(options, fabric),
            outgoing: Outgoing::new(fabric.nodes(), receipts),
            heard: vec![now; usize::from(fabric.nodes())],
            fabric,
            engine,
            meter,
            aborted: false,
            offer: Offer::default(),
            crowd: Crowd::new(options.core),
            idle_since: None,
            over: None,
            begun: now,
            last: Last { called: now, polled: 0, looked: now, gvt_asked: now, balance_asked: now },
            gvt_then: VirtualTime::NEGINF,
            laps: Laps::new(now),
        };
        driver.sample(now, Look::Always);
        driver.engine.lacks_core(driver.crowd.look());
        driver
    }

    /// A thread of its own.
    fn run(&mut self) -> Result<Ending, WarpError> {
        let mut now = self.now();
        loop {
            match self.turn(&mut now)? {
                Turn::Worked => {}
                Turn::Idle => {
                    self.wait()?;
                    now = self.lap(Doing::Waiting);
                }
                Turn::Last(ending) => return Ok(ending),
            }
        }
    }

    /// Take what has come, let the engine work for a moment, and hand over what leaves it. `now` is
    /// the time, before and after.
    #[inline]
    fn turn(&mut self, now: &mut u64) -> Result<Turn, WarpError> {
        if now.wrapping_sub(self.last.looked) >= self.pace.look && self.look_around(*now)? {
            return Ok(Turn::Last(Ending::Stopped));
        }
        if let Some(over) = self.over {
            return self.leave(over);
        }
        if now.wrapping_sub(self.last.polled) >= self.pace.poll {
            self.last.polled = *now;
            self.take_all()?;
            if let Some(costs) = &self.pace.costs {
                self.fabric.spend(costs.look);
            }
            self.lap(Doing::Looking);
        }
        if self.aborted {
            return Ok(Turn::Last(Ending::Aborted));
        }
        let progress = self.work(now)?;
        self.collect()?;
        match progress {
            Progress::Busy => {
                self.outgoing.flush(self.fabric, self.engine.watch(), *now, self.pace.flush)?;
                self.lap(Doing::Packing);
                Ok(Turn::Worked)
            }
            Progress::Waiting => {
                self.lap(Doing::Packing);
                Ok(Turn::Idle)
            }
            Progress::Finished => {
                self.outgoing.flush(self.fabric, self.engine.watch(), 0, 0)?;
                self.over = Some(*now);
                Ok(Turn::Worked)
            }
        }
    }

    /// A turn where other nodes have theirs on this thread.
    pub fn take_turn(&mut self) -> Result<Turn, WarpError> {
        let mut now = self.lap(Doing::Sharing);
        let turn = self.turn(&mut now)?;
        if turn != Turn::Idle {
            self.idle_since = None;
            return Ok(turn);
        }
        let something = self.idle(now)?;
        self.lap(Doing::Waiting);
        Ok(if something { Turn::Worked } else { Turn::Idle })
    }

    /// Tell the others that this node has failed, as far as they listen. Takes and drops what they
    /// send meanwhile.
    pub fn abort(&mut self) {
        let mut outgoing = Outgoing::abort(self.fabric.nodes(), self.fabric.id());
        let deadline = self.fabric.after(ABORT);
        while !outgoing.is_empty() && self.fabric.clock().now() < deadline {
            if outgoing.retry(self.fabric).is_err() {
                return;
            }
            let _ = self.fabric.receive(Wait::Poll);
        }
    }

    /// What came of it all.
    pub fn end(mut self, ended: Result<Ending, WarpError>) -> Result<Drive, WarpError> {
        let now = self.now();
        self.sample(now, Look::Always);
        let ending = ended?;
        let ns = |ticks| self.fabric.ns_between(Ticks(0), Ticks(ticks));
        let (spent, elapsed_ns) = (self.laps.spent(ns), ns(now.wrapping_sub(self.begun)));
        self.meter.gauge.show(&self.engine.status());
        Ok(Drive { ending, elapsed_ns, spent })
    }

    /// Let the engine work, unless too much waits for room already.
    #[inline]
    fn work(&mut self, now: &mut u64) -> Result<Progress, WarpError> {
        if self.outgoing.is_backed_up() && !self.outgoing.retry(self.fabric)? {
            return Ok(Progress::Waiting);
        }
        self.last.called = self.now();
        let progress = match self.pace.costs {
            None => self.engine.run(self.pace.steps())?,
            Some(costs) => self.run_at(&costs)?,
        };
        *now = self.lap(Doing::Engine);
        if progress == Progress::Busy {
            self.pace.took(now.wrapping_sub(self.last.called));
        }
        Ok(progress)
    }

    /// The same in simulated time, which passes by what was done.
    #[cold]
    fn run_at(&mut self, costs: &Costs) -> Result<Progress, WarpError> {
        let (executed, undone) = self.engine.work_done();
        let progress = self.engine.run(self.pace.steps())?;
        let done = self.engine.work_done();
        let events_ns = self.engine.watch().take_owed();
        self.fabric.spend(events_ns + costs.worked(done.0 - executed, done.1 - undone));
        Ok(progress)
    }

    /// Pack what leaves the engine.
    #[inline]
    fn collect(&mut self) -> Result<(), WarpError> {
        self.take_receipts();
        while let Some((to, parcel, made)) = self.engine.outgoing() {
            if let Some(costs) = &self.pace.costs {
                self.fabric.spend(costs.send);
            }
            let witness = self.engine.watch();
            let ready = witness.stamps().then(|| witness.ready(made));
            // Unstamped, it may have been made at any moment of the call.
            self.outgoing.put(self.fabric, witness, to, &parcel, ready, self.last.called)?;
        }
        Ok(())
    }

    /// Every ten milliseconds: is it to end, is anybody lost, is the disk full, is it time for GVT?
    /// `true`: it is to end.
    #[cold]
    fn look_around(&mut self, now: u64) -> Result<bool, WarpError> {
        let asleep = now.wrapping_sub(self.last.looked) > self.pace.peer_timeout / 2;
        self.last.looked = now;
        if asleep {
            // This process itself was stopped for a while, or one of its events took long: that is
            // nobody's silence.
            self.heard.fill(now);
        }
        self.meter.gauge.show(&self.engine.status());
        self.engine.lacks_core(self.crowd.look());
        self.sample(now, Look::WhenDue);
        self.outgoing.retry(self.fabric)?;
        self.fabric.look_after_peers()?;
        if let Some(failure) = self.engine.watch().failure() {
            return Err(failure);
        }
        if self.fabric.id() == 0
            && now.wrapping_sub(self.last.gvt_asked) >= self.pace.gvt(self.engine.gvt())
        {
            (self.last.gvt_asked, self.gvt_then) = (now, self.engine.gvt());
            self.engine.ask_for_gvt();
        }
        if self.fabric.id() == 0 && now.wrapping_sub(self.last.balance_asked) >= self.pace.balance {
            self.last.balance_asked = now;
            self.engine.ask_for_balance();
        }
        Ok(self.meter.stop.load(Relaxed))
    }

    /// A run has its first and its last sample however short it is.
    fn sample(&mut self, now: u64, look: Look) {
        let elapsed_ns = self.fabric.ns_between(Ticks(self.begun), Ticks(now));
        if !self.engine.watch().wants_sample(elapsed_ns, look) {
            return;
        }
        let (local_time, status) = (self.engine.local_minimum().simtime(), self.engine.status());
        self.engine.watch().sampled(&Sample {
            seconds: elapsed_ns as f64 / 1e9,
            local_time,
            status,
        });
    }

    /// The simulation is over here; the others must hear what this node said last.
    fn leave(&mut self, over: u64) -> Result<Turn, WarpError> {
        if self.outgoing.is_empty() {
            return Ok(Turn::Last(Ending::Finished));
        }
        self.outgoing.retry(self.fabric)?;
        // Nothing that comes now matters; but who sends it may be waiting for room.
        self.fabric.receive(Wait::Poll)?;
        if self.now().wrapping_sub(over) > self.pace.peer_timeout {
            self.notice_silence()?;
        }
        Ok(Turn::Worked)
    }

    /// The time until now was spent with this.
    #[inline]
    fn lap(&mut self, doing: Doing) -> u64 {
        let now = self.now();
        self.laps.lap(doing, now);
        now
    }

    #[inline]
    fn now(&self) -> u64 {
        self.fabric.clock().now().0
    }
}
