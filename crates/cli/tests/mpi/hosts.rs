//! Ranks on several hosts: clocks that are wrong by a known error, and a network namespace a rank.

use crate::common::{folder, for_open_mpi, mpi_program, text};
use record::{Run, RunInfo};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// 25 ms at 2 GHz, and 40 ppm: rank 1's clock.
const PLANT: &str = "1:50000000:40";

/// Trace `command`; `within` are the words that start us somewhere else.
fn trace(home: &Path, within: &[&str], command: &str) -> RunInfo {
    let ours =
        [env!("CARGO_BIN_EXE_fourstamp"), "mpi", "trace", "--no-report", "--out", "run", "--"];
    let words: Vec<&str> = within.iter().copied().chain(ours).chain(command.split(' ')).collect();
    let mut trace = Command::new(words[0]);
    trace.args(&words[1..]).current_dir(home).env("FOURSTAMP_PLANT", PLANT);
    let output = for_open_mpi(&mut trace).output().expect("the command starts");
    assert!(output.status.success(), "{command}\n{}", text(&output.stderr));
    Run::open(home.join("run")).expect("a closed run").info
}

/// Every anchor of the planted clock is where the machine's own clock says, within the stated
/// bound.
fn check_clocks(info: &RunInfo) {
    let planted =
        info.domains.iter().find(|domain| domain.id.contains("planted")).expect("its clock");
    let (model, bound) =
        (planted.model.as_ref().expect("a model"), planted.error_ns.expect("a bound"));
    assert!(planted.offsets.len() >= 2, "brought together at the beginning and at the end");
    assert!(bound < 5e6, "± {bound} ns would hide the 25 ms that were planted");
    for anchor in &planted.anchors {
        let truth = anchor.monotonic_raw_ns - info.origin.monotonic_raw_ns;
        let off = model.timeline(anchor.ticks).0 - truth;
        // The anchor itself is only as good as its bracket.
        let slack = anchor.half_width as f64 + 1000.0;
        println!("off by {off} ns, stated ± {bound} ns");
        assert!((off.abs() as f64) < bound + slack, "off by {off} ns, stated ± {bound} ns");
    }
    let mpi = &info.parameters["mpi"];
    assert_eq!((&mpi["matched"], &mpi["causality_violations"]), (&20.into(), &0.into()), "{mpi}");
}

#[test]
fn a_clock_that_is_wrong_is_set_right_within_its_bound() {
    for (mpi, launcher) in
        [("openmpi", "mpirun.openmpi --oversubscribe -n 2"), ("mpich", "mpirun.mpich -n 2")]
    {
        let home = folder();
        let Some(program) = mpi_program(mpi, "planted", home.path()) else { continue };
        check_clocks(&trace(
            home.path(),
            &[],
            &format!("{launcher} {} late_sender 5", program.display()),
        ));
    }
}

/// Two namespaces with a cable between them, gone when dropped.
struct Namespaces([String; 2]);

impl Namespaces {
    fn new() -> Result<Namespaces, String> {
        let names = ["a", "b"].map(|end| format!("fourstamp-test-{}-{end}", std::process::id()));
        let spaces = Namespaces(names);
        let [a, b] = &spaces.0;
        for name in &spaces.0 {
            ip(&format!("netns add {name}"))?;
        }
        ip(&format!("link add cable netns {a} type veth peer name cable netns {b}"))?;
        for (name, address) in [(a, "10.213.7.1"), (b, "10.213.7.2")] {
            ip(&format!("-n {name} addr add {address}/24 dev cable"))?;
            ip(&format!("-n {name} link set cable up"))?;
            ip(&format!("-n {name} link set lo up"))?;
        }
        Ok(spaces)
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        for name in &self.0 {
            let _ = ip(&format!("netns del {name}"));
        }
    }
}

fn ip(arguments: &str) -> Result<(), String> {
    let output = Command::new("ip")
        .args(arguments.split(' '))
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("ip {arguments}: {}", text(&output.stderr).trim()))
    }
}

#[test]
fn a_namespace_a_rank() {
    let home = folder();
    let Some(program) = mpi_program("openmpi", "planted", home.path()) else { return };
    let spaces = match Namespaces::new() {
        Ok(spaces) => spaces,
        Err(why) => {
            println!("skipped: no network namespaces: {why}");
            return;
        }
    };
    // Open MPI's way to another host is a program: here one that enters a namespace. Each has a
    // folder of its own for what is temporary: in one they would now and then make the same.
    let agent = home.path().join("agent.sh");
    std::fs::write(
        &agent,
        "#!/bin/sh\nhost=$1\nshift\nexport TMPDIR=\"$(mktemp -d)\"\n\
        exec ip netns exec \"$host\" sh -c \"$*\"\n",
    )
    .expect("written");
    std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).expect("may be run");
    let [a, b] = &spaces.0;
    // Each host's launcher would pin its rank to the first core, and both would take turns there.
    // And it would share what it knows of the machine at an address near its own stack, which
    // crashes it now and then, as the stack grows into that.
    let options = "--bind-to none --mca rtc_hwloc_vmhole none --mca btl tcp,self --mca \
    btl_tcp_if_include cable --mca oob_tcp_if_include cable";
    let command = format!(
        "mpirun.openmpi --mca plm_rsh_agent {} {options} --host {a}:1,{b}:1 -n 2 {} late_sender 5",
        agent.display(),
        program.display()
    );
    let info = trace(home.path(), &["ip", "netns", "exec", a], &command);
    check_clocks(&info);
    assert_eq!(info.workload, "planted");
}
