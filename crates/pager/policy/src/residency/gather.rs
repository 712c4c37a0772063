//! All that has contents, in memory at once: for a moment at which the program forks.

use super::Residency;
use crate::Page;
use crate::table::{Seat, State};

/// Pages on their way at a time: enough to keep every place busy.
const COMING_MAX: u64 = 1024;

/// Whether all is to be here, and what has not been asked for yet.
#[derive(Default)]
pub(super) struct Gathering {
    /// More than one thread may fork.
    asked: u32,
    left: Vec<Seat>,
}

impl Gathering {
    pub(super) fn is_on(&self) -> bool {
        self.asked > 0
    }
}

/// How a page with contents is.
#[derive(PartialEq)]
enum Whereabouts {
    /// There is nothing to bring.
    Nothing,
    Here,
    Away,
    Lost,
}

fn whereabouts(state: State) -> Whereabouts {
    match state {
        State::Free | State::Zero | State::Filling => Whereabouts::Nothing,
        State::Resident | State::Clean => Whereabouts::Here,
        State::Lost => Whereabouts::Lost,
        State::Grabbing
        | State::Dropping
        | State::Framed
        | State::Installing
        | State::Borrowing
        | State::Stored
        | State::Coming
        | State::ComingFramed => Whereabouts::Away,
    }
}

impl Residency {
    pub fn gather(&mut self, most: u64) -> bool {
        let all = self.pages(Page(0), u64::MAX >> 12);
        let contents = all.filter(|(_, seat)| self.whereabouts(*seat) != Whereabouts::Nothing);
        if contents.count() as u64 > most {
            return false;
        }
        self.gathering.asked += 1;
        self.room.lift();
        self.settle();
        true
    }

    pub fn bring_all(&mut self, first: Page, pages: u64) {
        let away = self.pages(first, pages);
        let away = away.filter(|(_, seat)| self.whereabouts(*seat) == Whereabouts::Away);
        let away: Vec<Seat> = away.map(|(_, seat)| seat).collect();
        self.gathering.left.extend(away);
        self.settle();
    }

    /// What did not come, because the driver could not put it there, is asked for again.
    pub fn gathered(&mut self, first: Page, pages: u64) -> Option<bool> {
        if !self.gathering.left.is_empty() || self.status.coming_pages > 0 {
            return None;
        }
        let is = |what| self.pages(first, pages).any(|(_, seat)| self.whereabouts(seat) == what);
        let (away, lost) = (is(Whereabouts::Away), is(Whereabouts::Lost));
        if away {
            self.bring_all(first, pages);
        }
        (!away).then_some(!lost)
    }

    pub fn scatter(&mut self) {
        self.gathering.asked = self.gathering.asked.saturating_sub(1);
        if !self.gathering.is_on() {
            self.gathering.left.clear();
        }
        self.settle();
    }

    /// Asks for more of what is to come. A seat may be another page's by now: that one comes a
    /// little early, if it is away.
    pub(super) fn gather_on(&mut self) {
        while self.status.coming_pages < COMING_MAX
            && let Some(seat) = self.gathering.left.pop()
        {
            if self.whereabouts(seat) == Whereabouts::Away {
                self.bring(seat);
            }
        }
    }

    /// What there may be follows what there is.
    pub(super) fn come_down(&mut self) {
        if !self.gathering.is_on() {
            self.room.lower(self.status.resident_pages + self.waiting.len() as u64);
        }
    }

    fn whereabouts(&self, seat: Seat) -> Whereabouts {
        whereabouts(self.table[seat].state)
    }
}
