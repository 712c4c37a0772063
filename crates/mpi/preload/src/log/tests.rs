use super::*;
use calls::entry::PIECE_WORDS;
use calls::entry::files::FORMAT;
use calls::log::{Entry, LogDamage, LogReader};
use proptest::prelude::*;

fn log(folder: &Path) -> Log {
    Log::create(&folder.join("launch-0-node-3"), (None, 3), 8).unwrap()
}

/// The words of the log and of the tail behind it.
fn words(folder: &Path) -> Vec<u64> {
    let read = |ending: &str| {
        let bytes = std::fs::read(folder.join("launch-0-node-3").with_extension(ending))
            .unwrap_or_default();
        bytes.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect::<Vec<_>>()
    };
    let (log, tail) = (read("calls"), read("tail"));
    let mut all = log[HEAD_WORDS..].to_vec();
    if !tail.is_empty() {
        assert_eq!(all.len() as u64, tail[FIRST_WORD]);
        all.extend(&tail[HEAD_WORDS..][..tail[USED] as usize]);
    }
    all
}

fn calls(words: &[u64]) -> Vec<(Call, Vec<Completion>)> {
    let (calls, damage) = damaged(words);
    assert_eq!(damage, LogDamage::default());
    calls
}

fn damaged(words: &[u64]) -> (Vec<(Call, Vec<Completion>)>, LogDamage) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (mut reader, mut calls) = (LogReader::new(bytes.as_slice(), FORMAT), Vec::new());
    while let Some(entry) = reader.next_entry().unwrap() {
        let Entry::Call(call, completions) = entry else { panic!("{entry:?} is no call") };
        calls.push((*call, entry::completions(completions).collect()));
    }
    (calls, reader.damage())
}

#[test]
fn a_log_is_never_longer_than_the_process_may_write() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: room for the limit, which is lowered to what no test here writes.
    unsafe {
        libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit);
        limit.rlim_cur = limit.rlim_max.min(1 << 40);
        libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit);
    }
    assert!(allowed(limit.rlim_cur).is_ok());
    let refused = allowed(limit.rlim_cur + 1).unwrap_err();
    assert!(refused.to_string().contains("ulimit -f"), "{refused}");
}

#[test]
fn entries_come_back_in_order_before_and_after_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = log(folder.path());
    for enter in 1..5000 {
        log.call(&Call { enter, exit: enter + 1, flags: flags::MESSAGE, ..Call::default() })
            .unwrap();
    }
    let enters =
        |words: &[u64]| calls(words).iter().map(|(call, _)| call.enter).collect::<Vec<_>>();
    assert_eq!(enters(&words(folder.path())), (1..5000).collect::<Vec<_>>(), "while it goes on");
    log.finish().unwrap();
    assert_eq!(enters(&words(folder.path())), (1..5000).collect::<Vec<_>>(), "after the end");
}

#[test]
fn a_call_that_comes_again_takes_few_words_and_each_piece_of_the_log_is_read_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = log(folder.path());
    let call = Call { flags: flags::MESSAGE | flags::SENDS, site: 3, ..Call::default() };
    (1..10).for_each(|at| log.call(&Call { enter: at, exit: at + 1, ..call }).unwrap());
    assert_eq!(log.used, PIECE_WORDS + CALL_WORDS + 8);
    log.call(&Call { enter: 1 << 40, exit: 1 << 41, ..call }).unwrap();
    assert_eq!(log.used, PIECE_WORDS + 2 * CALL_WORDS + 8, "it took too long");
    log.call(&Call { enter: 1 << 42, exit: 1 + (1 << 42), ..call }).unwrap();
    let used = PIECE_WORDS + 2 * CALL_WORDS + 8 + AGAIN_WORDS;
    assert_eq!(log.used, used, "it was a long time after");
    log.flush().unwrap();
    log.call(&Call { enter: 1 << 43, exit: 1 + (1 << 43), ..call }).unwrap();
    assert_eq!(log.used, PIECE_WORDS + CALL_WORDS, "whole again");
}

proptest! {
    #[test]
    fn whatever_is_called_comes_back(
        calls_made in proptest::collection::vec((0..3u16, 0..3u32, 0..3i32, 0..9u8), 1..3000),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (mut log, mut made) = (log(folder.path()), Vec::new());
        let mut begun = std::collections::HashMap::<_, Pending>::new();
        for (at, (operation, site, peer, other)) in calls_made.into_iter().enumerate() {
            let enter = at as u64 * 100;
            let call = Call {
                operation, site, peer, enter, exit: enter + 30,
                flags: if other == 0 { 0 } else { flags::MESSAGE },
                ..Call::default()
            };
            let call = if other == 0 { Call { peer: 0, ..call } } else { call };
            let done = if other == 1 { vec![Completion::default()] } else { Vec::new() };
            match other {
                1 => log.call_with(&call, &done).unwrap(),
                2 => log.poll(&call).unwrap(),
                3..6 => {
                    let like = begun.entry((operation, site, peer)).or_default();
                    if !log.begun_again(*like, enter) {
                        *like = log.begun(&Call { exit: 0, ..call }).unwrap();
                    }
                    if other == 3 {
                        log.pending(&Call { exit: 0, enter: 1, ..call }).unwrap();
                    }
                    if !log.left(*like, enter, call.exit) {
                        log.call(&call).unwrap();
                    }
                }
                _ => log.call(&call).unwrap(),
            }
            if other != 2 {
                made.push((call, done));
            }
        }
        log.finish().unwrap();
        let mut read = calls(&words(folder.path()));
        read.retain(|(call, _)| call.flags & flags::POLLS == 0);
        prop_assert_eq!(read, made);
    }
}

/// A step of a program that begins requests and waits for them: function, place, peer, and what.
type Step = (u16, u32, i32, u8);

/// The calls of such a program.
fn program(steps: &[Step]) -> Vec<(Call, Vec<Completion>)> {
    let (mut request, mut enter) = (0, 100);
    let call = |(operation, site, peer, what): &Step| {
        enter += if *what == 0 { 1 << 30 } else { 50 };
        let call =
            Call { operation: *operation, site: *site, enter, exit: enter + 30, ..Call::default() };
        let message = Call { flags: flags::MESSAGE | flags::SENDS, peer: *peer, tag: 7, ..call };
        let done = |back: u32| Completion {
            request: u32::wrapping_sub(request, back),
            flags: back % 2,
            source: *peer,
            tag: 7,
            bytes: 64,
        };
        match what {
            0..3 => (message, Vec::new()),
            3..7 => {
                request += if *peer == 9 { 5 } else { 1 };
                (Call { request, ..message }, Vec::new())
            }
            _ => (call, (0..u32::from(what - 7)).map(done).collect()),
        }
    };
    steps.iter().map(call).collect()
}

/// The words of the log of these calls, all in the log itself.
fn written(made: &[(Call, Vec<Completion>)]) -> Vec<u64> {
    let folder = tempfile::tempdir().unwrap();
    let mut log = log(folder.path());
    for (call, done) in made {
        match done.is_empty() {
            true => log.call(call).unwrap(),
            false => log.call_with(call, done).unwrap(),
        }
    }
    log.finish().unwrap();
    words(folder.path())
}

/// Where entries begin.
fn begins(words: &[u64]) -> Vec<usize> {
    let next = |at: &usize| {
        let next = at + entry::kind_and_words(words[*at]).1;
        (next < words.len()).then_some(next)
    };
    std::iter::successors(Some(0), next).collect()
}

fn steps(many: usize) -> impl Strategy<Value = Vec<Step>> {
    let peer = prop_oneof![8 => 0..3i32, 1 => Just(9)];
    proptest::collection::vec((0..2u16, 0..3u32, peer, 0..11u8), 1..many)
}

proptest! {
    #[test]
    fn requests_and_what_completes_them_come_back(steps in steps(200), times in 1..60usize) {
        let made = program(&steps.repeat(times));
        prop_assert_eq!(calls(&written(&made)), made);
    }

    #[test]
    fn a_hole_takes_nothing_with_it_but_itself(
        steps in steps(100), times in 1..60usize, hole in any::<(prop::sample::Index, u8)>(),
    ) {
        let made = program(&steps.repeat(times));
        let mut words = written(&made);
        // A hole in an entry may leave words that look like one: they have no checksum.
        let begins = begins(&words);
        let from = hole.0.index(begins.len());
        let to = begins.get(from + usize::from(hole.1)).copied().unwrap_or(words.len());
        words[begins[from]..to].fill(0);
        let mut rest = made.iter();
        for call in damaged(&words).0 {
            prop_assert!(rest.any(|made| *made == call), "{:?} was never made", call);
        }
    }
}

#[test]
fn a_log_that_ends_at_any_word_has_all_calls_until_then() {
    let step = |at: u32| ((at % 2) as u16, at % 3, (at % 5 % 3) as i32, (at * 7 % 11) as u8);
    let made = program(&(0..66).map(step).collect::<Vec<_>>().repeat(40));
    let words = written(&made);
    // All ends among the first calls, the last, and where the reader goes on to its second chunk.
    let chunk = 1 << 13;
    assert!(words.len() > chunk + 300, "{}", words.len());
    for ends in [0..900, chunk - 300..chunk + 300, words.len() - 300..words.len() + 1] {
        let mut before = damaged(&words[..ends.start]).0.len();
        for end in ends {
            let (read, damage) = damaged(&words[..end]);
            let either = before..before + 2;
            assert!(made.starts_with(&read) && either.contains(&read.len()), "{end}");
            assert!(damage.words < 40, "{damage:?}");
            before = read.len();
        }
    }
    assert_eq!(damaged(&words).0.len(), made.len());
}

#[test]
fn requests_of_a_loop_take_a_word_each_and_so_does_the_wait_for_them() {
    let steps = [(1, 1, 1, 3), (1, 2, 2, 3), (0, 3, 1, 9)];
    let size = |times: usize| written(&program(&steps.repeat(times))).len();
    assert_eq!(size(100) - size(99), 3);
}

#[test]
fn a_call_with_many_completions_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = log(folder.path());
    let done: Vec<Completion> =
        (1..=50_000).map(|request| Completion { request, ..Completion::default() }).collect();
    log.call_with(&Call { enter: 1, exit: 2, ..Call::default() }, &done).unwrap();
    log.finish().unwrap();
    let calls = calls(&words(folder.path()));
    assert_eq!(calls.len(), 25);
    assert!(calls.iter().skip(1).all(|(call, _)| call.flags == flags::CONTINUED));
    assert_eq!(calls.into_iter().flat_map(|(_, done)| done).collect::<Vec<_>>(), done);
}

#[test]
fn polls_in_a_row_are_one_entry_until_something_else_or_a_pause_comes() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = log(folder.path());
    let call = |enter| Call { enter, exit: enter + 1, ..Call::default() };
    (10..15).for_each(|enter| log.poll(&call(enter)).unwrap());
    log.call(&call(20)).unwrap();
    [30, 31, 41].into_iter().for_each(|enter| log.poll(&call(enter)).unwrap());
    let seen: Vec<_> = calls(&words(folder.path()))
        .iter()
        .map(|(call, _)| (call.flags, call.enter, call.exit, call.request))
        .collect();
    let polls = |enter, exit, many| (flags::POLLS, enter, exit, many);
    assert_eq!(seen, [polls(10, 15, 5), (0, 20, 21, 0), polls(30, 32, 2), polls(41, 42, 1)]);
}

#[test]
fn polls_for_different_things_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = log(folder.path());
    let poll =
        |(tag, at)| Call { enter: at, exit: at, flags: flags::MESSAGE, tag, ..Call::default() };
    [(7, 1), (7, 2)].into_iter().for_each(|one| log.poll(&poll(one)).unwrap());
    let flags_now = |folder: &Path| calls(&words(folder))[0].0.flags;
    assert_eq!(flags_now(folder.path()), flags::MESSAGE | flags::POLLS);
    [(8, 3), (7, 4)].into_iter().for_each(|one| log.poll(&poll(one)).unwrap());
    assert_eq!(flags_now(folder.path()), flags::MESSAGE | flags::POLLS | flags::MIXED);
    assert_eq!(calls(&words(folder.path()))[0].0.request, 4, "one entry all the same");
}

#[test]
fn a_pending_call_lies_behind_the_used_words_and_gives_way() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = log(folder.path());
    log.pending(&Call { enter: 5, ..Call::default() }).unwrap();
    assert!(calls(&words(folder.path())).is_empty());
    assert_eq!(log.entries()[PIECE_WORDS + 1].load(Ordering::Relaxed), 5);
    log.call(&Call { enter: 5, exit: 6, ..Call::default() }).unwrap();
    assert_eq!(calls(&words(folder.path())).len(), 1);
    assert_eq!(log.entries()[PIECE_WORDS + 4].load(Ordering::Relaxed), 0, "the end is marked");
}
