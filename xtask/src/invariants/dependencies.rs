//! Who may depend on whom, and that every outside dependency says why it is there.

use super::Broken;
use crate::workspace::Package;
use std::path::Path;

/// Packages that may use only these packages of ours. `record` knows no producer; what analyses and
/// shows reaches data through `record` alone. The simulation engine takes one thing from `memory`:
/// asking for a cache line early.
const MAY_USE: &[(&str, &[&str])] = &[
    ("fourstamp-clock", &[]),
    ("fourstamp-memory", &[]),
    ("fourstamp-record", &["fourstamp-clock", "fourstamp-memory"]),
    ("fourstamp-mpi-facts", &["fourstamp-clock"]),
    ("fourstamp-calls", &["fourstamp-clock", "fourstamp-mpi-facts", "fourstamp-record"]),
    ("fourstamp-mpi-job", &["fourstamp-clock", "fourstamp-mpi-facts", "fourstamp-record"]),
    ("fourstamp-mpi-lens", &["fourstamp-calls", "fourstamp-record", "fourstamp-stats"]),
    ("fourstamp-watch", &["fourstamp-clock", "fourstamp-record"]),
    ("fourstamp-mpitrace-large", &["fourstamp-calls"]),
    (
        "fourstamp-mpitrace",
        &[
            "fourstamp-calls",
            "fourstamp-clock",
            "fourstamp-memory",
            "fourstamp-mpi-facts",
            "fourstamp-record",
        ],
    ),
    ("fourstamp-timewarp", &["fourstamp-memory"]),
    ("fourstamp-pager", &[]),
    ("fourstamp-pager-facts", &[]),
    ("fourstamp-predict", &[]),
    (
        "fourstamp-rmem",
        &[
            "fourstamp-clock",
            "fourstamp-fabric",
            "fourstamp-pager",
            "fourstamp-pager-facts",
            "fourstamp-record",
        ],
    ),
    ("fourstamp-rmem-preload", &["fourstamp-rmem"]),
    (
        "fourstamp-pager-drive",
        &[
            "fourstamp-fabric",
            "fourstamp-memory",
            "fourstamp-pager",
            "fourstamp-pager-facts",
            "fourstamp-predict",
            "fourstamp-record",
            "fourstamp-rmem",
            "fourstamp-shaped",
        ],
    ),
    ("fourstamp-shaped", &[]),
    ("fourstamp-models", &["fourstamp-timewarp"]),
    ("fourstamp-stats", &["fourstamp-record"]),
    ("fourstamp-study", &["fourstamp-stats"]),
    (
        "fourstamp-report",
        &["fourstamp-mpi-facts", "fourstamp-pager-facts", "fourstamp-record", "fourstamp-stats"],
    ),
];

/// anyhow passes errors on to a person: a library's caller is a program.
const MAY_USE_ANYHOW: &[&str] = &["fourstamp", "xtask"];

/// Dependencies that a rule forbids, from what cargo says.
pub fn between_packages(packages: &[Package]) -> Vec<Broken> {
    let ours = |name: &str| packages.iter().any(|package| package.name == name);
    let mut broken = Vec::new();
    for package in packages {
        let may = MAY_USE.iter().find(|(name, _)| *name == package.name).map(|(_, may)| *may);
        for dependency in package.dependencies.iter().map(String::as_str) {
            if may.is_some_and(|may| ours(dependency) && !may.contains(&dependency)) {
                broken.push(forbidden(package, dependency, "it may not know that package"));
            }
            if dependency == "anyhow" && !MAY_USE_ANYHOW.contains(&package.name.as_str()) {
                broken.push(forbidden(
                    package,
                    dependency,
                    "a library has an error type of its own",
                ));
            }
        }
    }
    broken
}

fn forbidden(package: &Package, dependency: &str, why: &str) -> Broken {
    let place = package.folder.join("Cargo.toml").display().to_string();
    Broken { place, what: format!("{} depends on {dependency}: {why}", package.name) }
}

/// Outside dependencies of the root Cargo.toml whose line does not end in a comment that says why.
pub fn without_reason(root_manifest: &str) -> Vec<Broken> {
    let outside = |line: &&str| !line.contains("path =");
    let unexplained =
        |line: &&str| line.rsplit_once('#').is_none_or(|(_, reason)| reason.trim().len() < 5);
    let lines =
        dependency_lines(root_manifest, |table| table == "workspace.dependencies").filter(outside);
    lines
        .filter(unexplained)
        .map(|line| Broken {
            place: "Cargo.toml".into(),
            what: format!("`{}` lacks its reason: add `# why` behind it", name(line)),
        })
        .collect()
}

/// Dependencies of a member that do not come from `[workspace.dependencies]`.
pub fn outside_workspace(manifest: &Path, text: &str) -> Vec<Broken> {
    let lines = dependency_lines(text, |table| {
        table.ends_with("dependencies") && !table.starts_with("workspace")
    });
    lines
        .filter(|line| !line.contains("workspace"))
        .map(|line| Broken {
            place: manifest.display().to_string(),
            what: format!("`{}` must come from the root's [workspace.dependencies]", name(line)),
        })
        .collect()
}

fn name(line: &str) -> &str {
    line.split(['=', '.', ' ']).next().unwrap_or(line)
}

/// Lines that declare a dependency, in the tables wanted.
fn dependency_lines(manifest: &str, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = &str> {
    let mut inside = false;
    manifest.lines().map(str::trim).filter(move |line| {
        if let Some(table) = line.strip_prefix('[') {
            inside = wanted(table.trim_end_matches(']'));
            return false;
        }
        inside && !line.starts_with('#') && line.contains('=')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, dependencies: &[&str]) -> Package {
        let dependencies = dependencies.iter().map(|d| (*d).to_owned()).collect();
        Package { name: name.into(), folder: "crates/x".into(), dependencies }
    }

    #[test]
    fn the_record_knows_no_producer() {
        let fabric = package("fourstamp-fabric", &["fourstamp-record", "bytes"]);
        let good = package("fourstamp-record", &["fourstamp-clock", "parquet"]);
        let bad = package("fourstamp-record", &["fourstamp-clock", "fourstamp-fabric"]);
        let clock = || package("fourstamp-clock", &[]);
        assert!(between_packages(&[good, clock()]).is_empty());
        let broken = between_packages(&[bad, clock(), fabric]);
        assert_eq!(broken.len(), 1, "{broken:?}");
        assert!(broken[0].what.contains("depends on fourstamp-fabric"));
    }

    #[test]
    fn anyhow_is_for_programs() {
        assert_eq!(between_packages(&[package("fourstamp-launch", &["anyhow"])]).len(), 1);
        assert!(between_packages(&[package("fourstamp", &["anyhow"])]).is_empty());
    }

    #[test]
    fn a_dependency_says_why() {
        let manifest = "[workspace.dependencies]\nours = { path = \"x\" }\na = \"1\" # because of \
        this\nb = \"1\"\n\
                        # c = \"1\"\n[profile.release]\nlto = \"thin\"";
        let broken = without_reason(manifest);
        assert_eq!(broken.len(), 1, "{broken:?}");
        assert!(broken[0].what.starts_with("`b` lacks"));
    }

    #[test]
    fn a_member_takes_its_dependencies_from_the_root() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\na.workspace = true\nb = \"1\"\n\
                        [dev-dependencies]\nc = { workspace = true, features = [\"x\"] }\nd = { \
                        version = \"1\" }";
        let broken = outside_workspace(Path::new("x/Cargo.toml"), manifest);
        let names: Vec<_> = broken.iter().map(|b| b.what.split(' ').next().unwrap()).collect();
        assert_eq!(names, ["`b`", "`d`"]);
    }
}
