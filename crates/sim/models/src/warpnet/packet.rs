//! A packet on its way through the network, and its 100 canonical bytes.

use std::cmp::Ordering;

/// Canonical length.
pub(super) const BYTES: usize = 100;

/// Length of a node's name.
const NAME_BYTES: usize = 20;

/// A packet. It carries nothing; its size has no effect but is part of the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkPacket {
    /// Node that created it.
    pub creator: u16,
    /// When, simtime.
    pub created: i32,
    /// Its size.
    pub size: i32,
    /// Node that it is sent to.
    pub next: u16,
    /// Node that sent it.
    pub last: u16,
    /// Node that it is for.
    pub destination: u16,
}

impl NetworkPacket {
    /// Order of the canonical bytes: nodes are compared by their names as strings.
    #[inline]
    pub(super) fn order(&self, other: &NetworkPacket) -> Ordering {
        let by_name = |ours: u16, theirs: u16| match ours == theirs {
            true => Ordering::Equal,
            false => name(ours).cmp(&name(theirs)),
        };
        by_name(self.creator, other.creator)
            .then_with(|| (self.created as u32).cmp(&(other.created as u32)))
            .then_with(|| (self.size as u32).cmp(&(other.size as u32)))
            .then_with(|| by_name(self.next, other.next))
            .then_with(|| by_name(self.last, other.last))
            .then_with(|| by_name(self.destination, other.destination))
    }

    pub(super) fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend(super::PACKET.to_be_bytes());
        bytes.extend(name(self.creator));
        bytes.extend(self.created.to_be_bytes());
        // Starting size, own size, start byte: a packet is never split.
        bytes.extend(self.size.to_be_bytes());
        bytes.extend(self.size.to_be_bytes());
        bytes.extend(0i32.to_be_bytes());
        bytes.extend(name(self.next));
        bytes.extend(name(self.last));
        bytes.extend(name(self.destination));
    }

    /// What [`NetworkPacket::encode`] wrote, selector included.
    pub(super) fn decode(bytes: &[u8; BYTES]) -> Option<NetworkPacket> {
        let number = |at: usize| Some(i32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let node = |at: usize| number_of(bytes.get(at..at + NAME_BYTES)?);
        let size = number(28)?;
        if number(0)? != super::PACKET || number(32)? != size || number(36)? != 0 {
            return None;
        }
        Some(NetworkPacket {
            creator: node(4)?,
            created: number(24)?,
            size,
            next: node(40)?,
            last: node(60)?,
            destination: node(80)?,
        })
    }
}

/// A node's name: its decimal number, padded with zero bytes.
fn name(node: u16) -> [u8; NAME_BYTES] {
    let mut name = [0; NAME_BYTES];
    let digits = node.checked_ilog10().unwrap_or(0) as usize + 1;
    let mut rest = node;
    for digit in name[..digits].iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    name
}

/// The node of this name; `None` if no node has it.
fn number_of(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.iter().position(|byte| *byte == 0)?;
    let node = std::str::from_utf8(&bytes[..digits]).ok()?.parse().ok()?;
    (name(node) == bytes).then_some(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_decimal_numbers() {
        for node in 0..=u16::MAX {
            assert!(name(node).starts_with(node.to_string().as_bytes()));
            assert_eq!(number_of(&name(node)), Some(node));
        }
        for bad in ["", "+1", "01", "-1", "65536", " 1", "1 ", "x"] {
            let mut bytes = [0; NAME_BYTES];
            bytes[..bad.len()].copy_from_slice(bad.as_bytes());
            assert_eq!(number_of(&bytes), None, "{bad}");
        }
        let mut rubbish_behind = name(7);
        rubbish_behind[12] = b'1';
        assert_eq!(number_of(&rubbish_behind), None);
    }

    #[test]
    fn ten_comes_before_two() {
        let packet = |creator| NetworkPacket {
            creator,
            created: 100,
            size: 1,
            next: 3,
            last: 4,
            destination: 5,
        };
        assert_eq!(packet(10).order(&packet(2)), Ordering::Less);
        assert_eq!(packet(1).order(&packet(10)), Ordering::Less);
    }
}
