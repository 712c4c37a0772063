//! What this machine lacks for a recipe.

use crate::commands::doctor::{self, State};
use reproduce::{Need, Recipe};
use std::path::Path;

/// Says of recipes what they lack here, in words; `data` says whether there is a folder of the
/// models' original data.
pub fn lacks(data: bool) -> impl Fn(&Recipe) -> Option<String> {
    let findings = doctor::findings();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    move |recipe: &Recipe| {
        let good = |name: &str| {
            findings.iter().any(|finding| finding.name == name && finding.state == State::Good)
        };
        let has = |need: &Need| match need {
            Need::Root => rustix::process::geteuid().is_root(),
            Need::Mpi => good("MPI"),
            Need::TwoCores => cores >= 2,
            Need::FourCores => cores >= 4,
            Need::Data => data,
            Need::Priorities => good("priorities"),
            Need::Userfaultfd => good("userfaultfd"),
            Need::Checkout => Path::new("examples/config").is_dir(),
        };
        let missing = recipe.needs.iter().filter(|need| !has(need));
        let lacking: Vec<&str> = missing.map(|need| need.words()).collect();
        (!lacking.is_empty()).then(|| format!("needs {}", lacking.join("; ")))
    }
}
