//! Leaving in good order: nobody is left waiting for a message that was on its way.

use super::{Node, Wait};
use crate::error::FabricError;
use crate::spec::NodeId;
use crate::transport::{Flag, Head};
use record::{ABSENT, Kind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Between two looks whether to stop.
const LOOK: Duration = Duration::from_millis(100);

impl Node {
    /// Say good-bye to all, take what still comes (it is recorded), and leave when all others do. A
    /// peer that is lost does not keep the others from their good-bye; the first such error is
    /// returned.
    ///
    /// # Errors
    /// [`FabricError::Stalled`] when nothing comes for longer than the peers' time-out though some
    /// peer has not said good-bye.
    pub fn close(&mut self) -> Result<(), FabricError> {
        self.close_in_time(None)
    }

    /// The same where nodes may end at very different times: the others are waited for as long as
    /// they live, and the peers' time-out counts only once `stop` is set.
    ///
    /// # Errors
    /// As [`Node::close`].
    pub fn close_after_peers(&mut self, stop: &AtomicBool) -> Result<(), FabricError> {
        self.close_in_time(Some(stop))
    }

    /// Close nodes that share this thread, each as [`Node::close`] does: all say good-bye before
    /// any waits for that of others.
    ///
    /// # Errors
    /// Each node's, in their order.
    pub fn close_together(nodes: &mut [Node]) -> Vec<Result<(), FabricError>> {
        let said: Vec<_> = nodes.iter_mut().map(Node::say_good_bye).collect();
        nodes.iter_mut().zip(said).map(|(node, said)| node.leave_after(said, None)).collect()
    }

    fn close_in_time(&mut self, stop: Option<&AtomicBool>) -> Result<(), FabricError> {
        let said = self.say_good_bye();
        self.leave_after(said, stop)
    }

    fn leave_after(
        &mut self,
        said: Result<(), FabricError>,
        stop: Option<&AtomicBool>,
    ) -> Result<(), FabricError> {
        let closed = said.and_then(|()| self.hear_good_byes(stop)).and_then(|()| self.settle());
        self.transport.leave();
        closed
    }

    fn say_good_bye(&mut self) -> Result<(), FabricError> {
        let mut first_error = None;
        for to in (0..self.nodes).filter(|node| *node != self.id).collect::<Vec<NodeId>>() {
            let head = Head { flag: Flag::Bye, ..self.head(Kind::Other, ABSENT, ABSENT, 1) };
            let said = self.hand_over_fragment(to, head, &[]);
            first_error = first_error.or(said.err());
        }
        let flushed = self.transport.flush();
        first_error.map_or(flushed, Err)
    }

    fn hear_good_byes(&mut self, stop: Option<&AtomicBool>) -> Result<(), FabricError> {
        let mut deadline = self.after(self.peer_timeout);
        while let Some(missing) = self.peer_without_bye() {
            let moment = deadline.min(self.after(LOOK));
            let got_on = match self.receive(Wait::Until(moment)) {
                Ok(message) => message.is_some(),
                Err(FabricError::Closed) => true,
                Err(error) => return Err(error),
            };
            let may_work = stop.is_some_and(|stop| !stop.load(Ordering::Relaxed));
            if got_on || may_work {
                deadline = self.after(self.peer_timeout);
            } else if self.clock.now() > deadline {
                return Err(self.stalled(missing, "we close"));
            }
        }
        Ok(())
    }

    fn settle(&mut self) -> Result<(), FabricError> {
        // By now all have ended their work: nobody has a reason to be late.
        let deadline = self.after(self.peer_timeout);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::NodeOptions;
    use crate::open::{Opening, open};
    use crate::scribe::Recording;
    use crate::spec::{Spec, Topology, TransportSpec, Waiting};
    use crate::{Node, RunKey, THREAD};
    use clock::Clock;

    const PEER_TIMEOUT: Duration = Duration::from_millis(20);

    fn nodes() -> [Node; 2] {
        let spec = Spec {
            nodes: 2,
            transport: TransportSpec::of(&THREAD),
            topology: Topology::Mesh,
            wait: Waiting::Blocking,
            peer_timeout_ms: PEER_TIMEOUT.as_millis() as u64,
            path_room: None,
            plant: None,
        };
        let (key, clock) = (RunKey::generate().unwrap(), Clock::best());
        let opening = Opening { spec: &spec, hosted: &[0, 1], key: &key, listener: None, clock };
        let mut ends = open(opening).unwrap().into_iter();
        [0, 1].map(|id| {
            let options = NodeOptions {
                id,
                nodes: 2,
                clock,
                recording: Recording::Off,
                wait: spec.wait,
                peer_timeout: PEER_TIMEOUT,
            };
            Node::new(ends.next().unwrap(), options)
        })
    }

    /// The others of a long run may work on for minutes after one has done its part.
    #[test]
    fn a_peer_that_works_on_is_waited_for() {
        let [mut early, mut late] = nodes();
        std::thread::scope(|scope| {
            let closing = scope.spawn(move || early.close_after_peers(&AtomicBool::new(false)));
            std::thread::sleep(10 * PEER_TIMEOUT);
            assert!(late.close().is_ok());
            assert!(closing.join().unwrap().is_ok());
        });
    }

    #[test]
    fn nodes_of_one_thread_do_not_wait_for_each_other() {
        let mut both = nodes();
        assert!(Node::close_together(&mut both).iter().all(Result::is_ok));
    }

    #[test]
    fn a_peer_that_says_nothing_after_the_stop_is_named() {
        let [mut early, late] = nodes();
        let stopped = AtomicBool::new(true);
        assert!(matches!(
            early.close_after_peers(&stopped),
            Err(FabricError::Stalled { node: 1, .. })
        ));
        let [mut early, also_late] = nodes();
        assert!(matches!(early.close(), Err(FabricError::Stalled { node: 1, .. })));
        drop((late, also_late));
    }
}
