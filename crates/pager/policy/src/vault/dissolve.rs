//! Dissolving a group: its newest pages are read, or made again from the others, and put anew.

use super::cells::{NONE, State};
use super::groups::Phase;
use super::jobs::{Input, Job};
use super::operations::{Summed, What};
use super::{JOBS, Out, Vault};
use crate::{Action, Checksum, Frame, Into, Outcome, Page, Place, Slot, Urgency};

impl Vault {
    /// As many as there are frames for.
    pub(super) fn start_jobs(&mut self, out: &mut Out) {
        for urgency in [Urgency::Fault, Urgency::Background] {
            while let Some(group) = self.next_broken(urgency) {
                if !self.start_job(group, urgency, out) {
                    return self.put_back(group, urgency);
                }
            }
        }
    }

    /// The reads of a job are answered one by one.
    pub(super) fn gathered(&mut self, number: u32, input: u32, outcome: Outcome, out: &mut Out) {
        let job = self.jobs.get(number);
        job.unread -= 1;
        job.failed |= outcome.is_err();
        let (input, group, unread, failed) =
            (job.inputs[input as usize], job.group, job.unread, job.failed);
        match input.cell {
            _ if outcome.is_ok() => {}
            Some(cell) => self.lose_slot(cell, out),
            None => self.lose_parity(group, out),
        }
        match (unread, failed) {
            (0, true) => self.start_over(number, out),
            (0, false) => self.combine(number, out),
            _ => {}
        }
    }

    /// The page that was made again has this checksum.
    pub(super) fn rebuilt(&mut self, number: u32, checksum: Checksum, out: &mut Out) {
        let job = self.jobs.end(number);
        let (cell, frame) = job.making.expect("only a page that was made again is summed");
        let (page, wanted) = (self.cells[cell].page, self.cells[cell].checksum);
        if self.cells[cell].active && wanted == checksum {
            self.counts.rebuilt += 1;
            self.relocate(page, frame, checksum, out);
        } else if self.cells[cell].active {
            self.counts.wrong += 1;
            self.lose_cell(cell, out);
        }
        self.release(frame, out);
        self.end_job(&job, out);
    }

    fn next_broken(&mut self, urgency: Urgency) -> Option<u32> {
        loop {
            let group = self.jobs.next(urgency)?;
            // It may be gone, or under way, since it was put there.
            let queued = std::mem::replace(&mut self.groups[group].queued, false);
            if queued && self.groups[group].phase == Phase::Broken && self.groups[group].job == NONE
            {
                return Some(group);
            }
        }
    }

    fn put_back(&mut self, group: u32, urgency: Urgency) {
        self.groups[group].queued = true;
        self.jobs.wait_first(group, urgency);
    }

    /// `false`: not enough frames now.
    fn start_job(&mut self, group: u32, urgency: Urgency, out: &mut Out) -> bool {
        let making = match self.lost_member(group, out) {
            Ok(making) => making,
            Err(()) => return true,
        };
        let found = &self.groups[group];
        let wanted = |cell: &u32| {
            (making.is_some() || self.cells[*cell].active) && self.cells[*cell].state != State::Lost
        };
        let sources: Vec<u32> = found.members.iter().copied().filter(wanted).collect();
        if sources.is_empty() && making.is_none() {
            self.try_end(group, out);
            return true;
        }
        let reads_parity = making.is_some() && found.parity.frame.is_none();
        let to_read =
            sources.iter().filter(|&&cell| self.cells[cell].frame.is_none()).count() as u32;
        let needed = to_read + u32::from(making.is_some());
        let kept = if urgency == Urgency::Fault { 0 } else { self.widest as u32 + 2 };
        if self.held.gather_frames() < needed + kept
            || urgency != Urgency::Fault && self.jobs.under_way() >= JOBS
        {
            return false;
        }
        self.gather(group, &sources, making, reads_parity, urgency, out);
        true
    }

    fn gather(
        &mut self,
        group: u32,
        sources: &[u32],
        making: Option<u32>,
        reads_parity: bool,
        urgency: Urgency,
        out: &mut Out,
    ) {
        let number = self.jobs.free();
        let mut job = Job {
            group,
            inputs: Vec::with_capacity(sources.len() + 1),
            unread: 0,
            failed: false,
            making: None,
        };
        for &cell in sources {
            let held = self.cells[cell].frame;
            let frame = held.unwrap_or_else(|| self.held.gather_frame());
            match held {
                Some(frame) => self.held.add(frame),
                None => self.read_cell(cell, frame, number, job.inputs.len() as u32, urgency, out),
            }
            job.unread += u32::from(held.is_none());
            job.inputs.push(Input { cell: Some(cell), frame });
        }
        if let Some(cell) = making {
            let frame = self.held.gather_frame();
            job.making = Some((cell, frame));
            match self.groups[group].parity.frame {
                Some(parity) => {
                    out.push_back(Action::Clear { frame });
                    out.push_back(Action::Xor { from: parity, into: frame });
                }
                None => debug_assert!(reads_parity),
            }
            if reads_parity {
                self.read_parity(group, frame, number, job.inputs.len() as u32, urgency, out);
                job.unread += 1;
                job.inputs.push(Input { cell: None, frame });
            }
        }
        self.groups[group].job = number;
        let unread = job.unread;
        self.jobs.begin(number, job);
        if unread == 0 {
            self.combine(number, out);
        }
    }

    fn read_cell(
        &mut self,
        cell: u32,
        frame: Frame,
        job: u32,
        input: u32,
        urgency: Urgency,
        out: &mut Out,
    ) {
        let found = &self.cells[cell];
        let copy = (found.place, found.slot, found.version, Some(found.checksum));
        self.read_source(copy, frame, What::Gather { job, input }, urgency, out);
    }

    fn read_parity(
        &mut self,
        group: u32,
        frame: Frame,
        job: u32,
        input: u32,
        urgency: Urgency,
        out: &mut Out,
    ) {
        let found = &self.groups[group];
        let copy = (found.parity.place, found.parity.slot, found.parity.version, found.parity.sum);
        self.read_source(copy, frame, What::Gather { job, input }, urgency, out);
    }

    fn read_source(
        &mut self,
        (place, slot, version, checksum): (Place, Slot, u64, Option<Checksum>),
        frame: Frame,
        what: What,
        urgency: Urgency,
        out: &mut Out,
    ) {
        let operation = self.operations.ask(place, what);
        self.counts.gathered += 1;
        let into = Into::Frame(frame);
        out.push_back(Action::Read { operation, place, slot, version, checksum, into, urgency });
    }

    /// All inputs are there.
    fn combine(&mut self, number: u32, out: &mut Out) {
        let job = self.jobs.get(number);
        let inputs = std::mem::take(&mut job.inputs);
        let (group, making) = (job.group, job.making);
        let members = || inputs.iter().filter_map(|input| Some((input.cell?, input.frame)));
        if let Some((_, into)) = making {
            out.extend(members().map(|(_, from)| Action::Xor { from, into }));
            out.push_back(Action::Sum { frame: into });
            self.operations.sum(into, Summed::Job(number));
        }
        for (cell, frame) in members() {
            let found = &self.cells[cell];
            if found.active && found.group == group {
                self.relocate(found.page, frame, found.checksum, out);
            }
            self.release(frame, out);
        }
        if making.is_none() {
            let job = self.jobs.end(number);
            self.end_job(&job, out);
        }
    }

    /// Something that was to be read is lost: all over again, with what is left.
    fn start_over(&mut self, number: u32, out: &mut Out) {
        let job = self.jobs.end(number);
        for input in job.inputs.iter().filter(|input| input.cell.is_some()) {
            self.release(input.frame, out);
        }
        if let Some((_, frame)) = job.making {
            self.release(frame, out);
        }
        self.end_job(&job, out);
    }

    fn end_job(&mut self, job: &Job, out: &mut Out) {
        self.groups[job.group].job = NONE;
        self.requeue(job.group);
        if self.wanted.cells().any(|cell| self.cells[cell].group == job.group) {
            self.hurry(job.group);
        }
        self.try_end(job.group, out);
    }

    fn relocate(&mut self, page: Page, frame: Frame, checksum: Checksum, out: &mut Out) {
        self.held.add(frame);
        self.counts.moved += 1;
        self.keep(page, frame, checksum, true, out);
    }
}
