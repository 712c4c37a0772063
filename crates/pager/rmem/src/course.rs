//! The course of a run: what was asked for and came, and when the program stood still for it. From
//! it a model can play the run again over another link.
//!
//! A line an event, in the order in which they ended: `in` and `out` for a batch of pages, `wait`
//! for a time in which the program waited.

use std::io::{self, Write};

/// Which way pages went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    In,
    Out,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    Transfer(Batch),
    Wait { from: u64, to: u64, transfer: Option<u64> },
}

/// Pages that went together, to a server or from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Batch {
    pub way: Way,
    /// Which of the configuration's servers.
    pub server: usize,
    /// When the pager wanted it, and when the answer was here; ticks.
    pub asked: u64,
    pub done: u64,
    pub bytes: u64,
}

/// What has not been written yet.
pub struct Course {
    /// `None`: nobody wants to know.
    events: Option<Vec<Event>>,
    /// How many transfers there were, and when the last was done.
    transfers: u64,
    last_done: u64,
}

impl Course {
    pub fn new() -> Course {
        Course { events: Some(Vec::new()), transfers: 0, last_done: 0 }
    }

    /// Keep nothing from now on.
    pub fn stop(&mut self) {
        self.events = None;
    }

    /// A batch is done.
    pub fn transfer(&mut self, batch: Batch) {
        let Some(events) = &mut self.events else { return };
        events.push(Event::Transfer(batch));
        (self.transfers, self.last_done) = (self.transfers + 1, batch.done);
    }

    /// Whether an answer came after `from`.
    pub fn came_since(&self, from: u64) -> bool {
        self.last_done > from
    }

    /// The program goes on. If an answer came while it waited, the last of them is what ended the
    /// wait: the engine lets threads go on as soon as it can.
    #[inline]
    pub fn wait(&mut self, from: u64, to: u64) {
        let Some(events) = &mut self.events else { return };
        let transfer = (self.last_done > from).then(|| self.transfers - 1);
        events.push(Event::Wait { from, to, transfer });
    }

    /// Write what there is, with `ns` for ticks.
    pub fn write(&mut self, ns: impl Fn(u64) -> u64, out: &mut impl Write) -> io::Result<()> {
        for event in self.events.iter_mut().flat_map(|events| events.drain(..)) {
            match event {
                Event::Transfer(Batch { way, server, asked, done, bytes }) => {
                    let way = if way == Way::In { "in" } else { "out" };
                    writeln!(out, "{way},{},{},{server},{bytes}", ns(asked), ns(done))?;
                }
                Event::Wait { from, to, transfer } => {
                    let transfer = transfer.map_or(String::new(), |at| at.to_string());
                    writeln!(out, "wait,{},{},{transfer},", ns(from), ns(to))?;
                }
            }
        }
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_for_the_last_answer_that_came_in_it() {
        let mut course = Course::new();
        course.transfer(Batch { way: Way::Out, server: 3, asked: 10, done: 20, bytes: 4096 });
        course.wait(20, 25);
        course.transfer(Batch { way: Way::In, server: 0, asked: 5, done: 30, bytes: 8192 });
        course.wait(27, 31);
        let mut text = Vec::new();
        course.write(|ticks| 10 * ticks, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text, "out,100,200,3,4096\nwait,200,250,,\nin,50,300,0,8192\nwait,270,310,1,\n");
        course.stop();
        course.wait(1, 2);
        let mut more = Vec::new();
        course.write(|ticks| ticks, &mut more).unwrap();
        assert!(more.is_empty());
    }
}
