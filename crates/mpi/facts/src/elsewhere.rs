//! Logs that do not lie in the run's folder, because their ranks' hosts do not see it.

use serde::{Deserialize, Serialize};

/// The file among the run's live files that holds an [`Elsewhere`].
pub const ELSEWHERE_FILE: &str = "elsewhere";

/// How the name begins of a folder in which a host keeps the logs of its ranks; the run's id
/// follows.
pub const FOLDER_START: &str = "fourstamp-";

/// Where the logs of some ranks were begun.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elsewhere {
    /// The folders, by host.
    pub places: Vec<LogPlace>,
}

/// A folder on another host, with what is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPlace {
    /// The host, as it calls itself.
    pub host: String,
    /// A run folder of the run's id.
    pub folder: String,
    /// The ranks whose logs are there, in order.
    pub ranks: Vec<u32>,
    /// The run is to be closed without them.
    #[serde(default)]
    pub forgone: bool,
}

impl Elsewhere {
    /// Note the rank that follows those noted before.
    pub fn add(&mut self, rank: u32, host: &str, folder: &str) {
        let same = |place: &&mut LogPlace| place.host == host && place.folder == folder;
        match self.places.iter_mut().find(same) {
            Some(place) => place.ranks.push(rank),
            None => self.places.push(LogPlace {
                host: host.to_owned(),
                folder: folder.to_owned(),
                ranks: vec![rank],
                forgone: false,
            }),
        }
    }
}
