//! What has come and is not yet taken, and how deep it is searched before an object runs.

use super::{Node, protocol};
use crate::{AckAt, Model, Packet, Payload, RunError, Search, VirtualTime, Watch};
use std::collections::VecDeque;

pub(super) struct Arrivals<P> {
    search: Search,
    /// Whether senders may go on while their messages wait here ([`AckAt::Arrival`]).
    is_unbounded: bool,
    /// In order of arrival.
    queue: VecDeque<Arrival<P>>,
    /// Of a receive-queue limit: moved out of the queue, and ordered.
    ordered: VecDeque<Arrival<P>>,
    arrived: u64,
}

struct Arrival<P> {
    number: u64,
    from: u16,
    packet: Packet<P>,
}

impl<P> Packet<P> {
    /// When a counted packet is due.
    fn due(&self) -> VirtualTime {
        match self {
            Packet::Event { message, .. } | Packet::Passed { message, .. } => message.receive,
            // What comes back undoes its sender down to the send time.
            Packet::Return(r) => r.send,
            Packet::Anti(r) | Packet::Again(r) => r.receive,
            Packet::Ack { .. } | Packet::Gvt(_) => VirtualTime::NEGINF,
            Packet::Part(_) | Packet::Whereabouts(_) | Packet::Load(_) => VirtualTime::NEGINF,
        }
    }

    fn is_anti(&self) -> bool {
        !matches!(self, Packet::Event { .. } | Packet::Passed { .. })
    }
}

impl<P: Payload> Arrivals<P> {
    pub fn new(search: Search, ack_at: AckAt) -> Arrivals<P> {
        Arrivals {
            search,
            is_unbounded: ack_at == AckAt::Arrival,
            queue: VecDeque::new(),
            ordered: VecDeque::new(),
            arrived: 0,
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.ordered.is_empty()
    }

    fn push(&mut self, from: u16, packet: Packet<P>) {
        let number = self.arrived;
        self.arrived += 1;
        self.queue.push_back(Arrival { number, from, packet });
    }

    /// The least send time of what waits here.
    pub fn least(&self) -> VirtualTime {
        let waiting = self.queue.iter().chain(&self.ordered);
        waiting.map(|arrival| arrival.packet.send_time()).min().unwrap_or(VirtualTime::FINISHED)
    }

    /// Whether something waits here that came before the arrival of that number.
    fn has_before(&self, number: u64) -> bool {
        let first = self.queue.front().is_some_and(|waiting| waiting.number < number);
        first || self.ordered.iter().any(|waiting| waiting.number < number)
    }

    /// What is to be handled before an object at `svt` runs; at POSINF, when none is ready, the
    /// first of all.
    ///
    /// A queue that no sender's bound keeps short may grow beyond what is searched. What lies there
    /// could be due for long, and all that runs meanwhile be in vain, and send more: so no object
    /// runs then.
    fn next_due(&mut self, svt: VirtualTime) -> Option<Arrival<P>> {
        match self.search {
            Search::All => self.queue.pop_front(),
            Search::Plimit(limit) => {
                let depth = if svt >= VirtualTime::POSINF { 1 } else { limit as usize };
                if self.is_unbounded && self.queue.len() > depth {
                    return self.queue.pop_front();
                }
                let due = |arrival: &Arrival<P>| {
                    svt >= VirtualTime::POSINF || arrival.packet.due() <= svt
                };
                let at = self.queue.iter().take(depth).position(due)?;
                self.queue.remove(at)
            }
            Search::RecvqLimit(limit) => {
                self.move_to_ordered(limit as usize);
                let first = self.ordered.front()?;
                let is_beyond = self.is_unbounded && !self.queue.is_empty();
                let due = svt >= VirtualTime::POSINF || is_beyond || first.packet.due() <= svt;
                if due { self.ordered.pop_front() } else { None }
            }
        }
    }

    fn move_to_ordered(&mut self, limit: usize) {
        while self.ordered.len() < limit {
            let Some(arrival) = self.queue.pop_front() else { return };
            let send = arrival.packet.send_time();
            let before = |waiting: &Arrival<P>| match arrival.packet.is_anti() {
                true => waiting.packet.is_anti() && waiting.packet.send_time() <= send,
                false => waiting.packet.send_time() <= send,
            };
            let at = self.ordered.iter().rposition(before).map_or(0, |at| at + 1);
            self.ordered.insert(at, arrival);
        }
    }
}

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// Take what has come, or queue it.
    #[inline]
    pub(super) fn arrive(&mut self, from: u16, packet: Packet<M::Payload>) -> Result<(), RunError> {
        match packet {
            Packet::Ack { messages } => self.links.outbox.acknowledged(messages),
            Packet::Gvt(packet) => self.take_gvt(from, packet)?,
            Packet::Load(packet) => self.take_load(from, *packet)?,
            Packet::Part(part) => self.take_part(from, &part)?,
            Packet::Whereabouts(whereabouts) => self.take_whereabouts(from, &whereabouts)?,
            packet if self.links.arrivals.search == Search::All => {
                self.links.owe(from);
                return self.handle(from, packet);
            }
            packet => {
                if self.setup.options.ack_at == AckAt::Arrival {
                    self.links.owe(from);
                }
                self.links.arrivals.push(from, packet);
            }
        }
        Ok(())
    }

    /// Handle one arrival if it outranks what would run at `svt`.
    pub(super) fn search_arrivals(&mut self, svt: VirtualTime) -> Result<bool, RunError> {
        let Some(arrival) = self.links.arrivals.next_due(svt) else { return Ok(false) };
        if svt < VirtualTime::POSINF {
            self.totals.counters.searched += 1;
        }
        let is_event = matches!(arrival.packet, Packet::Event { .. } | Packet::Passed { .. });
        if is_event {
            let overtakes = self.links.arrivals.has_before(arrival.number);
            self.totals.counters.unqueued += 1;
            self.totals.counters.overtook += u64::from(overtakes);
        }
        self.watch.took(arrival.number);
        if self.setup.options.ack_at == AckAt::Taken {
            self.links.owe(arrival.from);
        }
        self.handle(arrival.from, arrival.packet)?;
        Ok(true)
    }

    /// Pay what is owed.
    pub(super) fn acknowledge(&mut self) {
        for node in 0..self.setup.nodes {
            let messages = self.links.pay(node);
            if messages > 0 {
                self.post(node, Packet::Ack { messages });
            }
        }
    }

    /// Whether an anti-message may be taken before its message.
    #[inline]
    pub(super) fn arrivals_may_pass(&self) -> bool {
        matches!(self.links.arrivals.search, Search::RecvqLimit(_) | Search::Plimit(_))
    }

    /// A packet that says something of a message.
    #[inline]
    fn handle(&mut self, from: u16, packet: Packet<M::Payload>) -> Result<(), RunError> {
        if let Packet::Event { message, copy } | Packet::Passed { message, copy } = packet {
            return self.take_event(from, message, copy);
        }
        self.deliver_incoming();
        match packet {
            Packet::Anti(reference) => self.take_anti(from, &reference),
            Packet::Return(reference) => self.take_return(from, &reference),
            Packet::Again(reference) => self.take_again(from, &reference),
            _ => Err(protocol(from, "an unexpected system message")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Handle, ObjectId, Reference};

    /// Anti-messages that were sent at these times, each due one later.
    fn arrivals(search: Search, sent: &[f64]) -> Arrivals<()> {
        let mut arrivals = Arrivals::new(search, AckAt::Taken);
        for send in sent {
            let send = VirtualTime::at(*send);
            let copy = Handle { slot: 0, serial: 1 };
            let (sender, receiver, receive) = (ObjectId(0), ObjectId(1), send.after(1.0));
            arrivals.push(1, Packet::Anti(Reference { copy, sender, receiver, send, receive }));
        }
        arrivals
    }

    /// The numbers of those that are handled before an object at that time runs.
    fn before(arrivals: &mut Arrivals<()>, svt: f64) -> Vec<u64> {
        let svt = VirtualTime::at(svt);
        std::iter::from_fn(|| arrivals.next_due(svt).map(|arrival| arrival.number)).collect()
    }

    #[test]
    fn a_search_goes_as_deep_as_its_limit() {
        let mut all = arrivals(Search::Plimit(2), &[9.0, 8.0, 1.0]);
        assert_eq!(all.least(), VirtualTime::at(1.0));
        assert_eq!(before(&mut all, 5.0), [0; 0], "the third is not looked at");
        assert!(all.has_before(1) && all.has_before(2) && !all.has_before(0));
        assert_eq!(before(&mut all, 9.5), [1, 2]);
        assert!(!all.is_empty());
        assert_eq!(all.next_due(VirtualTime::POSINF).map(|arrival| arrival.number), Some(0));
    }

    #[test]
    fn what_lies_deeper_than_a_search_goes_is_not_left_there() {
        for search in [Search::Plimit(2), Search::RecvqLimit(2)] {
            let mut all = arrivals(search, &[9.0, 8.0, 7.0]);
            assert_eq!(before(&mut all, 5.0), [0; 0], "{search:?}: their sender waits for it");
            all.is_unbounded = true;
            assert_eq!(before(&mut all, 5.0).len(), 1, "{search:?}: one is more than two");
        }
    }

    #[test]
    fn a_limited_queue_is_in_order_of_send_time() {
        let mut all = arrivals(Search::RecvqLimit(2), &[9.0, 1.0, 4.0]);
        assert_eq!(before(&mut all, 5.0), [1, 2]);
        assert!(all.has_before(1), "the one that came first is in the ordered queue");
        assert_eq!(before(&mut all, 20.0), [0]);
        assert!(!all.has_before(1));
    }
}
