//! Transport `thread`: every node is a thread of this process. Payloads can be handed on by
//! reference.

use crate::error::FabricError;
use crate::rings::{Layout, Liveness, Parts, References, Rings};
use crate::spec::{NodeId, Spec};
use bytes::Bytes;
use clock::Clock;
use memory::Region;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The ends of all nodes, in the order of their numbers.
pub(crate) fn connect(spec: &Spec, clock: Clock) -> Result<Vec<Rings>, FabricError> {
    let layout = Layout::new(spec);
    let region = Arc::new(Region::private(layout.words())?);
    let presence: Arc<Vec<AtomicU8>> =
        Arc::new((0..spec.nodes).map(|_| AtomicU8::new(PRESENT)).collect());
    let references: Arc<dyn References> = Arc::new(Shelf::new(usize::from(spec.nodes)));
    let end = |me| {
        let region = Arc::clone(&region);
        let liveness = Box::new(Presence { me, presence: Arc::clone(&presence) });
        let references = Some(Arc::clone(&references));
        Rings::new(Parts { me, spec, layout: &layout, region, clock, liveness, references })
    };
    Ok((0..spec.nodes).map(end).collect())
}

const PRESENT: u8 = 0;
const DROPPED: u8 = 1;

/// A thread that ends, by a panic too, drops its end; the others see that here.
struct Presence {
    me: NodeId,
    presence: Arc<Vec<AtomicU8>>,
}

impl Liveness for Presence {
    fn lost(&mut self, peer: NodeId) -> Option<String> {
        let dropped = self.presence[usize::from(peer)].load(Ordering::Acquire) == DROPPED;
        dropped.then(|| "its thread ended without closing the node".to_string())
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.presence[usize::from(self.me)].store(DROPPED, Ordering::Release);
    }
}

/// Payloads on their way by reference, by path and slot. A lock per path, held for a move: such
/// payloads are large ones, for which it costs less than a copy.
struct Shelf {
    nodes: usize,
    paths: Vec<Mutex<Vec<(usize, Bytes)>>>,
}

impl Shelf {
    fn new(nodes: usize) -> Shelf {
        Shelf { nodes, paths: (0..nodes * nodes).map(|_| Mutex::default()).collect() }
    }

    fn path(&self, from: NodeId, to: NodeId) -> std::sync::MutexGuard<'_, Vec<(usize, Bytes)>> {
        let path = &self.paths[usize::from(from) * self.nodes + usize::from(to)];
        // A panic elsewhere cannot leave the list half changed.
        path.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl References for Shelf {
    fn put(&self, from: NodeId, to: NodeId, slot: usize, payload: &Bytes) {
        self.path(from, to).push((slot, payload.clone()));
    }

    fn take(&self, from: NodeId, to: NodeId, slot: usize) -> Bytes {
        let mut path = self.path(from, to);
        let at = path.iter().position(|(number, _)| *number == slot);
        at.map(|at| path.swap_remove(at).1).unwrap_or_default()
    }
}
