//! How a node's process is told to end by somebody else than its coordinator: by a signal, usually.

use super::control::Control;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Where the process hears that it is to end. A node that works finishes with what it has, and
/// tells its coordinator the reason.
#[derive(Debug, Default)]
pub struct Leave {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// A node has its assignment, so that there is work to be ended.
    works: bool,
    reason: Option<String>,
}

impl Leave {
    /// Nobody has told anything yet.
    pub const fn new() -> Leave {
        let state = Mutex::new(State { works: false, reason: None });
        Leave { state, changed: Condvar::new() }
    }

    /// End the work, for this reason. False: there is none, and the process may end at once.
    pub fn tell(&self, reason: &str) -> bool {
        let mut state = self.state();
        state.reason.get_or_insert_with(|| reason.to_owned());
        self.changed.notify_all();
        state.works
    }

    /// The work begins, or is over.
    pub(super) fn works(&self, works: bool) {
        self.state().works = works;
        self.changed.notify_all();
    }

    /// Sleep until there is a reason to leave, or the work is over.
    pub(super) fn attend(&self, control: &Control) {
        let mut state = self.state();
        while state.works {
            if let Some(reason) = state.reason.clone() {
                drop(state);
                return control.leave(reason);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Two fields that do not depend on each other.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
