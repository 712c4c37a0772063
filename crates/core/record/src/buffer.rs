//! Record buffers: a ring in named memory that says whose it is.
//!
//! A run folder is what somebody sent us, a buffer is not: so a reader believes a buffer's own
//! head, and the folder only names one. What is read as a run's buffer lies in the machine's shared
//! memory under the run's name, belongs to this user, is written by nobody ([`Claim`]), and names
//! the run, the node and the folder that it was recorded for. It is removed by whoever has closed
//! that very folder, not by the reader of a copy.

use crate::buffer_head::{FOLDER_WORDS, Owner, head_of, write_head};
use crate::leftover;
use crate::ring::{Consumer, Producer, lay_out, reopen, words_needed};
use crate::{NodeSheet, RecordError, RunId, State, run_files};
use memory::{Claim, Region, RegionError, Unclaimed};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Named memory for the ring of `sheet`, which names it from now on; private memory where no named
/// can be had.
pub(crate) fn reserve(
    sheet: &mut NodeSheet,
    owner: Option<Owner>,
    stride: usize,
    capacity: u64,
) -> Result<(Producer<Region>, Consumer<Region>), RecordError> {
    let words = words_needed(stride, capacity);
    let region = match owner.map(|owner| named(&owner, words)) {
        Some(Ok((region, path))) => {
            sheet.buffer = Some(path);
            region
        }
        other => {
            let why = other.and_then(Result::err).map(|error| error.to_string());
            let why = why.unwrap_or_else(|| "its run has no id".to_string());
            sheet.notes.push(format!(
                "if it is killed, its last rows are lost, because its buffer has no name: {why}"
            ));
            Region::private(words)
                .map_err(|source| RecordError::Buffer { node: sheet.node, source })?
        }
    };
    Ok(lay_out(Arc::new(region), stride, capacity))
}

fn named(owner: &Owner, words: usize) -> Result<(Region, PathBuf), RegionError> {
    let what = crate::NodeSheet::stem_of(owner.launch, owner.node);
    let path = memory::shared_folder().join(owner.run.name_of(&what));
    let create = || Region::create(&path, words + FOLDER_WORDS);
    let region = match create() {
        // What killed runs left may be what is in the way.
        Err(RegionError::Reserve { .. }) if leftover::make_room() > 0 => create(),
        other => other,
    }?;
    write_head(&region, owner, words);
    Ok((region, path))
}

/// The buffers of a run that is being closed: nobody writes them, nor can as long as this lives.
pub(crate) struct Buffers {
    run: Option<RunId>,
    here: PathBuf,
    found: HashMap<(u32, u32), Result<Found, String>>,
    strays: Vec<Stray>,
}

/// A buffer of the run with rows, whose node has no sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stray {
    pub launch: u32,
    pub node: u32,
    pub rows: u64,
}

struct Found {
    claim: Claim,
    owner: Option<Owner>,
    region: Arc<Region>,
}

impl Buffers {
    /// Those that the sheets of the run at `here` name, where they are what they should be.
    pub fn claim(run: Option<RunId>, here: &Path, sheets: &[NodeSheet]) -> Buffers {
        let named = sheets.iter().filter_map(|sheet| Some((sheet, sheet.buffer.as_ref()?)));
        let found = named
            .map(|(sheet, path)| ((sheet.launch, sheet.node), find(run, sheet, path)))
            .collect();
        let known =
            |stray: &Stray| sheets.iter().any(|sheet| stray.is_of(sheet.launch, sheet.node));
        let strays = run.map_or(Vec::new(), |run| strays(run, here));
        let strays = strays.into_iter().filter(|stray| !known(stray)).collect();
        Buffers { run, here: here.to_path_buf(), found, strays }
    }

    /// Buffers with rows that cannot be read, because the node's sheet is missing.
    pub fn strays(&self) -> &[Stray] {
        &self.strays
    }

    /// The ring of the node of `sheet`.
    ///
    /// # Errors
    /// Says why there is none.
    pub fn ring(&self, sheet: &NodeSheet) -> Result<Consumer<Region>, String> {
        match self.found.get(&(sheet.launch, sheet.node)) {
            Some(Ok(found)) => reopen(found.region.clone(), sheet.schema.stride())
                .map_err(|what| format!("its buffer {what}")),
            Some(Err(why)) => Err(why.clone()),
            None => Err("its last rows are lost, because its buffer had no name".to_string()),
        }
    }

    /// The run is closed: remove what it kept in memory. What belongs to another folder's run
    /// stays.
    pub fn remove(self) {
        for found in self.found.into_values().flatten() {
            let done_with =
                found.owner.is_some_and(|owner| !is_wanted_elsewhere(&owner, &self.here));
            if done_with {
                drop(found.region);
                // What cannot be removed is a leftover that says whose it is.
                let _ = found.claim.remove();
            }
        }
        // What has no sheet was left by processes that were killed before they had one.
        if let Some(run) = self.run {
            remove_all(run, &self.here);
        }
    }
}

impl Stray {
    pub fn is_of(&self, launch: u32, node: u32) -> bool {
        (self.launch, self.node) == (launch, node)
    }
}

/// Buffers of a run that nobody writes, with rows that no log has, if they were recorded for the
/// folder `here`.
fn strays(run: RunId, here: &Path) -> Vec<Stray> {
    let stray = |path: PathBuf| {
        let head = head_of(Claim::on(&path).ok()?)?;
        let owner =
            head.owner.filter(|owner| head.unread > 0 && !is_wanted_elsewhere(owner, here))?;
        Some(Stray { launch: owner.launch, node: owner.node, rows: head.unread })
    };
    leftover::of_owner(run.owner()).into_iter().filter_map(stray).collect()
}

/// Remove everything in shared memory that is named after a run, that nobody uses, and that no
/// other folder of the run needs.
pub(crate) fn remove_all(run: RunId, here: &Path) {
    for path in leftover::of_owner(run.owner()) {
        let Ok(claim) = Claim::on(&path) else { continue };
        let owner = head_of(&claim).and_then(|head| head.owner);
        if owner.is_none_or(|owner| !is_wanted_elsewhere(&owner, here)) {
            let _ = claim.remove();
        }
    }
}

/// Whether a folder other than `here` is the one that the buffer was recorded for, and has not been
/// closed.
fn is_wanted_elsewhere(owner: &Owner, here: &Path) -> bool {
    let is_here = match (owner.folder.canonicalize(), here.canonicalize()) {
        (Ok(there), Ok(here)) => there == here,
        _ => false,
    };
    !is_here && run_files::state_of(&owner.folder, owner.run) == Some(State::Open)
}

/// The buffer that a sheet names, if it is one of this run's node.
fn find(run: Option<RunId>, sheet: &NodeSheet, path: &Path) -> Result<Found, String> {
    let refused = |why: &str| {
        let name = path.display().to_string();
        Err(format!(
            "its last rows are lost: its sheet names \"{}\" as its buffer, {why}",
            name.escape_debug()
        ))
    };
    // Whatever path the sheet has, only a name in shared memory is looked at.
    let Some(name) = path.file_name().filter(|_| path.parent() == Some(&*memory::shared_folder()))
    else {
        return refused("which is not where buffers are kept");
    };
    if run.is_some_and(|run| memory::owner_of(name) != Some(run.owner())) {
        return refused("which is not named after this run");
    }
    let claim = match Claim::on(path) {
        Ok(claim) => claim,
        Err(Unclaimed::Gone) => {
            return refused(
                "which does not exist: was this machine restarted, or is it another one?",
            );
        }
        Err(Unclaimed::InUse) => {
            return refused("which is in use: is this a copy of a run that is still in progress?");
        }
        Err(why) => return refused(&why.to_string()),
    };
    let Some(head) = head_of(&claim) else { return refused("which is not a record buffer") };
    let owner = head.owner.as_ref().map(|owner| (owner.run, owner.launch, owner.node));
    if owner != run.map(|run| (run, sheet.launch, sheet.node)) {
        return refused("which belongs to another node");
    }
    match Region::of_claim(&claim) {
        Ok(region) => Ok(Found { claim, owner: head.owner, region: Arc::new(region) }),
        Err(error) => refused(&error.to_string()),
    }
}
