//! Ranks on hosts that do not see the run's folder: they log there, and `fourstamp collect`
//! fetches.
//!
//! A host is a mount namespace with a name of its own, in which something else lies over the run's
//! folder; `ssh` is a script that finds the folder of a host from outside.

use crate::common::{folder, mpi_program, text};
use record::Run;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// Ranks in `$SEES` see the run; of the others two and two are on a host.
const ENTER: &str = r#"#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
case ",$SEES," in *",$rank,"*) exec "$@";; esac
host=n$((rank / 2))
exec unshare -mu sh -c '
  hostname '$host' && mkdir -p local of-'$host' && mount --bind of-'$host' local &&
  mount -t tmpfs none run || exit 9
  exec "$@"' sh "$@"
"#;

/// Its last argument is the command, in which the folder is that of the host.
const SSH: &str = r#"#!/bin/sh
while [ "$1" != "--" ]; do shift; done
[ "$2" = "$DOWN" ] && { echo "ssh: connect to host $2: No route to host" >&2; exit 255; }
exec sh -c "$(printf '%s' "$3" | sed "s#/local/#/of-$2/#g")"
"#;

struct Hosts {
    home: tempfile::TempDir,
    launcher: String,
}

impl Hosts {
    /// A job of four ranks, traced; `None` where it cannot be, with the reason printed.
    fn of(mpi: &str) -> Option<Hosts> {
        let home = folder();
        let program = mpi_program(mpi, "planted", home.path())?;
        let may = Command::new("unshare").args(["-mu", "true"]).output();
        if !may.is_ok_and(|output| output.status.success()) {
            println!("skipped: namespaces of one's own need root");
            return None;
        }
        for (name, script) in [("enter", ENTER), ("ssh", SSH)] {
            let path = home.path().join(name);
            std::fs::write(&path, script).expect("a script");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("ours");
        }
        std::fs::create_dir(home.path().join("local")).expect("a folder");
        let oversubscribe = if mpi == "openmpi" { "--oversubscribe" } else { "" };
        let program = program.display();
        let launcher = format!("mpirun.{mpi} {oversubscribe} -n 4 ./enter {program} late_sender 5");
        Some(Hosts { home, launcher })
    }

    fn path(&self) -> &Path {
        self.home.path()
    }

    /// Trace the job; `sees` are the ranks that see the run.
    fn trace(&self, sees: &str) -> String {
        let words = format!("mpi trace --no-report --out run -- {}", self.launcher);
        let output = self.fourstamp(&words, &[("SEES", sees)]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stderr)
    }

    fn fourstamp(&self, words: &str, set: &[(&str, &str)]) -> Output {
        let home = self.path();
        let mut command = crate::common::fourstamp(home, words);
        let path = format!("{}:{}", home.display(), std::env::var("PATH").expect("a PATH"));
        // One machine is several here: planting says so, in a rank that is not there.
        command.env("PATH", path).env("FOURSTAMP_PLANT", "9:0:0");
        command.env("FOURSTAMP_MPI_LOCAL", home.join("local"));
        crate::common::for_open_mpi(&mut command);
        command.envs(set.iter().copied()).output().expect("the command starts")
    }

    /// It fails with exit code 2; what it says.
    fn refused(&self, words: &str, set: &[(&str, &str)]) -> String {
        let output = self.fourstamp(words, set);
        assert_eq!(output.status.code(), Some(2), "{words}: {}", text(&output.stderr));
        text(&output.stderr)
    }

    fn collect(&self, words: &str) {
        let output = self.fourstamp(&format!("collect --no-report run {words}"), &[]);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }

    /// The run is whole: matched messages of four ranks, and nothing failed.
    fn check_whole(&self) {
        let info = Run::open(self.path().join("run")).expect("a closed run").info;
        assert_eq!(info.nodes().count(), 4);
        assert_eq!(info.failures, Vec::<String>::new());
        let mpi = &info.parameters["mpi"];
        let (sends, matched) = (&mpi["sends"], &mpi["matched"]);
        assert!(matched.as_u64() > Some(0) && sends == matched, "{mpi}");
    }

    /// Folders on a host.
    fn folders(&self, host: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path().join(format!("of-{host}"))).expect("a host");
        let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        entries.flatten().map(name).collect()
    }
}

#[test]
fn logs_of_a_host_that_does_not_see_the_run_are_fetched_into_it() {
    for mpi in ["openmpi", "mpich"] {
        let Some(hosts) = Hosts::of(mpi) else { continue };
        let said = hosts.trace("0,1");
        assert!(said.contains("the logs of 2 ranks are still on n1; fetch"), "{said}");
        let refused = hosts.refused("report run --terminal", &[]);
        assert!(refused.contains("fourstamp collect run"), "{refused}");
        let down = hosts.refused("collect run", &[("DOWN", "n1")]);
        assert!(down.contains("n1") && down.contains("No route to host"), "{down}");
        hosts.collect("");
        hosts.check_whole();
        assert_eq!(hosts.folders("n1").len(), 1, "it stays on its host");
        assert!(hosts.refused("collect run", &[]).contains("closed already"));
    }
}

#[test]
fn a_run_that_no_rank_sees_is_made_of_what_the_program_says() {
    for mpi in ["openmpi", "mpich"] {
        let Some(hosts) = Hosts::of(mpi) else { continue };
        let said = hosts.trace("none");
        let source = said.lines().find_map(|line| line.split("fourstamp collect ").nth(1));
        let source = source.unwrap_or_else(|| panic!("{said}")).split(' ').nth(1).unwrap();
        assert!(source.starts_with("n0:/"), "{said}");
        assert!(!hosts.path().join("run").exists());
        assert!(hosts.refused("collect run", &[]).contains("say where its logs are"));
        // The host that is known tells of the other, which is down at first.
        let down = hosts.refused(&format!("collect run {source}"), &[("DOWN", "n1")]);
        assert!(down.contains("n1:/"), "{down}");
        hosts.collect("--remove");
        hosts.check_whole();
        assert_eq!((hosts.folders("n0").len(), hosts.folders("n1").len()), (0, 0));
    }
}

#[test]
fn a_host_can_be_done_without_and_the_run_says_so() {
    let Some(hosts) = Hosts::of("openmpi") else { return };
    hosts.trace("0");
    assert!(hosts.refused("collect run --without n7", &[]).contains("it knows n0, n1"));
    hosts.collect("--without n1");
    let info = Run::open(hosts.path().join("run")).expect("a closed run").info;
    assert_eq!(info.nodes().count(), 2);
    let failures = info.failures.join("\n");
    assert!(failures.contains("logs of 2 ranks, from 2 on, were left in"), "{failures}");
}

#[test]
fn logs_of_two_jobs_are_not_brought_together() {
    let Some(hosts) = Hosts::of("openmpi") else { return };
    hosts.trace("0,1");
    let other = hosts.folders("n1").remove(0);
    std::fs::rename(hosts.path().join("of-n1"), hosts.path().join("of-n7")).unwrap();
    std::fs::remove_dir_all(hosts.path().join("run")).unwrap();
    hosts.trace("0,1");
    let source = format!("n7:{}/local/{other}", hosts.path().display());
    let refused = hosts.refused(&format!("collect run {source}"), &[]);
    assert!(refused.contains("holds the logs of another run"), "{refused}");
    hosts.collect("");
    hosts.check_whole();
}

#[test]
fn a_host_that_sends_nothing_of_use_leaves_nothing_behind() {
    let home = folder();
    std::fs::create_dir(home.path().join("empty")).unwrap();
    let here = home.path().join("empty");
    let said = crate::common::fail(home.path(), &format!("collect run {}", here.display()));
    assert!(said.contains("it has no run.json"), "{said}");
    let with = |command: &str| {
        let mut fourstamp = crate::common::fourstamp(home.path(), "collect run n1:/tmp/x --with");
        let output = fourstamp.arg(command).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        text(&output.stderr)
    };
    assert!(with("echo {host}").contains("cannot unpack it"));
    assert!(with("no-such-command {host}").contains("cannot start no-such-command"));
    assert!(with("false {host}").contains("false failed with exit status: 1"));
    assert!(with("true").contains("{host}"));
    assert!(!home.path().join("run").exists());
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1);
}
