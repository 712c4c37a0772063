//! Where the nodes of a process wait for each other and for the coordinator's word.

use launch::Control;
use std::sync::{Barrier, Mutex};

/// Passed by every node of the process, and opened by the thread that started them.
pub struct Gate {
    ready: Barrier,
    go: Barrier,
    state: Mutex<GateState>,
}

#[derive(Clone, Copy)]
struct GateState {
    all_ready: bool,
    go: bool,
}

impl Gate {
    /// For so many nodes.
    pub fn new(nodes: usize) -> Gate {
        let state = Mutex::new(GateState { all_ready: true, go: false });
        Gate { ready: Barrier::new(nodes + 1), go: Barrier::new(nodes + 1), state }
    }

    /// Wait for all; `ready`: this node could be set up.
    pub fn pass(&self, ready: bool) {
        self.change(|state| state.all_ready &= ready);
        self.ready.wait();
        self.go.wait();
    }

    /// Wait for all nodes, tell the coordinator, and wait for its word.
    pub fn open_when_all_are_ready(&self, control: &Control) {
        self.ready.wait();
        let all_ready = self.change(|state| state.all_ready);
        let go = all_ready && control.ready_and_wait_go().is_ok();
        self.change(|state| state.go = go);
        self.go.wait();
    }

    /// Whether to begin; known once the gate is passed.
    pub fn may_begin(&self) -> bool {
        self.change(|state| state.go)
    }

    fn change<T>(&self, act: impl FnOnce(&mut GateState) -> T) -> T {
        // A panic cannot leave two flags half written.
        act(&mut self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}
