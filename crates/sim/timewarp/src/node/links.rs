//! What a node keeps of the ways between it and the others: numbers of messages, what has come and
//! is not taken, what is owed, what waits to leave.

use super::arrivals::Arrivals;
use super::outbox::Outbox;
use super::serials::Serials;
use crate::{Options, Payload};

pub(super) struct Links<P, S> {
    /// By node.
    channels: Vec<Channel>,
    pub arrivals: Arrivals<P>,
    pub outbox: Outbox<P, S>,
    /// Whether this node is to acknowledge what comes: somebody waits for it, and the network does
    /// not do it.
    pub acknowledges: bool,
}

/// Of the way between this node and one other.
#[derive(Default)]
struct Channel {
    /// Messages sent there.
    sent: u64,
    /// Messages from there that may yet be cancelled.
    received: Serials,
    /// Messages from there that are still to be acknowledged.
    owed: u32,
}

impl<P: Payload, S> Links<P, S> {
    pub fn new(nodes: u16, options: &Options) -> Links<P, S> {
        Links {
            channels: (0..nodes).map(|_| Channel::default()).collect(),
            arrivals: Arrivals::new(options.search, options.ack_at),
            outbox: Outbox::new(options.max_acks, options.max_neg_acks),
            acknowledges: options.max_acks.is_some(),
        }
    }

    /// The number of the next message to that node; 0 is none.
    #[inline]
    pub fn number(&mut self, to: u16) -> u64 {
        let channel = &mut self.channels[usize::from(to)];
        channel.sent += 1;
        channel.sent
    }

    /// The messages from that node that may yet be cancelled.
    #[inline]
    pub fn received(&mut self, from: u16) -> &mut Serials {
        &mut self.channels[usize::from(from)].received
    }

    /// An acknowledgement is owed for a message: by [`Options::ack_at`] once it is taken out of the
    /// receive queue, or once it is in it. In the first case it counts against its sender until
    /// then, whose bound on unacknowledged messages is what bounds the queue.
    #[inline]
    pub fn owe(&mut self, to: u16) {
        if self.acknowledges {
            self.channels[usize::from(to)].owed += 1;
        }
    }

    /// What is owed to that node is about to be paid.
    pub fn pay(&mut self, to: u16) -> u32 {
        std::mem::take(&mut self.channels[usize::from(to)].owed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_begin_at_1_and_debts_are_paid_once() {
        let options = Options { max_acks: Some(2), ..Options::default() };
        let mut links = Links::<(), ()>::new(2, &options);
        assert_eq!([1, 1, 0].map(|node| links.number(node)), [1, 2, 1]);
        [1, 1, 0].into_iter().for_each(|node| links.owe(node));
        assert_eq!([1, 0, 1].map(|node| links.pay(node)), [2, 1, 0]);
        let mut unbounded = Links::<(), ()>::new(2, &Options::default());
        unbounded.owe(1);
        assert_eq!(unbounded.pay(1), 0, "nobody waits for it");
        links.acknowledges = false;
        links.owe(1);
        assert_eq!(links.pay(1), 0, "the network acknowledges");
    }
}
