//! Python's frames, as the interpreter tells them to who holds its lock.
//!
//! None of it runs code of the program: garbage is not collected meanwhile, and what a code object
//! is called are plain members. An exception that is on its way is put aside.

use super::capi::{Pointer, function, functions};
use std::ffi::{CStr, c_char, c_int};

/// More frames of a package within one another do not happen.
pub const DEPTH_MAX: usize = 64;

/// What there is to ask about frames.
pub struct Frames {
    asked: Asked,
    aside: Aside,
    /// From Python 3.11 on.
    instruction: Option<unsafe extern "C" fn(Pointer) -> c_int>,
    /// To stop the collection of garbage and to let it go on, from Python 3.10 on.
    collection: Option<[unsafe extern "C" fn() -> c_int; 2]>,
}

struct Asked {
    innermost: unsafe extern "C" fn(Pointer) -> Pointer,
    back: unsafe extern "C" fn(Pointer) -> Pointer,
    code: unsafe extern "C" fn(Pointer) -> Pointer,
    line: unsafe extern "C" fn(Pointer) -> c_int,
    attribute: unsafe extern "C" fn(Pointer, *const c_char) -> Pointer,
    text: unsafe extern "C" fn(Pointer) -> *const c_char,
    keep: unsafe extern "C" fn(Pointer),
    drop: unsafe extern "C" fn(Pointer),
}

/// What puts an exception aside, and back.
struct Aside {
    take: unsafe extern "C" fn(*mut Pointer, *mut Pointer, *mut Pointer),
    give_back: unsafe extern "C" fn(Pointer, Pointer, Pointer),
}

/// A frame: its code, the line in it, and how far the code has got.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Where the code object is.
    pub code: usize,
    pub line: u32,
    /// In bytes from the code's beginning, from Python 3.11 on.
    pub instruction: Option<usize>,
}

/// What a code object is called.
pub struct Name {
    pub file: Vec<u8>,
    pub function: Vec<u8>,
}

impl Frames {
    /// Those of the program's interpreter.
    pub fn find() -> Option<Frames> {
        let asked = functions!(Asked {
            innermost: c"PyThreadState_GetFrame",
            back: c"PyFrame_GetBack",
            code: c"PyFrame_GetCode",
            line: c"PyFrame_GetLineNumber",
            attribute: c"PyObject_GetAttrString",
            text: c"PyUnicode_AsUTF8",
            keep: c"Py_IncRef",
            drop: c"Py_DecRef",
        });
        let aside = functions!(Aside { take: c"PyErr_Fetch", give_back: c"PyErr_Restore" });
        // SAFETY: the type is that of this function in Python's C API.
        let instruction = unsafe { function(c"PyFrame_GetLasti") };
        // SAFETY: the same.
        let [stop, go_on] = unsafe { [function(c"PyGC_Disable"), function(c"PyGC_Enable")] };
        let collection = stop.and_then(|stop| Some([stop, go_on?]));
        Some(Frames { asked, aside, instruction, collection })
    }

    /// Do something that asks, and leave the interpreter as it was.
    ///
    /// # Safety
    /// This thread must hold the interpreter's lock.
    pub unsafe fn quietly<R>(&self, work: impl FnOnce() -> R) -> R {
        let mut exception = [std::ptr::null_mut(); 3];
        let [kind, value, traceback] = &mut exception;
        // SAFETY: the lock is held; three places to be written.
        unsafe { (self.aside.take)(kind, value, traceback) };
        // SAFETY: the lock is held.
        let was_on = self.collection.is_some_and(|[stop, _]| unsafe { stop() } != 0);
        let result = work();
        if let Some([_, go_on]) = self.collection.filter(|_| was_on) {
            // SAFETY: the lock is held.
            unsafe { go_on() };
        }
        let [kind, value, traceback] = exception;
        // SAFETY: the lock is held; these are what was taken, and what came meanwhile is dropped.
        unsafe { (self.aside.give_back)(kind, value, traceback) };
        result
    }

    /// Go through the frames of this thread, whose state is `own`, from the innermost outwards, as
    /// long as `look` wants more.
    ///
    /// # Safety
    /// This thread must hold the interpreter's lock, within [`quietly`](Frames::quietly).
    pub unsafe fn each(&self, own: Pointer, mut look: impl FnMut(Step) -> bool) {
        // SAFETY: the lock is held.
        let mut frame = unsafe { (self.asked.innermost)(own) };
        for _ in 0..DEPTH_MAX {
            if frame.is_null() {
                return;
            }
            // SAFETY: the lock is held, and the frame is there.
            let wants_more = look(unsafe { self.step(frame) });
            // SAFETY: the same; what was given is given back.
            frame = unsafe {
                let outer = (self.asked.back)(frame);
                (self.asked.drop)(frame);
                outer
            };
            if !wants_more {
                break;
            }
        }
        // SAFETY: the lock is held; null is ignored.
        unsafe { (self.asked.drop)(frame) };
    }

    /// # Safety
    /// This thread must hold the interpreter's lock, and `frame` be a frame that is being run.
    unsafe fn step(&self, frame: Pointer) -> Step {
        // SAFETY: as the caller says. The frame holds its code, so that it stays without ours.
        let (code, line) = unsafe {
            let code = (self.asked.code)(frame);
            (self.asked.drop)(code);
            (code as usize, (self.asked.line)(frame))
        };
        // SAFETY: the same.
        let instruction = self.instruction.map(|instruction| unsafe { instruction(frame) });
        let instruction = instruction.and_then(|at| usize::try_from(at).ok());
        Step { code, line: u32::try_from(line).unwrap_or(0), instruction }
    }

    /// What the code of a frame is called.
    ///
    /// # Safety
    /// This thread must hold the interpreter's lock, within [`quietly`](Frames::quietly), and
    /// `code` be a code object that is being run.
    pub unsafe fn name(&self, code: usize) -> Name {
        // Both came with Python 3.11.
        let function = if self.instruction.is_some() { c"co_qualname" } else { c"co_name" };
        // SAFETY: as the caller says.
        let text = |attribute| unsafe { self.text(code as Pointer, attribute) };
        Name { file: text(c"co_filename"), function: text(function) }
    }

    /// # Safety
    /// As for [`name`](Frames::name).
    unsafe fn text(&self, object: Pointer, attribute: &CStr) -> Vec<u8> {
        // SAFETY: as the caller says; the name is terminated.
        let value = unsafe { (self.asked.attribute)(object, attribute.as_ptr()) };
        if value.is_null() {
            return Vec::new();
        }
        // SAFETY: the lock is held, and the object is there.
        let text = unsafe { (self.asked.text)(value) };
        let copied = match text.is_null() {
            // No text, or not in UTF-8.
            true => Vec::new(),
            // SAFETY: a terminated string that the object keeps.
            false => unsafe { CStr::from_ptr(text) }.to_bytes().to_vec(),
        };
        // SAFETY: the lock is held; what was given is given back.
        unsafe { (self.asked.drop)(value) };
        copied
    }

    /// Keep a code object for good, so that no other is ever where it is.
    ///
    /// # Safety
    /// This thread must hold the interpreter's lock, and `code` be an object.
    pub unsafe fn keep(&self, code: usize) {
        // SAFETY: as the caller says.
        unsafe { (self.asked.keep)(code as Pointer) };
    }
}
