//! One launch, from the first process to the last.
//!
//! Everything happens on the calling thread, which handles one event at a time and between events
//! looks at what has no event: time. The phases are methods in the order in which they come; each
//! ends at once when a node has failed, and [`Session::run`] then winds the others down so that
//! they keep their data.

use crate::away::Nonce;
use crate::briefing::Briefing;
use crate::connection::{Connection, Event};
use crate::coordinator::{Coordinator, LaunchOutcome, NodeOutcome, Note, Progress};
use crate::fleet::Fleet;
use crate::frame::{Frame, FrameError};
use crate::member::{Member, Phase};
use crate::options::{LaunchOptions, Starter};
use crate::process;
use crate::protocol::{Assignment, Join, Message, PROTOCOL};
use crate::sync::Clocks;
use crate::{Cause, Failure, LaunchError};
use clock::{Exchange, Ticks};
use fabric::{Places, Segment, Spec};
use pings::Pings;
use record::RunFolder;
use serde_json::Value;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

mod clocks;
mod ending;
mod events;
mod gather;
mod pings;

/// How often the clock is looked at while nothing happens: `stop` is noticed within this time.
const TICK: Duration = Duration::from_millis(50);
/// How often nodes are asked how far they are.
const ASK: Duration = Duration::from_millis(500);
/// A pause between two looks that only a stopped or swapped-out coordinator can explain.
const OWN_PAUSE: Duration = Duration::from_secs(3);

/// A launch in progress.
pub(crate) struct Session<'a> {
    coordinator: &'a mut Coordinator,
    folder: &'a mut RunFolder,
    options: &'a LaunchOptions,
    stop: &'a AtomicBool,
    observe: &'a mut dyn FnMut(Note),
    fleet: Fleet,
    members: Vec<Member>,
    gathering: bool,
    /// Something failed, and the nodes have been told to stop.
    winding_down: bool,
    /// All members have been let go, so that their leaving is in order.
    released: bool,
    failures: Vec<Failure>,
    clocks: Clocks,
    pings: Pings,
    next_ask: Instant,
    last_look: Instant,
}

/// Why a phase ended early.
enum Halt {
    /// A node failed; see `failures`.
    Failed,
    /// The user wants it to stop.
    Stopped,
    /// Something here failed.
    Error(LaunchError),
}

impl From<LaunchError> for Halt {
    fn from(error: LaunchError) -> Halt {
        Halt::Error(error)
    }
}

impl Coordinator {
    /// See one launch through: start its processes, give each its part of `plan`, let them begin
    /// together, and wait until all have ended. The processes are gone when this returns, however
    /// it does.
    ///
    /// `stop` (set by Ctrl-C) lets the nodes finish with what there is. `observe` is called from
    /// this thread. Clock anchors and offsets, notes and failures are added to the folder's
    /// [`info`](RunFolder::info_mut); closing the folder is the caller's, after the last launch,
    /// also after an error: what the nodes had recorded is kept.
    ///
    /// # Errors
    /// [`LaunchError::Nodes`] names the node that failed first, and why.
    pub fn run_launch(
        &mut self,
        folder: &mut RunFolder,
        options: &LaunchOptions,
        plan: &Value,
        stop: &AtomicBool,
        observe: &mut dyn FnMut(Note),
    ) -> Result<LaunchOutcome, LaunchError> {
        options.check().map_err(|reason| LaunchError::Options { reason })?;
        Session::new(self, folder, options, stop, observe)?.run(plan)
    }
}

impl<'a> Session<'a> {
    /// Begin: the clocks first, then nothing.
    pub fn new(
        coordinator: &'a mut Coordinator,
        folder: &'a mut RunFolder,
        options: &'a LaunchOptions,
        stop: &'a AtomicBool,
        observe: &'a mut dyn FnMut(Note),
    ) -> Result<Session<'a>, LaunchError> {
        let home = &coordinator.home;
        let clocks = Clocks::new(home.clock, home.domain.clone(), home.calibration);
        let now = Instant::now();
        Ok(Session {
            coordinator,
            folder,
            options,
            stop,
            observe,
            fleet: Fleet::Unseen,
            members: Vec::new(),
            gathering: true,
            winding_down: false,
            released: false,
            failures: Vec::new(),
            clocks,
            pings: Pings::default(),
            next_ask: now,
            last_look: now,
        })
    }

    /// See it through.
    pub fn run(mut self, plan: &Value) -> Result<LaunchOutcome, LaunchError> {
        let result = self.phases(plan);
        self.end(result)
    }

    fn phases(&mut self, plan: &Value) -> Result<(), Halt> {
        self.start()?;
        self.gather()?;
        // Both live as long as nodes may look for them: until all are ready.
        let nonce = self.leave_nonce()?;
        let (spec, segment) = self.prepare_fabric()?;
        self.assign(&spec, &nonce.word, plan)?;
        self.await_ready()?;
        drop((nonce, segment));
        self.compare_clocks()?;
        self.go()?;
        self.watch()?;
        self.compare_clocks()
    }

    fn start(&mut self) -> Result<(), Halt> {
        self.check_reachable()?;
        let briefing = Briefing {
            join: self.coordinator.join_address(),
            key: &self.coordinator.key,
            options: self.options,
            logs: self.folder.path().join("logs"),
        };
        self.fleet = Fleet::start(&briefing)?;
        Ok(())
    }

    /// Nodes elsewhere would wait in vain for a coordinator that listens on this machine only.
    fn check_reachable(&self) -> Result<(), LaunchError> {
        let Starter::Ssh { hosts, .. } = &self.options.starter else { return Ok(()) };
        let address = self.coordinator.address;
        let local = |host: &String| {
            matches!(host.rsplit('@').next(), Some("localhost" | "127.0.0.1" | "::1"))
        };
        if hosts.iter().all(local) || !(address.ip().is_loopback() || address.ip().is_unspecified())
        {
            return Ok(());
        }
        Err(LaunchError::Options {
            reason: format!(
                "nodes on other machines cannot join at {}; listen on an address of this machine \
                that they can reach",
                self.coordinator.join_address()
            ),
        })
    }

    fn leave_nonce(&self) -> Result<Nonce, LaunchError> {
        let path = self.folder.path();
        Nonce::leave(path, self.options.launch)
            .map_err(|source| LaunchError::Folder { path: path.to_path_buf(), source })
    }

    /// Fill in where the nodes find each other.
    fn prepare_fabric(&self) -> Result<(Spec, Option<Segment>), LaunchError> {
        let mut spec = self.options.fabric.clone();
        // Named after the run, so that its first reader removes what a kill left.
        let id = self.folder.info().id.unwrap_or_default();
        let file = id.name_of(&format!("launch-{}-links", self.options.launch));
        let places = Places {
            addresses: self.members.iter().flat_map(|m| m.join.data_addresses.clone()).collect(),
            file: memory::shared_folder().join(file),
        };
        let segment = fabric::prepare(&mut spec, places)?;
        Ok((spec, segment))
    }

    fn assign(&mut self, spec: &Spec, nonce: &str, plan: &Value) -> Result<(), Halt> {
        for index in 0..self.members.len() {
            let assignment = Assignment {
                run_folder: std::path::absolute(self.folder.path())
                    .unwrap_or(self.folder.path().to_path_buf()),
                run_id: self.folder.info().id,
                launch: self.options.launch,
                nodes: spec.nodes,
                hosted: self.members[index].hosted.clone(),
                fabric: spec.clone(),
                recorder: self.options.recorder,
                plan: plan.clone(),
                reference_domain: self.clocks.reference.clone(),
                folder_nonce: nonce.to_owned(),
                leaves: self.members[index].leaves(self.options),
            };
            let frame = Frame::Message(Message::Assign(Box::new(assignment)));
            if let Err(error @ FrameError::Oversized { .. }) = frame.encode() {
                return Err(LaunchError::Options {
                    reason: format!("the plan is too large: {error}"),
                }
                .into());
            }
            let sent = self.members[index].connection.send(&frame);
            self.sent(index, sent);
            self.members[index].enter(Phase::Assigned);
        }
        self.unless_failed()
    }

    fn await_ready(&mut self) -> Result<(), Halt> {
        let limit = self.options.deadlines.ready;
        let deadline = Instant::now() + limit;
        while self.members.iter().any(|member| member.phase == Phase::Assigned) {
            self.step(deadline)?;
            if self.stop.load(Ordering::Relaxed) {
                return Err(Halt::Stopped);
            }
            if Instant::now() >= deadline {
                let cause =
                    Cause::Stuck { doing: "setting up", waited_ms: limit.as_millis() as u64 };
                self.fail_all(|member| member.phase == Phase::Assigned, &cause);
            }
        }
        self.unless_failed()
    }

    fn go(&mut self) -> Result<(), Halt> {
        // Encoded once and sent in a row, so that the nodes begin as nearly together as can be.
        for index in 0..self.members.len() {
            // A node may end before it is told to begin; then there is nobody to tell.
            if self.members[index].phase == Phase::Ready {
                self.members[index].enter(Phase::Working);
                let sent = self.members[index].tell(Message::Go);
                self.sent(index, sent);
            }
        }
        (self.observe)(Note::Begun);
        self.unless_failed()
    }

    fn watch(&mut self) -> Result<(), Halt> {
        let mut stop_by = None;
        let mut next_sync = Instant::now() + self.options.synchronising.every;
        while self.members.iter().any(|member| !member.is_over()) {
            let now = Instant::now();
            self.step(stop_by.unwrap_or(now + TICK))?;
            if now >= next_sync {
                self.compare_clocks()?;
                next_sync = Instant::now() + self.options.synchronising.every;
            }
            if stop_by.is_none() && self.stop.load(Ordering::Relaxed) {
                stop_by = Some(now + self.options.deadlines.stop);
                self.tell_all(&Message::Stop);
            }
            if stop_by.is_some_and(|deadline| now >= deadline) {
                let limit = self.options.deadlines.stop;
                let waited_ms = limit.as_millis() as u64;
                self.fail_all(
                    |member| !member.is_over() && member.ships_nothing(now, limit),
                    &Cause::Stuck { doing: "stopping", waited_ms },
                );
            }
        }
        self.unless_failed()
    }

    /// Wait for one event, no longer than until `deadline` or the next look at the clock, and
    /// handle it.
    fn step(&mut self, deadline: Instant) -> Result<(), Halt> {
        let wait = deadline.saturating_duration_since(Instant::now()).min(TICK);
        match self.coordinator.events.recv_timeout(wait) {
            Ok(event) => self.handle(event),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                unreachable!("the coordinator's door holds a sender")
            }
        }
        self.look();
        self.unless_failed()
    }

    /// Look at everything that time brings.
    fn look(&mut self) {
        let now = Instant::now();
        if now.duration_since(self.last_look) > OWN_PAUSE {
            self.members.iter_mut().for_each(|member| member.forgive(now));
        }
        self.last_look = now;
        if let Some(news) = self.clocks.tick(now) {
            // A full disk is told by the recorders, whose rows matter more.
            let _ = self.folder.log_clock(&news);
        }
        if now < self.next_ask {
            return;
        }
        self.next_ask = now + ASK;
        for index in 0..self.members.len() {
            let sent = self.members[index].ask(now);
            self.sent(index, sent);
            let limits = self.options.deadlines;
            if let Some(cause) = self.members[index].hangs(now, limits.answer, limits.progress) {
                let cause = self.looked_into(index, cause);
                self.fail(index, cause);
            }
        }
        if self.members.iter().any(|member| member.phase >= Phase::Working) {
            let sum =
                |of: fn(&Member) -> u64| self.members.iter().map(of).fold(0, u64::saturating_add);
            let progress = Progress {
                done: sum(|member| member.done),
                goal: sum(|member| member.goal),
                statuses: self.members.iter().map(|member| member.status.clone()).collect(),
            };
            (self.observe)(Note::Progress(progress));
        }
    }

    /// A process of this machine that does not answer may be stopped: then it will not, and peers
    /// that wait for it are not to blame.
    fn looked_into(&mut self, index: usize, cause: Cause) -> Cause {
        let Member { join, slot, .. } = &self.members[index];
        let is_here = join.boot_id == self.coordinator.home.boot_id;
        match cause {
            Cause::Silent { waited_ms } if is_here && process::is_stopped(join.pid) => {
                self.fleet.kill(*slot);
                Cause::Stopped { waited_ms }
            }
            cause => cause,
        }
    }

    fn index_of(&self, connection: u64) -> Option<usize> {
        self.members.iter().position(|member| member.connection.id == connection)
    }

    fn unless_failed(&self) -> Result<(), Halt> {
        if self.failures.is_empty() { Ok(()) } else { Err(Halt::Failed) }
    }

    fn note(&mut self, note: Note) {
        if let Note::Refused(text) | Note::Remark(text) = &note {
            let text = format!("launch {}: {text}", self.options.launch);
            self.folder.info_mut().notes.push(text);
        }
        (self.observe)(note);
    }
}
