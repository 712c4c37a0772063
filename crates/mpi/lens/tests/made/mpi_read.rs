//! A made-up MPI program's run, read as the command reads any.

use std::path::Path;

use mpi_lens::found::Mpi;
use mpi_lens::{MpiLens, MpiReading};
use record::{Batch, Run, RunInfo};
use report::{Facts, Part, Reading};
use stats::analysis::Analysis;
use stats::{Accumulator, FIELDS, Options, Position};

/// What was read.
#[derive(Clone)]
pub struct MpiRun {
    /// `run.json`.
    pub info: RunInfo,
    /// What the core found.
    pub analysis: Analysis,
    /// What its product found.
    pub mpi: Mpi,
}

impl MpiRun {
    /// The facts that `run.json` tells.
    pub fn facts(&self) -> Facts {
        Facts::of(&self.info, &[&MpiLens])
    }

    /// Its product's part of a report.
    pub fn parts(&self) -> [Part; 1] {
        [mpi_lens::part(&self.mpi)]
    }

    /// Say something else of the matching.
    pub fn tell(&mut self, name: &str, value: serde_json::Value) {
        self.info.parameters.get_mut("mpi").expect("an MPI program")[name] = value;
    }
}

/// The run at `path`.
pub fn read(path: &Path) -> MpiRun {
    let run = Run::open(path).expect("the run can be read");
    let reading = MpiReading::open(&run).expect("sound tables").expect("an MPI program");
    let options = Options { traced: true, ..Options::default() };
    let mut accumulator = Accumulator::with(options, vec![reading.tally()]);
    let mut batch = Batch::new();
    for chunk in run.chunks() {
        chunk.read(&FIELDS, &mut batch).expect("the chunk is sound");
        let at =
            Position { launch: chunk.launch(), node: chunk.node(), first_row: chunk.first_row() };
        accumulator.add(&batch, at);
    }
    let (analysis, mut tallies) = accumulator.finish_all();
    let found = reading.found(tallies.remove(0)).expect("sound tables");
    MpiRun { info: run.info.clone(), analysis, mpi: found.expect("messages of an MPI program") }
}
