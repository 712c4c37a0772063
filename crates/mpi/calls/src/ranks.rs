//! The ranks of a run: their sheets, their logs, and what a first look through the logs tells.

use crate::CloseError;
use crate::entry::WORLD;
use crate::files::RankFiles;
use crate::groups::{Groups, View};
use crate::requests::window;
use crate::sites::{SiteNumbers, Sites};
use crate::survey::{Survey, survey};
use crate::worlds;
use record::{Closing, NodeSheet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A rank that left a sheet.
pub(crate) struct Rank {
    pub sheet: NodeSheet,
    pub files: Option<RankFiles>,
    pub survey: Survey,
    pub view: View,
    pub sites: SiteNumbers,
}

impl Rank {
    /// Whether its log is whole, to its end.
    pub fn ended_well(&self) -> bool {
        let damage = &self.survey.damage;
        self.sheet.finished && damage.places + damage.missing_words + damage.dangling == 0
    }
}

/// All of them.
pub(crate) struct Ranks {
    /// By rank; those that left no sheet are missing.
    pub list: Vec<Option<Rank>>,
    pub groups: Groups,
    pub sites: Sites,
    pub window: usize,
}

/// A rank beyond this is of a damaged sheet.
const RANKS_MAX: u32 = 1 << 20;

impl Ranks {
    /// Find them, and look through their logs.
    pub fn find(closing: &mut Closing) -> Result<Ranks, CloseError> {
        let sheets = closing.sheets()?;
        let live = closing.live();
        let mut found = Vec::new();
        for sheet in sheets.into_iter().filter(|sheet| sheet.launch == 0 && sheet.node < RANKS_MAX)
        {
            let files = RankFiles::find(&live, &sheet.stem(), closing.info().id)?;
            found.push((sheet, files));
        }
        let window = window(found.len());
        let mut surveys = survey_all(&found, window)?;
        worlds::join(&mut surveys);
        let count = found.iter().map(|(sheet, _)| sheet.node + 1).max().unwrap_or(0);
        let size =
            surveys.iter().filter_map(world_size).max().unwrap_or(count).max(count).min(RANKS_MAX);
        let started = surveys.iter().find_map(started).unwrap_or(size);
        let locks_conflict = surveys.iter().any(|survey| survey.locks_exclusively);
        let (mut groups, mut sites) = (Groups::new(started), Sites::default());
        let mut list: Vec<Option<Rank>> = (0..size).map(|_| None).collect();
        for ((sheet, files), survey) in found.into_iter().zip(surveys) {
            let node = sheet.node as usize;
            let mut view = groups.add(sheet.node, &survey.groups, survey.uses_itself);
            view.add_neighbours(&survey.neighbours);
            view.add_window_groups(&survey.window_groups);
            view.locks_conflict = locks_conflict;
            let numbers = sites.add(&survey.sites);
            list[node] = Some(Rank { sheet, files, survey, view, sites: numbers });
        }
        Ok(Ranks { list, groups, sites, window })
    }

    /// Those that left a sheet, with their number.
    pub fn present(&self) -> impl Iterator<Item = (usize, &Rank)> {
        self.list.iter().enumerate().filter_map(|(at, rank)| Some((at, rank.as_ref()?)))
    }

    /// Words of all logs.
    pub fn words(&self) -> u64 {
        self.present().filter_map(|(_, rank)| rank.files.as_ref()).map(RankFiles::words).sum()
    }
}

/// How many ranks were started, if this is one of them: spawned ones are numbered behind them.
fn started(survey: &Survey) -> Option<u32> {
    let world = survey.groups.iter().find(|group| group.id == WORLD)?;
    (world.local.first() == Some(&0)).then_some(world.local.len() as u32)
}

/// How many ranks there are up to the last one of this rank's world.
fn world_size(survey: &Survey) -> Option<u32> {
    Some(survey.facts.as_ref()?.size)
}

/// Look through the logs, several at a time.
fn survey_all(
    ranks: &[(NodeSheet, Option<RankFiles>)],
    window: usize,
) -> Result<Vec<Survey>, CloseError> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<Survey, CloseError>)>> = Mutex::new(Vec::new());
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((_, files)) = ranks.get(at) else { return };
            let result =
                files.as_ref().map_or_else(|| Ok(Survey::default()), |files| survey(files, window));
            done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((at, result));
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    std::thread::scope(|scope| {
        (0..cores.min(ranks.len())).for_each(|_| {
            scope.spawn(work);
        });
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
