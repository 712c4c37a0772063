//! QSORT: 64-bit keys put in order in place by quicksort, more of them than need fit in memory.
//!
//! It checks the order, and that the keys are those that it made: their number, sum, and sum of
//! squares.
//!
//!     cargo run --release --package fourstamp-examples --example qsort -- --size 256M

#![forbid(unsafe_code)]

mod given;

use std::process::ExitCode;

/// Below this insertion is faster.
const SHORT: usize = 24;

fn sort(mut keys: &mut [u64], slow: u32) {
    while keys.len() > SHORT {
        let middle = partition(keys, slow);
        let (low, high) = keys.split_at_mut(middle);
        // The shorter part first and the longer one in the loop: the stack stays small.
        let (short, long) = if low.len() < high.len() { (low, high) } else { (high, low) };
        sort(short, slow);
        keys = long;
    }
    for i in 1..keys.len() {
        let place = keys[..i].partition_point(|key| *key <= keys[i]);
        keys[place..=i].rotate_right(1);
    }
}

/// Hoare's: from both ends. What lies before the answer is at most as large as what lies behind;
/// neither part is empty.
fn partition(keys: &mut [u64], slow: u32) -> usize {
    let last = keys.len() - 1;
    let mut sample = [keys[0], keys[last / 2], keys[last]];
    sample.sort_unstable();
    let pivot = sample[1];
    let (mut left, mut right) = (0, last);
    loop {
        while given::work(slow, || keys[left] < pivot) {
            left += 1;
        }
        while given::work(slow, || keys[right] > pivot) {
            right -= 1;
        }
        if left >= right {
            // at most `last`: two of the three samples are no smaller than the pivot, so `left`
            // stops early
            return right + 1;
        }
        keys.swap(left, right);
        (left, right) = (left + 1, right - 1);
    }
}

/// The same for the same keys in any order, and practically for no others.
fn fingerprint(keys: &[u64]) -> (u64, u64) {
    keys.iter().fold((0, 0), |(sum, squares), key| {
        (sum.wrapping_add(*key), squares.wrapping_add(key.wrapping_mul(*key)))
    })
}

fn main() -> ExitCode {
    let n = given::size_bytes(64 << 20) / size_of::<u64>();
    let mut keys = vec![0; n];
    keys.iter_mut().enumerate().for_each(|(index, key)| *key = given::noise(index as u64));
    let before = fingerprint(&keys);
    sort(&mut keys, given::slow());
    let disorders = keys.windows(2).filter(|pair| pair[0] > pair[1]).count();
    let same = fingerprint(&keys) == before;
    let kept = if same { "all kept" } else { "NOT those that were there" };
    given::verdict(
        same && disorders == 0,
        &format!("qsort: {n} keys, {disorders} out of order, {kept}"),
    )
}
