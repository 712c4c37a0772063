//! The program in a recording: from what was seen of its pages to what it does.

use super::program::{Change, Program, Step, Thread, Touch, What};
use super::unseen::{Passing, unseen};
use pager::{Options, Place, Policy, Role};
use pager_facts::{
    EngineStep, Happened, Held, PageEvent, PageEventError, Paged, PagerEvent, PagerFacts,
    ServerRole, page_events_name,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Why there is none.
#[derive(Debug, thiserror::Error)]
pub enum NoProgram {
    /// It was recorded before its pages were, or without a record.
    #[error("{} is not there: the run was recorded without its pages", .0.display())]
    NotThere(PathBuf),
    /// It is none.
    #[error("{} is not a record of pages: {reason}", path.display())]
    Damaged { path: PathBuf, reason: String },
    /// A server went down or came back: the pager did other things then.
    #[error("servers were lost or joined during the run")]
    Servers,
    /// Its policy is not known here.
    #[error("the policy `{0}` is not known")]
    Policy(String),
}

/// What a run recorded of its pages.
#[derive(Clone, Debug)]
pub struct Recording {
    /// In the order in which they began.
    events: Vec<PageEvent>,
    options: Options,
    work_s: [f64; EngineStep::ALL.len()],
    protects: bool,
    elapsed_s: f64,
}

impl Recording {
    /// Of a process of the run at `run`.
    ///
    /// # Errors
    /// When there is none that could be played.
    pub fn read(run: &Path, pager: &PagerFacts, process: &Paged) -> Result<Recording, NoProgram> {
        let path = run.join(page_events_name(process.pid));
        let text = record::read_text(&path).map_err(|_| NoProgram::NotThere(path.clone()))?;
        let about_servers = |event: &PagerEvent| {
            matches!(event.what, Happened::ServerDown { .. } | Happened::ServerJoined { .. })
        };
        if process.events.iter().any(about_servers) {
            return Err(NoProgram::Servers);
        }
        let policy: Policy =
            pager.policy.parse().map_err(|_| NoProgram::Policy(pager.policy.clone()))?;
        let damaged = |reason| NoProgram::Damaged { path: path.clone(), reason };
        let events = text.lines().map(str::parse).collect::<Result<Vec<PageEvent>, _>>();
        let events = events.map_err(|error: PageEventError| damaged(error.to_string()))?;
        let servers = process.servers.iter().enumerate();
        let servers = servers.map(|(at, server)| (Place(at as u16), role(server.role))).collect();
        Recording::of_events(events, policy, servers, process.seconds.elapsed)
            .ok_or_else(|| damaged("it does not begin with the pager's options".into()))
    }

    /// The same of its events; `None` where they lack the pager's options, or these cannot be.
    pub fn of_events(
        mut events: Vec<PageEvent>,
        policy: Policy,
        servers: Vec<(Place, Role)>,
        elapsed_s: f64,
    ) -> Option<Recording> {
        let mut work_s = [0.0; EngineStep::ALL.len()];
        let (mut options, mut protects) = (None, false);
        for event in &events {
            match *event {
                PageEvent::Options { budget, staging, prefetch } => {
                    options = Some(Options {
                        budget_pages: budget,
                        staging_frames: u32::try_from(staging).ok()?,
                        prefetch_pages: u32::try_from(prefetch).ok()?,
                        policy,
                        servers: servers.clone(),
                    });
                }
                // The last one counts.
                PageEvent::Work { step, count, ns } => {
                    work_s[step as usize] = ns as f64 / 1e9 / count.max(1) as f64;
                    protects |= step == EngineStep::Drop && count > 0;
                }
                _ => {}
            }
        }
        events.retain(|event| !matches!(event, PageEvent::Work { .. }));
        events.sort_by_key(begun);
        Some(Recording { events, options: options?, work_s, protects, elapsed_s })
    }

    /// The program that did this.
    pub fn program(&self) -> Program {
        Program {
            options: self.options.clone(),
            threads: threads(lanes(&self.events, unseen(&self.events)), self.elapsed_s),
            work_s: self.work_s,
            protects: self.protects,
        }
    }
}

fn role(role: ServerRole) -> Role {
    match role {
        ServerRole::Data => Role::Data,
        ServerRole::Parity => Role::Parity,
        ServerRole::Spare => Role::Spare,
    }
}

/// When something began, ns.
fn begun(event: &PageEvent) -> u64 {
    match *event {
        PageEvent::Options { .. } | PageEvent::Work { .. } => 0,
        PageEvent::Fault { from, .. } => from,
        PageEvent::Written { at, .. }
        | PageEvent::Ahead { at, .. }
        | PageEvent::Gone { at, .. }
        | PageEvent::Memory { at, .. }
        | PageEvent::Moved { at, .. } => at,
    }
}

/// What a thread was seen to do, and when, ns.
#[derive(Clone, Copy)]
struct Act {
    from: u64,
    to: u64,
    what: What,
}

/// What each thread did, in its order.
fn lanes(events: &[PageEvent], unseen: Vec<Passing>) -> Vec<Vec<Act>> {
    let mut names: Vec<u64> = Vec::new();
    let mut lanes: Vec<Vec<Act>> = Vec::new();
    let mut add = |thread: u64, act: Act| {
        let at = names.iter().position(|name| *name == thread).unwrap_or(names.len());
        if at == names.len() {
            names.push(thread);
            lanes.push(Vec::new());
        }
        lanes[at].push(act);
    };
    // Nobody knows who maps memory: whoever touches something next.
    let mut pending: Vec<Act> = Vec::new();
    let mut last = 0;
    for event in events {
        let (thread, act) = match *event {
            PageEvent::Fault { from, to, thread, page, write } => {
                let change = if write { Change::Others } else { Change::Nothing };
                let what = What::Touch(Touch { page, write, change });
                (thread, Act { from, to, what })
            }
            PageEvent::Written { at, thread, page } => {
                let what = What::Touch(Touch { page, write: true, change: Change::Others });
                (thread, Act { from: at, to: at, what })
            }
            PageEvent::Memory { at, how, stretch } => {
                pending.push(Act { from: at, to: at, what: What::Memory(how, stretch) });
                continue;
            }
            PageEvent::Moved { at, stretch, to } => {
                pending.push(Act { from: at, to: at, what: What::Moved(stretch, to) });
                continue;
            }
            _ => continue,
        };
        pending.drain(..).for_each(|act| add(thread, act));
        add(thread, act);
        last = thread;
    }
    pending.drain(..).for_each(|act| add(last, act));
    for Passing { thread, at, page } in unseen {
        let what = What::Touch(Touch { page, write: false, change: Change::Nothing });
        add(thread, Act { from: at, to: at, what });
    }
    for lane in &mut lanes {
        lane.sort_by_key(|act| act.from);
    }
    changes(&mut lanes, events);
    lanes
}

/// Which touches change their page: the stores; and of a page that left changed, of which no store
/// was seen, all. A page that left all zero became so by them.
fn changes(lanes: &mut [Vec<Act>], events: &[PageEvent]) {
    let mut touches: Vec<(u64, usize, usize)> = Vec::new();
    for (thread, lane) in lanes.iter().enumerate() {
        touches.extend(lane.iter().enumerate().map(|(at, act)| (act.from, thread, at)));
    }
    touches.sort_unstable();
    let mut touches = touches.into_iter().peekable();
    // Of each page its touches since it came.
    let mut since: HashMap<u64, Vec<(usize, usize)>> = HashMap::new();
    for event in events {
        let PageEvent::Gone { at, stretch, held } = *event else { continue };
        while let Some((_, thread, act)) = touches.next_if(|(from, ..)| *from <= at) {
            if let What::Touch(touch) = lanes[thread][act].what {
                since.entry(touch.page).or_default().push((thread, act));
            }
        }
        for page in stretch.first..stretch.first + stretch.pages {
            let touched = since.remove(&page).unwrap_or_default();
            match held {
                Held::Same => {}
                Held::Changed => mark(lanes, &touched, Change::Others),
                Held::Zeros => mark(lanes, &touched, Change::Zeros),
            }
        }
    }
}

fn mark(lanes: &mut [Vec<Act>], touched: &[(usize, usize)], change: Change) {
    let stores = |act: &Act| matches!(act.what, What::Touch(it) if it.change != Change::Nothing);
    let seen = touched.iter().any(|(thread, act)| stores(&lanes[*thread][*act]));
    for (thread, act) in touched {
        let act = &mut lanes[*thread][*act];
        if (!seen || stores(act))
            && let What::Touch(touch) = &mut act.what
        {
            touch.change = change;
        }
    }
}

/// With the computing between what they do.
fn threads(lanes: Vec<Vec<Act>>, elapsed_s: f64) -> Vec<Thread> {
    let ends: Vec<u64> =
        lanes.iter().map(|lane| lane.iter().map(|act| act.to).max().unwrap_or(0)).collect();
    let last = ends.iter().copied().max().unwrap_or(0);
    let mut threads = Vec::new();
    for (at, lane) in lanes.iter().enumerate() {
        let first = lane.first().map_or(0, |act| act.from);
        let (after, mut before) = match at {
            0 => (None, 0),
            _ => begins_after(&lanes, first),
        };
        let mut steps = Vec::with_capacity(lane.len());
        for act in lane {
            steps
                .push(Step { gap_s: act.from.saturating_sub(before) as f64 / 1e9, what: act.what });
            before = before.max(act.to);
        }
        let ends_it = ends[at] == last;
        let tail_s = if ends_it { (elapsed_s - last as f64 / 1e9).max(0.0) } else { 0.0 };
        threads.push(Thread { after, steps, tail_s });
    }
    threads
}

/// The last thing that the first thread had done by `from`: it has begun the other one.
fn begins_after(lanes: &[Vec<Act>], from: u64) -> (Option<(usize, usize)>, u64) {
    let done = lanes[0].iter().rposition(|act| act.to <= from);
    done.map_or((None, 0), |act| (Some((0, act)), lanes[0][act].to))
}
