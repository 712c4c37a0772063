//! Global virtual time, without stopping anybody: colours and counts (F. Mattern, Efficient
//! algorithms for distributed snapshots and global virtual time approximation, JPDC 18(4), 1993).
//!
//! Node 0 begins a round. On hearing of it a node changes colour: what it sends from then on is of
//! the new colour. It answers with the messages of the former colour that it has sent less those
//! received, the least time of what it holds, and the least send time of what it has sent in the
//! new colour. Once the differences add up to zero nothing of the former colour is on its way, and
//! the least of all answers is a lower bound of every future rollback. Until then node 0 asks
//! again. Messages count by send time, because a message may be sent back, which undoes its sender
//! down to that time.
//!
//! With GVT travels whether any node has lacked a core: what the others do then is likely to be
//! undone ([`super::optimism`]).

use crate::{GvtPacket, GvtReport, VirtualTime};

/// One node's part in it.
pub(super) struct Gvt {
    /// What is known to be GVT.
    pub now: VirtualTime,
    pub rounds: u64,
    nodes: u16,
    round: u32,
    sent: [i64; 2],
    received: [i64; 2],
    /// Least send time of what was sent since the colour changed.
    least_sent: VirtualTime,
    wanted: bool,
    /// Node 0: a round is under way. Others: node 0 has been asked for one.
    busy: bool,
    /// Whether this node has lacked a core lately.
    pub crowded: bool,
    lead: Lead,
    /// Events executed since the last round, and how many of them call for one.
    since: u32,
    events: u32,
}

/// A node alone knows GVT for nothing: it commits while what it commits is still in the cache.
const EVENTS_ALONE: u32 = 256;

/// What node 0 knows of the round under way.
#[derive(Default)]
struct Lead {
    pass: u32,
    answers: u16,
    balance: i64,
    least: Option<VirtualTime>,
    crowded: bool,
}

/// What is to be done after a GVT packet, or after wanting a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Act {
    Nothing,
    /// Send this to node 0.
    ToLeader(GvtPacket),
    /// Send this to all others; then this node answers as well.
    ToAll(GvtPacket),
    /// Node 0 knows GVT.
    Settled(Settled),
}

/// What came of a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Settled {
    pub gvt: VirtualTime,
    /// How often node 0 asked.
    pub passes: u32,
    /// Whether any node has lacked a core.
    pub crowded: bool,
}

impl Gvt {
    /// `events`: so many events call for a round; `u32::MAX`: they never do.
    pub fn new(nodes: u16, events: u32) -> Gvt {
        Gvt {
            now: VirtualTime::STARTED,
            rounds: 0,
            nodes,
            round: 0,
            sent: [0; 2],
            received: [0; 2],
            least_sent: VirtualTime::FINISHED,
            wanted: false,
            busy: false,
            crowded: false,
            lead: Lead::default(),
            since: 0,
            events: match events {
                u32::MAX => u32::MAX,
                events if nodes == 1 => events.min(EVENTS_ALONE),
                events => events,
            },
        }
    }

    /// An event has been executed.
    #[inline]
    pub fn executed(&mut self) {
        self.since += 1;
    }

    /// Whether so many have been that GVT should be known.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.since >= self.events
    }

    /// Events executed since GVT was last settled.
    #[inline]
    pub fn since(&self) -> u32 {
        self.since
    }

    /// The colour of what is sent now.
    pub fn red(&self) -> bool {
        self.round % 2 == 1
    }

    #[inline]
    pub fn sends(&mut self, send: VirtualTime) {
        self.sent[usize::from(self.red())] += 1;
        self.least_sent = self.least_sent.min(send);
    }

    #[inline]
    pub fn receives(&mut self, red: bool) {
        self.received[usize::from(red)] += 1;
    }

    /// A round is wanted.
    pub fn want(&mut self) {
        self.wanted = true;
    }

    /// Begin, or ask for, the round that is wanted, unless one is under way.
    pub fn begin_if_wanted(&mut self, leader: bool) -> Act {
        if !self.wanted || self.busy {
            return Act::Nothing;
        }
        (self.wanted, self.busy) = (false, true);
        if !leader {
            return Act::ToLeader(GvtPacket::Request);
        }
        self.change_colour(self.round.wrapping_add(1));
        self.lead = Lead::default();
        Act::ToAll(GvtPacket::Start { round: self.round })
    }

    /// This node's answer in the round under way. `holds`: the least time of anything that it
    /// holds.
    pub fn answer(&self, pass: u32, holds: VirtualTime) -> GvtReport {
        let former = usize::from(!self.red());
        GvtReport {
            round: self.round,
            pass,
            balance: self.sent[former] - self.received[former],
            least: holds.min(self.least_sent),
            crowded: self.crowded,
        }
    }

    /// Another node hears of a new round.
    pub fn change_colour(&mut self, round: u32) {
        self.round = round;
        self.least_sent = VirtualTime::FINISHED;
    }

    /// Node 0 gets an answer, its own among them. `None`: it does not belong to the pass under way.
    pub fn take_answer(&mut self, report: GvtReport) -> Option<Act> {
        let GvtReport { round, pass, balance, least, crowded } = report;
        if round != self.round || pass != self.lead.pass || !self.busy {
            return None;
        }
        self.lead.answers += 1;
        self.lead.balance += balance;
        self.lead.crowded |= crowded;
        self.lead.least = Some(self.lead.least.map_or(least, |so_far| so_far.min(least)));
        if self.lead.answers < self.nodes {
            return Some(Act::Nothing);
        }
        let pass = self.lead.pass + 1;
        if self.lead.balance != 0 {
            self.lead = Lead { pass, ..Lead::default() };
            return Some(Act::ToAll(GvtPacket::Ask { round, pass }));
        }
        // Messages of init sections are sent at the beginning of time; GVT does not go back there.
        let gvt = self.lead.least.unwrap_or(self.now).max(VirtualTime::STARTED);
        Some(Act::Settled(Settled { gvt, passes: pass, crowded: self.lead.crowded }))
    }

    /// GVT has been settled. `false`: it would go back, which cannot be.
    #[must_use]
    pub fn settle(&mut self, gvt: VirtualTime) -> bool {
        let forward = gvt >= self.now;
        self.now = self.now.max(gvt);
        self.rounds += 1;
        self.busy = false;
        self.since = 0;
        forward
    }

    /// The number of the round under way.
    pub fn round(&self) -> u32 {
        self.round
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message of the former colour is on its way when the round begins: GVT is settled only once
    /// it has come, and by what it is due.
    #[test]
    fn a_round_waits_for_what_is_on_its_way() {
        let at = VirtualTime::at;
        let (mut leader, mut other) = (Gvt::new(2, 512), Gvt::new(2, 512));
        let red = other.red();
        other.sends(at(3.0));
        other.crowded = true;
        leader.want();
        assert_eq!(leader.begin_if_wanted(true), Act::ToAll(GvtPacket::Start { round: 1 }));
        other.change_colour(1);
        let own = leader.answer(0, at(9.0));
        assert_eq!(leader.take_answer(own), Some(Act::Nothing));
        let its = other.answer(0, at(8.0));
        let again = Act::ToAll(GvtPacket::Ask { round: 1, pass: 1 });
        assert_eq!(leader.take_answer(its), Some(again));
        assert_eq!(leader.take_answer(its), None, "that pass is over");
        leader.receives(red);
        let (own, its) = (leader.answer(1, at(3.0)), other.answer(1, at(8.0)));
        assert_eq!(leader.take_answer(own), Some(Act::Nothing));
        let settled = Act::Settled(Settled { gvt: at(3.0), passes: 2, crowded: true });
        assert_eq!(leader.take_answer(its), Some(settled));
        assert!(leader.settle(at(3.0)) && !leader.settle(at(2.0)), "GVT never goes back");
        assert_eq!(leader.now, at(3.0));
    }

    #[test]
    fn events_call_for_a_round_until_one_is_over() {
        let mut gvt = Gvt::new(1, 512);
        (0..EVENTS_ALONE).for_each(|_| gvt.executed());
        assert!(gvt.is_due(), "alone it is had for less");
        assert!(gvt.settle(VirtualTime::at(1.0)) && !gvt.is_due());
        let mut never = Gvt::new(1, u32::MAX);
        (0..1000).for_each(|_| never.executed());
        assert!(!never.is_due());
    }
}
