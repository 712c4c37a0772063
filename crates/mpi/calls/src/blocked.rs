//! The account of blocked time: how long each call was blocked, for what, and for whom.
//!
//! Whatever a call waits for, it does so from the moment it is entered, or later. So what it was
//! blocked is one stretch from there to the last of the moments waited for, and that one has all of
//! it: had another one come sooner, the call would have ended no earlier. A nanosecond is counted
//! once, and never one outside the call. Scalasca counts a late sender for each message, so a call
//! that waits for several is blocked for longer than it takes.
//!
//! A wait that is not sure (a send of a size that may travel at once or not) counts only where
//! nothing else explains why the call lasted: it must end clearly later than the sure ones.
//!
//! A call is closed when all that other ranks did before its end has been seen.

use crate::cause::Cause;
use crate::protocol::CLEARLY_NS;
use crate::shards::Share;
use crate::table::{WAIT_COLUMNS, WaitColumn};
use crate::writers::WaitRow;
use record::NULL;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A call of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub rank: u32,
    /// Of its table of calls.
    pub row: i64,
    pub enter: i64,
    pub exit: i64,
}

/// What a call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    pub cause: Cause,
    pub by: u32,
    /// Until then, ns on the timeline.
    pub until: i64,
    /// Whether it is known to have waited, rather than merely able to.
    pub sure: bool,
    pub about: About,
}

/// More of it, as the columns of the table have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct About {
    /// The function of a collective; of a message the table of calls has it.
    pub function: Option<u16>,
    pub sites: [u32; 2],
    pub tag: i64,
    pub seq: i64,
    pub bytes: u64,
    pub ready: i64,
    pub taken: i64,
}

/// A call that was blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blocked {
    pub span: Span,
    /// `until` lies within the span.
    pub wait: Wait,
}

/// The calls whose account is not closed.
pub(crate) struct Accounts {
    /// Whose calls they are.
    share: Share,
    open: FxHashMap<(u32, i64), Account>,
    /// Their ends.
    ends: BinaryHeap<(Reverse<i64>, u32, i64)>,
    /// Calls that ended before are closed.
    closed_to: Option<i64>,
    /// Waits that came after the account of their call was closed.
    pub late: u64,
}

struct Account {
    span: Span,
    sure: Option<Wait>,
    perhaps: Option<Wait>,
}

impl Accounts {
    /// None yet, of these ranks' calls.
    pub fn new(share: Share) -> Accounts {
        let (open, ends) = (FxHashMap::default(), BinaryHeap::new());
        Accounts { share, open, ends, closed_to: None, late: 0 }
    }

    /// Whether they are those of this rank.
    #[inline]
    pub fn are_of(&self, rank: u32) -> bool {
        self.share.owns(rank)
    }

    /// `span` waited; less than all of it counts only as far as it lies within the call.
    pub fn add(&mut self, span: Span, wait: Wait) {
        let wait = Wait { until: wait.until.min(span.exit), ..wait };
        if !self.are_of(span.rank) || wait.until <= span.enter || span.exit < span.enter {
            return;
        }
        if self.closed_to.is_some_and(|to| span.exit < to) {
            self.late += 1;
            return;
        }
        let key = (span.rank, span.row);
        let account = self.open.entry(key).or_insert_with(|| {
            self.ends.push((Reverse(span.exit), key.0, key.1));
            Account { span, sure: None, perhaps: None }
        });
        let kept = if wait.sure { &mut account.sure } else { &mut account.perhaps };
        if kept.is_none_or(|kept| wait.comes_before(&kept)) {
            *kept = Some(wait);
        }
    }

    /// Close the calls that ended before `to`.
    pub fn close<E>(
        &mut self,
        to: i64,
        mut each: impl FnMut(&Blocked) -> Result<(), E>,
    ) -> Result<(), E> {
        self.closed_to = Some(self.closed_to.map_or(to, |before| before.max(to)));
        while self.ends.peek().is_some_and(|(Reverse(end), ..)| *end < to) {
            let Some((_, rank, row)) = self.ends.pop() else { break };
            let account = self.open.remove(&(rank, row));
            if let Some(blocked) = account.and_then(|account| account.settled()) {
                each(&blocked)?;
            }
        }
        Ok(())
    }
}

impl Account {
    fn settled(&self) -> Option<Blocked> {
        let known = self.sure.map_or(self.span.enter, |sure| sure.until);
        let explains = |wait: &Wait| wait.until - known > CLEARLY_NS;
        let wait = self.perhaps.filter(explains).or(self.sure)?;
        Some(Blocked { span: self.span, wait })
    }
}

impl Blocked {
    /// As a row of the table of blocked calls.
    pub fn row(&self) -> WaitRow {
        let Blocked { span, wait } = self;
        let about = &wait.about;
        let site = |site: u32| if site == 0 { NULL } else { i64::from(site) };
        let mut row = [NULL; WAIT_COLUMNS.len()];
        let mut put = |column: WaitColumn, value: i64| row[column as usize] = value;
        put(WaitColumn::Call, span.row);
        put(WaitColumn::Enter, span.enter);
        put(WaitColumn::Until, wait.until);
        put(WaitColumn::Cause, wait.cause as i64);
        put(WaitColumn::By, i64::from(wait.by));
        put(WaitColumn::Function, about.function.map_or(NULL, i64::from));
        put(WaitColumn::Site, site(about.sites[0]));
        put(WaitColumn::OtherSite, site(about.sites[1]));
        put(WaitColumn::Tag, about.tag);
        put(WaitColumn::Seq, about.seq);
        put(WaitColumn::Bytes, about.bytes as i64);
        put(WaitColumn::Ready, about.ready);
        put(WaitColumn::Taken, about.taken);
        row
    }
}

impl Wait {
    /// The last one counts; of equals the first cause and the smallest rank, in whatever order
    /// they come.
    fn comes_before(&self, other: &Wait) -> bool {
        let rank = |wait: &Wait| (Reverse(wait.until), wait.cause, wait.by, wait.about.seq);
        rank(self) < rank(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::NULL;

    const US: i64 = 1_000;

    fn span() -> Span {
        Span { rank: 0, row: 7, enter: 100 * US, exit: 900 * US }
    }

    fn wait(cause: Cause, by: u32, until: i64) -> Wait {
        let about = About {
            function: None,
            sites: [0; 2],
            tag: NULL,
            seq: 0,
            bytes: 0,
            ready: NULL,
            taken: NULL,
        };
        Wait { cause, by, until: until * US, sure: true, about }
    }

    fn closed(waits: &[Wait]) -> Vec<(Cause, u32, i64)> {
        let mut accounts = Accounts::new(Share::ALL);
        waits.iter().for_each(|wait| accounts.add(span(), *wait));
        let mut all = Vec::new();
        let mut each = |blocked: &Blocked| {
            all.push((blocked.wait.cause, blocked.wait.by, blocked.wait.until / US));
            Ok::<(), ()>(())
        };
        assert_eq!(accounts.close(900 * US, &mut each), Ok(()));
        assert_eq!(accounts.close(i64::MAX, &mut each), Ok(()));
        all
    }

    #[test]
    fn the_last_that_a_call_waits_for_has_all_of_its_time() {
        let late = [
            wait(Cause::LateSender, 1, 300),
            wait(Cause::LateSender, 2, 500),
            wait(Cause::LateReceiver, 3, 500),
        ];
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            assert_eq!(closed(&order.map(|at| late[at])), [(Cause::LateSender, 2, 500)]);
        }
    }

    #[test]
    fn nothing_outside_the_call_counts() {
        assert_eq!(closed(&[wait(Cause::LateSender, 1, 90)]), []);
        assert_eq!(closed(&[wait(Cause::LateSender, 1, 950)]), [(Cause::LateSender, 1, 900)]);
    }

    #[test]
    fn what_is_not_sure_counts_only_where_nothing_else_explains_the_call() {
        let perhaps = Wait { sure: false, ..wait(Cause::LateReceiver, 3, 600) };
        assert_eq!(closed(&[perhaps]), [(Cause::LateReceiver, 3, 600)]);
        let sure = |until| wait(Cause::LateSender, 1, until);
        assert_eq!(closed(&[perhaps, sure(590)]), [(Cause::LateSender, 1, 590)]);
        assert_eq!(closed(&[sure(300), perhaps]), [(Cause::LateReceiver, 3, 600)]);
    }

    #[test]
    fn a_wait_that_comes_too_late_is_counted_and_left_out() {
        let mut accounts = Accounts::new(Share::ALL);
        let none = |_: &Blocked| Err("nothing was open");
        assert_eq!(accounts.close(901 * US, none), Ok(()));
        accounts.add(span(), wait(Cause::LateSender, 1, 300));
        assert_eq!((accounts.close(i64::MAX, none), accounts.late), (Ok(()), 1));
    }
}
