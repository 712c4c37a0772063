use super::*;
use crate::framing::Class;
use proptest::prelude::*;

fn call() -> impl Strategy<Value = Call> {
    (0..SOCKETS_MAX, any::<(u8, u32, u64, u64, u64)>()).prop_map(
        |(socket, (flags, bytes, enter, exit, fourth))| Call {
            socket,
            flags,
            bytes,
            enter,
            exit,
            fourth,
        },
    )
}

fn socket() -> impl Strategy<Value = Socket> {
    let address = || any::<(u128, u16)>().prop_map(|(host, port)| Address { host, port });
    let birth = prop_oneof![Just(Birth::Connected), Just(Birth::Found), Just(Birth::Pair)];
    let ends = (address(), address());
    let transport = (0..4u8).prop_map(|code| Transport::from_code(code).unwrap());
    (0..SOCKETS_MAX, birth, transport, any::<[u64; 2]>(), any::<[u64; 3]>(), ends).prop_map(
        |(number, birth, transport, made, [inode, peer_inode, caller], (local, peer))| Socket {
            number,
            birth,
            transport,
            made,
            inode,
            peer_inode,
            caller: Caller::of(caller),
            local,
            peer,
        },
    )
}

/// From a message's end to the next: short ones and long ones.
fn step() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..0x100u64, 2 => 0..0x1_0000u64, 1 => 0..0x1_0000_0000u64]
}

proptest! {
    #[test]
    fn ends_of_messages_are_read(
        steps in proptest::collection::vec((step(), 0..3u8), 1..40),
        (socket, is_sent, from) in (0..SOCKETS_MAX, any::<bool>(), 0..1u64 << 60),
    ) {
        let mut ends = Ends::new(socket, is_sent);
        let (mut offset, asked) = (from, steps.len());
        let mut pushed = Vec::new();
        for (step, class) in steps {
            let class = Class::from_code(class).unwrap();
            if !ends.push(offset + step, class) {
                break;
            }
            offset += step;
            pushed.push((offset, class));
        }
        prop_assert!(pushed.len() >= 5.min(asked), "{}", pushed.len());
        prop_assert_eq!(ends.iter().collect::<Vec<_>>(), pushed);
        let stop = Entry::Stop { socket, is_sent, offset, reason: Reason::Unseen };
        let guess = Entry::Guess { socket, guess: Guess::Resp };
        let before = Before {
            socket,
            has_connected: is_sent,
            sent: from,
            received: 1,
            unread: 2,
            quiet_ms: u32::MAX,
        };
        let after = After { socket, sent: from, received: 3, at: u64::MAX };
        let look = Look { from, until: from + 5, unread: 9 };
        let slots = [
            unread_slot(socket, look),
            hides_slot(socket, Hiding::Packets),
            before.slot(),
            after.slot(),
            guess_slot(socket, Guess::Resp),
            ends.slot(),
            stop_slot((socket, is_sent), offset, Reason::Unseen),
        ];
        let mut entries = Entries::new(slots.as_flattened());
        let pipe = [
            Entry::Unread { socket, look },
            Entry::Hides { socket, hiding: Hiding::Packets },
        ];
        let found = [pipe, [Entry::Before(before), Entry::After(after)]].concat();
        let expected = [&found[..], &[guess, Entry::Ends(ends), stop]].concat();
        prop_assert_eq!(entries.by_ref().collect::<Vec<_>>(), expected);
        prop_assert_eq!(entries.damaged(), 0);
    }

    #[test]
    fn a_slot_has_room_for_sixteen_short_messages_nine_longer_ones_or_five_long_ones(
        step in step(), socket in 0..SOCKETS_MAX,
    ) {
        let mut ends = Ends::new(socket, false);
        let room = (1..).take_while(|at| ends.push(at * step, Class::Paired)).count();
        let expected = match step { ..=0xff => 16, 0x100..=0xffff => 9, _ => 5 };
        prop_assert_eq!(room, expected);
    }

    #[test]
    fn counts_that_no_connection_reaches_are_damage(
        which in 0..3usize, bytes in BYTES_MAX..=u64::MAX, socket in 0..SOCKETS_MAX,
    ) {
        let (has_connected, quiet_ms) = (false, 0);
        let mut counts = [7; 3];
        counts[which] = bytes;
        let [sent, received, unread] = counts;
        let before = Before { socket, has_connected, sent, received, unread, quiet_ms };
        let slot = before.slot();
        let mut entries = Entries::new(&slot);
        prop_assert_eq!((entries.next(), entries.damaged()), (None, 1));
    }

    #[test]
    fn what_was_written_is_read(
        calls in proptest::collection::vec(call(), 0..20), one in socket(),
    ) {
        let mut words = one.slots().to_vec();
        let mut expected = vec![Entry::Socket(one)];
        for (at, call) in calls.iter().enumerate() {
            let kind = if at % 2 == 0 { Kind::Send } else { Kind::Receive };
            words.extend(call.slot(kind));
            words.extend([0; SLOT_WORDS]);
            expected.push(if at % 2 == 0 { Entry::Send(*call) } else { Entry::Receive(*call) });
        }
        let mut entries = Entries::new(&words);
        prop_assert_eq!(entries.by_ref().collect::<Vec<_>>(), expected);
        prop_assert_eq!(entries.damaged(), 0);
    }

    #[test]
    fn any_words_are_read_to_their_end(
        words in proptest::collection::vec(any::<u64>(), 0..200),
    ) {
        let mut entries = Entries::new(&words);
        let read = entries.by_ref().count() as u64;
        prop_assert!(read + entries.damaged() <= words.len() as u64 / 4);
    }
}
