//! The ring against a queue, and noise against the reader of rings.

use super::*;
use proptest::prelude::*;

fn ring(stride: usize, capacity: u64) -> (Producer<Vec<AtomicU64>>, Consumer<Vec<AtomicU64>>) {
    let words = (0..words_needed(stride, capacity)).map(|_| AtomicU64::new(0)).collect();
    lay_out(Arc::new(words), stride, capacity)
}

proptest! {
    /// Against a queue: pushes and takes in any order, and a reader who comes afterwards.
    #[test]
    fn a_ring_is_a_bounded_queue(
        capacity in 1u64..9,
        extras in 0usize..3,
        steps in prop::collection::vec((any::<bool>(), 1u64..6), 0..60),
    ) {
        let stride = BASE_WORDS + extras;
        let (mut producer, mut consumer) = ring(stride, capacity);
        let mut queue = std::collections::VecDeque::new();
        let (mut next, mut out) = (0, Vec::new());
        for (push, times) in steps {
            if push {
                for _ in 0..times {
                    let fits = producer.has_room() || producer.look_again();
                    prop_assert_eq!(fits, (queue.len() as u64) < capacity);
                    if fits {
                        producer.push(&[next; BASE_WORDS], &vec![next; extras]);
                        queue.push_back(next);
                    } else {
                        producer.count_dropped();
                    }
                    next += 1;
                }
            } else {
                let rows = consumer.copy(times, &mut out);
                for row in out.chunks(stride) {
                    prop_assert_eq!(row, vec![queue.pop_front().unwrap(); stride]);
                }
                consumer.release(rows);
            }
        }
        let memory = consumer.memory.clone();
        prop_assert_eq!(producer.pushed() + producer.dropped(), next);
        drop((producer, consumer));
        let late = reopen(memory, stride).unwrap();
        prop_assert_eq!(late.copy(u64::MAX, &mut out) as usize, queue.len());
        prop_assert_eq!(queue, out.chunks(stride).map(|row| row[0]).collect::<Vec<_>>());
    }

    #[test]
    fn noise_is_never_taken_for_a_ring(
        mut words in prop::collection::vec(any::<u64>(), 0..200),
        lie in 0usize..3,
    ) {
        // The first words right, so that the counts are what is looked at.
        let begin = [MAGIC, BASE_WORDS as u64, 4];
        let right = if words.len() < 3 { 0 } else { lie + 1 };
        words[..right].copy_from_slice(&begin[..right]);
        let memory: Vec<AtomicU64> = words.into_iter().map(AtomicU64::new).collect();
        if let Ok(found) = reopen(Arc::new(memory), BASE_WORDS) {
            prop_assert!(found.waiting() <= found.capacity());
        }
    }
}
