//! A node's part in GVT rounds: who is told what, and what follows when GVT is settled.

use super::gvt::{Act, Settled};
use super::pace::Round;
use super::{Node, protocol};
use crate::{GvtPacket, Model, Packet, RunError, VirtualTime, Watch, Work};

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// The least virtual time of anything that this node holds.
    pub fn local_minimum(&mut self) -> VirtualTime {
        self.deliver_incoming();
        let pending = self.agenda.pending.peek().map_or(VirtualTime::POSINF, |entry| entry.time);
        let held = self.restraint.held.iter().map(|entry| entry.time);
        let cancels = self.agenda.cancels.iter().map(|slot| self.slots[*slot].message.send);
        let states = self.moving.least_stale();
        let waiting = held.chain(cancels).chain([
            states,
            self.links.outbox.least(),
            self.links.arrivals.least(),
        ]);
        // Messages to the end of time itself are for the termination sections.
        waiting.fold(pending, VirtualTime::min).min(VirtualTime::POSINF)
    }

    /// Begin the GVT round that somebody wants.
    #[inline]
    pub(super) fn begin_wanted_round(&mut self) -> Result<(), RunError> {
        match self.gvt.begin_if_wanted(self.setup.id == 0) {
            Act::Nothing => Ok(()),
            act => self.act(act),
        }
    }

    pub(super) fn take_gvt(&mut self, from: u16, packet: GvtPacket) -> Result<(), RunError> {
        let leads = self.setup.id == 0;
        match packet {
            GvtPacket::Request if leads => {
                self.gvt.want();
                self.begin_wanted_round()
            }
            GvtPacket::Report(report) if leads => {
                let act = self.gvt.take_answer(report);
                self.act(
                    act.ok_or_else(|| protocol(from, "an answer to a GVT round that is over"))?,
                )
            }
            GvtPacket::Start { round } if !leads => {
                self.gvt.change_colour(round);
                self.answer(0)
            }
            GvtPacket::Ask { round, pass } if !leads && round == self.gvt.round() => {
                self.answer(pass)
            }
            GvtPacket::Update { gvt, passes, crowded, .. } if !leads => {
                self.settle(Settled { gvt, passes, crowded })
            }
            _ => Err(protocol(from, "a GVT message that only another node may send")),
        }
    }

    fn act(&mut self, act: Act) -> Result<(), RunError> {
        match act {
            Act::Nothing => Ok(()),
            Act::ToLeader(packet) => {
                self.post(0, Packet::Gvt(packet));
                Ok(())
            }
            Act::ToAll(packet) => {
                self.tell_others(packet);
                let pass = if let GvtPacket::Ask { pass, .. } = packet { pass } else { 0 };
                self.answer(pass)
            }
            Act::Settled(settled) => {
                let (round, Settled { gvt, passes, crowded }) = (self.gvt.round(), settled);
                self.tell_others(GvtPacket::Update { round, gvt, passes, crowded });
                self.settle(settled)
            }
        }
    }

    fn tell_others(&mut self, packet: GvtPacket) {
        for node in self.setup.others() {
            self.post(node, Packet::Gvt(packet));
        }
    }

    fn answer(&mut self, pass: u32) -> Result<(), RunError> {
        let holds = self.local_minimum();
        let report = self.gvt.answer(pass, holds);
        if self.setup.id != 0 {
            self.post(0, Packet::Gvt(GvtPacket::Report(report)));
            return Ok(());
        }
        let act = self.gvt.take_answer(report);
        act.map_or(Ok(()), |act| self.act(act))
    }

    fn settle(&mut self, settled: Settled) -> Result<(), RunError> {
        let Settled { gvt, passes, crowded } = settled;
        let begin = self.watch.now();
        let (before, run) = (self.gvt.now, self.gvt.since());
        if !self.gvt.settle(gvt) {
            let what = format!("GVT was {before} and is now computed as {gvt}");
            return Err(RunError::Identity { what });
        }
        self.budget.peak = self.budget.peak.max(self.memory());
        if gvt > before {
            let round = Round { before, gvt, run, crowded };
            self.restraint.advance(&round, &self.setup.options.throttle);
            self.restraint.release(&mut self.objects, &mut self.agenda.pending);
            self.settle_moves();
            self.settle_intervals();
            self.begin_collection();
        }
        self.watch.worked(begin, Work::GvtRound { gvt, passes });
        Ok(())
    }
}
