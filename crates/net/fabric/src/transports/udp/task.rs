//! A receive task of its own: a thread beside the node's that handles all that comes, messages and
//! acknowledgements, and sleeps in between. The node's thread only sends, and takes what the task
//! has put in order.
//!
//! That is how the Myrinet library's users lived with it, and what made the priorities of the two
//! matter. Both share the end under a lock that each holds for one datagram or one message, so that
//! whoever goes first gets in between.

use super::Endpoint;
use super::looking::timespec;
use super::options::UserPriority;
use super::priority::{self, Rank};
use crate::error::FabricError;
use crate::pin::keep_on;
use crate::spec::NodeId;
use crate::transport::{Arrival, Handed, Happening, Head, Transport, TransportReport};
use rustix::event::{PollFd, PollFlags, poll};
use std::net::UdpSocket;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// Longest sleep of the task: something may have been sent meanwhile whose timer it has to watch.
const NAP: Duration = Duration::from_millis(1);

/// An end with a receive task.
pub(super) struct Tasked {
    shared: Arc<Shared>,
    task: Option<JoinHandle<()>>,
    payload: Vec<u8>,
    fragment_bytes: usize,
    /// What the node's thread has to do about its priority before its first message.
    priority: Option<UserPriority>,
}

struct Shared {
    state: Mutex<State>,
    /// Something has come: a message, or room.
    news: Condvar,
}

struct State {
    endpoint: Endpoint,
    over: bool,
    /// The core that the task should run on, once it is known.
    core: Option<usize>,
}

impl Tasked {
    /// Start the task. An error: the priorities cannot be had.
    pub fn start(
        endpoint: Endpoint,
        priority: Option<UserPriority>,
    ) -> Result<Tasked, FabricError> {
        let sockets: Result<Vec<UdpSocket>, _> =
            endpoint.links.iter().map(|link| link.wire.socket.try_clone()).collect();
        let sockets = sockets.map_err(FabricError::io("sharing sockets with the receive task"))?;
        let fragment_bytes = endpoint.fragment_bytes;
        let state = Mutex::new(State { endpoint, over: false, core: None });
        let shared = Arc::new(Shared { state, news: Condvar::new() });
        let (told, hears) = channel();
        let of_task = Arc::clone(&shared);
        let body = move || receive(&of_task, &sockets, priority.map(Rank::of_task), &told);
        let task = Builder::new()
            .name("fourstamp-receive".into())
            .spawn(body)
            .map_err(FabricError::io("starting the receive task"))?;
        let tasked =
            Tasked { shared, task: Some(task), payload: Vec::new(), fragment_bytes, priority };
        match hears.recv() {
            Ok(Ok(how)) => tasked.lock().endpoint.report.priorities.extend(how),
            Ok(Err(error)) => return Err(error),
            // It panicked; its message has been printed.
            Err(_) => {
                return Err(FabricError::BadSpec {
                    reason: "the receive task ended at once".into(),
                });
            }
        }
        Ok(tasked)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.shared)
    }

    /// On the node's own thread, which may be another than the one that opened the transport, and
    /// pinned since.
    #[cold]
    fn take_priority(&mut self) -> Result<(), FabricError> {
        let Some(priority) = self.priority.take() else { return Ok(()) };
        let core =
            priority::settle().map_err(FabricError::io("keeping the node's tasks on one core"))?;
        let how = priority::take(Rank::of_user(priority))?;
        let mut state = self.lock();
        state.core = Some(core);
        state.endpoint.report.priorities.push(format!("user task on core {core}: {how}"));
        Ok(())
    }

    fn end_task(&mut self) {
        self.lock().over = true;
        if let Some(task) = self.task.take() {
            // It ends within a nap; a panic of its was printed.
            let _ = task.join();
        }
    }
}

impl Transport for Tasked {
    fn try_send(
        &mut self,
        to: NodeId,
        head: &mut Head,
        payload: &[u8],
    ) -> Result<Handed, FabricError> {
        self.take_priority()?;
        let mut state = self.lock();
        let endpoint = &mut state.endpoint;
        let at = endpoint.links.place(to)?;
        if let Some(refusal) = endpoint.links[at].refusal() {
            return Err(refusal);
        }
        if !endpoint.links[at].pair.has_room() {
            let now = endpoint.observer.now();
            endpoint.links[at].pair.found_no_room(now);
            endpoint.was_full = true;
            return Ok(Handed::Full);
        }
        endpoint.put(at, head, payload);
        Ok(Handed::Yes)
    }

    fn flush(&mut self) -> Result<(), FabricError> {
        self.lock().endpoint.flush()
    }

    fn poll(&mut self, _spinning_since: u64) -> Result<Option<Arrival>, FabricError> {
        self.take_priority()?;
        let Tasked { shared, payload, .. } = self;
        let mut state = lock(shared);
        let endpoint = &mut state.endpoint;
        let Some(arrival) = endpoint.next_arrival() else {
            return endpoint
                .links
                .iter_mut()
                .find_map(|link| link.failure(false))
                .map_or(Ok(None), Err);
        };
        payload.clear();
        payload.extend_from_slice(endpoint.payload());
        if let Some(at) = endpoint.in_hand {
            // The peer may be waiting for the room that this has made.
            let now = endpoint.observer.now();
            endpoint.serve(at, now, false);
        }
        Ok(Some(arrival))
    }

    fn payload(&self) -> &[u8] {
        &self.payload
    }

    fn park(&mut self, timeout: Duration) -> Result<(), FabricError> {
        let mut state = self.lock();
        if state.endpoint.was_full || !state.endpoint.has_next() {
            let waited = self.shared.news.wait_timeout(state, timeout);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.endpoint.was_full = false;
        Ok(())
    }

    fn check_peers(&mut self) -> Result<(), FabricError> {
        self.lock().endpoint.check_peers()
    }

    fn pause(&mut self, from: NodeId, paused: bool) {
        self.lock().endpoint.pause(from, paused);
    }

    fn in_flight(&mut self, to: NodeId) -> u32 {
        self.lock().endpoint.in_flight(to)
    }

    fn fragment_bytes_max(&self) -> usize {
        self.fragment_bytes
    }

    fn leave(&mut self) {
        self.end_task();
        self.lock().endpoint.leave();
    }

    fn happenings(&mut self) -> Vec<Happening> {
        self.lock().endpoint.happenings()
    }

    fn report(&mut self) -> Option<TransportReport> {
        self.lock().endpoint.report()
    }
}

impl Drop for Tasked {
    fn drop(&mut self) {
        self.end_task();
    }
}

fn lock(shared: &Shared) -> MutexGuard<'_, State> {
    // After a panic of the other thread the node ends anyway; what was received is still worth
    // having.
    shared.state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The life of the task.
fn receive(
    shared: &Shared,
    sockets: &[UdpSocket],
    rank: Option<Rank>,
    told: &Sender<Result<Option<String>, FabricError>>,
) {
    let how =
        rank.map(|rank| priority::take(rank).map(|how| format!("receive task: {how}"))).transpose();
    let refused = how.is_err();
    // Whoever started it waits for this.
    let _ = told.send(how);
    if refused {
        return;
    }
    loop {
        let timeout = {
            let mut state = lock(shared);
            if state.over {
                return;
            }
            if let Some(core) = state.core.take() {
                // The node's thread has just been put there itself.
                let _ = keep_on(core);
            }
            state.endpoint.until_deadline().min(NAP)
        };
        let mut ready: Vec<PollFd<'_>> =
            sockets.iter().map(|socket| PollFd::new(socket, PollFlags::IN)).collect();
        // An error here shows in the next read, which has somebody to tell.
        let _ = poll(&mut ready, Some(&timespec(timeout)));
        handle(shared, sockets.len());
    }
}

/// Handle what has come, a datagram at a time, and what time has brought.
fn handle(shared: &Shared, links: usize) {
    for at in 0..links {
        loop {
            let mut state = lock(shared);
            let endpoint = &mut state.endpoint;
            let (link, mut reading) = endpoint.reading(at);
            if !link.read(&mut reading) {
                break;
            }
            let now = endpoint.observer.now();
            endpoint.serve(at, now, false);
            drop(state);
            shared.news.notify_one();
        }
    }
    let mut state = lock(shared);
    let now = state.endpoint.observer.now();
    state.endpoint.serve_all(now, true);
}
