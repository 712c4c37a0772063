//! The moments at which servers were lost or joined, as marks on a chart along the run.

use document::chart::{Curve, Dash, Dots, Side, Symbol};
use document::time;
use pager_facts::{Happened, PagerEvent, PagerFacts};
use report::build::MARK;

/// More marks would hide each other; all events are listed in a section of their own.
const MARKED_AT_MOST: usize = 30;
/// Events nearer to each other than this part of the run share a mark.
const NEAR: f64 = 0.03;

/// A moment, and what happened about it.
#[derive(Debug, PartialEq)]
pub(super) struct Mark {
    at_s: f64,
    lost: usize,
    joined: usize,
    /// All of it in words.
    text: String,
    /// Its word goes to the left, because it is near the right edge.
    to_left: bool,
}

/// The marks of a run that lasted `end_s`, in order.
pub(super) fn marks(pager: &PagerFacts, end_s: f64) -> Vec<Mark> {
    let of_server = |event: &&PagerEvent| {
        matches!(event.what, Happened::ServerDown { .. } | Happened::ServerJoined { .. })
    };
    let mut events: Vec<&PagerEvent> = pager.events().filter(of_server).collect();
    events.sort_by(|one, other| one.at_s.total_cmp(&other.at_s));
    let mut marks: Vec<Mark> = Vec::new();
    for event in events {
        let near = marks.last().is_some_and(|mark| event.at_s - mark.at_s < NEAR * end_s);
        if !near {
            let to_left = event.at_s > 0.85 * end_s;
            marks.push(Mark { at_s: event.at_s, lost: 0, joined: 0, text: String::new(), to_left });
        }
        marks.last_mut().into_iter().for_each(|mark| mark.add(event));
    }
    marks.truncate(MARKED_AT_MOST);
    marks
}

impl Mark {
    fn add(&mut self, event: &PagerEvent) {
        match event.what {
            Happened::ServerJoined { .. } => self.joined += 1,
            _ => self.lost += 1,
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&format!("{} {}", time(event.at_s * 1e9), event.what));
    }

    /// `server lost`, `2 lost, 1 joined`.
    fn word(&self) -> String {
        match (self.lost, self.joined) {
            (1, 0) => "server lost".to_owned(),
            (0, 1) => "server joined".to_owned(),
            (lost, 0) => format!("{lost} servers lost"),
            (0, joined) => format!("{joined} servers joined"),
            (lost, joined) => format!("{lost} lost, {joined} joined"),
        }
    }
}

/// A line from the bottom to near `top` for each, with its word at the upper end.
pub(super) fn lines(marks: &[Mark], top: f64) -> Curve {
    let high = top * 0.95;
    // Lines are parted by points that are nowhere.
    let x: Vec<f64> = marks.iter().flat_map(|mark| [mark.at_s, mark.at_s, f64::NAN]).collect();
    let y: Vec<f64> = marks.iter().flat_map(|_| [0.0, high, f64::NAN]).collect();
    let side = |mark: &Mark| if mark.to_left { Side::Left } else { Side::Right };
    let nothing = || (String::new(), Side::Above);
    let only_top = |mark: &Mark| [nothing(), (mark.word(), side(mark)), nothing()];
    let words = marks.iter().flat_map(only_top).collect();
    let ends = |mark: &Mark| [mark.text.clone(), mark.text.clone(), String::new()];
    let dots = Dots { paint: MARK.into(), size: 7.0, symbol: Symbol::Diamond };
    let lines = Curve::line(x, y, MARK, 1.4).dashed(Dash::Dot).dots(dots);
    lines.words(words).tips(marks.iter().flat_map(ends).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pager_facts::{Leaving, Paged};

    fn pager(events: &[(f64, Happened)]) -> PagerFacts {
        let event = |(at_s, what): &(f64, Happened)| PagerEvent { at_s: *at_s, what: what.clone() };
        let events = events.iter().map(event).collect();
        PagerFacts { processes: vec![Paged { events, ..Paged::default() }], ..Default::default() }
    }

    #[test]
    fn servers_are_marked_and_nothing_else() {
        let down = |server, address: &str| Happened::ServerDown {
            server,
            address: address.into(),
            why: "gone".into(),
        };
        let pager = pager(&[
            (9.0, Happened::ServerJoined { server: 4, address: "a:1".into() }),
            (1.0, down(1, "<a>:1")),
            (1.1, down(2, "b:1")),
            (5.0, Happened::PageTaken { page: 0x1000, how: Leaving::Unmapped }),
            (6.0, Happened::Told("in the words of an old run, server 3 is down: gone".into())),
        ]);
        let marks = marks(&pager, 10.0);
        let words: Vec<(f64, String)> = marks.iter().map(|mark| (mark.at_s, mark.word())).collect();
        assert_eq!(words, [(1.0, "2 servers lost".to_owned()), (9.0, "server joined".to_owned())]);
        assert!(marks[1].to_left && !marks[0].to_left);
        assert!(
            marks[0].text.contains("is down") && marks[0].text.contains("<a>"),
            "{}",
            marks[0].text
        );
    }
}
