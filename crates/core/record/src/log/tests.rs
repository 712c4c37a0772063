//! A log gives back every row that it can, whatever happened to it.
#![allow(clippy::unwrap_used)] // in a test a failure is what `unwrap` reports

use super::*;
use proptest::prelude::*;

const STRIDE: usize = 9;

fn head() -> LogHead {
    LogHead { launch: 3, node: 7, schema: Schema::new(&[Column::Hops, Column::Tag]) }
}

/// A log with a chunk for each number of rows; the words count up.
fn log_of(chunks: &[usize]) -> Vec<u8> {
    let mut file = tempfile::tempfile().unwrap();
    let mut writer = LogWriter::new(file.try_clone().unwrap(), &head()).unwrap();
    let mut next = 0u64..;
    for rows in chunks {
        let words: Vec<u64> = (&mut next).take(rows * STRIDE).collect();
        writer.append(&words).unwrap();
    }
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0)).unwrap();
    file.read_to_end(&mut bytes).unwrap();
    bytes
}

fn read(bytes: &[u8]) -> (Vec<u64>, LogDamage) {
    let mut reader = LogReader::new(bytes).unwrap().unwrap();
    let (mut all, mut rows) = (Vec::new(), Vec::new());
    while reader.next_rows(&mut rows).unwrap() {
        all.extend_from_slice(&rows);
    }
    (all, reader.damage())
}

fn is_part_of_the_count(words: &[u64]) -> bool {
    words.windows(2).all(|pair| pair[0] < pair[1])
        && words.chunks(STRIDE).all(|row| row[0].is_multiple_of(STRIDE as u64))
}

proptest! {
    #[test]
    fn a_log_that_is_whole_gives_back_all(chunks in prop::collection::vec(1usize..40, 0..12)) {
        let (words, damage) = read(&log_of(&chunks));
        let total = chunks.iter().sum::<usize>() * STRIDE;
        prop_assert_eq!(words, (0..total as u64).collect::<Vec<_>>());
        prop_assert_eq!(damage, LogDamage::default());
    }

    #[test]
    fn a_log_that_was_cut_gives_back_its_whole_chunks(
        chunks in prop::collection::vec(1usize..40, 1..8), cut: prop::sample::Index,
    ) {
        let mut bytes = log_of(&chunks);
        bytes.truncate(HEAD_BYTES + cut.index(bytes.len() - HEAD_BYTES));
        let (words, damage) = read(&bytes);
        let (mut end, mut whole) = (HEAD_BYTES, 0);
        for rows in &chunks {
            end += CHUNK_HEAD_BYTES + rows * STRIDE * 8;
            if end <= bytes.len() {
                whole += rows * STRIDE;
            }
        }
        prop_assert_eq!(words, (0..whole as u64).collect::<Vec<_>>());
        prop_assert_eq!(damage.chunks, 0);
        prop_assert_eq!(damage.rows, 0);
    }

    #[test]
    fn a_damaged_byte_costs_one_chunk_and_is_counted(
        chunks in prop::collection::vec(1usize..40, 3..8), at: prop::sample::Index, flip in 1u8..,
    ) {
        let mut bytes = log_of(&chunks);
        // In any chunk but the last, so that the count of the next chunk tells what is missing.
        let last = CHUNK_HEAD_BYTES + chunks[chunks.len() - 1] * STRIDE * 8;
        let at = HEAD_BYTES + at.index(bytes.len() - last - HEAD_BYTES);
        bytes[at] ^= flip;
        let (words, damage) = read(&bytes);
        let total: usize = chunks.iter().sum();
        let most = *chunks.iter().max().unwrap();
        prop_assert!(is_part_of_the_count(&words));
        prop_assert!(damage.chunks == 1 && damage.rows >= 1 && damage.rows <= most as u64);
        prop_assert_eq!(words.len() / STRIDE + damage.rows as usize, total);
    }

    #[test]
    fn noise_after_a_head_is_never_rows(noise in prop::collection::vec(any::<u8>(), 1..4000)) {
        let mut bytes = head().to_bytes().to_vec();
        bytes.extend(noise);
        prop_assert!(read(&bytes).0.is_empty());
    }

    #[test]
    fn what_is_no_head_is_refused(bytes in prop::array::uniform32(any::<u8>())) {
        let mut whole = [0; HEAD_BYTES];
        whole[..32].copy_from_slice(&bytes);
        prop_assert!(LogHead::from_bytes(&whole).is_err());
    }
}

#[test]
fn a_head_says_what_it_is_and_what_it_is_not() {
    let bytes = head().to_bytes();
    assert_eq!(LogHead::from_bytes(&bytes), Ok(head()));
    let mut newer = bytes;
    newer[8] = 200;
    assert_eq!(LogHead::from_bytes(&newer), Err(LogHeadError::TooNew(200)));
    let mut damaged = bytes;
    damaged[13] ^= 1;
    assert!(matches!(LogHead::from_bytes(&damaged), Err(LogHeadError::NotALog(_))));
    assert!(matches!(LogReader::new(&b"short"[..]).unwrap(), Err(LogHeadError::NotALog(_))));
}
