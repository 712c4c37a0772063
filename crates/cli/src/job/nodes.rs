//! The ranks as nodes: those that join, and rank 0, which is a node of its own run.

use super::LaunchedJob;
use super::meeting::{Invitation, Meeting, PATIENCE};
use crate::commands::node::do_work;
use crate::failure::{self, Said};
use crate::interrupt;
use anyhow::{Context, Result, bail};
use fabric::{EagerBounds, RunKey};
use launch::{Coordinator, NodeError, NodeOptions, Served, serve};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Between two attempts to join.
const AGAIN: Duration = Duration::from_millis(100);
/// How long it stays said that there will be no run.
const CALLED_OFF: Duration = Duration::from_secs(1);
/// How long the other ranks may take to come to the end of a run that failed.
const AFTER_FAILURE: Duration = Duration::from_secs(3);
/// The same of one that went well: rank 0 writes the run and its report meanwhile.
const AFTER_SUCCESS: Duration = Duration::from_secs(3600);

/// Rank 0's part beside coordinating.
pub struct Leader {
    job: LaunchedJob,
    meeting: Meeting,
    has_told: AtomicBool,
    has_said: AtomicBool,
    own_node: Mutex<Option<JoinHandle<()>>>,
}

impl Leader {
    pub(super) fn new(job: LaunchedJob, meeting: Meeting) -> Leader {
        let (has_told, has_said, own_node) = Default::default();
        Leader { job, meeting, has_told, has_said, own_node }
    }

    /// Where to listen for the other ranks: this machine only if they are all here.
    pub fn address(&self) -> Result<SocketAddr> {
        match self.job.one_host {
            true => Ok(Coordinator::LOOPBACK),
            false => Ok(SocketAddr::new(own_address()?, 0)),
        }
    }

    /// What a run of several launches says of its job.
    pub fn notes(&self) -> Vec<String> {
        let ranks = "all launches ran in the same processes: the ranks of one job";
        self.library_note().into_iter().chain([ranks.to_string()]).collect()
    }

    /// Which MPI library carries the messages, if one does.
    pub fn library_note(&self) -> Option<String> {
        let Meeting::OverMpi(process) = &self.meeting else { return None };
        Some(format!("the MPI library is {}", process.library()))
    }

    /// Up to which size messages go at once, where an MPI library carries them. Before the others
    /// are invited.
    pub fn find_eager_limit(&self) -> Result<Option<EagerBounds>> {
        self.meeting.find_eager_limit()
    }

    /// Tell the other ranks where to join, and join as node 0.
    pub fn invite(&self, coordinator: &Coordinator, key: &RunKey) -> Result<()> {
        let invitation = Invitation { address: coordinator.join_address(), key: key.clone() };
        self.has_told.store(true, Ordering::Relaxed);
        self.meeting.tell(Some(&invitation))?;
        let attending = move || {
            // What goes wrong, the coordinator is told, and says.
            let _ = attend(&invitation, 0);
        };
        let node = std::thread::Builder::new().name("fourstamp-node".into()).spawn(attending);
        let node = node.context("cannot start the thread of node 0")?;
        *self.own_node.lock().unwrap_or_else(PoisonError::into_inner) = Some(node);
        Ok(())
    }

    /// A rank is gone: the launcher ends this process, too, before long.
    pub fn say_at_once(&self, what: &str) {
        if !self.has_said.swap(true, Ordering::Relaxed) {
            failure::say(&anyhow::anyhow!("{what}; what was recorded so far is kept"));
        }
    }

    /// All have joined.
    pub fn all_have_come(&self) {
        self.meeting.all_have_come();
    }

    /// The run is over. If it failed, that is said now: the launcher may end this process any
    /// moment.
    pub(super) fn end(self, result: Result<()>) -> Result<()> {
        if !self.has_told.load(Ordering::Relaxed) {
            // They wait to be told.
            let told = self.meeting.tell(None);
            std::thread::sleep(CALLED_OFF);
            self.meeting.all_have_come();
            self.end_together(AFTER_FAILURE);
            return result.and(told);
        }
        self.meeting.all_have_come();
        match result {
            Ok(()) => {
                if let Some(node) =
                    self.own_node.lock().unwrap_or_else(PoisonError::into_inner).take()
                {
                    let _ = node.join();
                }
                self.end_together(AFTER_SUCCESS);
                Ok(())
            }
            Err(error) => {
                if !self.has_said.load(Ordering::Relaxed) {
                    failure::say(&error);
                }
                self.end_together(AFTER_FAILURE);
                Err(Said.into())
            }
        }
    }

    fn end_together(self, patience: Duration) {
        let Meeting::OverMpi(process) = self.meeting else { return };
        let deadline = Instant::now() + patience;
        let own = self.own_node.into_inner().unwrap_or_else(PoisonError::into_inner);
        let over = || own.as_ref().is_none_or(JoinHandle::is_finished);
        while !over() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        // While our own node still uses MPI, nobody else may.
        if !over() || !process.meet_within(deadline.saturating_duration_since(Instant::now())) {
            process.abort(2);
        }
    }
}

/// Be a node of rank 0's run until that is over.
pub(super) fn join(job: &LaunchedJob, meeting: Meeting) -> Result<()> {
    let joined = join_in_time(job, &meeting);
    if let Meeting::OverMpi(process) = meeting {
        process.meet_within(AFTER_SUCCESS);
    }
    joined
}

fn join_in_time(job: &LaunchedJob, meeting: &Meeting) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let Some(invitation) = meeting.hear(deadline)? else { return Ok(()) };
        match attend(&invitation, job.rank) {
            // The address may be left over from a job that was cut; rank 0 is about to write
            // another.
            Err(NodeError::Connect { .. } | NodeError::Handshake(_))
                if Instant::now() < deadline =>
            {
                std::thread::sleep(AGAIN);
            }
            other => return Ok(other?),
        }
    }
}

/// Join and work, again as long as launches follow. What the coordinator has been told of is no
/// error here: it says it.
fn attend(invitation: &Invitation, rank: u16) -> Result<(), NodeError> {
    // Ctrl-C reaches every rank: the coordinator then tells all to end.
    let stop = interrupt::flag();
    let mut has_served = false;
    loop {
        let options = NodeOptions { slot: Some(rank), ..NodeOptions::new(&invitation.address) };
        match serve(&options, &invitation.key, do_work) {
            Ok(Served::MoreFollow) if !stop.load(Ordering::Relaxed) => has_served = true,
            Ok(_) | Err(NodeError::Work { .. }) => return Ok(()),
            // No launch follows after all: one has failed, or was stopped.
            Err(_) if has_served => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// The address by which this machine reaches others, so they reach it, too. Nothing is sent.
fn own_address() -> Result<IpAddr> {
    let probe = || -> std::io::Result<IpAddr> {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        // An address that is reserved for documents: only the route to it is looked up.
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
        Ok(socket.local_addr()?.ip())
    };
    match probe() {
        Ok(address) if !address.is_loopback() && !address.is_unspecified() => Ok(address),
        _ => {
            bail!(
                "cannot determine the address at which other hosts reach this one: give rank 0's \
                with --listen IP:0"
            )
        }
    }
}
