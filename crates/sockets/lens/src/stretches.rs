//! What the stretches of an exchange are called.

use document::Colour;
use streams::exchanges::STRETCHES;

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

/// All, in the order of time.
pub const ALL: [Stretch; STRETCHES] = [
    stretch("request: send wait", "b", "the request waited to be sent"),
    stretch("request: transit", "c", "the request was on its way"),
    stretch("request: receive wait", "d", "the request lay unread in the answerer's socket"),
    stretch("service", "work", "the answerer had the request and no answer yet"),
    stretch("answer: send wait", "collect", "the answer waited to be sent"),
    stretch("answer: transit", "cycle", "the answer was on its way"),
    stretch("answer: receive wait", "undo", "the answer lay unread in the asker's socket"),
];

/// The service.
pub const SERVICE: usize = 3;
/// The part of it in which the answerer waited for an answer itself.
pub const ASKING: &str = "… of it, asking others";
/// The receive wait of the request.
pub const RECEIVE_WAIT: usize = 2;
/// What lies between an asker's request and answer where the answerer was not traced.
pub const ELSEWHERE: &str = "network and answerer";

/// The stretches that make up most, in words: those of 10 % and more, the longest first.
pub fn in_words(shares: &[f64; STRETCHES]) -> String {
    let mut order: Vec<usize> = (0..STRETCHES).collect();
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
        let said = in_words(&[0.0, 0.05, 0.6, 0.3, 0.0, 0.05, 0.0]);
        let first = said.find("lay unread in the answerer's socket").unwrap();
        assert!(first < said.find("no answer yet").unwrap(), "{said}");
        assert!(!said.contains("on its way"), "{said}");
    }
}
