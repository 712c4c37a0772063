//! Taking what has come.

use super::Driver;
use crate::WarpError;
use crate::frame::Opened;
use crate::witness::{Taking, Witness};
use fabric::{FabricError, Wait};
use timewarp::{Model, Packet, RunError};

impl<M: Model, W: Witness> Driver<'_, '_, M, W> {
    /// Take everything that has come.
    #[inline]
    pub(super) fn take_all(&mut self) -> Result<bool, WarpError> {
        let mut something = false;
        while self.take(Wait::Poll)? {
            something = true;
        }
        Ok(something)
    }

    /// Take one frame. `false`: none came.
    #[inline]
    pub(super) fn take(&mut self, wait: Wait) -> Result<bool, WarpError> {
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
    pub(super) fn take_receipts(&mut self) -> bool {
        let arrived = if self.outgoing.receipts { self.fabric.receipts() } else { 0 };
        if arrived > 0 {
            self.engine.acknowledged(arrived);
        }
        arrived > 0
    }
}
