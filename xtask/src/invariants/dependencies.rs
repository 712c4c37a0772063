//! Who may depend on whom, and that every outside dependency says why it is there.

use super::Broken;
use crate::workspace::Package;
use std::path::Path;

/// Packages that know little by design, and all that they may use of ours. The simulation engine
/// takes one thing from `memory`: asking for a cache line early.
const MAY_USE: &[(&str, &[&str])] = &[
    ("fourstamp-clock", &[]),
    ("fourstamp-memory", &[]),
    ("fourstamp-document", &[]),
    ("fourstamp-record", &["fourstamp-clock", "fourstamp-memory"]),
    ("fourstamp-stats", &["fourstamp-record"]),
    ("fourstamp-study", &["fourstamp-stats"]),
    ("fourstamp-shaped", &[]),
    ("fourstamp-timewarp", &["fourstamp-memory"]),
    ("fourstamp-models", &["fourstamp-timewarp"]),
    ("fourstamp-pager", &[]),
    ("fourstamp-pager-facts", &[]),
    ("fourstamp-machine", &[]),
    ("fourstamp-predict", &["fourstamp-machine"]),
];

/// Folders of `crates` that may use every other: the command, and what gives a program of one's
/// own a choice of them.
const KNOW_ALL: &[&str] = &["cli", "fourstamp"];
/// What every product may use beside core and net: arithmetic that knows none of ours.
const ARITHMETIC: &str = "predict";

/// anyhow passes errors on to a person: a library's caller is a program.
const MAY_USE_ANYHOW: &[&str] = &["fourstamp-cli", "xtask"];

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
            let found = packages.iter().find(|other| other.name == dependency);
            if found.is_some_and(|found| !may_reach(package, found)) {
                let why = "core names no product, net no product, and no product another";
                broken.push(forbidden(package, dependency, why));
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

/// Whether a package may use another, by the folders that they lie in.
fn may_reach(from: &Package, to: &Package) -> bool {
    let (Some(mine), Some(theirs)) = (product(&from.folder), product(&to.folder)) else {
        return true;
    };
    let below = match mine {
        "core" => false,
        "net" => theirs == "core",
        _ => ["core", "net", ARITHMETIC].contains(&theirs),
    };
    mine == theirs || below || KNOW_ALL.contains(&mine)
}

/// The folder of `crates` that a package lies in; `None` for what lies elsewhere.
fn product(folder: &Path) -> Option<&str> {
    folder.strip_prefix("crates").ok()?.iter().next()?.to_str()
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
    fn no_product_is_known_below_it_or_beside_it() {
        let at = |name: &str, folder: &str, uses: &[&str]| Package {
            folder: folder.into(),
            ..package(name, uses)
        };
        let broken = |folder: &str| {
            let user = at("fourstamp-user", folder, &["fourstamp-warp"]);
            between_packages(&[user, at("fourstamp-warp", "crates/sim/warp", &[])]).len()
        };
        for folder in ["crates/core/stats", "crates/net/launch", "crates/mpi/lens"] {
            assert_eq!(broken(folder), 1, "{folder}");
        }
        for folder in ["crates/sim/lens", "crates/cli", "xtask"] {
            assert_eq!(broken(folder), 0, "{folder}");
        }
    }

    #[test]
    fn anyhow_is_for_programs() {
        assert_eq!(between_packages(&[package("fourstamp-launch", &["anyhow"])]).len(), 1);
        assert!(between_packages(&[package("fourstamp-cli", &["anyhow"])]).is_empty());
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
