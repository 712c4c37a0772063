//! What a run says of its messages, as anyone would read it: by `export --csv` and `report --csv`.

use anyhow::{Context, Result, bail, ensure};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;

/// The messages of a run that have all four stamps, and its last stamp.
#[derive(Debug)]
pub struct Messages {
    /// With four stamps.
    pub whole: u64,
    /// Of those, with a stage that is negative.
    pub negative: u64,
    /// The last time at which one was taken, ns on the timeline; `i64::MIN`: none was.
    pub last_ns: i64,
}

/// Stages of a message, as `report --csv` names them.
pub const STAGES: [&str; 3] = ["send-wait", "transit", "receive-wait"];

/// A message.
#[derive(Debug)]
pub struct Row {
    pub src: i64,
    pub dst: i64,
    pub seq: i64,
    /// Ready, sent, arrived, taken; ns on the timeline.
    pub stamps: [Option<i64>; 4],
}

/// The messages of a run, which is exported into a folder of `scratch`.
pub fn rows(program: &Path, run: &Path, scratch: &Path) -> Result<Vec<Row>> {
    let mut found = Vec::new();
    each_row(program, run, scratch, |row| found.push(row))?;
    Ok(found)
}

fn each_row(program: &Path, run: &Path, scratch: &Path, mut take: impl FnMut(Row)) -> Result<()> {
    let out = scratch.join("csv");
    let _ = std::fs::remove_dir_all(&out);
    let done = Command::new(program).arg("export").arg(run).arg("--csv").arg(&out).output()?;
    ensure!(done.status.success(), "no export: {}", String::from_utf8_lossy(&done.stderr).trim());
    let mut lines = BufReader::new(File::open(out.join("messages.csv"))?).lines();
    let head = lines.next().context("messages.csv is empty")??;
    let names: Vec<&str> = head.split(',').collect();
    let place = |name: &str| names.iter().position(|known| *known == name).context(name.to_owned());
    let numbers = [place("src")?, place("dst")?, place("seq")?];
    let stamps = [place("ready_ns")?, place("sent_ns")?, place("arrived_ns")?, place("taken_ns")?];
    for line in lines {
        let line = line?;
        let cells: Vec<&str> = line.split(',').collect();
        let cell = |at: usize| cells.get(at).and_then(|text| text.parse().ok());
        let [Some(src), Some(dst), Some(seq)] = numbers.map(cell) else {
            bail!("a row of messages.csv lacks numbers: {line}")
        };
        take(Row { src, dst, seq, stamps: stamps.map(cell) });
    }
    Ok(())
}

impl Messages {
    /// Exports the run into a folder of `scratch`, and reads that.
    pub fn read(program: &Path, run: &Path, scratch: &Path) -> Result<Messages> {
        let mut found = Messages { whole: 0, negative: 0, last_ns: i64::MIN };
        each_row(program, run, scratch, |row| {
            let last = row.stamps.iter().flatten().last();
            found.last_ns = found.last_ns.max(last.copied().unwrap_or(i64::MIN));
            if !row.stamps.contains(&None) {
                found.whole += 1;
                found.negative += u64::from(!row.stamps.is_sorted());
            }
        })?;
        Ok(found)
    }

    /// How many of them have a stage that is negative, of 1.
    pub fn negative_share(&self) -> f64 {
        self.negative as f64 / self.whole.max(1) as f64
    }
}

/// The median of each of [`STAGES`], ns.
pub fn medians(program: &Path, run: &Path) -> Result<[f64; 3]> {
    let done = Command::new(program).args(["report", "--csv"]).arg(run).output()?;
    ensure!(done.status.success(), "no report: {}", String::from_utf8_lossy(&done.stderr).trim());
    let text = String::from_utf8(done.stdout)?;
    let names: Vec<&str> = text.lines().next().unwrap_or_default().split(',').collect();
    let at = names.iter().position(|name| *name == "p50_ns").context("no p50_ns")?;
    let mut medians = [0.0; 3];
    for (median, stage) in medians.iter_mut().zip(STAGES) {
        let line =
            text.lines().find(|line| line.split(',').next() == Some(stage)).context(stage)?;
        *median = line.split(',').nth(at).context(stage)?.parse()?;
    }
    Ok(medians)
}
