//! What a paged program did with its pages, and what became of them. From it a model can let the
//! pager decide anew, over another link.
//!
//! A line an event: its name and numbers between commas, in the order in which events ended, times
//! in ns since the run began. Touches of pages that are in memory are not among them: nobody sees
//! those.

use std::fmt;
use std::str::FromStr;

/// Pages of all memory that has addresses.
const PAGES_MAX: u64 = 1 << 52;
/// Most pages of one event that is made of neighbours.
pub(crate) const NEIGHBOURS_MAX: u64 = 1 << 20;

/// The name of the file of a process, in the run's folder.
pub fn page_events_name(pid: u32) -> String {
    format!("pages-{pid}.csv")
}

/// Pages in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The number of the first: its address by the bytes of a page.
    pub first: u64,
    /// How many.
    pub pages: u64,
}

impl Stretch {
    /// Where it lies within all memory.
    fn within(self) -> Option<Stretch> {
        let end = self.first.checked_add(self.pages)?;
        (end <= PAGES_MAX).then_some(self)
    }
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageEvent {
    /// What the pager may use: at the begin.
    Options {
        /// Most pages in memory.
        budget: u64,
        /// Frames for pages that leave.
        staging: u64,
        /// Most pages read ahead at once.
        prefetch: u64,
    },
    /// A thread touched a page that was not there, and went on.
    Fault {
        /// When it was seen.
        from: u64,
        /// When the page was there.
        to: u64,
        /// Which thread, by the kernel's number; 0 where that is not known.
        thread: u64,
        /// Which page.
        page: u64,
        /// Whether it was a store.
        write: bool,
    },
    /// A thread wrote to a page that was protected from it.
    Written {
        /// When.
        at: u64,
        /// As in a fault.
        thread: u64,
        /// Which page.
        page: u64,
    },
    /// Pages were asked for, or put back, before anybody touched them.
    Ahead {
        /// When.
        at: u64,
        /// The first of them.
        first: u64,
        /// From one to the next, in pages.
        stride: i64,
        /// How many.
        pages: u64,
    },
    /// Pages left memory.
    Gone {
        /// When.
        at: u64,
        /// Which.
        stretch: Stretch,
        /// What they held.
        held: Held,
    },
    /// The program mapped memory, gave it back, or gave up what it holds.
    Memory {
        /// When.
        at: u64,
        /// What of these.
        how: Mapping,
        /// Which.
        stretch: Stretch,
    },
    /// Its memory is at another address.
    Moved {
        /// When.
        at: u64,
        /// Where it was.
        stretch: Stretch,
        /// Its first page now.
        to: u64,
    },
    /// A step of the engine: how often, and how long all of these took. Those before are included.
    Work {
        /// Which.
        step: EngineStep,
        /// How often, or for how many pages.
        count: u64,
        /// All together.
        ns: u64,
    },
}

/// What a page that leaves memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// What it has outside.
    Same,
    /// Something else.
    Changed,
    /// Nothing but zeros, which are kept nowhere.
    Zeros,
}

impl Held {
    /// By their numbers in the file.
    const ALL: [Held; 3] = [Held::Same, Held::Changed, Held::Zeros];
}

/// What a program does with memory as such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// New, all zero.
    Map,
    /// Given back.
    Unmap,
    /// All zero again.
    Forget,
    /// A system call uses it: it must be there and stay.
    Hold,
    /// The system call is over.
    Release,
}

const MAPPINGS: [(Mapping, &str); 5] = [
    (Mapping::Map, "map"),
    (Mapping::Unmap, "unmap"),
    (Mapping::Forget, "forget"),
    (Mapping::Hold, "hold"),
    (Mapping::Release, "release"),
];

/// What the engine does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineStep {
    /// Decide on a fault.
    Decide,
    /// Put zeros into a page.
    Zero,
    /// Take a page out, with its checksum.
    Take,
    /// Drop a page that has not changed.
    Drop,
    /// Put a page back from a frame.
    PutBack,
    /// Prepare a page for its server.
    Write,
    /// Prepare a request for a page.
    Read,
    /// Give the socket what was prepared, once for all.
    Send,
    /// Make parity: clear, xor, sum up.
    Parity,
    /// Give a frame's memory back.
    Empty,
    /// Put a page that came into its place.
    Receive,
    /// Hear that a page is stored.
    Stored,
}

impl EngineStep {
    /// All, with their names in the file.
    pub const ALL: [(EngineStep, &str); 12] = [
        (EngineStep::Decide, "decide"),
        (EngineStep::Zero, "zero"),
        (EngineStep::Take, "take"),
        (EngineStep::Drop, "drop"),
        (EngineStep::PutBack, "put-back"),
        (EngineStep::Write, "write"),
        (EngineStep::Read, "read"),
        (EngineStep::Send, "send"),
        (EngineStep::Parity, "parity"),
        (EngineStep::Empty, "empty"),
        (EngineStep::Receive, "receive"),
        (EngineStep::Stored, "stored"),
    ];
}

/// A line that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageEventError(String);

impl fmt::Display for PageEventError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "`{}` is no event of a page", self.0)
    }
}

impl std::error::Error for PageEventError {}

impl PageEvent {
    /// The same, with another unit of time.
    pub fn in_unit(self, unit: impl Fn(u64) -> u64) -> PageEvent {
        let mut event = self;
        match &mut event {
            PageEvent::Options { .. } | PageEvent::Work { .. } => {}
            PageEvent::Fault { from, to, .. } => (*from, *to) = (unit(*from), unit(*to)),
            PageEvent::Written { at, .. }
            | PageEvent::Ahead { at, .. }
            | PageEvent::Gone { at, .. }
            | PageEvent::Memory { at, .. }
            | PageEvent::Moved { at, .. } => *at = unit(*at),
        }
        event
    }

    fn parse(line: &str) -> Option<PageEvent> {
        let mut fields = line.split(',');
        let name = fields.next()?;
        let numbers: Vec<i64> = fields.map(|field| field.parse().ok()).collect::<Option<_>>()?;
        let signed = |at: usize| numbers.get(at).copied();
        let number = |at: usize| u64::try_from(signed(at)?).ok();
        let page = |at: usize| number(at).filter(|page| *page < PAGES_MAX);
        let many = |at: usize| number(at).filter(|pages| *pages <= NEIGHBOURS_MAX);
        let stretch = |at: usize| Stretch { first: page(at)?, pages: number(at + 1)? }.within();
        let (event, fields) = match name {
            "options" => {
                let (budget, staging, prefetch) = (number(0)?, number(1)?, number(2)?);
                (PageEvent::Options { budget, staging, prefetch }, 3)
            }
            "fault" => {
                let (from, to, thread) = (number(0)?, number(1)?, number(2)?);
                let (page, write) = (page(3)?, number(4)? != 0);
                (PageEvent::Fault { from, to, thread, page, write }, 5)
            }
            "written" => {
                let (at, thread, page) = (number(0)?, number(1)?, page(2)?);
                (PageEvent::Written { at, thread, page }, 3)
            }
            "ahead" => {
                let (at, first, pages) = (number(0)?, page(1)?, many(3)?);
                let stride = signed(2).filter(|stride| *stride != 0)?;
                (PageEvent::Ahead { at, first, stride, pages }, 4)
            }
            "gone" => {
                many(2)?;
                let held = *Held::ALL.get(usize::try_from(number(3)?).ok()?)?;
                (PageEvent::Gone { at: number(0)?, stretch: stretch(1)?, held }, 4)
            }
            "moved" => {
                let (at, stretch, to) = (number(0)?, stretch(1)?, page(3)?);
                (PageEvent::Moved { at, stretch, to }, 4)
            }
            _ => match MAPPINGS.iter().find(|(_, known)| *known == name) {
                Some((how, _)) => {
                    (PageEvent::Memory { at: number(0)?, how: *how, stretch: stretch(1)? }, 3)
                }
                None => {
                    let (step, _) = EngineStep::ALL.iter().find(|(_, known)| *known == name)?;
                    (PageEvent::Work { step: *step, count: number(0)?, ns: number(1)? }, 2)
                }
            },
        };
        (numbers.len() == fields).then_some(event)
    }
}

impl FromStr for PageEvent {
    type Err = PageEventError;

    fn from_str(line: &str) -> Result<PageEvent, PageEventError> {
        PageEvent::parse(line).ok_or_else(|| PageEventError(line.to_owned()))
    }
}

impl fmt::Display for Stretch {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{},{}", self.first, self.pages)
    }
}

impl fmt::Display for PageEvent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            PageEvent::Options { budget, staging, prefetch } => {
                write!(out, "options,{budget},{staging},{prefetch}")
            }
            PageEvent::Fault { from, to, thread, page, write } => {
                write!(out, "fault,{from},{to},{thread},{page},{}", u8::from(write))
            }
            PageEvent::Written { at, thread, page } => write!(out, "written,{at},{thread},{page}"),
            PageEvent::Ahead { at, first, stride, pages } => {
                write!(out, "ahead,{at},{first},{stride},{pages}")
            }
            PageEvent::Gone { at, stretch, held } => {
                write!(out, "gone,{at},{stretch},{}", held as u8)
            }
            PageEvent::Moved { at, stretch, to } => write!(out, "moved,{at},{stretch},{to}"),
            PageEvent::Memory { at, how, stretch } => {
                write!(out, "{},{at},{stretch}", name(&MAPPINGS, how))
            }
            PageEvent::Work { step, count, ns } => {
                write!(out, "{},{count},{ns}", name(&EngineStep::ALL, step))
            }
        }
    }
}

fn name<T: Copy + PartialEq>(names: &[(T, &'static str)], wanted: T) -> &'static str {
    names.iter().find(|(one, _)| *one == wanted).map_or("", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_written() {
        let stretch = Stretch { first: 7, pages: 3 };
        for (event, text) in [
            (PageEvent::Options { budget: 9, staging: 8, prefetch: 64 }, "options,9,8,64"),
            (
                PageEvent::Fault { from: 1, to: 2, thread: 3, page: 4, write: true },
                "fault,1,2,3,4,1",
            ),
            (PageEvent::Written { at: 1, thread: 2, page: 3 }, "written,1,2,3"),
            (PageEvent::Ahead { at: 1, first: 2, stride: -4, pages: 5 }, "ahead,1,2,-4,5"),
            (PageEvent::Gone { at: 1, stretch, held: Held::Same }, "gone,1,7,3,0"),
            (PageEvent::Gone { at: 1, stretch, held: Held::Changed }, "gone,1,7,3,1"),
            (PageEvent::Gone { at: 1, stretch, held: Held::Zeros }, "gone,1,7,3,2"),
            (PageEvent::Memory { at: 1, how: Mapping::Forget, stretch }, "forget,1,7,3"),
            (PageEvent::Moved { at: 1, stretch, to: 90 }, "moved,1,7,3,90"),
            (PageEvent::Work { step: EngineStep::PutBack, count: 2, ns: 900 }, "put-back,2,900"),
        ] {
            assert_eq!(event.to_string(), text);
            assert_eq!(text.parse(), Ok(event));
        }
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in [
            "",
            "fault,1,2,3,4",
            "gone,1,7,3,0,5",
            "gone,1,7,9999999,0",
            "gone,1,7,3,3",
            "ahead,1,2,0,5",
            "map,-1,7,3",
            "map,1,4503599627370495,3",
            "swim,1,2",
            "take,1,x",
        ] {
            assert_eq!(text.parse::<PageEvent>(), Err(PageEventError(text.to_owned())));
        }
    }
}
