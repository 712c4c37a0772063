//! General active target: an origin's start meets a target's post, and the origin's complete ends
//! the target's wait.
//!
//! The k-th start of a rank for another meets the k-th post of that one for it, on each window. All
//! calls of an origin from its start on may wait for the posts of its targets: those that name no
//! target for all of them, and those that move data for that of theirs. The first that lasts until
//! the post is the one that waited.

use super::{Moment, Now, Reader, Step};
use crate::blocked::Accounts;
use crate::cause::Cause;
use crate::list::Operation;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// Epochs between two ranks that wait for the other side. There are more only if calls are missing.
const OPEN_MAX: usize = 1 << 12;
/// Calls of an epoch that are kept before those are left out that no post can lie in any more.
const STEPS_MAX: usize = 1 << 10;

/// The epochs of a window.
#[derive(Default)]
pub(super) struct Meetings {
    /// By origin and target: epochs of which the other side has not come yet.
    starts: Queues,
    posts: Queues,
    accesses: FxHashMap<u64, Access>,
    exposures: FxHashMap<u64, Exposure>,
    /// By rank: the epoch that it is in.
    accessing: FxHashMap<u32, u64>,
    exposing: FxHashMap<u32, u64>,
    numbers: u64,
    /// Starts and posts that met.
    pub met: u64,
    /// Starts and posts whose other side did not come.
    given_up: u64,
}

type Queues = FxHashMap<(u32, u32), VecDeque<u64>>;

/// An origin's epoch.
struct Access {
    targets: Vec<Target>,
    /// Its calls, each with the target that it names.
    steps: Vec<(Step, Option<u32>)>,
    completed: Option<Moment>,
}

struct Target {
    rank: u32,
    post: Option<Moment>,
    /// The target's epoch, until it has been told when this one ended.
    exposure: Option<u64>,
    /// A call has lasted until the post.
    found: bool,
}

/// A target's epoch.
struct Exposure {
    posted: Moment,
    /// The origins that have not completed yet, as far as is known.
    open: Vec<u32>,
    /// When the others did.
    completed: Vec<Moment>,
    /// The call that ends it.
    wait: Option<Step>,
}

impl Meetings {
    /// An origin opens an epoch for the ranks of `group`; `false` if they are not known.
    pub fn start(&mut self, group: Option<Arc<[u32]>>, reader: &mut Reader<'_>) -> bool {
        let Some(group) = group else { return false };
        let (origin, access) = (reader.step.span.rank, self.number());
        if let Some(before) = self.accessing.insert(origin, access) {
            self.forget_steps(before, reader.now);
        }
        let target = |rank: &u32| Target { rank: *rank, post: None, exposure: None, found: false };
        let targets = group.iter().map(target).collect();
        self.accesses.insert(access, Access { targets, steps: Vec::new(), completed: None });
        for target in group.iter() {
            match first(&mut self.posts, (origin, *target)) {
                Some(exposure) => self.meet(access, exposure, *target),
                None => self.start_waits((origin, *target), access),
            }
        }
        self.step(access, None, reader);
        true
    }

    /// A target opens its window for the ranks of `group`; `false` if they are not known.
    pub fn post(&mut self, group: Option<Arc<[u32]>>, reader: &mut Reader<'_>) -> bool {
        let Some(group) = group else { return false };
        let (target, exposure) = (reader.step.span.rank, self.number());
        self.exposing.insert(target, exposure);
        let posted = reader.step.moment();
        let open = group.to_vec();
        self.exposures.insert(exposure, Exposure { posted, open, completed: vec![], wait: None });
        for origin in group.iter() {
            match first(&mut self.starts, (*origin, target)) {
                Some(access) => {
                    self.meet(access, exposure, target);
                    self.look(access, reader);
                    self.tell(access, reader.accounts);
                }
                None => self.post_waits((*origin, target), exposure),
            }
        }
        true
    }

    /// An origin moves data to or from `target`.
    pub fn moves(&mut self, target: u32, reader: &mut Reader<'_>) {
        if let Some(access) = self.accessing.get(&reader.step.span.rank) {
            self.step(*access, Some(target), reader);
        }
    }

    /// An origin ends its epoch.
    pub fn complete(&mut self, reader: &mut Reader<'_>) {
        let Some(access) = self.accessing.remove(&reader.step.span.rank) else { return };
        self.step(access, None, reader);
        if let Some(access) = self.accesses.get_mut(&access) {
            access.completed = Some(reader.step.moment());
        }
        self.tell(access, reader.accounts);
    }

    /// A target ends its epoch, by a wait or by a test that found it over.
    pub fn wait(&mut self, reader: &mut Reader<'_>) {
        let Some(number) = self.exposing.remove(&reader.step.span.rank) else { return };
        let Some(exposure) = self.exposures.get_mut(&number) else { return };
        exposure.wait = Some(reader.step);
        let completed = std::mem::take(&mut exposure.completed);
        completed.iter().for_each(|moment| late_complete(&reader.step, moment, reader.accounts));
        self.forget_exposure(number);
    }

    /// Starts and posts that met nobody.
    pub fn alone(&self) -> u64 {
        let queued = self.starts.values().chain(self.posts.values()).map(VecDeque::len);
        self.given_up + queued.sum::<usize>() as u64
    }

    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// A start waits for its post; the oldest is given up where there are too many.
    fn start_waits(&mut self, pair: (u32, u32), access: u64) {
        let Some(oldest) = queue(&mut self.starts, pair, access) else { return };
        self.given_up += 1;
        let Some(access) = self.accesses.get_mut(&oldest) else { return };
        access.targets.retain(|target| target.rank != pair.1);
        if access.is_done() {
            self.accesses.remove(&oldest);
        }
    }

    /// The same of a post and its start.
    fn post_waits(&mut self, pair: (u32, u32), exposure: u64) {
        let Some(oldest) = queue(&mut self.posts, pair, exposure) else { return };
        self.given_up += 1;
        if let Some(exposure) = self.exposures.get_mut(&oldest) {
            exposure.open.retain(|origin| *origin != pair.0);
        }
        self.forget_exposure(oldest);
    }

    fn meet(&mut self, access: u64, exposure: u64, target: u32) {
        self.met += 1;
        let posted = self.exposures.get(&exposure).map(|exposure| exposure.posted);
        let targets = self.accesses.get_mut(&access).map(|access| &mut access.targets);
        let target = targets.and_then(|targets| targets.iter_mut().find(|one| one.rank == target));
        if let Some(target) = target {
            (target.post, target.exposure) = (posted, Some(exposure));
        }
    }

    /// A call of an origin's epoch.
    fn step(&mut self, number: u64, target: Option<u32>, reader: &mut Reader<'_>) {
        let Some(access) = self.accesses.get_mut(&number) else { return };
        if access.targets.iter().all(|target| target.found) {
            return;
        }
        access.steps.push((reader.step, target));
        if access.steps.len() >= STEPS_MAX && access.steps.len().is_power_of_two() {
            self.forget_steps(number, reader.now);
        }
        self.look(number, reader);
    }

    /// Look for the calls that lasted until the posts that are known.
    fn look(&mut self, access: u64, reader: &mut Reader<'_>) {
        let Some(Access { targets, steps, .. }) = self.accesses.get_mut(&access) else { return };
        for target in targets.iter_mut().filter(|target| !target.found) {
            let Some(post) = target.post else { continue };
            let needs = |named: &Option<u32>| named.is_none_or(|named| named == target.rank);
            let lasted = steps
                .iter()
                .find(|(step, named)| needs(named) && step.may_last_to(post.at, reader.now));
            if let Some((step, _)) = lasted {
                target.found = true;
                reader.accounts.add(step.span, step.wait(Cause::LatePost, &post));
            }
        }
        if targets.iter().all(|target| target.found) {
            steps.clear();
        }
    }

    /// Tell the targets that an origin has met that it is done, if it is.
    fn tell(&mut self, number: u64, accounts: &mut Accounts) {
        let Some(access) = self.accesses.get_mut(&number) else { return };
        let Some(completed) = access.completed else { return };
        let met: Vec<u64> =
            access.targets.iter_mut().filter_map(|one| one.exposure.take()).collect();
        if access.is_done() {
            self.accesses.remove(&number);
        }
        for number in met {
            let Some(exposure) = self.exposures.get_mut(&number) else { continue };
            exposure.open.retain(|origin| *origin != completed.rank);
            match &exposure.wait {
                Some(wait) => late_complete(wait, &completed, accounts),
                None => exposure.completed.push(completed),
            }
            self.forget_exposure(number);
        }
    }

    /// Leave out an epoch of a target that is over and that all have heard of.
    fn forget_exposure(&mut self, number: u64) {
        let over = |exposure: &Exposure| exposure.wait.is_some() && exposure.open.is_empty();
        if self.exposures.get(&number).is_some_and(over) {
            self.exposures.remove(&number);
        }
    }

    /// Leave out calls that no post can lie in any more.
    fn forget_steps(&mut self, access: u64, now: Now) {
        if let Some(access) = self.accesses.get_mut(&access) {
            access.steps.retain(|(step, _)| !step.is_over(now));
        }
    }
}

impl Access {
    /// Whether it is over, and all of its targets have posted.
    fn is_done(&self) -> bool {
        self.completed.is_some() && self.targets.iter().all(|target| target.post.is_some())
    }
}

/// Whoever waits for the end of an origin's epoch; a test waits for nobody.
fn late_complete(wait: &Step, completed: &Moment, accounts: &mut Accounts) {
    if wait.operation == Operation::Win_wait {
        accounts.add(wait.span, wait.wait(Cause::LateComplete, completed));
    }
}

fn first(queues: &mut Queues, pair: (u32, u32)) -> Option<u64> {
    queues.get_mut(&pair)?.pop_front()
}

/// Have an epoch wait for its other side; the oldest, where there are too many.
fn queue(queues: &mut Queues, pair: (u32, u32), epoch: u64) -> Option<u64> {
    let queue = queues.entry(pair).or_default();
    queue.push_back(epoch);
    if queue.len() > OPEN_MAX { queue.pop_front() } else { None }
}
