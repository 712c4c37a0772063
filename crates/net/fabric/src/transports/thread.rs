//! Transport `thread`: every node is a thread of this process.

use crate::error::FabricError;
use crate::open::boxed;
use crate::spec::{NodeId, Spec};
use crate::transports::rings::{Layout, Liveness, Parts, Rings};
use crate::transports::{NodePlace, TransportKind};
use clock::Clock;
use memory::Region;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// The row of this transport.
pub static THREAD: TransportKind = TransportKind {
    name: "thread",
    about: "Rings in one process; nodes are threads, of `warp` at most one a core",
    nodes: NodePlace::OneProcess,
    open: |opening| Ok(boxed(connect(opening.spec, opening.clock)?)),
    ..TransportKind::PLAIN
};

/// The ends of all nodes, in the order of their numbers.
pub(crate) fn connect(spec: &Spec, clock: Clock) -> Result<Vec<Rings>, FabricError> {
    let layout = Layout::new(spec);
    let region = Arc::new(Region::private(layout.words())?);
    let presence: Arc<Vec<AtomicU8>> =
        Arc::new((0..spec.nodes).map(|_| AtomicU8::new(PRESENT)).collect());
    let end = |me| {
        let region = Arc::clone(&region);
        let liveness = Box::new(Presence { me, presence: Arc::clone(&presence) });
        Rings::new(Parts { me, spec, layout: &layout, region, clock, liveness })
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
