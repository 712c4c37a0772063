//! The transport made of rings: one path for every linked pair, in memory that all nodes see.
//!
//! `thread` and `shm` are both this; they differ in where the memory is and in how a dead peer is
//! noticed.
//!
//! **When has a message arrived?** There is no interrupt to ask. The sender stamps the moment at
//! which the message was in the queue (`published`). If the receiver was looking without pause at
//! that moment, the message arrived when the receiver saw it, which adds the transfer between the
//! cores; otherwise it arrived when it was published, and what follows is receive wait. "Looking
//! without pause" is believed only if the message was seen within a microsecond: a receiver that
//! the system had taken off its core was not looking.

use crate::error::FabricError;
use crate::pin::ticks_of;
use crate::spec::{NodeId, PathRoom, Spec, Waiting};
use crate::transport::{Arrival, Flag, Handed, Head, Transport};
use crate::transports::turn::Turn;
use clock::Clock;
use mailbox::{Mailbox, PEERS_LOOKED_AT};
use memory::Region;
use record::{ABSENT, ArrivedClock};
use ring::{Area, Found, LINE_WORDS, Put, Receiver, Sender, Size};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicU32, AtomicU64, fence};
use std::time::Duration;

mod mailbox;
pub(crate) mod ring;

/// Up to this size writing a payload takes no time worth a clock read of its own.
const QUICK_BYTES: usize = 256;
/// A message seen later than this after it was published was not seen by a receiver that was
/// looking.
const SEEN_AT_ONCE: Duration = Duration::from_micros(1);

/// Where every node's line, its mailbox and every path lies in the shared words.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    nodes: usize,
    /// None where nodes have few peers.
    mailboxes: Option<Mailboxes>,
    size: Size,
    /// First word of the path from × nodes + to; `None` where there is no link.
    paths: Vec<Option<usize>>,
    words: usize,
}

impl Layout {
    /// The layout of a fabric. Paths are as large as a total of 64 MiB allows, within 64 KiB to 1
    /// MiB, if nothing else is wanted.
    pub fn new(spec: &Spec) -> Layout {
        let nodes = usize::from(spec.nodes);
        let linked =
            |at: usize| spec.topology.linked((at / nodes) as NodeId, (at % nodes) as NodeId);
        let links = (0..nodes * nodes).filter(|at| linked(*at)).count().max(1);
        let bytes = ((64 << 20) / links).clamp(64 << 10, 1 << 20);
        let size = match spec.path_room {
            None => Size { slots: 1024, bytes: 1 << bytes.ilog2() },
            Some(PathRoom { messages, bytes }) => Size {
                slots: messages.next_power_of_two() as usize,
                bytes: bytes.next_power_of_two() as usize,
            },
        };
        let peers = |to| (0..nodes).filter(|from| linked(from * nodes + to)).count();
        let mailboxes = (0..nodes).any(|node| peers(node) > PEERS_LOOKED_AT).then(|| Mailboxes {
            first: nodes * LINE_WORDS,
            words: mailbox::words(nodes).next_multiple_of(LINE_WORDS),
        });
        let mut words = nodes * (LINE_WORDS + mailboxes.map_or(0, |all| all.words));
        let mut place = |at| {
            let first = words;
            words += if linked(at) { size.words() } else { 0 };
            linked(at).then_some(first)
        };
        let paths = (0..nodes * nodes).map(&mut place).collect();
        Layout { nodes, mailboxes, size, paths, words }
    }

    /// Words of memory in all.
    pub fn words(&self) -> usize {
        self.words
    }

    fn path(&self, from: NodeId, to: NodeId) -> Option<Range<usize>> {
        let first = self.paths[usize::from(from) * self.nodes + usize::from(to)]?;
        Some(first..first + self.size.words())
    }
}

/// Where the nodes' mailboxes lie in the shared words, one behind the other.
#[derive(Clone, Copy, Debug)]
struct Mailboxes {
    first: usize,
    /// Of each.
    words: usize,
}

impl Mailboxes {
    #[inline]
    fn of(self, node: NodeId, region: &Region) -> &[AtomicU64] {
        &region.words()[self.first + usize::from(node) * self.words..][..self.words]
    }
}

/// How a ring transport learns that a peer is gone.
pub(crate) trait Liveness: Send {
    /// Why the peer is not there any more, if that is so.
    fn lost(&mut self, peer: NodeId) -> Option<String>;
}

/// One node's end of all its paths. Aligned so that two nodes of one process share no cache line.
#[repr(align(128))]
pub(crate) struct Rings {
    me: NodeId,
    clock: Clock,
    wait: Waiting,
    size: Size,
    region: Arc<Region>,
    senders: Vec<Option<Sender>>,
    receivers: Vec<Option<Receiver>>,
    /// Peers that a message can come from.
    sources: Vec<NodeId>,
    asking: Asking,
    in_hand: Option<NodeId>,
    paused: Vec<bool>,
    sent: Sent,
    seen_at_once_ticks: u64,
    liveness: Box<dyn Liveness>,
}

/// Whose path is looked into next.
enum Asking {
    /// Each source's in turn.
    All(Turn),
    /// That of a source that has posted.
    Posted(Mailbox, Mailboxes),
}

/// What sending leaves to do.
struct Sent {
    /// Peers to wake at the next flush.
    touched: Vec<NodeId>,
    full_towards: Option<NodeId>,
    /// What the messages count for that have been written and asked a receipt for.
    receipts: u32,
}

/// What a ring transport is built from.
pub(crate) struct Parts<'a> {
    pub me: NodeId,
    pub spec: &'a Spec,
    pub layout: &'a Layout,
    pub region: Arc<Region>,
    pub clock: Clock,
    pub liveness: Box<dyn Liveness>,
}

impl Rings {
    pub fn new(parts: Parts<'_>) -> Rings {
        let Parts { me, spec, layout, region, clock, liveness } = parts;
        let area = |range| Area::new(Arc::clone(&region), range);
        let peers = 0..spec.nodes;
        let senders =
            peers.clone().map(|to| Some(Sender::new(area(layout.path(me, to)?), layout.size)));
        let receivers = peers
            .clone()
            .map(|from| Some(Receiver::new(area(layout.path(from, me)?), layout.size)));
        let rings = Rings {
            me,
            clock,
            wait: spec.wait,
            size: layout.size,
            senders: senders.collect(),
            receivers: receivers.collect(),
            sources: peers.filter(|from| layout.path(*from, me).is_some()).collect(),
            region,
            asking: match layout.mailboxes {
                None => Asking::All(Turn::default()),
                Some(all) => Asking::Posted(Mailbox::new(layout.nodes), all),
            },
            in_hand: None,
            paused: vec![false; usize::from(spec.nodes)],
            sent: Sent {
                touched: Vec::with_capacity(usize::from(spec.nodes)),
                full_towards: None,
                receipts: 0,
            },
            seen_at_once_ticks: ticks_of(&clock, SEEN_AT_ONCE),
            liveness,
        };
        rings.line(me).came().store(1, Release);
        rings
    }

    fn line(&self, node: NodeId) -> NodeLine<'_> {
        let first = usize::from(node) * LINE_WORDS;
        NodeLine { words: &self.region.words()[first..first + LINE_WORDS] }
    }

    /// Wake a peer that sleeps. The fence keeps our publishing before the look at its flag, as the
    /// peer's keeps its flag before its last look at the paths; so one of the two sees the other.
    fn wake(&self, peer: NodeId) {
        fence(SeqCst);
        self.line(peer).wake();
    }

    /// Whose path is to be looked into, after so many others were.
    #[inline]
    fn next_source(&mut self, asked: usize) -> Option<NodeId> {
        match &mut self.asking {
            Asking::All(turn) => {
                let count = self.sources.len();
                (asked < count).then(|| self.sources[turn.take(count)])
            }
            Asking::Posted(mailbox, all) => {
                let is_paused = |from| self.paused[usize::from(from)];
                mailbox.next(is_paused).or_else(|| {
                    mailbox.fetch(all.of(self.me, &self.region));
                    mailbox.next(is_paused)
                })
            }
        }
    }

    #[inline]
    fn poll_source(&mut self, from: NodeId) -> Result<Option<Found>, FabricError> {
        let Some(receiver) = self.receivers[usize::from(from)].as_mut() else { return Ok(None) };
        let found = receiver.poll().map_err(|what| FabricError::Garbage {
            node: from,
            what: format!("{what} in the shared ring"),
        })?;
        let told = receiver.tell(found.is_none());
        if told && self.wait == Waiting::Blocking {
            // The fence of `wake`, before asking whether anybody waits for the room just made.
            fence(SeqCst);
            if receiver.sender_waits() {
                self.line(from).wake();
            }
        }
        Ok(found)
    }

    #[inline]
    fn arrival(&mut self, from: NodeId, found: &Found, spinning_since: u64) -> Arrival {
        if let Some(sender) = self.senders[usize::from(from)].as_mut() {
            sender.learn(found.returned);
        }
        let mut arrival =
            Arrival { clock: ArrivedClock::Sender, ..Arrival::of_neighbour(from, found.head) };
        if found.published == ABSENT {
            return arrival;
        }
        arrival.arrived = found.published;
        if found.published >= spinning_since {
            let now = self.clock.now().0;
            if now.wrapping_sub(found.published) <= self.seen_at_once_ticks {
                arrival.arrived = now;
                arrival.clock = ArrivedClock::Receiver;
                arrival.just_now = true;
            }
        }
        arrival.arrived_ticks = arrival.arrived;
        arrival
    }

    fn anything_waits(&self) -> bool {
        let waits = |from: &NodeId| {
            let receiver = self.receivers[usize::from(*from)].as_ref();
            !self.paused[usize::from(*from)] && receiver.is_some_and(Receiver::has_next)
        };
        self.sources.iter().any(waits)
    }

    fn sleep(&mut self, timeout: Duration) {
        let line = self.line(self.me);
        let bell = line.bell().load(Acquire);
        line.asleep().store(1, Relaxed);
        fence(SeqCst);
        let room = match self.sent.full_towards {
            Some(to) => self.senders[usize::from(to)]
                .as_mut()
                .is_some_and(|sender| sender.has_room(self.size.payload_bytes_max())),
            None => false,
        };
        let line = self.line(self.me);
        if !room && !self.anything_waits() {
            memory::wait_while(line.bell(), bell, timeout);
        }
        line.asleep().store(0, Relaxed);
    }
}

impl Transport for Rings {
    #[inline]
    fn try_send(
        &mut self,
        to: NodeId,
        head: &mut Head,
        payload: &[u8],
    ) -> Result<Handed, FabricError> {
        let Some(sender) = self.senders[usize::from(to)].as_mut() else {
            return Err(FabricError::NoSuchNode {
                node: to,
                last: self.senders.len() as NodeId - 1,
            });
        };
        if !sender.has_room(payload.len()) {
            self.sent.full_towards = Some(to);
            return Ok(Handed::Full);
        }
        let recorded = head.ready != ABSENT;
        if recorded {
            head.in_flight = sender.in_flight() as u32;
            if head.sent == ABSENT {
                head.sent = self.clock.now().0;
            }
        }
        let returned = self.receivers[usize::from(to)].as_ref().map_or(0, Receiver::taken);
        sender.write_payload(payload);
        let published = match recorded {
            false => ABSENT,
            true if payload.len() <= QUICK_BYTES => head.sent,
            true => self.clock.now().0,
        };
        sender.publish(&Put { head, published, returned }, payload.len());
        if let Asking::Posted(_, all) = &self.asking {
            mailbox::post(all.of(to, &self.region), self.me);
        }
        if self.wait == Waiting::Blocking && !self.sent.touched.contains(&to) {
            self.sent.touched.push(to);
        }
        Ok(Handed::Yes)
    }

    #[inline]
    fn flush(&mut self) -> Result<(), FabricError> {
        while let Some(to) = self.sent.touched.pop() {
            self.wake(to);
        }
        Ok(())
    }

    #[inline]
    fn poll(&mut self, spinning_since: u64) -> Result<Option<Arrival>, FabricError> {
        self.in_hand = None;
        for asked in 0.. {
            let Some(from) = self.next_source(asked) else { break };
            if self.paused[usize::from(from)] {
                continue;
            }
            if let Some(found) = self.poll_source(from)? {
                self.in_hand = Some(from);
                return Ok(Some(self.arrival(from, &found, spinning_since)));
            }
            if let Asking::Posted(mailbox, _) = &mut self.asking {
                mailbox.remove(from);
            }
        }
        Ok(None)
    }

    fn payload(&self) -> &[u8] {
        let receiver = self.in_hand.and_then(|from| self.receivers[usize::from(from)].as_ref());
        receiver.map_or(&[], |receiver| receiver.payload())
    }

    fn park(&mut self, timeout: Duration) -> Result<(), FabricError> {
        let waiting_for =
            self.sent.full_towards.and_then(|to| self.senders[usize::from(to)].as_ref());
        waiting_for.inspect(|sender| sender.set_waiting(true));
        self.sleep(timeout);
        let waited_for =
            self.sent.full_towards.take().and_then(|to| self.senders[usize::from(to)].as_ref());
        waited_for.inspect(|sender| sender.set_waiting(false));
        Ok(())
    }

    fn check_peers(&mut self) -> Result<(), FabricError> {
        for at in 0..self.sources.len() {
            let node = self.sources[at];
            // Nobody is missed who has not come yet.
            let line = self.line(node);
            if line.came().load(Acquire) == 0 || line.left().load(Acquire) != 0 {
                continue;
            }
            let Some(reason) = self.liveness.lost(node) else { continue };
            // It may have sent something since the last poll; that comes first.
            if !self.receivers[usize::from(node)].as_ref().is_some_and(Receiver::has_next) {
                return Err(FabricError::PeerLost { node, reason });
            }
            // And it may have died before it posted that.
            if let Asking::Posted(mailbox, _) = &mut self.asking {
                mailbox.add(node);
            }
        }
        Ok(())
    }

    fn pause(&mut self, from: NodeId, paused: bool) {
        self.paused[usize::from(from)] = paused;
    }

    fn in_flight(&mut self, to: NodeId) -> u32 {
        self.senders[usize::from(to)].as_mut().map_or(0, |sender| sender.in_flight() as u32)
    }

    fn gives_receipts(&self) -> bool {
        true
    }

    /// What is written has arrived: the memory is the receiver's, too.
    fn ask_for_receipt(&mut self, _to: NodeId, counts: u32) {
        self.sent.receipts += counts;
    }

    fn receipts(&mut self) -> u32 {
        std::mem::take(&mut self.sent.receipts)
    }

    fn fragment_bytes_max(&self) -> usize {
        self.size.payload_bytes_max()
    }

    fn leave(&mut self) {
        self.line(self.me).left().store(1, Release);
        for at in 0..self.sources.len() {
            self.wake(self.sources[at]);
        }
    }
}

/// What every node shows to the others: a bell to be woken by, whether it sleeps, whether it has
/// left, and whether it has come.
struct NodeLine<'a> {
    words: &'a [AtomicU64],
}

impl<'a> NodeLine<'a> {
    fn asleep(&self) -> &'a AtomicU64 {
        &self.words[1]
    }

    fn left(&self) -> &'a AtomicU64 {
        &self.words[2]
    }

    fn came(&self) -> &'a AtomicU64 {
        &self.words[3]
    }

    fn bell(&self) -> &'a AtomicU32 {
        // SAFETY: the word is aligned for eight bytes and shared for as long as the borrow; nobody
        // uses it in any other way than as this AtomicU32 in its first half (a futex is 32 bits
        // wide).
        unsafe { &*std::ptr::from_ref(&self.words[0]).cast::<AtomicU32>() }
    }

    fn wake(&self) {
        if self.asleep().load(Relaxed) != 0 && self.asleep().swap(0, Relaxed) != 0 {
            self.bell().fetch_add(1, Release);
            memory::wake_all(self.bell());
        }
    }
}

const _: () = assert!(Flag::Last as u8 == 0, "fresh memory must not look like a control fragment");
