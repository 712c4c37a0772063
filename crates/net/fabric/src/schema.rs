//! Which columns a fabric's messages have.

use crate::spec::{Spec, Topology};
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
