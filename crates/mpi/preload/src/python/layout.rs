//! Where an interpreter keeps the frames of a thread, so that a thread can look at its own without
//! the interpreter's lock: nobody else changes them while it is in a call.
//!
//! No function tells that. The form of a frame is one of a few that Python has had since 3.11;
//! which one, and where in a thread's state the innermost frame is, is tried against what the
//! interpreter itself tells of the same frames ([`Step`]). Memory is read for that as another
//! process's is, by a call that fails where nothing is mapped. Each place is compared before it is
//! looked at without asking; if something does not fit, nothing is read so any more.

use super::capi::Pointer;
use super::frames::Step;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Words of a thread's state among which the innermost frame is looked for.
const STATE_WORDS: usize = 32;
/// Frames between two of the program that belong to the interpreter itself.
const INNER_MAX: usize = 4;
/// A code object has its instructions at its end, behind at most so many bytes.
const HEAD_MAX: usize = 1024;
/// Low bits of a reference to a code object say how it is counted (Python 3.14).
const MARKS: usize = 7;

/// Where things are, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The innermost frame, or what leads to it, in a thread's state.
    state: usize,
    form: Form,
    /// The first instruction in a code object.
    head: usize,
}

/// The form of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    /// Where the innermost frame is in what the thread's state leads to; `None` if it leads to the
    /// frame.
    through: Option<usize>,
    code: usize,
    before: usize,
    instruction: usize,
}

/// From 3.11 on.
const FORMS: [Form; 3] = [
    Form { through: Some(8), code: 32, before: 48, instruction: 56 },
    Form { through: Some(0), code: 0, before: 8, instruction: 56 },
    Form { through: None, code: 0, before: 8, instruction: 56 },
];

/// What tells one place from another without asking: the code object, and where the next
/// instruction is.
pub type Key = (usize, usize);

impl Layout {
    /// The layout in which the frames of the thread whose state is `own` are `steps`; `None` if it
    /// is none that is known.
    pub fn find(own: Pointer, steps: &[Step]) -> Option<Layout> {
        let memory = Memory::open()?;
        let (first, own) = (steps.first()?, own as usize);
        let fits = |form: &Form, state: usize| {
            let mut layout = Layout { state, form: *form, head: 0 };
            let frame = layout.innermost_in(&memory, own)?;
            let (code, instruction) = layout.key_in(&memory, frame)?;
            layout.head = instruction.checked_sub(first.code.checked_add(first.instruction?)?)?;
            (code == first.code && (1..HEAD_MAX).contains(&layout.head)).then_some(layout)
        };
        let states = (0..STATE_WORDS).map(|word| word * size_of::<usize>());
        states
            .flat_map(|state| FORMS.iter().filter_map(move |form| fits(form, state)))
            .find(|layout| layout.keys(own as Pointer, steps).is_some())
    }

    /// The keys of all frames of the thread whose state is `own` that lead to the last of `steps`,
    /// which is the last key; `None` if they are not there.
    pub fn keys(&self, own: Pointer, steps: &[Step]) -> Option<Vec<Key>> {
        let memory = Memory::open()?;
        let mut frame = self.innermost_in(&memory, own as usize)?;
        let mut keys = Vec::new();
        for step in steps {
            let mut is_there = false;
            for _ in 0..=INNER_MAX {
                let key = self.key_in(&memory, frame)?;
                frame = memory.word(frame.checked_add(self.form.before)?)?;
                keys.push(key);
                is_there = key == (step.code, step.code + self.head + step.instruction?);
                if is_there {
                    break;
                }
            }
            if !is_there {
                return None;
            }
        }
        Some(keys)
    }

    fn innermost_in(&self, memory: &Memory, own: usize) -> Option<usize> {
        let led = memory.word(own + self.state)?;
        self.form.through.map_or(Some(led), |further| memory.word(led.checked_add(further)?))
    }

    fn key_in(&self, memory: &Memory, frame: usize) -> Option<Key> {
        let code = memory.word(frame.checked_add(self.form.code)?)? & !MARKS;
        Some((code, memory.word(frame.checked_add(self.form.instruction)?)?))
    }

    /// The innermost frame of this thread; 0 if it has none.
    ///
    /// # Safety
    /// `own` must be this thread's state, and the layout have been found for its interpreter.
    #[inline]
    pub unsafe fn innermost(&self, own: Pointer) -> usize {
        // SAFETY: the caller says that it is there.
        let led = unsafe { word(own as usize + self.state) };
        match self.form.through {
            // SAFETY: a thread's state always leads to one.
            Some(further) => unsafe { word(led + further) },
            None => led,
        }
    }

    /// The key of a frame.
    ///
    /// # Safety
    /// `frame` must be a frame of this thread.
    #[inline]
    pub unsafe fn key(&self, frame: usize) -> Key {
        // SAFETY: the caller says that it is there.
        let code = unsafe { word(frame + self.form.code) } & !MARKS;
        // SAFETY: the same.
        (code, unsafe { word(frame + self.form.instruction) })
    }

    /// The frame that called it; 0 if there is none.
    ///
    /// # Safety
    /// `frame` must be a frame of this thread.
    #[inline]
    pub unsafe fn before(&self, frame: usize) -> usize {
        // SAFETY: the caller says that it is there.
        unsafe { word(frame + self.form.before) }
    }
}

/// # Safety
/// There must be a word at `address`.
#[inline(always)]
unsafe fn word(address: usize) -> usize {
    // SAFETY: as the caller says.
    unsafe { (address as *const usize).read() }
}

/// This process's memory, whose words may not be there.
struct Memory(File);

impl Memory {
    fn open() -> Option<Memory> {
        File::open("/proc/self/mem").ok().map(Memory)
    }

    fn word(&self, address: usize) -> Option<usize> {
        let mut bytes = [0; size_of::<usize>()];
        self.0.read_exact_at(&mut bytes, address as u64).ok()?;
        Some(usize::from_ne_bytes(bytes))
    }
}
