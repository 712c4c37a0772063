//! What a paged program does, without what the pager makes of it: each thread's touches in their
//! order, and the computing between them.

use pager::Options;
use pager_facts::{EngineStep, Mapping, PageStretch};

/// A recorded program, and what its pager's steps take.
#[derive(Clone, Debug)]
pub struct Program {
    /// What the pager may use.
    pub options: Options,
    /// In the order in which they began.
    pub threads: Vec<Thread>,
    /// What each of the engine's steps takes, s, by [`EngineStep`].
    pub work_s: [f64; EngineStep::ALL.len()],
    /// Whether pages can be protected from writing.
    pub protects: bool,
}

/// A thread of the program.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    /// The step of another thread that it begins after; `None`: it begins with the run.
    pub after: Option<(usize, usize)>,
    /// What it does.
    pub steps: Vec<Step>,
    /// Computing after the last of them.
    pub tail_s: f64,
}

/// Something that a thread does, after computing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Computing before it.
    pub gap_s: f64,
    /// What it does.
    pub what: What,
}

/// What a thread does with its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It uses a page.
    Touch(Touch),
    /// It asks for memory, gives it back, or uses it in a system call.
    Memory(Mapping, PageStretch),
    /// Its memory goes to another address.
    Moved(PageStretch, u64),
}

/// A use of a page. Others may follow that nobody saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// Which.
    pub page: u64,
    /// Whether it is a store.
    pub write: bool,
    /// What becomes of the page's contents before it leaves.
    pub change: Change,
}

/// What becomes of a page's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// They stay.
    Nothing,
    /// They become others.
    Others,
    /// They become zeros.
    Zeros,
}

impl Program {
    /// What a step of the engine takes for so many pages.
    pub fn work(&self, step: EngineStep, count: u64) -> f64 {
        self.work_s[step as usize] * count as f64
    }
}
