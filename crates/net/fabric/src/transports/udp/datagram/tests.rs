use super::*;
use proptest::prelude::*;
use record::Kind;

const KEY: TagKey = TagKey([7; 16]);

fn head(flag: Flag, seq: u64) -> Head {
    Head { ready: 1, sent: 2, seq, kind: Kind::Data, flag, batch: 3, in_flight: 4 }
}

fn datagram(ack: &Ack, units: &[Unit<'_>]) -> Vec<u8> {
    let (mut bytes, mut one) = (Vec::new(), Vec::new());
    begin(&mut bytes, ack);
    set_units(&mut bytes, units.len() as u16);
    for unit in units {
        encode_unit(&mut one, unit);
        bytes.extend_from_slice(&one);
    }
    KEY.seal(&mut bytes);
    bytes
}

/// All that a datagram says, or why not.
fn read(bytes: &[u8]) -> Result<(Ack, Vec<Unit<'_>>), DatagramError> {
    let mut reader = Reader::new(bytes)?;
    let mut units = Vec::new();
    while let Some(unit) = reader.next()? {
        units.push(unit);
    }
    Ok((reader.ack, units))
}

proptest! {
    #[test]
    fn a_datagram_survives_the_wire(
        before: u64, room: u32, asks: bool, used in 0..=WORDS_MAX, word: u64,
        payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 0..5),
        seq: u64,
    ) {
        let mut ack = Ack { before, room, used, asks, ..Ack::default() };
        ack.words[..used].fill(word);
        let units: Vec<Unit> = payloads.iter()
            .map(|payload| Unit { seq, head: head(Flag::More, seq ^ 5), payload })
            .collect();
        let bytes = datagram(&ack, &units);
        prop_assert!(KEY.holds(&bytes));
        prop_assert_eq!(read(&bytes), Ok((ack, units)));
    }

    /// Sealed by somebody who knows the key and does not keep to the protocol.
    #[test]
    fn a_pair_survives_any_datagrams(
        datagrams in prop::collection::vec(
            (0u64..6, any::<u32>(), 0u8..3, 0u8..2, 0u8..18,
             prop::collection::vec(0u8..4, 0..200)), 0..12),
    ) {
        let bytes = |(before, room, units, asks, used, rest): (u64, u32, u8, u8, u8, Vec<u8>)| {
            let mut bytes = before.to_le_bytes().to_vec();
            bytes.extend_from_slice(&room.to_le_bytes());
            bytes.extend_from_slice(&[units, 0, used, asks]);
            bytes.extend_from_slice(&rest);
            crate::fuzz::datagram(&bytes);
            bytes
        };
        crate::fuzz::pair(&datagrams.into_iter().map(bytes).collect::<Vec<_>>());
    }

    #[test]
    fn any_bytes_give_values_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Ok((_, units)) = read(&bytes) {
            prop_assert!(units.iter().map(|unit| unit.payload.len()).sum::<usize>() <= bytes.len());
        }
        prop_assert!(!KEY.holds(&bytes));
    }
}

#[test]
fn one_changed_bit_breaks_the_seal() {
    let good = datagram(
        &Ack::default(),
        &[Unit { seq: 0, head: head(Flag::Last, 0), payload: b"12345678" }],
    );
    for bit in 0..good.len() * 8 {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(!KEY.holds(&bytes), "bit {bit}");
    }
    assert!(!TagKey([8; 16]).holds(&good), "another key");
}

#[test]
fn what_is_no_datagram_is_named() {
    let good = datagram(
        &Ack::default(),
        &[Unit { seq: 0, head: head(Flag::Last, 0), payload: b"12345678" }],
    );
    let with = |at: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[at] = value;
        read(&bytes).map(|(ack, units)| (ack, units.len()))
    };
    assert_eq!(with(22, 17), Err(DatagramError::TooManyWords(17)));
    assert_eq!(with(22, 16), Err(DatagramError::Short));
    assert_eq!(with(20, 2), Err(DatagramError::Short));
    assert_eq!(with(20, 0), Err(DatagramError::TrailingBytes(UNIT_BYTES + 8)));
    let unit = HEADER_BYTES;
    assert_eq!(with(unit + 8, 9), Err(DatagramError::Short));
    assert_eq!(with(unit + 8, 7), Err(DatagramError::TrailingBytes(1)));
    assert_eq!(with(unit + 12, 99), Err(DatagramError::Head(HeadError::UnknownKind(99))));
    assert_eq!(with(unit + 13, 9), Err(DatagramError::Head(HeadError::UnknownFlag(9))));
    assert_eq!(with(unit + 13, Flag::Bye as u8), Err(DatagramError::ControlWithPayload(8)));
    assert_eq!(read(&good[..HEADER_BYTES - 1]), Err(DatagramError::Short));
}

/// The values of the paper's appendix A (Aumasson and Bernstein, 2012): it is SipHash-2-4 that the
/// crate computes.
#[test]
fn the_tag_is_siphash_2_4() {
    let key = TagKey(std::array::from_fn(|i| i as u8));
    let message: Vec<u8> = (0..15).collect();
    assert_eq!(key.tag(&message), 0xa129_ca61_49be_45e5);
}
