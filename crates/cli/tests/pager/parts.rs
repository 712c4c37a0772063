//! Where a paged program's time is said to have gone: only to what was measured, and never to
//! paging where nothing was paged.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const FOURSTAMP: &str = env!("CARGO_BIN_EXE_fourstamp");

/// A run that has ended.
struct Paged {
    folder: tempfile::TempDir,
    said: String,
    seconds: Value,
}

impl Paged {
    /// Run `python` with these options, started by `before`.
    fn run(before: &[&str], options: &str, python: &str) -> Paged {
        let folder = tempfile::tempdir().unwrap();
        let words = before.iter().copied().chain([FOURSTAMP, "pager", "run"]).collect::<Vec<_>>();
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .args(options.split(' '))
            .arg("--out")
            .arg(folder.path().join("run"));
        let ended = command.args(["--", "python3", "-c", python]).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.status.success(), "{said}");
        let text = std::fs::read(folder.path().join("run/run.json")).unwrap();
        let info: Value = serde_json::from_slice(&text).unwrap();
        let seconds = info["parameters"]["pager"]["processes"][0]["seconds"].clone();
        Paged { folder, said, seconds }
    }

    fn part(&self, name: &str) -> f64 {
        self.seconds[name].as_f64().unwrap_or_else(|| panic!("{name} in {}", self.seconds))
    }

    /// The parts are the whole, and none is negative.
    fn adds_up(&self) {
        let parts = ["init", "user", "system", "handling", "network", "server", "disk", "other"];
        let mut parts: Vec<f64> = parts.map(|name| self.part(name)).to_vec();
        parts.extend(self.seconds["queue"].as_f64());
        assert!(parts.iter().all(|part| *part >= 0.0), "{}", self.seconds);
        let sum: f64 = parts.iter().sum();
        assert!((sum - self.part("elapsed")).abs() < 1e-6, "{sum} of {}", self.seconds);
    }

    fn report(&self, options: &[&str]) -> String {
        let mut command = Command::new(FOURSTAMP);
        command.arg("report").arg(self.folder.path().join("run")).args(options);
        let ended = command.output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        String::from_utf8_lossy(&ended.stdout).replace('\n', " ")
    }

    fn page(&self) -> String {
        let page: PathBuf = self.folder.path().join("page.html");
        self.report(&["--out", page.to_str().unwrap()]);
        std::fs::read_to_string(page).unwrap()
    }
}

#[test]
fn a_program_whose_pages_stay_is_not_said_to_have_been_paged() {
    // Its data are paged memory, but fit.
    let sleeps = "import time\nx = bytearray(8 << 20)\ntime.sleep(2)";
    let run = Paged::run(&[], "--local 64M", sleeps);
    run.adds_up();
    for part in ["network", "network_bytes", "server", "disk"] {
        assert_eq!(run.part(part), 0.0, "{part}: {}", run.seconds);
    }
    // It sleeps for two seconds, however busy the machine is.
    assert!(run.part("other") > 1.8, "{}", run.seconds);
    let (terminal, page) = (run.report(&["--terminal"]), run.page());
    for text in [&run.said.replace('\n', " "), &terminal, &page] {
        assert!(text.contains("No page was transferred"), "{text}");
        assert!(text.contains("nothing to predict"), "{text}");
        for false_claim in ["protocol", "paging's work", "predicted, ", "as predicted"] {
            assert!(!text.contains(false_claim), "{false_claim}: {text}");
        }
    }
}

#[test]
fn a_busy_machine_is_not_blamed_on_paging() {
    let hogs = Hogs::on_core("0");
    if hogs.0.is_empty() {
        return println!("skipped: no taskset, or core 0 is not ours");
    }
    let works = "x = bytearray(8 << 20)\nfor i in range(2000000): pass";
    let run = Paged::run(&["taskset", "-c", "0"], "--local 64M", works);
    run.adds_up();
    if run.seconds["queue"].is_null() {
        return println!("skipped: this kernel does not count run-queue time");
    }
    // Three hogs share its core: it waits longer than it runs, and for nothing else.
    let [queue, work] = [run.part("queue"), run.part("user") + run.part("system")];
    assert!(queue > work, "{}", run.seconds);
    assert!(run.part("other") < queue, "{}", run.seconds);
    assert!(run.said.contains("without a processor"), "{}", run.said);
}

#[test]
fn what_is_waited_for_is_told_apart() {
    let walks = "x = bytearray(32 << 20)\nfor i in range(2): sum(x[::4096])";
    let network = Paged::run(&[], "--local 4M", walks);
    network.adds_up();
    assert!(network.part("network") > 0.0 && network.part("disk") == 0.0, "{}", network.seconds);
    assert!(network.part("network_bytes") <= network.part("network"), "{}", network.seconds);
    assert!(!network.said.contains("times the bandwidth"), "a loopback has no rate");
    assert!(network.said.contains("no link's rate is known"), "{}", network.said);
    let place = tempfile::tempdir().unwrap();
    let disk = Paged::run(
        &[],
        &format!("--local 4M --policy disk --disk {}", place.path().display()),
        walks,
    );
    disk.adds_up();
    assert!(disk.part("disk") > 0.0 && disk.part("network") == 0.0, "{}", disk.seconds);
    assert!(!disk.said.contains("times the bandwidth"), "a disk has no network: {}", disk.said);
    assert!(disk.said.contains("No page crossed a network"), "{}", disk.said);
}

/// Three processes that never rest, all on one core, until this is dropped.
struct Hogs(Vec<Child>);

impl Hogs {
    fn on_core(core: &str) -> Hogs {
        let hog = || {
            let mut command = Command::new("taskset");
            command.args(["-c", core, "sh", "-c", "while :; do :; done"]);
            command.stdin(Stdio::null()).stderr(Stdio::null()).spawn()
        };
        let possible =
            Command::new("taskset").args(["-c", core, "true"]).stderr(Stdio::null()).status();
        match possible.is_ok_and(|status| status.success()) && Path::new("/bin/sh").exists() {
            true => Hogs((0..3).filter_map(|_| hog().ok()).collect()),
            false => Hogs(Vec::new()),
        }
    }
}

impl Drop for Hogs {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
