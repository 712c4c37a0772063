//! Every interleaving of the protocol, by loom: a node that records, a thread that keeps its rows,
//! and a reader who comes after a kill.

use super::*;
use loom::sync::atomic::AtomicU64;
use loom::thread;

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

const CAPACITY: u64 = 2;
const ROWS: u64 = 3;

fn ring() -> (Producer<Vec<Seen>>, Consumer<Vec<Seen>>) {
    let words = (0..words_needed(BASE_WORDS, CAPACITY)).map(|_| Seen(AtomicU64::new(0))).collect();
    lay_out(Arc::new(words), BASE_WORDS, CAPACITY)
}

fn push_all(mut producer: Producer<Vec<Seen>>) -> u64 {
    let mut pushed = 0;
    for row in 1..=ROWS {
        if producer.has_room() || producer.look_again() {
            producer.push(&[row; BASE_WORDS], &[]);
            pushed += 1;
        }
    }
    pushed
}

/// Rows that rise, each whole: never a word of one row among those of another.
fn check(out: &[u64], above: &mut u64) {
    for row in out.chunks(BASE_WORDS) {
        assert!(row[0] > *above && row.iter().all(|word| *word == row[0]), "a torn row: {row:?}");
        *above = row[0];
    }
}

#[test]
fn the_consumer_sees_whole_rows_in_order_while_the_ring_wraps() {
    loom::model(|| {
        let (producer, mut consumer) = ring();
        let node = thread::spawn(move || push_all(producer));
        let (mut out, mut above, mut taken) = (Vec::new(), 0, 0);
        for _ in 0..2 {
            let rows = consumer.copy(u64::MAX, &mut out);
            check(&out, &mut above);
            consumer.release(rows);
            taken += rows;
        }
        let pushed = node.join().expect("the node ends");
        taken += consumer.copy(u64::MAX, &mut out);
        check(&out, &mut above);
        assert_eq!(taken, pushed);
    });
}

#[test]
fn whoever_looks_at_a_moment_of_a_kill_finds_whole_rows() {
    loom::model(|| {
        let (producer, mut consumer) = ring();
        let memory = consumer.memory.clone();
        let node = thread::spawn(move || push_all(producer));
        let mut out = Vec::new();
        let rows = consumer.copy(1, &mut out);
        consumer.release(rows);
        // The consumer has gone, as in a kill; the producer is stopped by not being looked at any
        // more. While it has room left, what it pushes goes to places that this reader does not
        // read.
        if consumer.taken() == 0
            && let Ok(late) = reopen(memory, BASE_WORDS)
        {
            late.copy(u64::MAX, &mut out);
            check(&out, &mut 0);
        }
        node.join().expect("the node ends");
    });
}
