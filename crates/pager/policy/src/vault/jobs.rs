//! Groups that wait to be dissolved, and those that are being.

use std::collections::VecDeque;

use crate::{Frame, Urgency};

/// A group that is being dissolved.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) group: u32,
    pub(super) inputs: Vec<Input>,
    pub(super) unread: u32,
    pub(super) failed: bool,
    /// The cell that is made again, and in which frame.
    pub(super) making: Option<(u32, Frame)>,
}

/// What a job reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    /// `None`: the parity.
    pub(super) cell: Option<u32>,
    pub(super) frame: Frame,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    /// Groups that a thread waits for ...
    urgent: VecDeque<u32>,
    /// ... and the others.
    broken: VecDeque<u32>,
    jobs: Vec<Option<Job>>,
}

impl Jobs {
    fn queue(&mut self, urgency: Urgency) -> &mut VecDeque<u32> {
        match urgency {
            Urgency::Fault => &mut self.urgent,
            _ => &mut self.broken,
        }
    }

    /// The group waits to be dissolved.
    pub(super) fn wait(&mut self, group: u32, urgency: Urgency) {
        self.queue(urgency).push_back(group);
    }

    /// It is the first one again.
    pub(super) fn wait_first(&mut self, group: u32, urgency: Urgency) {
        self.queue(urgency).push_front(group);
    }

    /// The next group. It may be gone, or under way, since it was put there.
    pub(super) fn next(&mut self, urgency: Urgency) -> Option<u32> {
        self.queue(urgency).pop_front()
    }

    /// Whether groups wait that no thread waits for.
    pub(super) fn has_waiting(&self) -> bool {
        !self.broken.is_empty()
    }

    /// How many are being dissolved.
    pub(super) fn under_way(&self) -> u32 {
        self.jobs.iter().flatten().count() as u32
    }

    /// Whether none waits, and none is under way.
    pub(super) fn is_idle(&self) -> bool {
        self.urgent.is_empty() && self.broken.is_empty() && self.jobs.iter().all(Option::is_none)
    }

    /// The number of the next job that is begun.
    pub(super) fn free(&mut self) -> u32 {
        let free = self.jobs.iter().position(Option::is_none);
        free.unwrap_or_else(|| {
            self.jobs.push(None);
            self.jobs.len() - 1
        }) as u32
    }

    /// The job begins.
    pub(super) fn begin(&mut self, number: u32, job: Job) {
        self.jobs[number as usize] = Some(job);
    }

    /// A job that is under way.
    pub(super) fn get(&mut self, number: u32) -> &mut Job {
        self.jobs[number as usize].as_mut().expect("a job lives until all it asked for is there")
    }

    /// The job is over.
    pub(super) fn end(&mut self, number: u32) -> Job {
        self.jobs[number as usize].take().expect("a job lives until all it asked for is there")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(group: u32) -> Job {
        Job { group, inputs: Vec::new(), unread: 0, failed: false, making: None }
    }

    #[test]
    fn groups_that_threads_wait_for_have_a_queue_of_their_own() {
        let mut jobs = Jobs::default();
        jobs.wait(1, Urgency::Background);
        jobs.wait(2, Urgency::Fault);
        jobs.wait_first(3, Urgency::Background);
        assert!(jobs.has_waiting() && !jobs.is_idle());
        assert_eq!(jobs.next(Urgency::Fault), Some(2));
        assert_eq!(jobs.next(Urgency::Fault), None);
        assert_eq!(
            [jobs.next(Urgency::Background), jobs.next(Urgency::Background)],
            [Some(3), Some(1)]
        );
        assert!(jobs.is_idle());
    }

    #[test]
    fn numbers_are_used_again() {
        let mut jobs = Jobs::default();
        for group in 0..2 {
            let number = jobs.free();
            jobs.begin(number, job(group));
        }
        assert_eq!((jobs.under_way(), jobs.get(1).group), (2, 1));
        assert_eq!(jobs.end(0).group, 0);
        assert_eq!((jobs.free(), jobs.under_way()), (0, 1));
        jobs.end(1);
        assert!(jobs.is_idle());
    }
}
