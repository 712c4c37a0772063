//! The log of a traced process, of any words: it is read to its end, and what is read is written as
//! the same words. As a head they may say anything of a process, or nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use streams::ProcessFacts;
use streams::entry::{Entries, Entry, Kind, hides_slot, thread_slot, unread_slot, wait_slot};

fuzz_target!(|words: Vec<u64>| {
    let mut entries = Entries::new(&words);
    let mut read = 0;
    for entry in entries.by_ref() {
        read += 1;
        match entry {
            Entry::Send(call) => assert_eq!(again(&call.slot(Kind::Send)), entry),
            Entry::Receive(call) => assert_eq!(again(&call.slot(Kind::Receive)), entry),
            Entry::Socket(socket) => assert_eq!(again(&socket.slots()), entry),
            Entry::Ends(ends) => assert_eq!(again(&ends.slot()), entry),
            Entry::Before(before) => assert_eq!(again(&before.slot()), entry),
            Entry::After(after) => assert_eq!(again(&after.slot()), entry),
            Entry::Unread { socket, look } => assert_eq!(again(&unread_slot(socket, look)), entry),
            Entry::Hides { socket, hiding } => {
                assert_eq!(again(&hides_slot(socket, hiding)), entry)
            }
            Entry::Wait(times) => assert_eq!(again(&wait_slot(times)), entry),
            Entry::Thread(thread) => assert_eq!(again(&thread_slot(thread)), entry),
            Entry::Close { .. } | Entry::Guess { .. } | Entry::Stop { .. } => {}
        }
    }
    let head: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let _ = ProcessFacts::in_head(&head);
    assert!(read + entries.damaged() <= words.len() as u64 / 4);
});

fn again(words: &[u64]) -> Entry {
    Entries::new(words).next().expect("what was written")
}
