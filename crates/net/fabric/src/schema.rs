//! Which columns a fabric's messages have.

use crate::spec::{Spec, Topology};
use crate::transports::machine::settings::machine_of;
use record::Column;

/// The optional columns that nodes of this fabric fill in. What a fabric cannot know is absent, not
/// zero.
pub fn columns(spec: &Spec) -> Vec<Column> {
    let mut columns = vec![Column::Batch, Column::QueueLength, Column::InFlight];
    let routed = matches!(spec.topology, Topology::Hypercube { .. });
    if routed || spec.transport.is_simulated() {
        columns.extend([Column::Hops, Column::Packets]);
    }
    if spec.transport.kind.brackets {
        columns.push(Column::ArrivedErrorNs);
    }
    columns
}

/// Bytes of a message that a packet of this fabric carries; `None` where it has none, or none that
/// can be seen.
pub fn packet_bytes(spec: &Spec) -> Option<u32> {
    match spec.topology {
        Topology::Hypercube { packet_bytes } => Some(packet_bytes),
        Topology::Mesh => machine_of(spec).map(|machine| machine.value("network.packet") as u32),
    }
}
