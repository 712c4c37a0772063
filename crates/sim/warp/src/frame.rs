//! The frames that travel between drivers: some parcels for one node, in one message of the fabric.
//!
//! A message of the fabric costs a hundred nanoseconds or a system call; a parcel is some seventy
//! bytes. So parcels for one node are packed together. Little-endian:
//!
//! ```text
//! version 1 │ flags 1 │ 0 2 │ parcels 4 │ first number 8, if stamped
//!   │ ( ready 8, if stamped │ parcel )*
//! ```
//!
//! A frame with the flag `ABORT` has no parcels: its sender has failed and leaves.

use timewarp::{PacketError, Parcel, Payload};

const VERSION: u8 = 1;
const STAMPED: u8 = 1;
const ABORT: u8 = 2;
const HEAD_BYTES: usize = 8;

/// Bytes that no driver writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// There are too few.
    #[error("a frame is cut short")]
    Short,
    /// Another version, or unknown flags.
    #[error("a frame of version {version} with flags {flags:#x}, but only version 1 is known")]
    Head {
        /// The version.
        version: u8,
        /// The flags.
        flags: u8,
    },
    /// One of its parcels is none.
    #[error(transparent)]
    Parcel(#[from] PacketError),
    /// There is something behind the last parcel.
    #[error("{0} bytes after the last parcel of a frame")]
    Rest(usize),
}

/// Packs parcels for one node.
#[derive(Default)]
pub(crate) struct Packer {
    bytes: Vec<u8>,
    parcels: u32,
}

impl Packer {
    /// A frame that uses this memory.
    pub fn with_memory(mut bytes: Vec<u8>) -> Packer {
        bytes.clear();
        Packer { bytes, parcels: 0 }
    }

    /// How many parcels are in it.
    pub fn parcels(&self) -> u32 {
        self.parcels
    }

    /// How long it is so far, bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Add a parcel; `ready` is its stamp in a frame that is stamped.
    #[inline]
    pub fn add<P: Payload>(&mut self, parcel: &Parcel<P>, ready: Option<u64>) {
        if self.bytes.is_empty() {
            self.begin(ready.is_some());
        }
        if let Some(ready) = ready {
            self.bytes.extend_from_slice(&ready.to_le_bytes());
        }
        parcel.encode(&mut self.bytes);
        self.parcels += 1;
    }

    /// The frame's bytes. `first_number` is the number of its first parcel at this node, if it is
    /// stamped.
    pub fn seal(mut self, first_number: u64) -> Vec<u8> {
        self.bytes[4..HEAD_BYTES].copy_from_slice(&self.parcels.to_le_bytes());
        if self.bytes[1] & STAMPED != 0 {
            self.bytes[HEAD_BYTES..HEAD_BYTES + 8].copy_from_slice(&first_number.to_le_bytes());
        }
        self.bytes
    }

    /// A frame that says that this node has failed.
    pub fn abort() -> Vec<u8> {
        vec![VERSION, ABORT, 0, 0, 0, 0, 0, 0]
    }

    fn begin(&mut self, stamped: bool) {
        self.bytes.extend_from_slice(&[
            VERSION,
            if stamped { STAMPED } else { 0 },
            0,
            0,
            0,
            0,
            0,
            0,
        ]);
        if stamped {
            self.bytes.extend_from_slice(&[0; 8]);
        }
    }
}

/// Reads the parcels of a frame.
pub(crate) struct Opened<'a> {
    rest: &'a [u8],
    bytes: usize,
    left: u32,
    parcels: u32,
    /// The number of the next parcel at its sender, if the frame is stamped.
    number: Option<u64>,
    aborts: bool,
}

/// A parcel of a frame, with what travelled beside it.
pub(crate) struct Unpacked<P> {
    pub parcel: Parcel<P>,
    /// Its stamp and its number at its sender, if the frame is stamped.
    pub stamped: Option<(u64, u64)>,
    /// Its bytes in the frame, with its stamp: the first, and the one behind the last.
    pub span: (usize, usize),
}

impl<'a> Opened<'a> {
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Result<Opened<'a>, FrameError> {
        let (head, rest) = bytes.split_first_chunk::<HEAD_BYTES>().ok_or(FrameError::Short)?;
        let [version, flags, zero, zero_too, parcels @ ..] = *head;
        if version != VERSION || !matches!(flags, 0 | STAMPED | ABORT) || zero | zero_too != 0 {
            return Err(FrameError::Head { version, flags });
        }
        let parcels = u32::from_le_bytes(parcels);
        let mut opened = Opened {
            rest,
            bytes: bytes.len(),
            left: parcels,
            parcels,
            number: None,
            aborts: flags == ABORT,
        };
        if flags == STAMPED {
            opened.number = Some(opened.word()?);
        }
        Ok(opened)
    }

    /// Whether its sender has failed.
    pub fn aborts(&self) -> bool {
        self.aborts
    }

    /// How many parcels it has.
    pub fn parcels(&self) -> u32 {
        self.parcels
    }

    /// The next parcel. `None` after the last.
    #[inline]
    pub fn next<P: Payload>(&mut self) -> Result<Option<Unpacked<P>>, FrameError> {
        if self.left == 0 {
            return if self.rest.is_empty() {
                Ok(None)
            } else {
                Err(FrameError::Rest(self.rest.len()))
            };
        }
        self.left -= 1;
        let from = self.bytes - self.rest.len();
        let stamped = match self.number {
            Some(number) => {
                self.number = Some(number.wrapping_add(1));
                Some((self.word()?, number))
            }
            None => None,
        };
        let (parcel, rest) = Parcel::decode(self.rest)?;
        self.rest = rest;
        let span = (from, self.bytes - rest.len());
        Ok(Some(Unpacked { parcel, stamped, span }))
    }

    #[inline]
    fn word(&mut self) -> Result<u64, FrameError> {
        let (word, rest) = self.rest.split_first_chunk().ok_or(FrameError::Short)?;
        self.rest = rest;
        Ok(u64::from_le_bytes(*word))
    }
}

/// Read a frame to its end, as a driver does, and count its parcels: for the fuzzer and for tests.
///
/// # Errors
/// When no driver can have written it.
pub fn check_frame<P: Payload>(bytes: &[u8]) -> Result<u32, FrameError> {
    let mut opened = Opened::new(bytes)?;
    let mut parcels = 0;
    while opened.next::<P>()?.is_some() {
        parcels += 1;
    }
    Ok(parcels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use timewarp::{
        GvtPacket, Handle, LoadPacket, Message, ObjectId, Packet, Part, Reference, VirtualTime,
        Whereabouts,
    };

    fn parcel() -> impl Strategy<Value = Parcel<Vec<u8>>> {
        let numbers =
            (any::<[u32; 4]>(), any::<u64>(), 0f64..1e6, prop::collection::vec(any::<u8>(), 0..40));
        (any::<bool>(), 0..9u8, numbers).prop_map(
            |(red, kind, ([a, b, c, d], serial, time, payload))| {
                let copy = Handle { slot: a, serial };
                let (sender, receiver) = (ObjectId(b), ObjectId(c));
                let (send, receive) = (VirtualTime::at(time), VirtualTime::new(time + 1.0, c, d));
                let packet = match kind {
                    0 => {
                        let (selector, counter) = (d as i32, a);
                        Packet::Event {
                            message: Message {
                                receive,
                                send,
                                sender,
                                receiver,
                                selector,
                                counter,
                                payload,
                            },
                            copy,
                        }
                    }
                    1 => Packet::Anti(Reference { copy, sender, receiver, send, receive }),
                    2 => Packet::Ack { messages: d },
                    3 => Packet::Passed {
                        message: Message {
                            receive,
                            send,
                            sender,
                            receiver,
                            selector: -1,
                            counter: a,
                            payload,
                        },
                        copy,
                    },
                    4 => {
                        let (begin, moves) = (receive, d % 2 == 0);
                        Packet::Part(Box::new(Part {
                            object: sender,
                            begin,
                            version: c,
                            moves,
                            state: payload,
                        }))
                    }
                    5 => Packet::Whereabouts(Whereabouts {
                        object: receiver,
                        begin: send,
                        version: d,
                        node: a as u16,
                    }),
                    6 => Packet::Load(Box::new(LoadPacket::Report { cycle: a, percent: d as i32 })),
                    7 => Packet::Load(Box::new(LoadPacket::Table {
                        cycle: a,
                        percents: payload.iter().map(|percent| -i32::from(*percent)).collect(),
                    })),
                    _ => Packet::Gvt(GvtPacket::Update {
                        round: a,
                        gvt: receive,
                        passes: c,
                        crowded: d % 2 == 0,
                    }),
                };
                Parcel { red, packet }
            },
        )
    }

    proptest! {
        #[test]
        fn parcels_survive_the_way(
            parcels in prop::collection::vec(parcel(), 1..20), ready: Option<u64>, first: u64,
        ) {
            let mut packer = Packer::with_memory(vec![7; 3]);
            parcels.iter().for_each(|parcel| packer.add(parcel, ready));
            let bytes = packer.seal(first);
            let mut opened = Opened::new(&bytes).unwrap();
            let mut end = HEAD_BYTES + if ready.is_some() { 8 } else { 0 };
            prop_assert_eq!(opened.parcels() as usize, parcels.len());
            for (at, parcel) in (0u64..).zip(&parcels) {
                let unpacked = opened.next::<Vec<u8>>().unwrap().unwrap();
                prop_assert_eq!(&unpacked.parcel, parcel);
                let stamped = ready.map(|ready| (ready, first.wrapping_add(at)));
                prop_assert_eq!(unpacked.stamped, stamped);
                prop_assert_eq!(unpacked.span.0, end, "one after another");
                end = unpacked.span.1;
            }
            prop_assert_eq!(end, bytes.len());
            prop_assert!(opened.next::<Vec<u8>>().unwrap().is_none());
            for cut in 0..bytes.len() {
                prop_assert!(check_frame::<Vec<u8>>(&bytes[..cut]).is_err(), "cut at {}", cut);
            }
        }

        #[test]
        fn any_bytes_are_taken_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = check_frame::<u64>(&bytes);
        }
    }

    #[test]
    fn what_is_foreign_is_refused() {
        assert!(Opened::new(&Packer::abort()).unwrap().aborts());
        assert_eq!(
            check_frame::<u64>(&[2, 0, 0, 0, 0, 0, 0, 0]),
            Err(FrameError::Head { version: 2, flags: 0 })
        );
        assert_eq!(
            check_frame::<u64>(&[1, 4, 0, 0, 0, 0, 0, 0]),
            Err(FrameError::Head { version: 1, flags: 4 })
        );
        assert_eq!(check_frame::<u64>(&[1, 0, 0, 0, 0, 0, 0, 0, 9]), Err(FrameError::Rest(1)));
    }
}
