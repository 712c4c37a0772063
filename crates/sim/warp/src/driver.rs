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

use crate::frame::Opened;
use crate::meter::Meter;
use crate::outgoing::Outgoing;
use crate::pace::{DriveOptions, NAP, Pace};
use crate::samples::{Look, Sample};
use crate::spent::{Doing, Laps, Spent};
use crate::witness::{Taking, Witness};
use crate::{Costs, WarpError};
use clock::Ticks;
use fabric::{FabricError, Wait};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use timewarp::{Model, Packet, Progress, RunError, VirtualTime};

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

/// See one node through, to the end of the simulation or to `meter.stop`. The caller closes the
/// fabric's node afterwards; after an error it calls [`abort`] first.
///
/// # Errors
/// When a committed event is at fault, memory does not suffice, a peer is lost or silent or sends
/// nonsense, or a file cannot be written.
pub fn drive<M: Model, W: Witness>(
    fabric: &mut fabric::Node,
    engine: &mut timewarp::Node<'_, M, W>,
    options: &DriveOptions,
    meter: Meter<'_>,
) -> Result<Drive, WarpError> {
    let begun = fabric.clock().now();
    let mut driver = Driver::new(fabric, engine, options, meter);
    driver.sample(driver.begun, Look::Always);
    let ended = driver.run();
    driver.sample(driver.now(), Look::Always);
    let ending = ended?;
    let spent = driver.laps.spent(|ticks| driver.fabric.ns_between(Ticks(0), Ticks(ticks)));
    let elapsed_ns = fabric.ns_between(begun, fabric.clock().now());
    meter.gauge.show(&engine.status());
    Ok(Drive { ending, elapsed_ns, spent })
}

/// Tell the others that this node has failed, as far as they listen. Takes and drops what they send
/// meanwhile.
pub fn abort(fabric: &mut fabric::Node) {
    let mut outgoing = Outgoing::abort(fabric.nodes(), fabric.id());
    let deadline = fabric.after(Duration::from_millis(500));
    while !outgoing.is_empty() && fabric.clock().now() < deadline {
        if outgoing.retry(fabric).is_err() {
            return;
        }
        let _ = fabric.receive(Wait::Poll);
    }
}

struct Driver<'d, 'm, M: Model, W: Witness> {
    fabric: &'d mut fabric::Node,
    engine: &'d mut timewarp::Node<'m, M, W>,
    meter: Meter<'d>,
    pace: Pace,
    outgoing: Outgoing,
    /// When each peer was last heard.
    heard: Vec<u64>,
    aborted: bool,
    /// When it began.
    begun: u64,
    /// When the engine was last called.
    called: u64,
    polled: u64,
    looked: u64,
    gvt_asked: u64,
    balance_asked: u64,
    /// What GVT was when it was last asked for.
    gvt_then: VirtualTime,
    laps: Laps,
}

impl<'d, 'm, M: Model, W: Witness> Driver<'d, 'm, M, W> {
    fn new(
        fabric: &'d mut fabric::Node,
        engine: &'d mut timewarp::Node<'m, M, W>,
        options: &DriveOptions,
        meter: Meter<'d>,
    ) -> Self {
        let now = fabric.clock().now().0;
        let receipts = fabric.gives_receipts() && engine.leave_acknowledging();
        Driver {
            pace: Pace::new(options, fabric),
            outgoing: Outgoing::new(fabric.nodes(), receipts),
            heard: vec![now; usize::from(fabric.nodes())],
            fabric,
            engine,
            meter,
            aborted: false,
            begun: now,
            called: now,
            polled: 0,
            looked: now,
            gvt_asked: now,
            balance_asked: now,
            gvt_then: VirtualTime::NEGINF,
            laps: Laps::new(now),
        }
    }

    fn run(&mut self) -> Result<Ending, WarpError> {
        let mut now = self.now();
        loop {
            if now.wrapping_sub(self.looked) >= self.pace.look && self.look_around(now)? {
                return Ok(Ending::Stopped);
            }
            if now.wrapping_sub(self.polled) >= self.pace.poll {
                self.polled = now;
                self.take_all()?;
                self.lap(Doing::Looking);
            }
            if self.aborted {
                return Ok(Ending::Aborted);
            }
            let progress = self.work(&mut now)?;
            self.collect()?;
            match progress {
                Progress::Busy => {
                    self.outgoing.flush(self.fabric, self.engine.watch(), now, self.pace.flush)?;
                    self.lap(Doing::Packing);
                }
                Progress::Waiting => {
                    self.lap(Doing::Packing);
                    self.wait()?;
                    now = self.lap(Doing::Waiting);
                }
                Progress::Finished => return self.finish(),
            }
        }
    }

    /// Let the engine work, unless too much waits for room already.
    #[inline]
    fn work(&mut self, now: &mut u64) -> Result<Progress, WarpError> {
        if self.outgoing.is_backed_up() && !self.outgoing.retry(self.fabric)? {
            return Ok(Progress::Waiting);
        }
        self.called = self.now();
        let progress = match self.pace.costs {
            None => self.engine.run(self.pace.steps())?,
            Some(costs) => self.run_at(&costs)?,
        };
        *now = self.lap(Doing::Engine);
        if progress == Progress::Busy {
            self.pace.took(now.wrapping_sub(self.called));
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

    /// Take everything that has come.
    #[inline]
    fn take_all(&mut self) -> Result<bool, WarpError> {
        let mut something = false;
        while self.take(Wait::Poll)? {
            something = true;
        }
        Ok(something)
    }

    /// Take one frame. `false`: none came.
    #[inline]
    fn take(&mut self, wait: Wait) -> Result<bool, WarpError> {
        let message = match self.fabric.receive(wait) {
            Ok(Some(message)) => message,
            Ok(None) => return Ok(false),
            // All have left in good order before this node is through: one of them has failed or
            // was stopped.
            Err(FabricError::Closed) => {
                self.aborted = true;
                return Ok(false);
            }
            Err(error) => return Err(error.into()),
        };
        let from = message.from;
        let protocol = |what: String| WarpError::Run(RunError::Protocol { node: from, what });
        let mut frame =
            Opened::new(message.payload()).map_err(|error| protocol(error.to_string()))?;
        self.aborted |= frame.aborts();
        let (stamps, batch) = (message.stamps(), frame.parcels());
        let mut taken = 0;
        while let Some(unpacked) = frame.next().map_err(|error| protocol(error.to_string()))? {
            if let Some((ready, number)) = unpacked.stamped
                && !matches!(unpacked.parcel.packet, Packet::Ack { .. })
            {
                let passage = unpacked.parcel.packet.passage();
                self.engine.watch().taking(&Taking {
                    from,
                    number,
                    ready,
                    frame: stamps,
                    batch,
                    span: unpacked.span,
                    passage,
                });
            }
            self.engine.receive(from, unpacked.parcel)?;
            taken += 1;
        }
        if let Some(costs) = &self.pace.costs {
            self.fabric.spend(taken * costs.enqueue);
        }
        if let Some(heard) = self.heard.get_mut(usize::from(from)) {
            *heard = self.fabric.clock().now().0;
        }
        Ok(true)
    }

    /// Tell the engine what has arrived elsewhere, where the fabric knows. `true`: something has.
    #[inline]
    fn take_receipts(&mut self) -> bool {
        let arrived = if self.outgoing.receipts { self.fabric.receipts() } else { 0 };
        if arrived > 0 {
            self.engine.acknowledged(arrived);
        }
        arrived > 0
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
            self.outgoing.put(self.fabric, witness, to, &parcel, ready, self.called)?;
        }
        Ok(())
    }

    /// There is nothing to do here: look for messages, have GVT computed, sleep.
    fn wait(&mut self) -> Result<(), WarpError> {
        self.outgoing.flush(self.fabric, self.engine.watch(), 0, 0)?;
        if self.take_receipts() {
            return Ok(());
        }
        if self.look_for(self.pace.spin)? || self.ask_for_gvt() || self.fabric.nodes() == 1 {
            return Ok(());
        }
        if self.look_for(self.pace.linger)? {
            return Ok(());
        }
        let nap = self.fabric.after(NAP);
        let something = self.take(Wait::Until(nap))?;
        if something || self.outgoing.retry(self.fabric)? {
            return Ok(());
        }
        self.notice_silence()
    }

    /// Look for messages for so long without sleeping. `true`: there is something to do.
    fn look_for(&mut self, ticks: u64) -> Result<bool, WarpError> {
        let begun = self.now();
        while self.fabric.nodes() > 1 && self.now().wrapping_sub(begun) < ticks {
            if self.take_all()? || self.outgoing.retry(self.fabric)? || self.aborted {
                return Ok(true);
            }
            if self.pace.linger > 0 {
                std::thread::yield_now();
            }
        }
        Ok(false)
    }

    /// Ask for GVT, unless asking has just been in vain. `true`: asked, so the engine has something
    /// to do.
    fn ask_for_gvt(&mut self) -> bool {
        let (now, gvt) = (self.now(), self.engine.gvt());
        let moved = gvt != self.gvt_then;
        if !moved && now.wrapping_sub(self.gvt_asked) < self.pace.ask_again {
            return false;
        }
        (self.gvt_asked, self.gvt_then) = (now, gvt);
        self.engine.ask_for_gvt();
        true
    }

    /// Whoever waits for long waits for somebody: name who has been silent longest, or who takes
    /// nothing.
    fn notice_silence(&mut self) -> Result<(), WarpError> {
        let now = self.now();
        let peers = (0u16..).zip(&self.heard).filter(|(node, _)| *node != self.fabric.id());
        let latest = peers.clone().map(|(_, heard)| *heard).max().unwrap_or(now);
        if now.saturating_sub(latest) < self.pace.peer_timeout {
            return Ok(());
        }
        let longest = peers.min_by_key(|(_, heard)| **heard).map_or(0, |(node, _)| node);
        let node = self.outgoing.held_up_by().unwrap_or(longest);
        let waited_ms = self.fabric.ns_between(Ticks(latest), Ticks(now)) / 1_000_000;
        Err(WarpError::Silent { node, waited_ms })
    }

    /// Every ten milliseconds: is it to end, is anybody lost, is the disk full, is it time for GVT?
    /// `true`: it is to end.
    #[cold]
    fn look_around(&mut self, now: u64) -> Result<bool, WarpError> {
        let asleep = now.wrapping_sub(self.looked) > self.pace.peer_timeout / 2;
        self.looked = now;
        if asleep {
            // This process itself was stopped for a while, or one of its events took long: that is
            // nobody's silence.
            self.heard.fill(now);
        }
        self.meter.gauge.show(&self.engine.status());
        self.sample(now, Look::WhenDue);
        self.outgoing.retry(self.fabric)?;
        self.fabric.look_after_peers()?;
        if let Some(failure) = self.engine.watch().failure() {
            return Err(failure);
        }
        if self.fabric.id() == 0
            && now.wrapping_sub(self.gvt_asked) >= self.pace.gvt(self.engine.gvt())
        {
            (self.gvt_asked, self.gvt_then) = (now, self.engine.gvt());
            self.engine.ask_for_gvt();
        }
        if self.fabric.id() == 0 && now.wrapping_sub(self.balance_asked) >= self.pace.balance {
            self.balance_asked = now;
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
    fn finish(&mut self) -> Result<Ending, WarpError> {
        self.outgoing.flush(self.fabric, self.engine.watch(), 0, 0)?;
        let begun = self.now();
        while !self.outgoing.is_empty() {
            self.outgoing.retry(self.fabric)?;
            // Nothing that comes now matters; but who sends it may be waiting for room.
            self.fabric.receive(Wait::Poll)?;
            if self.now().wrapping_sub(begun) > self.pace.peer_timeout {
                self.notice_silence()?;
            }
        }
        Ok(Ending::Finished)
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
