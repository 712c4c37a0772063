use super::*;

fn head(seq: u64) -> Head {
    Head {
        ready: seq,
        sent: seq + 1,
        seq,
        kind: Kind::Data,
        flag: Flag::Last,
        batch: 1,
        in_flight: 0,
    }
}

fn put<'a>(head: &'a Head) -> Put<'a> {
    Put { head, published: 9, returned: 0 }
}

fn send<M: area::Memory>(sender: &mut Sender<M>, seq: u64, payload: &[u8]) -> bool {
    if !sender.has_room(payload.len()) {
        return false;
    }
    sender.write_payload(payload);
    sender.publish(&put(&head(seq)), payload.len());
    true
}

mod plain {
    use super::*;
    use memory::Region;
    use proptest::prelude::*;
    use std::collections::VecDeque;
    use std::sync::Arc;

    fn pair(size: Size) -> (Sender, Receiver) {
        let region = Arc::new(Region::private(size.words()).expect("a little memory"));
        let area = Area::new(region, 0..size.words());
        (Sender::new(area.clone(), size), Receiver::new(area, size))
    }

    proptest! {
        /// Against a queue that cannot fail: same order, same content, never more than the path
        /// holds.
        #[test]
        fn behaves_like_a_bounded_queue(
            steps in prop::collection::vec((any::<bool>(), 0usize..160), 1..400),
        ) {
            let size = Size { slots: 4, bytes: 512 };
            let (mut sender, mut receiver) = pair(size);
            let mut model: VecDeque<(u64, Vec<u8>)> = VecDeque::new();
            let mut seq = 0;
            for (sending, len) in steps {
                let len = len.min(size.payload_bytes_max());
                if sending {
                    let payload: Vec<u8> = (0..len).map(|i| (i as u64 + seq) as u8).collect();
                    if send(&mut sender, seq, &payload) {
                        model.push_back((seq, payload));
                        seq += 1;
                    }
                    prop_assert!(model.len() <= size.slots);
                } else {
                    let found = receiver.poll().unwrap();
                    let expected = model.pop_front();
                    prop_assert_eq!(found.map(|f| f.head.seq), expected.as_ref().map(|e| e.0));
                    if let Some((_, payload)) = expected {
                        prop_assert_eq!(receiver.payload(), &payload[..]);
                    } else {
                        receiver.tell(true);
                    }
                }
            }
        }
    }

    #[test]
    fn an_empty_path_always_has_room_for_the_longest_payload() {
        let size = Size { slots: 8, bytes: 1024 };
        let (mut sender, mut receiver) = pair(size);
        for seq in 0..1000 {
            let payload = vec![seq as u8; 1 + (seq as usize * 37) % size.payload_bytes_max()];
            assert!(send(&mut sender, seq, &payload), "message {seq}");
            assert_eq!(receiver.poll().unwrap().expect("just sent").head.seq, seq);
            assert_eq!(receiver.payload(), &payload[..]);
            assert!(receiver.poll().unwrap().is_none());
            receiver.tell(true);
        }
    }

    #[test]
    fn a_message_going_back_tells_of_progress() {
        let (mut sender, mut receiver) = pair(Size { slots: 4, bytes: 256 });
        assert!(send(&mut sender, 0, b"x"));
        assert_eq!(sender.in_flight(), 1);
        receiver.poll().unwrap().expect("sent");
        sender.learn(receiver.taken());
        assert_eq!(sender.in_flight(), 0);
        sender.learn(99);
        assert_eq!(sender.in_flight(), 0, "a count above what was sent is not believed");
    }

    #[test]
    fn a_damaged_slot_is_an_error() {
        let (mut sender, mut receiver) = pair(Size { slots: 4, bytes: 256 });
        assert!(send(&mut sender, 0, b"x"));
        sender.area.words()[Size { slots: 4, bytes: 256 }.slot(0)]
            .store(1 << 32 | 0xffff_ffff, Relaxed);
        assert!(receiver.poll().is_err());
    }

    #[test]
    fn two_threads_pass_a_million_messages_in_order() {
        let (mut sender, mut receiver) = pair(Size { slots: 64, bytes: 4096 });
        const COUNT: u64 = 200_000;
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for seq in 0..COUNT {
                    let payload = seq.to_le_bytes().repeat(1 + seq as usize % 20);
                    while !send(&mut sender, seq, &payload) {
                        std::thread::yield_now();
                    }
                }
            });
            let mut expected = 0;
            while expected < COUNT {
                match receiver.poll().unwrap() {
                    Some(found) => {
                        assert_eq!(found.head.seq, expected);
                        assert_eq!(
                            receiver.payload(),
                            expected.to_le_bytes().repeat(1 + expected as usize % 20)
                        );
                        expected += 1;
                        receiver.tell(false);
                    }
                    None => {
                        receiver.tell(true);
                        std::thread::yield_now();
                    }
                }
            }
        });
    }
}

/// Every interleaving of the protocol, by loom.
mod modelled {
    use super::super::area::Memory;
    use super::*;
    use crate::transports::rings::mailbox::{self, Mailbox};
    use loom::sync::atomic::AtomicU64;
    use std::sync::Arc;
    use std::sync::atomic::Ordering;

    /// A word that loom sees.
    struct Seen(AtomicU64);

    impl Word for Seen {
        fn load(&self, order: Ordering) -> u64 {
            self.0.load(order)
        }

        fn store(&self, value: u64, order: Ordering) {
            self.0.store(value, order);
        }

        fn swap(&self, value: u64, order: Ordering) -> u64 {
            self.0.swap(value, order)
        }

        fn fetch_or(&self, bits: u64, order: Ordering) -> u64 {
            self.0.fetch_or(bits, order)
        }
    }

    /// The memory of one path as loom models it.
    impl Memory for Arc<[Seen]> {
        type Word = Seen;

        fn words(&self) -> &[Seen] {
            self
        }

        /// Word by word, so that loom sees the loads. The copy is leaked: a model is small.
        fn bytes(&self, first: usize, len: usize) -> &[u8] {
            let words = self[first..].iter().take(len.div_ceil(8));
            let bytes = words.flat_map(|word| word.load(Relaxed).to_ne_bytes());
            bytes.take(len).collect::<Vec<u8>>().leak()
        }
    }

    /// Two messages through a path of one slot: the second must wait for the first to be released,
    /// and both payloads (one in the slot, one in the byte ring) must be whole when seen.
    #[test]
    fn every_interleaving_delivers_in_order_and_whole() {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(|| {
            let size = Size { slots: 1, bytes: 64 };
            let area: Arc<[_]> = (0..size.words()).map(|_| Seen(AtomicU64::new(0))).collect();
            let (mut sender, mut receiver) =
                (Sender::new(area.clone(), size), Receiver::new(area, size));
            let sending = loom::thread::spawn(move || {
                for (seq, payload) in [(0, &[1u8; 8][..]), (1, &[2u8; 16][..])] {
                    while !send(&mut sender, seq, payload) {
                        loom::thread::yield_now();
                    }
                }
            });
            for (seq, payload) in [(0, vec![1u8; 8]), (1, vec![2u8; 16])] {
                let found = loop {
                    match receiver.poll().unwrap() {
                        Some(found) => break found,
                        None => {
                            receiver.tell(true);
                            loom::thread::yield_now();
                        }
                    }
                };
                assert_eq!(found.head.seq, seq);
                assert_eq!(receiver.payload(), &payload[..]);
            }
            sending.join().unwrap();
        });
    }

    /// Two messages, of which each posts a bit: a receiver that looks only where a bit is set, and
    /// takes the bit first, gets both.
    #[test]
    fn every_interleaving_finds_what_was_posted() {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(|| {
            let size = Size { slots: 2, bytes: 64 };
            let area: Arc<[_]> = (0..size.words()).map(|_| Seen(AtomicU64::new(0))).collect();
            let posted: Arc<[_]> = [Seen(AtomicU64::new(0))].into();
            let (mut sender, mut receiver) =
                (Sender::new(area.clone(), size), Receiver::new(area, size));
            let theirs = Arc::clone(&posted);
            let sending = loom::thread::spawn(move || {
                for seq in 0..2 {
                    assert!(send(&mut sender, seq, &[1; 8]));
                    mailbox::post(&theirs, 0);
                }
            });
            let (mut mailbox, mut taken) = (Mailbox::new(1), 0);
            while taken < 2 {
                mailbox.fetch(&posted);
                if mailbox.next(|_| false).is_none() {
                    loom::thread::yield_now();
                    continue;
                }
                match receiver.poll().unwrap() {
                    Some(found) => {
                        assert_eq!(found.head.seq, taken);
                        taken += 1;
                    }
                    None => mailbox.remove(0),
                }
            }
            sending.join().unwrap();
        });
    }
}
