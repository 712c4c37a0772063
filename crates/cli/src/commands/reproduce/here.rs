//! What this machine lacks for a recipe.

use crate::commands::doctor::{self, State};
use reproduce::{Need, Recipe};
use std::collections::BTreeSet;
use std::path::Path;

/// Says of recipes what they lack here, in words.
pub fn lacks(data: bool) -> impl Fn(&Recipe) -> Option<String> {
    let findings = doctor::findings();
    let good = |name: &str| {
        findings.iter().any(|finding| finding.name == name && finding.state == State::Good)
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let has = |need: &Need| match need {
        Need::Root => rustix::process::geteuid().is_root(),
        Need::Mpi => good("MPI") && program("mpicc") && program("mpirun"),
        Need::TwoCores => cores >= 2,
        Need::FourCores => cores >= 4,
        Need::Data => data,
        Need::Priorities => good("priorities"),
        Need::Userfaultfd => good("userfaultfd"),
        Need::Checkout => Path::new("examples/config").is_dir(),
    };
    let all = [
        Need::Root,
        Need::Mpi,
        Need::TwoCores,
        Need::FourCores,
        Need::Data,
        Need::Priorities,
        Need::Userfaultfd,
        Need::Checkout,
    ];
    let missing: BTreeSet<Need> = all.into_iter().filter(|need| !has(need)).collect();
    move |recipe: &Recipe| {
        let lacking: Vec<&str> = recipe
            .needs
            .iter()
            .filter(|need| missing.contains(need))
            .map(|need| need.words())
            .collect();
        (!lacking.is_empty()).then(|| format!("needs {}", lacking.join("; ")))
    }
}

/// Whether a program is on the PATH.
fn program(name: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(name).is_file())
}
