//! What the stretches of an exchange are called.

use document::Colour;
use streams::exchanges::{Exchange, STRETCHES};

/// A stretch.
pub struct Stretch {
    /// In a table, and as the name of a part of a bar.
    pub name: &'static str,
    pub colour: Colour,
    /// What it was, after "for 62 % of that time".
    pub was: &'static str,
}

const fn stretch(name: &'static str, colour: &'static str, was: &'static str) -> Stretch {
    Stretch { name, colour: Colour(colour), was }
}

/// How many stretches there are to tell of.
pub const STRETCHES_AND_ELSEWHERE: usize = STRETCHES + 1;

/// Those of an exchange, in the order of time; and what lies between request and answer where the
/// answerer was not traced.
pub const ALL: [Stretch; STRETCHES_AND_ELSEWHERE] = [
    stretch("request: writing", "s3", "the asker wrote the request in several calls"),
    stretch("request: send wait", "b", "the request waited to be sent"),
    stretch("request: transit", "c", "the request was on its way"),
    stretch("request: receive wait", "d", "the request lay unread in the answerer's socket"),
    stretch("service", "work", "the answerer had the request and no answer yet"),
    stretch("answer: writing", "s5", "the answerer wrote the answer in several calls"),
    stretch("answer: send wait", "collect", "the answer waited to be sent"),
    stretch("answer: transit", "cycle", "the answer was on its way"),
    stretch("answer: receive wait", "undo", "the answer lay unread in the asker's socket"),
    stretch("network and answerer", "idle", "the network or the answerer had it"),
];

/// The service.
pub const SERVICE: usize = 4;
/// The part of it in which the answerer had asked another and had no answer yet.
pub const ASKING: &str = "… of it, asking others";
/// Those of which nothing is said where each is 0: most are written in one call.
pub const WRITING: [usize; 2] = [0, 5];
/// The receive wait of the request.
pub const RECEIVE_WAIT: usize = 3;

/// How long each was, ns, where that is known.
pub fn known(exchange: &Exchange) -> [Option<i64>; STRETCHES_AND_ELSEWHERE] {
    let stretches = exchange.stretches();
    let at = |at| if at < STRETCHES { stretches[at] } else { exchange.elsewhere() };
    std::array::from_fn(at)
}

/// The stretches that make up most, in words: those of 10 % and more, the longest first.
pub fn in_words(shares: &[f64]) -> String {
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|one, other| shares[*other].total_cmp(&shares[*one]));
    let long = order.into_iter().filter(|at| shares[*at] >= 0.1).take(3);
    let said: Vec<String> = long
        .map(|at| format!("for {} of it {}", document::part(shares[at]), ALL[at].was))
        .collect();
    said.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_stretch_is_said_first_and_short_ones_are_not() {
        let said = in_words(&[0.0, 0.0, 0.05, 0.6, 0.3, 0.0, 0.0, 0.05, 0.0]);
        let first = said.find("lay unread in the answerer's socket").unwrap();
        assert!(first < said.find("no answer yet").unwrap(), "{said}");
        assert!(!said.contains("on its way"), "{said}");
    }
}
