//! The nodes that one process hosts, thread by thread: from their transports to their reports.

use crate::crew::drive_together;
use crate::crowd::Core;
use crate::driver::{Drive, Driver, drive};
use crate::hosting::{Hosting, NodeReport};
use crate::part::{Kept, Part};
use crate::spent::Spent;
use crate::witness::Quiet;
use crate::{Recorded, WarpError};
use fabric::{NodeId, Transport};
use std::ops::Range;
use std::time::Duration;
use timewarp::{Model, RunError};
use watch::OwnQueue;

/// Run the nodes; `meanwhile` runs on the calling thread.
///
/// # Errors
/// The first cause among its nodes: not what followed from another node's failure.
pub(crate) fn run_hosted<M: Model>(
    model: &M,
    hosting: &Hosting<'_>,
    transports: Vec<Box<dyn Transport>>,
    meanwhile: &mut dyn FnMut(),
) -> Result<Vec<NodeReport>, WarpError> {
    let mut transports = transports.into_iter();
    let crews = (0..hosting.crews.threads()).map(|thread| {
        let places = hosting.crews.places(thread);
        let ends: Vec<_> = transports.by_ref().take(places.len()).collect();
        (places, ends)
    });
    let results: Vec<Result<NodeReport, WarpError>> = std::thread::scope(|scope| {
        let start = |(places, ends): (Range<usize>, Vec<Box<dyn Transport>>)| {
            let crew = places.clone();
            (places, scope.spawn(move || run_crew(model, hosting, crew, ends)))
        };
        let handles: Vec<_> = crews.map(start).collect();
        meanwhile();
        let joined = handles.into_iter().map(|(places, handle)| {
            handle.join().unwrap_or_else(|_| vec![Err(panicked(&hosting.hosted[places]))])
        });
        joined.flatten().collect()
    });
    let (reports, mut failures): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    failures.sort_by_key(|failure| failure.as_ref().err().map(follows));
    match failures.into_iter().find_map(Result::err) {
        Some(first) => Err(first),
        None => Ok(reports.into_iter().flatten().collect()),
    }
}

/// Whether a failure is likely to follow from another node's.
fn follows(error: &WarpError) -> bool {
    matches!(error, WarpError::Fabric(_) | WarpError::Silent { .. })
}

fn panicked(nodes: &[NodeId]) -> WarpError {
    let what = match nodes {
        [only] => format!("node {only} panicked"),
        [first, .., last] => format!("one of the nodes {first} to {last} panicked"),
        [] => "a thread panicked".into(),
    };
    RunError::Identity { what }.into()
}

/// The nodes of one thread.
fn run_crew<M: Model>(
    model: &M,
    hosting: &Hosting<'_>,
    places: Range<usize>,
    ends: Vec<Box<dyn Transport>>,
) -> Vec<Result<NodeReport, WarpError>> {
    let parts: Vec<_> = places.map(|place| Part::new(model, hosting, place)).collect();
    let job = hosting.job;
    match job.record || job.trace || job.engine.causes || job.costs.is_some() {
        true => play::<M, Recorded>(&parts, hosting, ends),
        false => play::<M, Quiet>(&parts, hosting, ends),
    }
}

/// Set the nodes of a thread up, see them through, and leave what they leave. Everybody passes the
/// gate, also where one could not be set up: the others wait there.
fn play<M: Model, W: Kept>(
    parts: &[Part<'_, M>],
    hosting: &Hosting<'_>,
    ends: Vec<Box<dyn Transport>>,
) -> Vec<Result<NodeReport, WarpError>> {
    let engines: Result<Vec<_>, _> =
        parts.iter().map(|part| W::begin(part).and_then(|watch| part.engine(watch))).collect();
    let may_begin = (hosting.begin)(engines.is_ok());
    let mut engines = match engines {
        Ok(engines) => engines,
        Err(error) => return vec![Err(error)],
    };
    let mut fabrics: Vec<_> = parts.iter().zip(ends).map(|(part, end)| part.fabric(end)).collect();
    let ended: Vec<_> = match may_begin {
        true => {
            let driven = drive_all(parts, hosting, &mut fabrics, &mut engines);
            driven.into_iter().zip(fabric::Node::close_together(&mut fabrics)).collect()
        }
        false => parts.iter().map(|_| (Ok(Drive::none()), Ok(()))).collect(),
    };
    let each = parts.iter().zip(engines).zip(ended);
    each.map(|((part, engine), (driven, closed))| part.conclude(engine, driven, closed)).collect()
}

fn drive_all<'e, M: Model, W: Kept>(
    parts: &[Part<'_, M>],
    hosting: &Hosting<'_>,
    fabrics: &mut [fabric::Node],
    engines: &mut [timewarp::Node<'e, M, W>],
) -> Vec<Result<Drive, WarpError>> {
    let mut options = hosting.job.drive_options(hosting.spec, hosting.crews);
    if parts.len() > 1 {
        // What a node has packed does not wait for its next turn.
        options.flush = Duration::ZERO;
        options.core = Core::Shared;
    }
    let queue = OwnQueue::open();
    let queued = queue.ns();
    let each = parts.iter().zip(fabrics.iter_mut().zip(engines));
    let mut drivers: Vec<_> = each
        .map(|(part, (fabric, engine))| Driver::new(fabric, engine, &options, part.meter()))
        .collect();
    let driven = match drivers.len() {
        1 => drivers.pop().map(drive).into_iter().collect(),
        _ => drive_together(drivers),
    };
    let queued = queue.ns().zip(queued).map(|(now, then)| now.saturating_sub(then));
    let with =
        |drive: Drive| Drive { spent: Spent { without_core_ns: queued, ..drive.spent }, ..drive };
    driven.into_iter().map(|drive| drive.map(with)).collect()
}
