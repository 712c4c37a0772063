//! A run in the Open Trace Format 2: calls and collectives of ranks or the work of nodes, and the
//! messages between them.

use super::messages::{self, Message};
use super::{Exported, Written, told};
use crate::new_folder;
use anyhow::Result;
use mpi_lens::found::Activity;
use mpi_lens::{CallSlice, CallTables};
use otf2::{Call, Collective, Library, Location, Operation, Process, Region, Role, Trace};
use record::Run;
use std::collections::BTreeMap;
use std::path::Path;

/// Write the trace into `folder`, which must be new or empty; what is to be said of it.
pub fn write(run: &Run, asked: &Exported, limit: u64, folder: &Path) -> Result<String> {
    let library = Library::load()?;
    let tables = CallTables::of(run);
    let wanted = asked.limited(run, &tables, limit)?;
    let mut collected = Collected::new(run, &tables)?;
    collected.calls(run, &tables, &wanted)?;
    collected.messages(run, &wanted)?;
    let trace = collected.trace;
    let written = new_folder::whole(folder, |draft| Ok(trace.write(&library, draft)?))?;
    let file = folder.join("traces.otf2");
    let counts = Written {
        calls: if tables.is_empty() { 0 } else { written.calls },
        intervals: if tables.is_empty() { written.calls } else { 0 },
        messages: written.sends,
    };
    let mut text = told(&file, &counts, "open it in Vampir, Scalasca or otf2-print");
    if written.sends != written.receives {
        text += &format!(
            "{} of the {} messages were taken within it.\n",
            written.receives, written.sends
        );
    }
    if written.crossing > 0 {
        let left_out = document::counted(written.crossing, "call");
        text += &format!(
            "{left_out} left out: the format wants calls within calls, and each of these ends \
            after one that it began in.\n"
        );
    }
    Ok(text + &wanted.stretch.told(limit))
}

/// A trace, and what of the run stands where in it.
struct Collected {
    trace: Trace,
    /// By launch and node.
    processes: BTreeMap<(u32, u32), u32>,
    /// Of the run's communicators.
    communicators: BTreeMap<i64, u32>,
}

impl Collected {
    fn new(run: &Run, tables: &CallTables) -> Result<Collected> {
        let launches = run.info.launches.len() > 1;
        let noun = if tables.is_empty() { "node" } else { "rank" };
        let process = |(launch, node): (u32, &record::NodeInfo)| Process {
            name: match launches {
                true => format!("launch {launch}, {noun} {}", node.node),
                false => format!("{noun} {}", node.node),
            },
            host: node.host.clone(),
        };
        let processes = run.info.nodes().map(|(launch, node)| (launch, node.node)).zip(0..);
        let mut trace = Trace::new(run.info.nodes().map(process).collect());
        let communicators = mpi_lens::communicators(run)?.into_iter();
        let communicators =
            communicators.map(|(number, members)| (number, trace.communicator(members))).collect();
        Ok(Collected { processes: processes.collect(), trace, communicators })
    }

    fn calls(&mut self, run: &Run, tables: &CallTables, wanted: &Exported) -> Result<()> {
        let takes = |from, to| wanted.stretch.overlaps(from, to);
        mpi_lens::slices(run, tables, takes, |call| {
            self.call(call);
            Ok::<(), anyhow::Error>(())
        })
    }

    fn call(&mut self, call: &CallSlice) {
        let launch = self.processes.keys().next().map_or(1, |(launch, _)| *launch);
        let Some(&process) = self.processes.get(&(launch, call.rank)) else { return };
        let known = Operation::named(&call.name);
        let role = known.map_or_else(|| role(call.activity), |(_, role)| role);
        let region = Region { name: call.name.clone(), role, is_mpi: true };
        let region = self.trace.region(&region);
        let thread = u32::try_from(call.thread).unwrap_or(0);
        let collective = known.and_then(|(operation, _)| self.collective(call, operation));
        let (from, to) = (call.from_ns, call.to_ns);
        self.trace.call(Location { process, thread }, Call { from, to, region, collective });
    }

    /// Nothing where the communicator is between two groups, which the format has no word for.
    fn collective(&self, call: &CallSlice, operation: Operation) -> Option<Collective> {
        let communicator = *self.communicators.get(&call.communicator?)?;
        let members = self.trace.members(communicator);
        let place = |root| members.iter().position(|&member| member == root);
        let root = call.peer.and_then(place).and_then(|place| u32::try_from(place).ok());
        let bytes = call.bytes.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0);
        Some(Collective { operation, communicator, root, bytes })
    }

    fn messages(&mut self, run: &Run, wanted: &Exported) -> Result<()> {
        messages::each(run, wanted, |message| {
            if message.kind.is_interval() {
                self.work(message, wanted);
            } else {
                self.message(message, wanted);
            }
            Ok(())
        })
    }

    /// Work of a node; what goes on beside other work has no place among its calls.
    fn work(&mut self, work: &Message, wanted: &Exported) {
        let [Some(from), .., Some(to)] = work.stamps else { return };
        let process = self.processes.get(&(work.launch, work.dst));
        if let Some(&process) = process
            && messages::is_alone(work.kind)
            && wanted.stretch.overlaps(from, to)
        {
            let name = work.kind.name().to_owned();
            let region = self.trace.region(&Region { name, role: Role::Code, is_mpi: false });
            let call = Call { from, to, region, collective: None };
            self.trace.call(Location { process, thread: 0 }, call);
        }
    }

    /// A message that began in the stretch; its taking too, if that did.
    fn message(&mut self, message: &Message, wanted: &Exported) {
        let process = |node| self.processes.get(&(message.launch, node)).copied();
        let (Some(src), Some(dst)) = (process(message.src), process(message.dst)) else { return };
        let [Some(ready), .., taken] = message.stamps else { return };
        let (tag, bytes) = (message.tag.unwrap_or(0), message.bytes);
        let tag = u32::try_from(tag).unwrap_or(0);
        let bytes = u64::try_from(bytes).unwrap_or(0);
        let within = |at| wanted.stretch.overlaps(at, at);
        if !within(ready) {
            return;
        }
        let end = |at, peer| otf2::Message { at, peer, tag, bytes };
        self.trace.send(Location { process: src, thread: 0 }, end(ready, dst));
        if let Some(taken) = taken.filter(|&taken| within(taken)) {
            self.trace.receive(Location { process: dst, thread: 0 }, end(taken, src));
        }
    }
}

fn role(activity: Activity) -> Role {
    match activity {
        Activity::Sending | Activity::Waiting | Activity::Polling => Role::PointToPoint,
        Activity::Collective | Activity::CollectiveWait => Role::OtherCollective,
        Activity::Other | Activity::Computing => Role::Function,
    }
}
