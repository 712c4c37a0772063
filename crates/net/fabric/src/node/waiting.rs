//! Waiting for messages: looking, sleeping, joining fragments, noticing who has left.

use super::{Node, Wait};
use crate::error::FabricError;
use crate::spec::Waiting;
use crate::transport::{Arrival, Flag};
use clock::Ticks;
use std::time::Duration;

/// Looks without pause between two looks at the deadline, in a polling node.
const LOOKS_PER_CHECK: u32 = 256;
/// Looks before a blocking node goes to sleep: it gives its core away at once, as `read` on a
/// blocking socket does.
pub const LOOKS_BEFORE_SLEEP: u32 = 2;
/// Longest sleep between two looks after the peers.
const NAP: Duration = Duration::from_millis(20);

/// A message that has come whole.
pub(super) struct Whole {
    pub arrival: Arrival,
    /// Its payload where it came in fragments; else the transport still has it.
    pub joined: Option<Vec<u8>>,
}

enum Accepted {
    Whole(Option<Vec<u8>>),
    Partly,
    Bye,
}

impl Node {
    /// Between two looks: spin, or sleep when it is time to, not longer than to `deadline`. `true`
    /// when it was time to look at the clock.
    #[inline]
    pub(super) fn pause(&mut self, looks: &mut u32, deadline: Ticks) -> Result<bool, FabricError> {
        match self.wait {
            // No pause instruction: on today's processors it takes longer than a message does.
            Waiting::Polling if !looks.is_multiple_of(LOOKS_PER_CHECK) => return Ok(false),
            Waiting::Blocking if *looks < LOOKS_BEFORE_SLEEP => return Ok(false),
            Waiting::Polling => {}
            Waiting::Blocking => {
                let now = self.clock.now();
                let left = if deadline > now { self.ns_between(now, deadline) } else { 0 };
                self.transport.park(NAP.min(Duration::from_nanos(left)))?;
            }
        }
        // Every 65,536 looks (some milliseconds) of a polling node, and after every sleep of a
        // blocking one.
        if self.wait == Waiting::Blocking || looks.is_multiple_of(LOOKS_PER_CHECK << 8) {
            self.check_peers()?;
        }
        Ok(true)
    }

    pub(super) fn check_peers(&mut self) -> Result<(), FabricError> {
        match self.transport.check_peers() {
            Err(FabricError::PeerLost { node, .. }) if self.byes[usize::from(node)] => Ok(()),
            other => other,
        }
    }

    /// The next message from another node, joined if it came in fragments.
    #[inline(always)]
    pub(super) fn next_whole(&mut self, wait: Wait) -> Result<Option<Whole>, FabricError> {
        let mut looks = 0;
        let mut deadline = None;
        loop {
            if let Some(arrival) = self.transport.poll(self.spinning_since)? {
                self.spinning_since = u64::MAX;
                match self.accept(&arrival) {
                    Accepted::Whole(joined) => return Ok(Some(Whole { arrival, joined })),
                    Accepted::Partly => {}
                    // Whoever waits for a while may be waiting for just this.
                    Accepted::Bye if matches!(wait, Wait::Until(_)) => return Ok(None),
                    Accepted::Bye => {}
                }
                continue;
            }
            if wait == Wait::Poll {
                return Ok(None);
            }
            if self.spinning_since == u64::MAX && self.scribe.records_messages() {
                self.spinning_since = self.clock.now().0;
            }
            looks += 1;
            let until = if let Wait::Until(moment) = wait { moment } else { Ticks(u64::MAX) };
            if self.pause(&mut looks, until)? && self.waited_enough(wait, &mut deadline)? {
                return Ok(None);
            }
            if self.wait == Waiting::Blocking && looks >= LOOKS_BEFORE_SLEEP {
                // A sleeper was not looking.
                self.spinning_since = u64::MAX;
            }
        }
    }

    /// Called when a wait has become long enough to afford a look at the clock.
    fn waited_enough(
        &mut self,
        wait: Wait,
        deadline: &mut Option<Ticks>,
    ) -> Result<bool, FabricError> {
        let nobody_left = match wait {
            Wait::Serving(leader) => self.byes[usize::from(leader)],
            _ => self.nodes > 1 && self.peer_without_bye().is_none(),
        };
        if nobody_left {
            // What they sent before their good-bye has been taken.
            return Err(FabricError::Closed);
        }
        match wait {
            Wait::Until(moment) => Ok(self.has_receipts() || self.clock.now() >= moment),
            Wait::Expecting(from) => {
                let deadline = *deadline.get_or_insert_with(|| self.after(self.peer_timeout));
                if self.clock.now() < deadline {
                    Ok(false)
                } else {
                    Err(self.stalled(from, "we wait for its message"))
                }
            }
            Wait::Poll | Wait::Serving(_) | Wait::Forever => Ok(false),
        }
    }

    #[inline(always)]
    fn accept(&mut self, arrival: &Arrival) -> Accepted {
        let partial = &mut self.partial[usize::from(arrival.from)];
        match arrival.head.flag {
            Flag::Last if partial.is_empty() => Accepted::Whole(None),
            Flag::Last => {
                partial.extend_from_slice(self.transport.payload());
                Accepted::Whole(Some(std::mem::take(partial)))
            }
            Flag::More => {
                partial.extend_from_slice(self.transport.payload());
                Accepted::Partly
            }
            Flag::Bye => {
                self.byes[usize::from(arrival.from)] = true;
                Accepted::Bye
            }
            Flag::Barrier => Accepted::Partly,
        }
    }
}
