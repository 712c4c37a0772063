//! A recorded run, played again over another link.
//!
//! The program computes between its waits exactly as it did; each direction of the link carries one page after the other; a wait ends when the
//! page that it is for has come, and as much later as it did when recorded. A transfer is asked for at the same point of the program: as long after the end
//! of a wait, or after its begin, as it was. So prefetching overlaps with computing as far as the rate allows, and no further.
//!
//! Page-outs hold the program up only when there is no room for more of them on their way. What the model leaves out: several threads of the
//! program that wait at once (their waits must be joined into one), other decisions of the pager at another rate, processors that are short.

use crate::Link;
use crate::station::Station;

/// Bytes of a request for a page. It queues behind the pages that go the same way.
const REQUEST_BYTES: u64 = 40;

/// Which way a page goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From a server to the program.
    In,
    /// To a server: page-outs and parity.
    Out,
}

/// A page on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transfer {
    /// Which way.
    pub direction: Direction,
    /// Of the message.
    pub bytes: u64,
    /// When it was asked for, or handed over.
    pub asked_s: f64,
    /// When it was there.
    pub done_s: f64,
}

/// A time in which the program waited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wait {
    /// When it touched the page.
    pub from_s: f64,
    /// When it went on.
    pub to_s: f64,
    /// What it waited for, by its place among the transfers; nothing if the page was at hand.
    pub transfer: Option<usize>,
}

/// A run as it was recorded. It begins at 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// When it ended.
    pub elapsed_s: f64,
    /// In any order.
    pub transfers: Vec<Transfer>,
    /// In their order; none begins before the one before it has ended.
    pub waits: Vec<Wait>,
    /// Work of the processor for a transfer: no link is faster than that.
    pub work_s: f64,
    /// Page-outs that can be on their way at once; the most that were if not known.
    pub room: Option<usize>,
}

/// What comes of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Replayed {
    /// When it ends.
    pub elapsed_s: f64,
    /// How much of that the program waits.
    pub waited_s: f64,
    /// Waits that were recorded to end before their page had come: errors of clocks, taken as they are.
    pub odd_waits: usize,
}

/// Play `run`, which was recorded over `was`, over `link`.
pub fn replay(run: &Recorded, was: &Link, link: &Link) -> Replayed {
    let order = in_order(run);
    let turn_s = turnaround_s(run, was, &order);
    let room = run.room.unwrap_or_else(|| most_on_their_way(run)).max(1);
    let mut player = Player {
        run,
        order: &order,
        next: 0,
        place: places(&order),
        lines: Lines::new(*link, run.work_s, turn_s),
        done_s: vec![0.0; run.transfers.len()],
        outs: Vec::new(),
        room,
        asked_s: 0.0,
    };
    player.play()
}

/// Transfers in the order in which they were asked for.
fn in_order(run: &Recorded) -> Vec<usize> {
    let mut order: Vec<usize> = (0..run.transfers.len()).collect();
    order.sort_by(|a, b| run.transfers[*a].asked_s.total_cmp(&run.transfers[*b].asked_s));
    order
}

/// Of each transfer: which in the order it is.
fn places(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, transfer)| places[*transfer] = place);
    places
}

/// Both directions of a link.
struct Lines {
    link: Link,
    work_s: f64,
    /// What each way takes besides the rate and the latency: for pages that come, and for those that go.
    turn_s: [f64; 2],
    inward: Station,
    outward: Station,
}

impl Lines {
    fn new(link: Link, work_s: f64, turn_s: [f64; 2]) -> Lines {
        Lines { link, work_s, turn_s, inward: Station::default(), outward: Station::default() }
    }

    /// When a transfer that is asked for at `at_s` is done.
    fn carry(&mut self, transfer: &Transfer, at_s: f64) -> f64 {
        let busy_s = self.link.busy_s(transfer.bytes).max(self.work_s);
        match transfer.direction {
            Direction::Out => self.outward.serve(at_s, busy_s) + self.link.latency_s + self.turn_s[1],
            Direction::In => {
                let asked_s = self.outward.serve(at_s, self.link.busy_s(REQUEST_BYTES)) + self.link.latency_s;
                self.inward.serve(asked_s + self.turn_s[0], busy_s) + self.link.latency_s
            }
        }
    }
}

/// The middle of what transfers took beyond what the link explains, each way: for pages that come, and for those that go.
fn turnaround_s(run: &Recorded, was: &Link, order: &[usize]) -> [f64; 2] {
    let mut lines = Lines::new(*was, run.work_s, [0.0; 2]);
    let mut more: [Vec<f64>; 2] = Default::default();
    for transfer in order.iter().map(|at| &run.transfers[*at]) {
        let explained_s = lines.carry(transfer, transfer.asked_s);
        more[usize::from(transfer.direction == Direction::Out)].push(transfer.done_s - explained_s);
    }
    // The link as it is said to be may be slower than it was: then nothing is left to explain.
    more.map(|times| middle(times).max(0.0))
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The most page-outs that were under way at once.
fn most_on_their_way(run: &Recorded) -> usize {
    let outs = run.transfers.iter().filter(|transfer| transfer.direction == Direction::Out);
    let mut steps: Vec<(f64, i32)> = outs.flat_map(|out| [(out.asked_s, 1), (out.done_s, -1)]).collect();
    steps.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut now = 0;
    steps.iter().fold(0, |most, (_, step)| {
        now += step;
        most.max(now)
    }) as usize
}

struct Player<'a> {
    run: &'a Recorded,
    order: &'a [usize],
    /// In `order`: the next to be asked for.
    next: usize,
    place: Vec<usize>,
    lines: Lines,
    done_s: Vec<f64>,
    /// When page-outs are done, in order.
    outs: Vec<f64>,
    room: usize,
    /// When the last transfer was asked for: none overtakes another.
    asked_s: f64,
}

impl Player<'_> {
    fn play(&mut self) -> Replayed {
        let mut played = Replayed::default();
        let (mut clock_s, mut was_s) = (0.0, 0.0);
        let waits = &self.run.waits;
        for wait in waits {
            self.ask_while(|transfer, _| transfer.asked_s <= wait.from_s, clock_s - was_s);
            clock_s += wait.from_s - was_s;
            let end_s = self.wait(wait, clock_s);
            self.ask_while(|transfer, _| transfer.asked_s <= wait.to_s, end_s - wait.to_s);
            played.waited_s += end_s - clock_s;
            played.odd_waits += usize::from(self.is_odd(wait));
            (clock_s, was_s) = (end_s, wait.to_s);
        }
        self.ask_while(|_, _| true, clock_s - was_s);
        played.elapsed_s = clock_s + (self.run.elapsed_s - was_s);
        played
    }

    /// When a wait that begins at `from_s` ends. Transfers that were asked for in its first half, or that it needs, follow its begin.
    fn wait(&mut self, wait: &Wait, from_s: f64) -> f64 {
        let Some(wanted) = wait.transfer else { return from_s + (wait.to_s - wait.from_s) };
        let half_s = (wait.from_s + wait.to_s) / 2.0;
        let last = self.place[wanted];
        self.ask_while(|transfer, place| place <= last || transfer.asked_s <= half_s, from_s - wait.from_s);
        let after_s = wait.to_s - self.run.transfers[wanted].done_s.max(wait.from_s);
        from_s.max(self.done_s[wanted]) + after_s
    }

    fn is_odd(&self, wait: &Wait) -> bool {
        wait.transfer.is_some_and(|wanted| self.run.transfers[wanted].done_s > wait.to_s)
    }

    /// Ask for the next transfers as long as `now` says so, each `later_s` after it was recorded.
    fn ask_while(&mut self, now: impl Fn(&Transfer, usize) -> bool, later_s: f64) {
        while let Some(&at) = self.order.get(self.next) {
            let transfer = self.run.transfers[at];
            if !now(&transfer, self.next) {
                return;
            }
            self.next += 1;
            self.asked_s = self.asked_s.max(transfer.asked_s + later_s);
            if transfer.direction == Direction::Out && self.outs.len() >= self.room {
                // No room: everything behind it waits, until one of those before it is done.
                self.asked_s = self.asked_s.max(self.outs[self.outs.len() - self.room]);
            }
            self.done_s[at] = self.lines.carry(&transfer, self.asked_s);
            if transfer.direction == Direction::Out {
                self.outs.push(self.done_s[at]);
            }
        }
    }
}

#[cfg(test)]
mod tests;
