//! Which line of Python a call comes from.
//!
//! A call through mpi4py returns into that package's machine code, wherever in the program it was
//! made. The line is that of the innermost Python frame outside the package. What a frame is
//! called only the interpreter can tell, to whoever holds its lock ([`threads`], [`frames`]), and
//! mpi4py has mostly given that up: to take it may wait for another thread that computes. So it is
//! asked once for each place, before the call's first stamp. Afterwards a place is known by its
//! code object and its instruction, which a thread can look at in its own frames without the lock
//! ([`layout`]); code objects that are known are kept, so that no other comes to lie where they
//! are. Where an interpreter keeps its frames in a form that is not known, it is asked each time.

mod capi;
mod frames;
mod layout;
mod threads;

use crate::mpi4py;
use crate::rank::{Rank, Tracer};
use capi::Pointer;
use frames::{DEPTH_MAX, Frames, Name, Step};
use layout::{Key, Layout};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};
use threads::Threads;

/// Places that are found at once, on each thread.
const QUICK: usize = 64;
/// A frame to look behind: of the package itself, or of the interpreter.
const BEHIND: u32 = u32::MAX;
/// No more places are learnt: each holds a code object, and a program may make code as it runs.
const PLACES_MAX: usize = 10_000;

/// The program's interpreter; `None` if it has none whose functions are known.
static INTERPRETER: OnceLock<Option<Interpreter>> = OnceLock::new();
/// Where frames are; null if that is not known.
static LAYOUT: AtomicPtr<Layout> = AtomicPtr::new(std::ptr::null_mut());
/// The numbers of places, or [`BEHIND`], by code object and instruction; by code object and line
/// where instructions cannot be looked at. No line is an address.
static PLACES: Mutex<BTreeMap<Key, u32>> = Mutex::new(BTreeMap::new());

thread_local! {
    static PLACES_QUICK: [Cell<(Key, u32)>; QUICK] =
        const { [const { Cell::new(((0, 0), 0)) }; QUICK] };
}

struct Interpreter {
    threads: Threads,
    frames: Frames,
    has_layout: OnceLock<bool>,
}

/// The number of the line of Python from which a call comes that returns to `address`; 0 if it
/// comes from no line of Python, or from one that is not known. The caller must not have the rank's
/// state.
#[inline(always)]
pub fn site(address: usize, tracer: &Tracer) -> u32 {
    if mpi4py::has(address) { of_this_thread(tracer) } else { 0 }
}

#[inline(never)]
fn of_this_thread(tracer: &Tracer) -> u32 {
    let Some(interpreter) = INTERPRETER.get_or_init(Interpreter::find) else { return 0 };
    let own = interpreter.threads.own();
    if own.is_null() {
        return 0;
    }
    known(own).unwrap_or_else(|| interpreter.learn(own, tracer))
}

/// The number of the place that this thread, whose state is `own`, is at, if it has been there.
#[inline]
fn known(own: Pointer) -> Option<u32> {
    // SAFETY: null, or a layout that is never freed.
    let layout = unsafe { LAYOUT.load(Ordering::Acquire).as_ref() }?;
    // SAFETY: it was found for this interpreter, whose state for this thread that is.
    let mut frame = unsafe { layout.innermost(own) };
    for _ in 0..DEPTH_MAX {
        if frame == 0 {
            return None;
        }
        // SAFETY: a frame of this thread, which stays as it is until the call returns.
        let key = unsafe { layout.key(frame) };
        match number(key)? {
            // SAFETY: the same.
            BEHIND => frame = unsafe { layout.before(frame) },
            number => return Some(number),
        }
    }
    None
}

#[inline]
fn number(key: Key) -> Option<u32> {
    PLACES_QUICK.with(|quick| {
        let place = &quick[(key.1 >> 1 ^ key.1 >> 7) % QUICK];
        let (seen, number) = place.get();
        if seen == key {
            return Some(number);
        }
        let number = places().get(&key).copied()?;
        place.set((key, number));
        Some(number)
    })
}

/// Remember the frames that lead to a place, which is the last of them.
fn remember(way: &[Key], number: u32) {
    let Some((last, behind)) = way.split_last() else { return };
    let mut places = places();
    if places.len() < PLACES_MAX {
        places.extend(behind.iter().map(|key| (*key, BEHIND)));
        places.insert(*last, number);
    }
}

/// Held for a moment, never while something else is waited for.
fn places() -> MutexGuard<'static, BTreeMap<Key, u32>> {
    PLACES.lock().unwrap_or_else(|error| error.into_inner())
}

/// A way through the frames to a line outside the package.
struct Way {
    /// The last one is that line's.
    steps: Vec<Step>,
    end: End,
    /// All frames on it, if they can be looked at.
    keys: Vec<Key>,
}

enum End {
    /// Its number, if it was asked for before.
    Known(u32),
    Named(Name),
}

impl Interpreter {
    #[cold]
    fn find() -> Option<Interpreter> {
        let (threads, frames) = (Threads::find()?, Frames::find()?);
        Some(Interpreter { threads, frames, has_layout: OnceLock::new() })
    }

    /// Ask the interpreter where this thread is, and remember it.
    #[cold]
    fn learn(&self, own: Pointer, tracer: &Tracer) -> u32 {
        let is_quick = !LAYOUT.load(Ordering::Acquire).is_null();
        if is_quick && places().len() >= PLACES_MAX {
            return 0;
        }
        // SAFETY: the lock is held within `with`.
        let ask = || unsafe { self.frames.quietly(|| self.way(own)) };
        let Some(Way { steps, end, keys }) = self.threads.with(own, ask).flatten() else {
            return 0;
        };
        let line = steps.last().map_or(0, |step| step.line);
        let number = match end {
            End::Known(number) if keys.is_empty() => return number,
            End::Known(number) => number,
            End::Named(Name { file, function }) => {
                tracer.with(|rank: &mut Rank| rank.site_of_line(line, &file, &function))
            }
        };
        let by_line = steps.iter().map(by_line).collect();
        [by_line, keys].iter().for_each(|way| remember(way, number));
        number
    }

    /// The way to the line; `None` if there is none outside the package.
    ///
    /// # Safety
    /// This thread must hold the interpreter's lock, quietly.
    unsafe fn way(&self, own: Pointer) -> Option<Way> {
        let (mut steps, mut end) = (Vec::new(), None);
        let look = |step: Step| {
            end = match places().get(&by_line(&step)).copied() {
                Some(BEHIND) => None,
                Some(number) => Some(End::Known(number)),
                None => {
                    // SAFETY: as the caller says; the frame is being run.
                    let name = unsafe { self.frames.name(step.code) };
                    (!mpi4py::is_own(&name.file)).then_some(End::Named(name))
                }
            };
            steps.push(step);
            end.is_none()
        };
        // SAFETY: as the caller says.
        unsafe { self.frames.each(own, look) };
        let end = end?;
        let keys = self.keys(own, &steps).unwrap_or_default();
        let new = |key: &Key| !places().contains_key(key);
        let ways = keys.iter().copied().chain(steps.iter().map(by_line));
        // SAFETY: as the caller says; these are the code objects of frames, as was compared.
        ways.filter(new).for_each(|(code, _)| unsafe { self.frames.keep(code) });
        Some(Way { steps, end, keys })
    }

    /// The keys of the frames on the way, if frames are where they are thought to be.
    fn keys(&self, own: Pointer, steps: &[Step]) -> Option<Vec<Key>> {
        self.has_layout.get_or_init(|| {
            let found = Layout::find(own, steps).map(|layout| Box::into_raw(Box::new(layout)));
            LAYOUT.store(found.unwrap_or_default(), Ordering::Release);
            found.is_some()
        });
        // SAFETY: null, or a layout that is never freed.
        let layout = unsafe { LAYOUT.load(Ordering::Acquire).as_ref() }?;
        let keys = layout.keys(own, steps);
        if keys.is_none() {
            LAYOUT.store(std::ptr::null_mut(), Ordering::Release);
        }
        keys
    }
}

fn by_line(step: &Step) -> Key {
    (step.code, step.line as usize)
}
