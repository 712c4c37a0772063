//! What a receiver did while a message lay in its socket: held against a program that lets each lie
//! in a way that is known.

use crate::followed::followed;
use record::{Batch, Field, NULL, Run};
use std::path::Path;

const COUNT: usize = 20;
const LATE_NS: i64 = 30_000_000;

/// Parts of a receive wait.
const ELSEWHERE: usize = 0;
const WAKING: usize = 1;
const READING: usize = 2;

/// The parts of each line's receive wait, ns.
fn parts(how: &str, transport: &str) -> Vec<[i64; 3]> {
    let home = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/waits.py");
    followed(home.path(), &["python3", script.to_str().unwrap(), how, transport]);
    let run = Run::open(home.path().join("run")).unwrap();
    let of = [Field::ArrivedNs, Field::AwaitedNs, Field::WokenNs, Field::TakenNs];
    let fields = [&of[..], &[Field::Bytes]].concat();
    let (mut batch, mut found) = (Batch::new(), Vec::new());
    for chunk in run.chunks() {
        chunk.read(&fields, &mut batch).unwrap();
        for row in (0..batch.rows()).filter(|row| batch.column(Field::Bytes).at(*row) == 20) {
            let [arrived, awaited, woken, taken] = of.map(|field| batch.column(field).at(row));
            assert_ne!(awaited, NULL, "{how} {transport}");
            let begun = awaited.max(arrived);
            let over = if woken == NULL { taken } else { woken };
            assert!(arrived <= over && begun <= over && over <= taken, "{how} {transport}");
            found.push([begun - arrived, over - begun, taken - over]);
        }
    }
    found
}

/// Each line lay for the time that was planted, and longest in this part.
fn assert_planted(how: &str, part: usize) {
    for transport in ["unix", "tcp"] {
        let parts = parts(how, transport);
        assert_eq!(parts.len(), COUNT, "{how} {transport}");
        // Where a core was taken from it, another part of a line may be longer.
        let is_planted =
            |of: &&[i64; 3]| of[part] >= LATE_NS && of.iter().all(|ns| *ns <= of[part]);
        let planted = parts.iter().filter(is_planted).count();
        assert!(planted >= COUNT * 9 / 10, "{how} {transport}: {parts:?}");
    }
}

#[test]
fn who_does_something_else_before_it_looks_is_elsewhere() {
    for how in ["elsewhere", "other"] {
        assert_planted(how, ELSEWHERE);
    }
}

#[test]
fn who_does_something_else_between_the_end_of_its_wait_and_the_read_is_reading() {
    for how in ["polled", "selected", "woken"] {
        assert_planted(how, READING);
    }
}

#[test]
fn who_is_not_let_go_on_is_waking() {
    for how in ["stopped", "blocked"] {
        assert_planted(how, WAKING);
    }
}
