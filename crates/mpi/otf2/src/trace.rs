//! A trace before it is written: who there was, and what each did.

use crate::archive::Archive;
use crate::events::{Call, Location, Message, Process, Region};
use crate::order::ordered;
use crate::{Library, Otf2Error};
use std::collections::BTreeMap;
use std::path::Path;

/// What a location did.
#[derive(Debug, Default)]
struct Track {
    calls: Vec<Call>,
    sends: Vec<Message>,
    receives: Vec<Message>,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Calls and other stretches of time.
    pub calls: u64,
    /// Sends.
    pub sends: u64,
    /// Receives.
    pub receives: u64,
    /// Calls left out because each crosses the end of another.
    pub crossing: u64,
}

/// A trace: collected in any order, then written.
#[derive(Debug)]
pub struct Trace {
    processes: Vec<Process>,
    /// Members of communicators, by their processes; the world is the first.
    communicators: Vec<Vec<u32>>,
    regions: BTreeMap<Region, u32>,
    tracks: BTreeMap<Location, Track>,
}

impl Trace {
    /// A trace of these processes, in which nothing has happened yet.
    #[must_use]
    pub fn new(processes: Vec<Process>) -> Trace {
        let all = 0..u32::try_from(processes.len()).unwrap_or(u32::MAX);
        let tracks = all.clone().map(|process| (Location { process, thread: 0 }, Track::default()));
        Trace {
            tracks: tracks.collect(),
            communicators: vec![all.collect()],
            regions: BTreeMap::new(),
            processes,
        }
    }

    /// The number of a communicator of these processes.
    pub fn communicator(&mut self, members: Vec<u32>) -> u32 {
        let known = self.communicators.iter().position(|known| *known == members);
        let at = known.unwrap_or_else(|| {
            self.communicators.push(members);
            self.communicators.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    /// The members of a communicator.
    #[must_use]
    pub fn members(&self, communicator: u32) -> &[u32] {
        &self.communicators[communicator as usize]
    }

    /// The number of a region.
    pub fn region(&mut self, region: &Region) -> u32 {
        if let Some(&number) = self.regions.get(region) {
            return number;
        }
        let next = u32::try_from(self.regions.len()).unwrap_or(u32::MAX);
        self.regions.insert(region.clone(), next);
        next
    }

    /// A call of a location.
    pub fn call(&mut self, location: Location, call: Call) {
        self.tracks.entry(location).or_default().calls.push(call);
    }

    /// A message that leaves a location.
    pub fn send(&mut self, location: Location, message: Message) {
        self.tracks.entry(location).or_default().sends.push(message);
    }

    /// A message that a location takes.
    pub fn receive(&mut self, location: Location, message: Message) {
        self.tracks.entry(location).or_default().receives.push(message);
    }

    /// A full disk is refused beforehand: the library crashes when it meets one.
    fn must_fit(&self, folder: &Path) -> Result<(), Otf2Error> {
        /// More than any event takes, and more than a location's files and definitions.
        const BYTES: (u64, u64) = (40, 1 << 12);
        let events = |track: &Track| {
            4 * track.calls.len() as u64 + (track.sends.len() + track.receives.len()) as u64
        };
        let needed: u64 = self.tracks.values().map(|track| BYTES.0 * events(track) + BYTES.1).sum();
        // What cannot say how much room it has is tried.
        let Ok(room) = rustix::fs::statvfs(folder) else { return Ok(()) };
        let free = room.f_bavail.saturating_mul(room.f_frsize);
        if free >= needed {
            return Ok(());
        }
        Err(Otf2Error::NoRoom { folder: folder.to_owned(), free, needed })
    }

    /// Write it into a folder that is there, as `traces.otf2` and its companions.
    ///
    /// # Errors
    /// When the library refuses; the folder then holds part of a trace.
    pub fn write(self, library: &Library, folder: &Path) -> Result<Written, Otf2Error> {
        self.must_fit(folder)?;
        let Trace { processes, communicators, regions, tracks } = self;
        let (first, last) = extent(&tracks);
        let mut archive = Archive::create(library, folder, first)?;
        let (mut written, mut locations) = (Written::default(), Vec::new());
        for (location, track) in tracks {
            written.calls += track.calls.len() as u64;
            written.sends += track.sends.len() as u64;
            written.receives += track.receives.len() as u64;
            let (events, crossing) = ordered(track.calls, track.sends, track.receives);
            written.crossing += crossing;
            written.calls -= crossing;
            archive.events(location, &events)?;
            locations.push((location, events.len() as u64));
        }
        // What a definition names is defined before it.
        archive.begin_definitions(u64::try_from(last - first).unwrap_or(0))?;
        archive.processes(&processes)?;
        locations.into_iter().try_for_each(|(at, events)| archive.location(at, events))?;
        let mut named: Vec<(Region, u32)> = regions.into_iter().collect();
        named.sort_by_key(|(_, number)| *number);
        named.iter().try_for_each(|(region, number)| archive.region(region, *number))?;
        archive.communicators(&communicators)?;
        archive.close()?;
        Ok(written)
    }
}

/// From the first event to the last, ns on the timeline.
fn extent(tracks: &BTreeMap<Location, Track>) -> (i64, i64) {
    let calls = tracks.values().flat_map(|track| &track.calls);
    let messages = tracks.values().flat_map(|track| track.sends.iter().chain(&track.receives));
    let spans = calls.map(|call| (call.from, call.to));
    let spans = spans.chain(messages.map(|message| (message.at, message.at)));
    let both = |one: (i64, i64), other: (i64, i64)| (one.0.min(other.0), one.1.max(other.1));
    spans.reduce(both).unwrap_or_default()
}
