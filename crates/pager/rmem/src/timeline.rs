//! The timeline of a run: what was asked for and came, and when the program stood still for it,
//! until it is written.

use pager_facts::{Batch, Line, Wait};
use std::io::{self, Write};

/// What has not been written yet, with times in ticks.
pub struct Timeline {
    /// `None`: nobody wants to know.
    lines: Option<Vec<Line>>,
    /// How many batches there were, and when the last was done.
    batches: u64,
    last_done: u64,
}

impl Timeline {
    pub fn new() -> Timeline {
        Timeline { lines: Some(Vec::new()), batches: 0, last_done: 0 }
    }

    /// Keep nothing from now on.
    pub fn stop(&mut self) {
        self.lines = None;
    }

    /// A batch is done.
    pub fn batch(&mut self, batch: Batch) {
        let Some(lines) = &mut self.lines else { return };
        lines.push(Line::Batch(batch));
        (self.batches, self.last_done) = (self.batches + 1, batch.done);
    }

    /// Whether an answer came after `from`.
    pub fn came_since(&self, from: u64) -> bool {
        self.last_done > from
    }

    /// The program goes on. If an answer came while it waited, the last of them is what ended the
    /// wait: the engine lets threads go on as soon as it can.
    #[inline]
    pub fn wait(&mut self, from: u64, to: u64) {
        let Some(lines) = &mut self.lines else { return };
        let batch = (self.last_done > from).then(|| self.batches - 1);
        lines.push(Line::Wait(Wait { from, to, batch }));
    }

    /// Write what there is, with `ns` for ticks.
    pub fn write(&mut self, ns: impl Fn(u64) -> u64, out: &mut impl Write) -> io::Result<()> {
        for line in self.lines.iter_mut().flat_map(|lines| lines.drain(..)) {
            writeln!(out, "{}", line.in_unit(&ns))?;
        }
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pager_facts::Way;

    #[test]
    fn a_wait_is_for_the_last_answer_that_came_in_it() {
        let mut timeline = Timeline::new();
        timeline.batch(Batch { way: Way::Out, server: 3, asked: 10, done: 20, bytes: 4096 });
        timeline.wait(20, 25);
        timeline.batch(Batch { way: Way::In, server: 0, asked: 5, done: 30, bytes: 8192 });
        timeline.wait(27, 31);
        let mut text = Vec::new();
        timeline.write(|ticks| 10 * ticks, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text, "out,100,200,3,4096\nwait,200,250,,\nin,50,300,0,8192\nwait,270,310,1,\n");
        timeline.stop();
        timeline.wait(1, 2);
        let mut more = Vec::new();
        timeline.write(|ticks| ticks, &mut more).unwrap();
        assert!(more.is_empty());
    }
}
