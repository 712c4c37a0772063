//! Leaving in good order: nobody is left waiting for a message that was on its way.

use super::{Node, Wait};
use crate::error::FabricError;
use crate::spec::NodeId;
use crate::transport::{Flag, Head, Payload};
use clock::Ticks;
use record::{ABSENT, Kind};

impl Node {
    /// Say good-bye to all, take what still comes (it is recorded), and leave when all others do. A peer that is lost
    /// does not keep the others from their good-bye; the first such error is returned.
    pub fn close(&mut self) -> Result<(), FabricError> {
        let deadline = self.after(self.peer_timeout);
        let said = self.say_good_bye();
        let closed = said.and_then(|()| self.hear_good_byes(deadline)).and_then(|()| self.settle(deadline));
        self.transport.leave();
        closed
    }

    fn say_good_bye(&mut self) -> Result<(), FabricError> {
        let mut first_error = None;
        for to in (0..self.nodes).filter(|node| *node != self.id).collect::<Vec<NodeId>>() {
            let head = Head { flag: Flag::Bye, ..self.head(Kind::Other, ABSENT, ABSENT, 1) };
            let said = self.hand_over_fragment(to, head, Payload::Copied(&[]));
            first_error = first_error.or(said.err());
        }
        let flushed = self.transport.flush();
        first_error.map_or(flushed, Err)
    }

    fn hear_good_byes(&mut self, deadline: Ticks) -> Result<(), FabricError> {
        while let Some(missing) = self.peer_without_bye() {
            let heard = match self.receive(Wait::Until(deadline)) {
                Ok(message) => message.is_some(),
                Err(FabricError::Closed) => true,
                Err(error) => return Err(error),
            };
            if !heard && self.clock.now() > deadline {
                return Err(self.stalled(missing, "we close"));
            }
        }
        Ok(())
    }

    fn settle(&mut self, deadline: Ticks) -> Result<(), FabricError> {
        while !self.transport.settle()? {
            if self.clock.now() > deadline {
                return Err(self.stalled(self.id, "we leave"));
            }
            self.transport.poll(u64::MAX)?;
            std::thread::yield_now();
        }
        Ok(())
    }
}
