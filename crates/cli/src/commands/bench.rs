//! `fourstamp bench`: launches, a run folder, a report.

mod background;
mod intervene;
mod measurement;
mod plan;

use crate::analyse::analyse;
use crate::args::WorkloadArgs;
use crate::commands::report;
use crate::interrupt;
use crate::job::{self, Asked};
use crate::launching::Nodes;
use crate::progress::Bar;
use crate::show;
use anyhow::{Result, bail};
pub use measurement::EAGER_KEY;
use measurement::Measurement;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Measure and show; in a job of mpirun or srun, as one of its ranks.
pub fn run(workload: &WorkloadArgs) -> Result<()> {
    let common = workload.common();
    if common.joining.wait_for_nodes {
        return show(workload, &Nodes::ByHand(common.joining.clone()));
    }
    let asked = Asked {
        transport: common.asked_transport(),
        usual_transport: &fabric::SHM,
        nodes: common.nodes,
        usual_nodes: workload.usual_nodes(),
    };
    job::take_part(&asked, |part| {
        let mut workload = workload.clone();
        let common = workload.common_mut();
        (common.transport, common.nodes) = (Some(part.transport), Some(part.nodes));
        show(&workload, part.starter)
    })
}

/// Measure and show.
pub fn show(workload: &WorkloadArgs, nodes: &Nodes) -> Result<()> {
    let workload = &settled(workload)?;
    let common = workload.common();
    if let Some(intervention) = common.intervene {
        return intervene::run(workload, intervention, nodes);
    }
    let folder = measure(workload, nodes)?;
    let analysed = analyse(&folder, common.seed, &stats::Filter::default())?;
    if common.csv {
        return report::print_csv(&[analysed], "quantiles");
    }
    show::text(&report::document_of(std::slice::from_ref(&analysed)).brief())?;
    show::say(&format!(
        "run: {}   page: fourstamp report {0}   why: fourstamp explain {0}\n",
        folder.display()
    ))
}

/// The same workload; in simulated time with one launch, as another would be the same to the last
/// stamp.
fn settled(workload: &WorkloadArgs) -> Result<WorkloadArgs> {
    let mut workload = workload.clone();
    let common = workload.common_mut();
    if common.asked_transport().is_some_and(|transport| transport.clock.is_some()) {
        let background = &common.background;
        if background.background.is_some() || background.background_traffic.is_some() {
            bail!("--background is of this machine's time: a simulated machine has none");
        }
        if common.intervene.is_some() || common.real_time {
            bail!(
                "--intervene and --real-time change what this machine does: on a simulated one, \
                change its file"
            );
        }
        common.launches = 1;
    }
    Ok(workload)
}

/// Measure; returns the run's folder, closed.
pub fn measure(workload: &WorkloadArgs, nodes: &Nodes) -> Result<PathBuf> {
    let common = workload.common();
    let mut measurement = Measurement::begin(workload, nodes, common.out.as_deref())?;
    let mut bar = Bar::new(measurement.label(), common.duration);
    let mut failure = None;
    for launch in 0..common.launches {
        failure = measurement.launch(launch, &mut bar, (launch, common.launches)).err();
        if failure.is_some() || interrupt::flag().load(Ordering::Relaxed) {
            break;
        }
    }
    bar.finish();
    measurement.end(failure)
}
