//! What travels between nodes, and its bytes.
//!
//! A parcel is a packet with the colour that GVT counts it under. Its bytes are: kind and colour
//! (1), then fields little-endian, then for an event its payload with its length before it. Several
//! parcels may follow one another.

use crate::{Message, ObjectId, Passage, Passing, Payload, VirtualTime};

/// What one node sends another.
#[derive(Clone, Debug, PartialEq)]
pub enum Packet<P> {
    /// An event message.
    Event {
        /// The message.
        message: Message<P>,
        /// Where its negative copy lies at its sender.
        copy: Handle,
    },
    /// Cancels an event message sent earlier.
    Anti(Reference),
    /// An event message comes back for want of memory; its sender still has all of it.
    Return(Reference),
    /// An event message that came back after its anti-message had left is sent again, to meet it.
    Again(Reference),
    /// The receiver has so many messages: taken, or in its queue ([`crate::AckAt`]).
    Ack {
        /// How many.
        messages: u32,
    },
    /// Part of computing GVT.
    Gvt(GvtPacket),
    /// An event message for an object that has moved, from a node that had it.
    Passed {
        /// The message.
        message: Message<P>,
        /// Where the node that passes it on remembers it.
        copy: Handle,
    },
    /// A part of an object for its new node, or the state that it begins with, once more.
    Part(Box<Part>),
    /// Where an object is from some time on.
    Whereabouts(Whereabouts),
    /// Part of balancing load.
    Load(Box<LoadPacket>),
}

/// Part of balancing load; `node/load.rs` says how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadPacket {
    /// Node 0 wants to know everybody's load.
    Begin {
        /// Which look at it, counted from 1.
        cycle: u32,
    },
    /// A node answers.
    Report {
        /// The look.
        cycle: u32,
        /// Its effective utilisation, per cent.
        percent: i32,
    },
    /// Node 0 tells all.
    Table {
        /// The look.
        cycle: u32,
        /// Effective utilisation of every node, per cent.
        percents: Vec<i32>,
    },
}

/// The part of an object from some virtual time on: its messages follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Whose.
    pub object: ObjectId,
    /// From when on.
    pub begin: VirtualTime,
    /// Which move of the object it is, counted from 1.
    pub version: u32,
    /// Whether the part comes with it; else it has come, and what is before it has changed.
    pub moves: bool,
    /// The state that it begins with, as the model writes it.
    pub state: Vec<u8>,
}

/// Where an object is from some virtual time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whereabouts {
    /// Which object.
    pub object: ObjectId,
    /// From when on.
    pub begin: VirtualTime,
    /// Which move of the object it is, counted from 1.
    pub version: u32,
    /// On which node.
    pub node: u16,
}

/// Where a sent message's negative copy lies at its sender, and its number on the way between the
/// two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle {
    /// Slot at the sender.
    pub slot: u32,
    /// Number between the two nodes, from 1.
    pub serial: u64,
}

/// A message that the other node knows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reference {
    /// Which one.
    pub copy: Handle,
    /// Who sent it.
    pub sender: ObjectId,
    /// Whom it was for.
    pub receiver: ObjectId,
    /// When it was sent.
    pub send: VirtualTime,
    /// When it was to be handled.
    pub receive: VirtualTime,
}

/// Part of computing GVT; `gvt.rs` says how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GvtPacket {
    /// Another node asks node 0 for a round.
    Request,
    /// Node 0 begins a round.
    Start {
        /// Its number.
        round: u32,
    },
    /// Node 0 asks again, because messages of the former colour are still on their way.
    Ask {
        /// The round.
        round: u32,
        /// Which time it asks.
        pass: u32,
    },
    /// A node answers.
    Report(GvtReport),
    /// Node 0 says what GVT is.
    Update {
        /// The round.
        round: u32,
        /// GVT.
        gvt: VirtualTime,
        /// How often it asked.
        passes: u32,
        /// Whether any node has lacked a core.
        crowded: bool,
    },
}

/// A node's answer in a round of GVT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GvtReport {
    /// The round.
    pub round: u32,
    /// Which time it was asked.
    pub pass: u32,
    /// Messages of the former colour that it has sent less those that it has received.
    pub balance: i64,
    /// The least time of anything that it holds or has sent in the new colour.
    pub least: VirtualTime,
    /// Whether it has lacked a core.
    pub crowded: bool,
}

/// A packet and its colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Parcel<P> {
    /// What GVT counts it under.
    pub red: bool,
    /// What it is.
    pub packet: Packet<P>,
}

/// Bytes that no node writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PacketError {
    /// There are too few.
    #[error("a packet is cut short")]
    Short,
    /// No packet has this kind.
    #[error("there is no packet kind {0}")]
    Kind(u8),
    /// The payload is none of this model's.
    #[error("this model has no payload of {0} bytes")]
    Payload(usize),
}

const RED: u8 = 0x80;

impl<P> Packet<P> {
    /// Whether GVT counts it: whether it may cause work.
    pub(crate) fn is_counted(&self) -> bool {
        !matches!(
            self,
            Packet::Ack { .. } | Packet::Gvt(_) | Packet::Whereabouts(_) | Packet::Load(_)
        )
    }

    /// Whether it is acknowledged, and so may be held back: what keeps the system going is not.
    pub fn is_acknowledged(&self) -> bool {
        self.is_counted() && !matches!(self, Packet::Part(_))
    }
}

impl<P: Payload> Packet<P> {
    /// What its record says; `None` for what is no message between objects.
    pub fn passage(&self) -> Option<Passage> {
        let of = |kind, r: &Reference| Passage {
            kind,
            sender: r.sender,
            receiver: r.receiver,
            send: r.send,
            receive: r.receive,
            bytes: 0,
        };
        match self {
            Packet::Event { message, .. } | Packet::Passed { message, .. } => {
                Some(Passage::of(message))
            }
            Packet::Anti(reference) => Some(of(Passing::Anti, reference)),
            Packet::Return(reference) => Some(of(Passing::Sendback, reference)),
            Packet::Again(reference) => Some(of(Passing::Event, reference)),
            Packet::Ack { .. } | Packet::Gvt(_) => None,
            Packet::Part(_) | Packet::Whereabouts(_) | Packet::Load(_) => None,
        }
    }
}

impl Passage {
    #[inline]
    pub(crate) fn of<P: Payload>(message: &Message<P>) -> Passage {
        Passage {
            kind: Passing::Event,
            sender: message.sender,
            receiver: message.receiver,
            send: message.send,
            receive: message.receive,
            bytes: message.payload.bytes(),
        }
    }
}

impl<P: Payload> Parcel<P> {
    /// Append its bytes.
    #[inline]
    pub fn encode(&self, out: &mut Vec<u8>) {
        let red = if self.red { RED } else { 0 };
        match &self.packet {
            Packet::Event { message, copy } => encode_event(red, message, *copy, out),
            Packet::Anti(reference) => encode_reference(1 | red, reference, out),
            Packet::Return(reference) => encode_reference(2 | red, reference, out),
            Packet::Again(reference) => encode_reference(3 | red, reference, out),
            Packet::Ack { messages } => {
                out.push(4 | red);
                out.extend(messages.to_le_bytes());
            }
            Packet::Gvt(packet) => encode_gvt(red, packet, out),
            Packet::Passed { message, copy } => encode_event(10 | red, message, *copy, out),
            Packet::Part(part) => encode_part(red, part, out),
            Packet::Whereabouts(whereabouts) => encode_whereabouts(red, whereabouts, out),
            Packet::Load(packet) => encode_load(red, packet, out),
        }
    }

    /// The parcel at the front of `bytes`, and what follows it.
    #[inline]
    pub fn decode(bytes: &[u8]) -> Result<(Parcel<P>, &[u8]), PacketError> {
        let (&first, rest) = bytes.split_first().ok_or(PacketError::Short)?;
        let mut fields = Fields { rest };
        let packet = match first & !RED {
            0 => {
                let (message, copy) = decode_event(&mut fields)?;
                Packet::Event { message, copy }
            }
            1 => Packet::Anti(fields.reference()?),
            2 => Packet::Return(fields.reference()?),
            3 => Packet::Again(fields.reference()?),
            4 => Packet::Ack { messages: fields.u32()? },
            5 => Packet::Gvt(GvtPacket::Request),
            6 => Packet::Gvt(GvtPacket::Start { round: fields.u32()? }),
            7 => Packet::Gvt(GvtPacket::Ask { round: fields.u32()?, pass: fields.u32()? }),
            kind @ (8 | 17) => Packet::Gvt(GvtPacket::Report(GvtReport {
                round: fields.u32()?,
                pass: fields.u32()?,
                balance: fields.u64()? as i64,
                least: fields.time()?,
                crowded: kind == 17,
            })),
            kind @ (9 | 18) => Packet::Gvt(GvtPacket::Update {
                round: fields.u32()?,
                gvt: fields.time()?,
                passes: fields.u32()?,
                crowded: kind == 18,
            }),
            10 => {
                let (message, copy) = decode_event(&mut fields)?;
                Packet::Passed { message, copy }
            }
            kind @ (11 | 12) => Packet::Part(Box::new(fields.part(kind == 11)?)),
            13 => Packet::Whereabouts(fields.whereabouts()?),
            kind @ 14..=16 => Packet::Load(Box::new(fields.load(kind)?)),
            kind => return Err(PacketError::Kind(kind)),
        };
        Ok((Parcel { red: first & RED != 0, packet }, fields.rest))
    }
}

/// Bytes of an event before its payload, its kind included.
const EVENT_HEAD: usize = 1 + 4 * 8 + 4 * 4 + 4 + 8 + 4;

#[inline]
fn encode_event<P: Payload>(kind: u8, message: &Message<P>, copy: Handle, out: &mut Vec<u8>) {
    // One block of known length: it compiles to plain stores.
    let mut head = [0; EVENT_HEAD];
    let mut at = 0;
    let mut put = |bytes: &[u8]| {
        head[at..at + bytes.len()].copy_from_slice(bytes);
        at += bytes.len();
    };
    put(&[kind]);
    for word in message.receive.words().into_iter().chain(message.send.words()) {
        put(&word.to_le_bytes());
    }
    put(&message.sender.0.to_le_bytes());
    put(&message.receiver.0.to_le_bytes());
    put(&message.selector.to_le_bytes());
    put(&message.counter.to_le_bytes());
    put(&copy.slot.to_le_bytes());
    put(&copy.serial.to_le_bytes());
    let from = out.len();
    out.extend_from_slice(&head);
    message.payload.encode(out);
    let length = (out.len() - from - EVENT_HEAD) as u32;
    out[from + EVENT_HEAD - 4..from + EVENT_HEAD].copy_from_slice(&length.to_le_bytes());
}

#[inline]
fn decode_event<P: Payload>(fields: &mut Fields<'_>) -> Result<(Message<P>, Handle), PacketError> {
    let (receive, send) = (fields.time()?, fields.time()?);
    let (sender, receiver) = (ObjectId(fields.u32()?), ObjectId(fields.u32()?));
    let (selector, counter) = (fields.u32()? as i32, fields.u32()?);
    let copy = Handle { slot: fields.u32()?, serial: fields.u64()? };
    let length = fields.u32()? as usize;
    let payload = P::decode(fields.take(length)?).ok_or(PacketError::Payload(length))?;
    Ok((Message { receive, send, sender, receiver, selector, counter, payload }, copy))
}

fn encode_reference(kind: u8, r: &Reference, out: &mut Vec<u8>) {
    out.push(kind);
    out.extend(r.copy.slot.to_le_bytes());
    out.extend(r.copy.serial.to_le_bytes());
    out.extend(r.sender.0.to_le_bytes());
    out.extend(r.receiver.0.to_le_bytes());
    for word in r.send.words().into_iter().chain(r.receive.words()) {
        out.extend(word.to_le_bytes());
    }
}

fn encode_gvt(red: u8, packet: &GvtPacket, out: &mut Vec<u8>) {
    let mut put = |kind: u8, fields: &[&[u8]]| {
        out.push(kind | red);
        fields.iter().for_each(|field| out.extend_from_slice(field));
    };
    let bytes = |time: VirtualTime| time.words().map(u64::to_le_bytes);
    match *packet {
        GvtPacket::Request => put(5, &[]),
        GvtPacket::Start { round } => put(6, &[&round.to_le_bytes()]),
        GvtPacket::Ask { round, pass } => put(7, &[&round.to_le_bytes(), &pass.to_le_bytes()]),
        GvtPacket::Report(GvtReport { round, pass, balance, least, crowded }) => {
            let ([a, b], kind) = (bytes(least), if crowded { 17 } else { 8 });
            put(kind, &[&round.to_le_bytes(), &pass.to_le_bytes(), &balance.to_le_bytes(), &a, &b]);
        }
        GvtPacket::Update { round, gvt, passes, crowded } => {
            let ([a, b], kind) = (bytes(gvt), if crowded { 18 } else { 9 });
            put(kind, &[&round.to_le_bytes(), &a, &b, &passes.to_le_bytes()]);
        }
    }
}

fn encode_part(red: u8, part: &Part, out: &mut Vec<u8>) {
    out.push(red | if part.moves { 11 } else { 12 });
    out.extend(part.object.0.to_le_bytes());
    out.extend(part.begin.words().into_iter().flat_map(u64::to_le_bytes));
    out.extend(part.version.to_le_bytes());
    out.extend((part.state.len() as u32).to_le_bytes());
    out.extend(&part.state);
}

fn encode_whereabouts(red: u8, whereabouts: &Whereabouts, out: &mut Vec<u8>) {
    out.push(red | 13);
    out.extend(whereabouts.object.0.to_le_bytes());
    out.extend(whereabouts.begin.words().into_iter().flat_map(u64::to_le_bytes));
    out.extend(whereabouts.version.to_le_bytes());
    out.extend(whereabouts.node.to_le_bytes());
}

fn encode_load(red: u8, packet: &LoadPacket, out: &mut Vec<u8>) {
    let mut head = |kind: u8, cycle: &u32| {
        out.push(red | kind);
        out.extend(cycle.to_le_bytes());
    };
    match packet {
        LoadPacket::Begin { cycle } => head(14, cycle),
        LoadPacket::Report { cycle, percent } => {
            head(15, cycle);
            out.extend(percent.to_le_bytes());
        }
        LoadPacket::Table { cycle, percents } => {
            head(16, cycle);
            out.extend((percents.len() as u16).to_le_bytes());
            out.extend(percents.iter().flat_map(|percent| percent.to_le_bytes()));
        }
    }
}

struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    #[inline]
    fn take(&mut self, bytes: usize) -> Result<&'a [u8], PacketError> {
        let (field, rest) = self.rest.split_at_checked(bytes).ok_or(PacketError::Short)?;
        self.rest = rest;
        Ok(field)
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], PacketError> {
        let (field, rest) = self.rest.split_first_chunk().ok_or(PacketError::Short)?;
        self.rest = rest;
        Ok(*field)
    }

    #[inline]
    fn u32(&mut self) -> Result<u32, PacketError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    #[inline]
    fn u64(&mut self) -> Result<u64, PacketError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    #[inline]
    fn time(&mut self) -> Result<VirtualTime, PacketError> {
        Ok(VirtualTime::from_words([self.u64()?, self.u64()?]))
    }

    fn part(&mut self, moves: bool) -> Result<Part, PacketError> {
        let (object, begin, version) = (ObjectId(self.u32()?), self.time()?, self.u32()?);
        let length = self.u32()? as usize;
        Ok(Part { object, begin, version, moves, state: self.take(length)?.to_vec() })
    }

    fn whereabouts(&mut self) -> Result<Whereabouts, PacketError> {
        let (object, begin, version) = (ObjectId(self.u32()?), self.time()?, self.u32()?);
        Ok(Whereabouts { object, begin, version, node: u16::from_le_bytes(self.array()?) })
    }

    fn load(&mut self, kind: u8) -> Result<LoadPacket, PacketError> {
        let cycle = self.u32()?;
        Ok(match kind {
            14 => LoadPacket::Begin { cycle },
            15 => LoadPacket::Report { cycle, percent: self.u32()? as i32 },
            _ => {
                let nodes = u16::from_le_bytes(self.array()?);
                let percents = (0..nodes)
                    .map(|_| Ok(self.u32()? as i32))
                    .collect::<Result<_, PacketError>>()?;
                LoadPacket::Table { cycle, percents }
            }
        })
    }

    fn reference(&mut self) -> Result<Reference, PacketError> {
        let copy = Handle { slot: self.u32()?, serial: self.u64()? };
        let (sender, receiver) = (ObjectId(self.u32()?), ObjectId(self.u32()?));
        Ok(Reference { copy, sender, receiver, send: self.time()?, receive: self.time()? })
    }
}
