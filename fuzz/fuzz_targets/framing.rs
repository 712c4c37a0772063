//! Any bytes in both directions of a connection, by any rule, or by one that is guessed: every end
//! lies behind the one before, none beyond the bytes, and the same ends are found however the bytes
//! are cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use streams::framing::{Follower, Found, PortRule, Shared, Side};

const RULES: [&str; 8] = [
    "resp",
    "http",
    "lines",
    "length:2be",
    "length:4le-4",
    "length:8be+3",
    "length:8le@16",
    "length:8le@8-16",
];

fuzz_target!(|input: (u8, u8, Vec<(bool, Vec<u8>)>)| {
    let (rule, cut, pieces) = input;
    // Beyond the last: none is given.
    let rule = RULES.get(usize::from(rule) % (RULES.len() + 1)).map(|rule| format!("1={rule}"));
    let rule: Option<PortRule> = rule.map(|rule| rule.parse().expect("a rule of the list"));
    let whole = ends(rule.as_ref(), &pieces, usize::MAX);
    assert_eq!(whole, ends(rule.as_ref(), &pieces, usize::from(cut).max(1)));
});

/// The ends of messages, and whether each direction ended, with pieces of at most so many bytes.
fn ends(
    rule: Option<&PortRule>,
    pieces: &[(bool, Vec<u8>)],
    most: usize,
) -> Vec<(bool, Option<u64>)> {
    let shared = Shared::default();
    let follower = |side| match rule {
        Some(rule) => Follower::new(rule, side),
        None => Follower::guessing(side),
    };
    let mut followers = [Side::Request, Side::Answer].map(follower);
    let (mut moved, mut last, mut found) = ([0, 0], [0, 0], Vec::new());
    for (is_answer, bytes) in pieces {
        let at = usize::from(*is_answer);
        moved[at] += bytes.len() as u64;
        for piece in bytes.chunks(most.min(bytes.len()).max(1)) {
            followers[at].follow(piece, &shared, |one| match one {
                Found::End(offset, _) => {
                    assert!(last[at] < offset && offset <= moved[at]);
                    last[at] = offset;
                    found.push((*is_answer, Some(offset)));
                }
                Found::Stop(..) => found.push((*is_answer, None)),
                Found::Guess(_) => assert!(rule.is_none() && last[at] == 0),
            });
        }
    }
    found
}
