//! A trace's files, as the library writes them: definitions, then the events of one location after
//! the other.

use crate::events::{Collective, Location, Message, Process, Region};
use crate::library::{Code, FlushCallbacks, Functions, Handle};
use crate::order::Event;
use crate::{Library, Otf2Error};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

/// Ticks a second: nanoseconds.
const RESOLUTION: u64 = 1_000_000_000;
/// `OTF2_UNDEFINED_UINT32`, and what it stands for among references.
const NONE: u32 = u32::MAX;
/// `OTF2_UNDEFINED_UINT64`: the time of day of the first event is not told.
const UNDEFINED: u64 = u64::MAX;
/// Bytes of a chunk of events, and of definitions: what the library advises.
const CHUNKS: (u64, u64) = (1 << 20, 4 << 20);
/// `OTF2_PARADIGM_USER` and `OTF2_PARADIGM_MPI`.
const USER: u8 = 1;
const MPI: u8 = 4;
/// `OTF2_GROUP_TYPE_COMM_LOCATIONS` and `OTF2_GROUP_TYPE_COMM_GROUP`.
const LOCATIONS: u8 = 4;
const MEMBERS: u8 = 5;
/// The empty text.
const EMPTY: u32 = 0;

/// A trace that is being written. One that is given up is left open: after an error, such as a full
/// disk, the library would free twice what it had freed already, and the file's pages are the
/// system's to take back.
pub(crate) struct Archive<'a> {
    library: &'a Library,
    folder: PathBuf,
    handle: Handle,
    definitions: Handle,
    texts: BTreeMap<CString, u32>,
    /// Locations whose events were written.
    written: Vec<u64>,
    /// The time of tick 0, ns on the timeline.
    first: i64,
}

/// Flush whenever a buffer is full.
extern "C" fn always(_: Handle, _: u8, _: u64, _: Handle, _: bool) -> u8 {
    1
}

static FLUSH: FlushCallbacks = FlushCallbacks { before: Some(always), after: None };

impl<'a> Archive<'a> {
    /// Begin a trace `traces` in this folder, whose first event is at `first`, ns on the timeline.
    pub fn create(library: &'a Library, folder: &Path, first: i64) -> Result<Self, Otf2Error> {
        let path = text(folder.as_os_str().as_bytes())?;
        // Writing, to a file system, not compressed.
        let (mode, substrate, compression) = (0, 1, 1);
        // SAFETY: both texts end with a zero byte and outlive the call, which copies them.
        let handle = unsafe {
            (library.functions.open)(
                path.as_ptr(),
                c"traces".as_ptr(),
                mode,
                CHUNKS.0,
                CHUNKS.1,
                substrate,
                compression,
            )
        };
        let folder = folder.to_owned();
        let (texts, written) = (BTreeMap::new(), Vec::new());
        let definitions = null_mut();
        let archive = Archive { library, folder, handle, definitions, texts, written, first };
        archive.there("OTF2_Archive_Open", handle)?;
        archive.begin()?;
        Ok(archive)
    }

    fn begin(&self) -> Result<(), Otf2Error> {
        let (is, archive) = (&self.library.functions, self.handle);
        // SAFETY: the archive is open; the library keeps the address of the callbacks, which are
        // there to the program's end, and copies the text.
        unsafe {
            self.check("OTF2_Archive_SetFlushCallbacks", (is.flush)(archive, &FLUSH, null_mut()))?;
            self.check("OTF2_Archive_SetSerialCollectiveCallbacks", (is.serial)(archive))?;
            let creator = c"Fourstamp".as_ptr();
            self.check("OTF2_Archive_SetCreator", (is.creator)(archive, creator))?;
            self.check("OTF2_Archive_OpenEvtFiles", (is.open_events)(archive))
        }
    }

    /// Begin the definitions of a trace that lasts `length` nanoseconds.
    pub fn begin_definitions(&mut self, length: u64) -> Result<(), Otf2Error> {
        // SAFETY: the archive is open.
        self.definitions = unsafe { (self.library.functions.definitions)(self.handle) };
        self.there("OTF2_Archive_GetGlobalDefWriter", self.definitions)?;
        self.define("OTF2_GlobalDefWriter_WriteClockProperties", |is, to| {
            // SAFETY: `to` is the archive's writer of definitions. So below.
            unsafe { (is.clock)(to, RESOLUTION, 0, length, UNDEFINED) }
        })?;
        self.text("").map(drop)
    }

    /// Define the machines and what ran on them.
    pub fn processes(&mut self, processes: &[Process]) -> Result<(), Otf2Error> {
        let kind = self.text("machine")?;
        let mut hosts: BTreeMap<&str, u32> = BTreeMap::new();
        for (number, process) in (0..).zip(processes) {
            let next = hosts.len() as u32;
            let host = *hosts.entry(&process.host).or_insert(next);
            let name = self.text(&process.host)?;
            if host == next {
                self.define("OTF2_GlobalDefWriter_WriteSystemTreeNode", |is, to| {
                    // SAFETY: see `begin_definitions`.
                    unsafe { (is.machine)(to, host, name, kind, NONE) }
                })?;
            }
            let (name, is_process) = (self.text(&process.name)?, 1);
            self.define("OTF2_GlobalDefWriter_WriteLocationGroup", |is, to| {
                // SAFETY: see `begin_definitions`.
                unsafe { (is.process)(to, number, name, is_process, host, NONE) }
            })?;
        }
        Ok(())
    }

    /// Define a function.
    pub fn region(&mut self, region: &Region, number: u32) -> Result<(), Otf2Error> {
        let name = self.text(&region.name)?;
        let paradigm = if region.is_mpi { MPI } else { USER };
        let role = region.role as u8;
        self.define("OTF2_GlobalDefWriter_WriteRegion", |is, to| {
            // SAFETY: see `begin_definitions`.
            unsafe { (is.region)(to, number, name, name, EMPTY, role, paradigm, 0, NONE, 0, 0) }
        })
    }

    /// Define the communicators. The first holds all processes; their first threads are what the
    /// format counts ranks by.
    pub fn communicators(&mut self, communicators: &[Vec<u32>]) -> Result<(), Otf2Error> {
        let world = communicators.first().map_or(&[][..], |world| world);
        let first_thread = |&process: &u32| Location { process, thread: 0 }.number();
        let locations: Vec<u64> = world.iter().map(first_thread).collect();
        self.group(0, LOCATIONS, &locations)?;
        for (number, members) in (0..).zip(communicators) {
            let members: Vec<u64> = members.iter().map(|&member| member.into()).collect();
            self.group(number + 1, MEMBERS, &members)?;
            let name = match number {
                0 => "MPI_COMM_WORLD".to_owned(),
                _ => format!("communicator {number}"),
            };
            let name = self.text(&name)?;
            self.define("OTF2_GlobalDefWriter_WriteComm", |is, to| {
                // SAFETY: see `begin_definitions`.
                unsafe { (is.communicator)(to, number, name, number + 1, NONE, 0) }
            })?;
        }
        Ok(())
    }

    fn group(&self, number: u32, kind: u8, members: &[u64]) -> Result<(), Otf2Error> {
        let count = u32::try_from(members.len()).unwrap_or(u32::MAX);
        self.define("OTF2_GlobalDefWriter_WriteGroup", |is, to| {
            // SAFETY: see `begin_definitions`; there are `count` members, which the call copies.
            unsafe { (is.group)(to, number, EMPTY, kind, MPI, 0, count, members.as_ptr()) }
        })
    }

    /// Write the events of a location.
    pub fn events(&mut self, location: Location, events: &[Event]) -> Result<(), Otf2Error> {
        let (is, id) = (&self.library.functions, location.number());
        // SAFETY: the archive is open, and so are its files of events.
        let writer = unsafe { (is.writer)(self.handle, id) };
        self.there("OTF2_Archive_GetEvtWriter", writer)?;
        events.iter().try_for_each(|event| self.event(writer, event))?;
        // SAFETY: the writer is the archive's, and is not used after this.
        let closed = unsafe { (is.close_writer)(self.handle, writer) };
        self.check("OTF2_Archive_CloseEvtWriter", closed)?;
        self.written.push(id);
        Ok(())
    }

    fn event(&self, to: Handle, event: &Event) -> Result<(), Otf2Error> {
        let (is, at, none) = (&self.library.functions, self.tick(event.at()), null_mut());
        // SAFETY: the writer is open; an event has no attributes.
        let (function, code) = unsafe {
            match *event {
                Event::Enter { region, .. } => ("Enter", (is.enter)(to, none, at, region)),
                Event::Leave { region, .. } => ("Leave", (is.leave)(to, none, at, region)),
                Event::Send(Message { peer, tag, bytes, .. }) => {
                    ("MpiSend", (is.send)(to, none, at, peer, 0, tag, bytes))
                }
                Event::Receive(Message { peer, tag, bytes, .. }) => {
                    ("MpiRecv", (is.receive)(to, none, at, peer, 0, tag, bytes))
                }
                Event::CollectiveBegin { .. } => {
                    ("MpiCollectiveBegin", (is.collective_begin)(to, none, at))
                }
                Event::CollectiveEnd { collective, .. } => {
                    let Collective { operation, communicator, root, bytes } = collective;
                    let (op, root) = (operation as u8, root.unwrap_or(NONE));
                    let code = (is.collective_end)(to, none, at, op, communicator, root, bytes, 0);
                    ("MpiCollectiveEnd", code)
                }
            }
        };
        self.check(function, code)
    }

    /// Define a location that has so many events.
    pub fn location(&mut self, location: Location, events: u64) -> Result<(), Otf2Error> {
        let (Location { process, thread }, id) = (location, location.number());
        let (name, is_thread) = (self.text(&format!("thread {thread}"))?, 1);
        self.define("OTF2_GlobalDefWriter_WriteLocation", |is, to| {
            // SAFETY: see `begin_definitions`.
            unsafe { (is.location)(to, id, name, is_thread, events, process) }
        })
    }

    /// Complete the files.
    pub fn close(self) -> Result<(), Otf2Error> {
        let (is, archive) = (&self.library.functions, self.handle);
        // SAFETY: the archive is open, and so are its files of events.
        unsafe {
            self.check("OTF2_Archive_CloseEvtFiles", (is.close_events)(archive))?;
            self.check("OTF2_Archive_OpenDefFiles", (is.open_definitions)(archive))?;
        }
        self.written.iter().try_for_each(|&id| self.local_definitions(id))?;
        // SAFETY: the files of definitions are open; nothing uses the archive after this.
        unsafe {
            self.check("OTF2_Archive_CloseDefFiles", (is.close_definitions)(archive))?;
            self.check("OTF2_Archive_Close", (is.close)(archive))
        }
    }

    /// Readers want a file of definitions for every location, however empty.
    fn local_definitions(&self, id: u64) -> Result<(), Otf2Error> {
        let (is, archive) = (&self.library.functions, self.handle);
        // SAFETY: the archive is open, and so are its files of definitions; the writer is its own,
        // and is not used after this.
        unsafe {
            let writer = (is.local_definitions)(archive, id);
            self.there("OTF2_Archive_GetDefWriter", writer)?;
            self.check("OTF2_Archive_CloseDefWriter", (is.close_local_definitions)(archive, writer))
        }
    }

    /// The number of a text, which is defined where it is not yet.
    fn text(&mut self, name: &str) -> Result<u32, Otf2Error> {
        let name = text(name.as_bytes())?;
        if let Some(&number) = self.texts.get(&name) {
            return Ok(number);
        }
        let next = self.texts.len() as u32;
        self.define("OTF2_GlobalDefWriter_WriteString", |is, to| {
            // SAFETY: see `begin_definitions`; the text ends with a zero byte, and is copied.
            unsafe { (is.string)(to, next, name.as_ptr()) }
        })?;
        self.texts.insert(name, next);
        Ok(next)
    }

    fn define(
        &self,
        function: &'static str,
        call: impl FnOnce(&Functions, Handle) -> Code,
    ) -> Result<(), Otf2Error> {
        self.check(function, call(&self.library.functions, self.definitions))
    }

    fn tick(&self, at: i64) -> u64 {
        u64::try_from(at.saturating_sub(self.first)).unwrap_or(0)
    }

    fn there(&self, function: &'static str, handle: Handle) -> Result<(), Otf2Error> {
        if handle.is_null() {
            Err(self.refused(function, "no reason given".to_owned()))
        } else {
            Ok(())
        }
    }

    fn check(&self, function: &'static str, code: Code) -> Result<(), Otf2Error> {
        if code == 0 { Ok(()) } else { Err(self.refused(function, self.library.words(code))) }
    }

    fn refused(&self, function: &'static str, reason: String) -> Otf2Error {
        let (library, folder) = (self.library.name.clone(), self.folder.clone());
        Otf2Error::Refused { library, function, folder, reason }
    }
}

fn text(bytes: &[u8]) -> Result<CString, Otf2Error> {
    CString::new(bytes)
        .map_err(|_| Otf2Error::Name { what: String::from_utf8_lossy(bytes).into_owned() })
}
