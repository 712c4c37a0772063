//! What people should know at once of a run that goes on: servers that die or join, pages that are
//! not safe, and the end of that.

use pager_facts::{Happened, Paged, PagerEvent};
use std::collections::BTreeMap;

/// What has been told of each process.
#[derive(Default)]
pub struct News {
    told: BTreeMap<u32, usize>,
}

impl News {
    /// A line for each event that has not been told, in order.
    pub fn look(&mut self, processes: &[Paged]) -> Vec<String> {
        processes.iter().flat_map(|process| self.of(process)).collect()
    }

    fn of(&mut self, process: &Paged) -> Vec<String> {
        let told = self.told.entry(process.pid).or_default();
        let new = process.events.get(*told..).unwrap_or_default();
        *told = process.events.len();
        new.iter().filter(|event| is_news(event)).map(|event| line(process.pid, event)).collect()
    }
}

/// The others are in the report: they say nothing that one could act on while the program runs.
fn is_news(event: &PagerEvent) -> bool {
    use Happened::{DiskFailed, DiskWrong, Exposed, Rebuilt, ServerDown, ServerJoined};
    matches!(
        event.what,
        ServerDown { .. }
            | ServerJoined { .. }
            | Exposed { .. }
            | Rebuilt { .. }
            | DiskFailed { .. }
            | DiskWrong
    )
}

fn line(pid: u32, event: &PagerEvent) -> String {
    format!("fourstamp: process {pid}, at {:.1} s: {}", event.at_s, event.what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_of_note_is_told_once() {
        let event = |at_s, what| PagerEvent { at_s, what };
        let mut process = Paged { pid: 7, ..Paged::default() };
        let mut news = News::default();
        process.events.push(event(1.0, Happened::Exposed { groups: 2 }));
        process.events.push(event(1.5, Happened::HeldTooMuch { bytes: 1 }));
        let told = news.look(std::slice::from_ref(&process));
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("fourstamp: process 7, at 1.0 s: 2 groups"), "{told:?}");
        assert!(news.look(std::slice::from_ref(&process)).is_empty());
        process.events.push(event(2.0, Happened::Rebuilt { pages: 0 }));
        assert!(
            news.look(&[process])[0]
                .ends_with("at 2.0 s: every page that is not lost is protected again")
        );
    }
}
