use super::*;
use std::io::Write;

/// A log of these chunks: their roles, and the slots that each begins with.
fn log(chunks: &[(Role, &[u64])]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.set_len(place_of(chunks.len() as u32)).unwrap();
    for (number, chunk) in (0..).zip(chunks) {
        put(&mut file, number, *chunk);
    }
    file
}

fn put(file: &mut File, number: u32, (role, slots): (Role, &[u64])) {
    let mut words = vec![role.word(), 0, 0, 0];
    words.extend(slots.iter().flat_map(|slot| [*slot, 0, 0, 0]));
    words.resize(CHUNK_BYTES / 8, 0);
    file.seek(SeekFrom::Start(place_of(number))).unwrap();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    file.write_all(&bytes).unwrap();
}

/// The slots of all chunks that count.
fn slots(windows: &Windows, file: &File, chunks: u32) -> Vec<Vec<u64>> {
    let of = |number| {
        let words = words_at(file, number).unwrap();
        let slots = windows.slots_of(number, &words).chunks(SLOT_WORDS).map(|slot| slot[0]);
        slots.filter(|slot| *slot != 0).collect()
    };
    (0..chunks).map(of).collect()
}

#[test]
fn slots_count_once_wherever_the_process_was_ended() {
    let chunks: &[(Role, &[u64])] = &[
        (Role::Fills(2), &[1, 2, 3]), // ended while these were written to chunk 2
        (Role::Written, &[4, 5]),     // ended before these were taken out of the window
        (Role::Kept, &[1, 2]),
        (Role::Kept, &[4, 5]),
        (Role::Fills(9), &[6]), // ended before chunk 9 was begun
    ];
    let file = log(chunks);
    let windows = Windows::of(&file, chunks.len() as u64, false).unwrap();
    let counted = slots(&windows, &file, chunks.len() as u32);
    assert_eq!(counted, [vec![1, 2, 3], vec![], vec![], vec![4, 5], vec![6]]);
}

#[test]
fn a_log_that_goes_on_is_read_as_it_was_seen() {
    let mut file = log(&[(Role::Fills(1), &[1, 2])]);
    let windows = Windows::of(&file, 1, true).unwrap();
    put(&mut file, 1, (Role::Kept, &[1, 2, 3]));
    put(&mut file, 0, (Role::Fills(2), &[4]));
    put(&mut file, 2, (Role::Written, &[]));
    assert_eq!(slots(&windows, &file, 3), [vec![1, 2], vec![], vec![]]);
}

#[test]
fn a_log_that_was_cut_has_what_is_left_of_it() {
    let file = log(&[(Role::Kept, &[1]), (Role::Fills(7), &[2, 3])]);
    for (bytes, left) in [(64, vec![vec![1], vec![2]]), (3, vec![vec![1], vec![]])] {
        file.set_len(place_of(1) + bytes).unwrap();
        let windows = Windows::of(&file, 2, false).unwrap();
        assert_eq!(slots(&windows, &file, 2), left, "{bytes}");
    }
}
