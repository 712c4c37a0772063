//! How packets move: own fragments onto their first link, others' packets on to the next, and out
//! of the cube at their destination.

use super::assembly::{Whole, sent_at_source};
use super::route::{ROUTE_BYTES, Route, RouteError, What, next_node};
use super::{Cube, InHand, Packet, Placed, RELAY_AT_ONCE, TELL_EVERY, Unfinished, WAITING_MAX};
use crate::error::FabricError;
use crate::spec::NodeId;
use crate::transport::{Arrival, Flag, Handed, Head, Transport};
use record::ABSENT;

impl Cube {
    /// Put an own fragment on its outlink, at least its first packet. `false`: no room for any.
    pub(super) fn start(
        &mut self,
        dimension: usize,
        to: NodeId,
        head: &mut Head,
        payload: &[u8],
    ) -> Result<bool, FabricError> {
        let counts = self.counts[usize::from(to)];
        head.in_flight = counts.sent.wrapping_sub(counts.acknowledged);
        let mut route = Route {
            src: self.me,
            dst: to,
            hops: 1,
            what: What::Piece(head.flag),
            index: 0,
            packets: self.shape.packets(payload.len()),
            bytes: payload.len() as u32,
            in_flight: head.in_flight,
            taken: counts.taken,
            sent: ABSENT,
        };
        let mut first = *head;
        if !self.send_packets(dimension, &mut first, &mut route, payload)? && route.index == 0 {
            return Ok(false);
        }
        head.sent = first.sent;
        let counts = &mut self.counts[usize::from(to)];
        counts.told = counts.taken;
        counts.sent = counts.sent.wrapping_add(u32::from(head.flag == Flag::Last));
        if route.index < route.packets {
            self.unfinished[dimension] =
                Some(Unfinished { head: *head, route, payload: payload.to_vec() });
        }
        Ok(true)
    }

    /// Send packets from `route.index` on until all are sent or there is no room. `true`: all are.
    /// `head` becomes the first one's as sent.
    pub(super) fn send_packets(
        &mut self,
        dimension: usize,
        head: &mut Head,
        route: &mut Route,
        payload: &[u8],
    ) -> Result<bool, FabricError> {
        while route.index < route.packets {
            // Fresh in every packet: others may have told of more since the first one.
            route.taken = self.counts[usize::from(route.dst)].taken;
            self.packet.clear();
            self.packet.extend_from_slice(&route.encode());
            self.packet.extend_from_slice(&payload[self.shape.piece(payload.len(), route.index)]);
            let sent = if route.index == 0 { head.sent } else { ABSENT };
            let mut link_head = Head { flag: Flag::Last, sent, ..*head };
            let to = self.me ^ 1 << dimension;
            if self.links.try_send(to, &mut link_head, &self.packet)? == Handed::Full {
                return Ok(false);
            }
            if route.index == 0 {
                head.sent = link_head.sent;
            }
            route.index += 1;
        }
        Ok(true)
    }

    /// Try again what found no room before: held packets first, then own fragments.
    pub(super) fn push_on(&mut self) -> Result<(), FabricError> {
        for dimension in 0..self.held.len() {
            if let Some(packet) = self.held[dimension].take() {
                self.place_again(dimension, packet)?;
            }
            if let Some(mut unfinished) = self.unfinished[dimension].take() {
                let Unfinished { head, route, payload } = &mut unfinished;
                self.unflushed = true;
                let sent = self.send_packets(dimension, head, route, payload);
                if let Some(false) = self.mourned(sent)? {
                    self.unfinished[dimension] = Some(unfinished);
                }
            }
        }
        if self.losses.any() {
            self.announce();
        }
        Ok(())
    }

    pub(super) fn place_again(
        &mut self,
        dimension: usize,
        packet: Packet,
    ) -> Result<(), FabricError> {
        match self.place(&packet.arrival, &packet.bytes)? {
            Placed::No => {
                self.held[dimension] = Some(packet);
                return Ok(());
            }
            Placed::Whole(whole) => self.keep(whole, &packet.bytes),
            Placed::Yes => {}
        }
        self.links.pause(packet.arrival.from, false);
        Ok(())
    }

    /// The next fragment for this node; forwards what comes on the way there.
    pub(super) fn poll_links(
        &mut self,
        spinning_since: u64,
    ) -> Result<Option<Arrival>, FabricError> {
        self.push_on()?;
        // What waits came before whatever the links have.
        if let Some((arrival, payload)) = self.waiting.pop_front() {
            self.in_hand = InHand::Own(payload);
            return Ok(Some(arrival));
        }
        loop {
            let polled = self.links.poll(spinning_since);
            let Some(link) = self.mourned(polled)?.flatten() else { return Ok(None) };
            if let Some(whole) = self.take_from_link(&link)? {
                self.in_hand = whole.payload.map_or(InHand::OnLink, InHand::Own);
                return Ok(Some(whole.arrival));
            }
        }
    }

    /// Forward for others while this node waits to send; what is for itself is kept for the next
    /// poll.
    pub(super) fn relay(&mut self) -> Result<(), FabricError> {
        if let InHand::OnLink = self.in_hand {
            self.in_hand = InHand::Own(self.payload().to_vec());
        }
        for _ in 0..RELAY_AT_ONCE {
            let polled = self.links.poll(u64::MAX);
            let Some(link) = self.mourned(polled)?.flatten() else { break };
            if let Some(whole) = self.take_from_link(&link)? {
                let packet = if whole.payload.is_none() {
                    self.links.payload().to_vec()
                } else {
                    Vec::new()
                };
                self.keep(whole, &packet);
            }
        }
        if self.unflushed {
            self.flush()?;
        }
        Ok(())
    }

    /// Let a fragment wait for the next poll. It was taken off the link earlier than it will be
    /// taken.
    pub(super) fn keep(&mut self, whole: Whole, packet: &[u8]) {
        let arrival = Arrival { just_now: false, ..whole.arrival };
        let payload = whole.payload.unwrap_or_else(|| packet[ROUTE_BYTES..].to_vec());
        self.waiting.push_back((arrival, payload));
    }

    /// Deal with what the link's last poll returned. `Some`: it made a fragment for this node
    /// whole.
    pub(super) fn take_from_link(&mut self, link: &Arrival) -> Result<Option<Whole>, FabricError> {
        let dimension = (link.from ^ self.me).trailing_zeros() as usize;
        match link.head.flag {
            Flag::Barrier => {
                self.barrier.hear(dimension);
                return Ok(None);
            }
            // The neighbour leaves; its messages' good-byes have come on their own ways.
            Flag::Bye => return Ok(None),
            Flag::Last | Flag::More => {}
        }
        let mut bytes = std::mem::take(&mut self.packet);
        bytes.clear();
        bytes.extend_from_slice(self.links.payload());
        let placed = self.place(link, &bytes);
        if let Ok(Placed::No) = placed {
            self.links.pause(link.from, true);
            self.held[dimension] =
                Some(Packet { arrival: *link, bytes: std::mem::take(&mut bytes) });
        }
        self.packet = bytes;
        match placed? {
            Placed::Whole(whole) => Ok(Some(whole)),
            Placed::Yes | Placed::No => Ok(None),
        }
    }

    /// Find the place of a packet: here, or the next link.
    pub(super) fn place(&mut self, link: &Arrival, packet: &[u8]) -> Result<Placed, FabricError> {
        let garbage =
            |error: RouteError| FabricError::Garbage { node: link.from, what: error.to_string() };
        let (route, piece) = Route::decode(packet, self.me, &self.shape).map_err(garbage)?;
        if route.what == What::Obituary {
            self.losses.hear(route.src, link.from);
            return Ok(Placed::Yes);
        }
        if route.dst != self.me {
            return self.forward(link, route, piece);
        }
        if self.waiting.len() >= WAITING_MAX {
            return Ok(Placed::No);
        }
        self.learn(&route).map_err(garbage)?;
        if route.what == What::Taken {
            return Ok(Placed::Yes);
        }
        let whole =
            self.assemblies[usize::from(route.src)].add(link, &route, piece).map_err(garbage)?;
        Ok(whole.map_or(Placed::Yes, Placed::Whole))
    }

    pub(super) fn forward(
        &mut self,
        link: &Arrival,
        mut route: Route,
        piece: &[u8],
    ) -> Result<Placed, FabricError> {
        route.sent = sent_at_source(link, &route);
        route.hops += 1;
        let packet = [&route.encode()[..], piece].concat();
        let mut head = Head { flag: Flag::Last, sent: ABSENT, ..link.head };
        let next = next_node(self.me, route.dst);
        let handed = self.links.try_send(next, &mut head, &packet);
        self.unflushed = true;
        // Over a lost neighbour nothing goes: the packet is lost with it, and its source will hear.
        match self.mourned(handed)? {
            Some(Handed::Full) => Ok(Placed::No),
            Some(Handed::Yes) | None => Ok(Placed::Yes),
        }
    }

    /// The source of a packet tells how many of our messages it has taken.
    pub(super) fn learn(&mut self, route: &Route) -> Result<(), RouteError> {
        let counts = &mut self.counts[usize::from(route.src)];
        if route.taken.wrapping_sub(counts.acknowledged)
            > counts.sent.wrapping_sub(counts.acknowledged)
        {
            return Err(RouteError::AcknowledgesTooMuch);
        }
        counts.acknowledged = route.taken;
        Ok(())
    }

    /// The node takes a fragment: count it, and tell the source now and then.
    pub(super) fn took(&mut self, arrival: &Arrival) {
        let to = arrival.from;
        let counts = &mut self.counts[usize::from(to)];
        counts.taken = counts.taken.wrapping_add(u32::from(arrival.head.flag == Flag::Last));
        if counts.taken.wrapping_sub(counts.told) < TELL_EVERY {
            return;
        }
        let taken = counts.taken;
        let route = self.control_route(to, What::Taken);
        let mut head = Head::control(Flag::Last);
        let next = next_node(self.me, to);
        // No room now, or a lost neighbour: the next message will tell, or the next taking.
        if let Ok(Handed::Yes) = self.links.try_send(next, &mut head, &route.encode()) {
            self.unflushed = true;
            self.counts[usize::from(to)].told = taken;
        }
    }

    /// Pass a result of the links on, but keep a lost neighbour in mind (and tell the others)
    /// instead of failing at once: what it had sent is delivered first. `None`: a neighbour is
    /// lost.
    pub(super) fn mourned<T>(
        &mut self,
        result: Result<T, FabricError>,
    ) -> Result<Option<T>, FabricError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(FabricError::PeerLost { node, reason }) => {
                self.losses.see(node, reason);
                self.announce();
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Tell the neighbours who is lost, as far as there is room.
    pub(super) fn announce(&mut self) {
        for dimension in 0..self.shape.dimensions() {
            let to = self.me ^ 1 << dimension;
            while let Some(lost) = self.losses.to_tell(dimension) {
                if !self.losses.is_lost(to) && !self.tell_of(lost, to) {
                    break;
                }
                self.losses.told(dimension, lost);
            }
        }
    }

    /// `false`: no room now.
    pub(super) fn tell_of(&mut self, lost: NodeId, to: NodeId) -> bool {
        let route = Route { src: lost, ..self.control_route(lost, What::Obituary) };
        let told = self.links.try_send(to, &mut Head::control(Flag::Last), &route.encode());
        self.unflushed = true;
        !matches!(told, Ok(Handed::Full))
    }

    pub(super) fn control_route(&self, to: NodeId, what: What) -> Route {
        let taken = self.counts[usize::from(to)].taken;
        let (src, hops, sent) = (self.me, 1, ABSENT);
        Route {
            src,
            dst: to,
            hops,
            what,
            index: 0,
            packets: 1,
            bytes: 0,
            in_flight: 0,
            taken,
            sent,
        }
    }

    #[inline]
    pub(super) fn dimension_to(&self, to: NodeId) -> usize {
        (self.me ^ to).trailing_zeros() as usize
    }
}
