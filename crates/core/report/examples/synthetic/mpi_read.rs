//! A made-up MPI program's run, read as the command reads any.

use std::path::Path;
use std::sync::Arc;

use fourstamp_report::Facts;
use mpi_lens::{CallColumns, CallTally, Function};
use record::{Batch, Run, SideReader};
use stats::analysis::{Activity, Analysis};
use stats::{Accumulator, BlockingCalls, FIELDS, Options, Position};

use crate::mpi::{COLUMNS, NAMES};

/// The facts and the analysis of the run at `path`.
pub fn read(path: &Path) -> (Facts, Analysis) {
    let run = Run::open(path).expect("the run can be read");
    let ranks: Vec<u32> = run.info.nodes().map(|(_, node)| node.node).collect();
    let tables: Vec<(u32, Vec<Vec<i64>>)> =
        ranks.into_iter().map(|rank| (rank, table(path, rank))).collect();
    let mut blocking = BlockingCalls::default();
    tables
        .iter()
        .for_each(|(rank, table)| blocking.add(*rank, 0, table[2].iter().map(|code| *code == 0)));
    let options = Options { blocking: Arc::new(blocking), ..Options::default() };
    let mut accumulator = Accumulator::new(options);
    let mut batch = Batch::new();
    for chunk in run.chunks() {
        chunk.read(&FIELDS, &mut batch).expect("the chunk is sound");
        let at =
            Position { launch: chunk.launch(), node: chunk.node(), first_row: chunk.first_row() };
        accumulator.add(&batch, at);
    }
    let mut analysis = accumulator.finish();
    let mpi = analysis.mpi.as_mut().expect("the run is of an MPI program");
    let mut tally = CallTally::new(NAMES.iter().map(function).collect(), &mpi.worst);
    for (rank, table) in &tables {
        let [enter, exit, call, _, _, communicator, bytes, _, polls, site, thread] = &table[..]
        else {
            panic!("eleven columns")
        };
        tally.add(
            *rank,
            &CallColumns { enter, exit, call, communicator, bytes, polls, site, thread },
        );
    }
    mpi.calls = Some(tally.finish(&mut mpi.worst));
    let names = [
        "exchange (halo.c:41)",
        "exchange (halo.c:44)",
        "hand, over (halo.c:71)",
        "take (halo.c:88)",
        "agree (halo.c:102)",
    ];
    mpi.sites = (1..).zip(names.map(str::to_owned)).collect();
    (Facts::from(&run.info), analysis)
}

fn table(path: &Path, rank: u32) -> Vec<Vec<i64>> {
    let file = path.join(format!("mpi/calls-launch-0-node-{rank}.parquet"));
    let mut reader = SideReader::open(&file, &COLUMNS).expect("the table can be opened");
    reader.read(0).expect("the table can be read")
}

fn function(name: &&str) -> Function {
    let activity = match *name {
        "Send" => Activity::Sending,
        "Recv" | "Wait" | "Testany" => Activity::Waiting,
        "Allreduce" => Activity::Collective,
        _ => Activity::Other,
    };
    Function { name: format!("MPI_{name}"), activity, blocks: *name != "Testany" }
}
