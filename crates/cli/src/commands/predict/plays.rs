//! Plays on all cores, with a bar.

use crate::progress::Bar;
use crate::{interrupt, jobs};
use anyhow::{Result, anyhow, bail};
use std::sync::atomic::Ordering;

/// Do every job, each core one after the other, until one fails; what each came to, in their order.
/// `what` is said to be going on, with `next` of a job that has not been done.
pub(super) fn on_all_cores<T: Sync, R: Send>(
    what: String,
    jobs: &[T],
    next: impl Fn(&T) -> String,
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    on_threads(cores, what, jobs, next, work)
}

/// The same on so many threads at most.
fn on_threads<T: Sync, R: Send>(
    threads: usize,
    what: String,
    jobs: &[T],
    next: impl Fn(&T) -> String,
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let mut bar = Bar::new(what, None);
    let look = |done: usize| {
        if let Some(job) = jobs.get(done) {
            bar.step(done as u64, jobs.len() as u64, &next(job));
        }
    };
    let stop = || interrupt::flag().load(Ordering::Relaxed);
    let results = jobs::on_threads(threads, jobs, stop, work, look);
    bar.finish();
    let results = results.map_err(|_| anyhow!("a play panicked"))?;
    let complete = results.len() == jobs.len();
    let results = results.into_iter().collect::<Result<Vec<R>>>()?;
    if !complete {
        bail!("interrupted: nothing is predicted");
    }
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;
    use predict::{Course, DRAWS, Envelope, Flow, Parcel, Program, Rematched, Step, Wildcards};

    const MACHINE: &str = "name = \"few\"\nnodes = 4\ntopology = \"switch\"\n[processor]\n\
        send = \"2us\"\nreceive = \"3us\"\n[network]\nlatency = { value = \"10us\", \
        range = [\"5us\", \"20us\"] }\nbandwidth = \"1GB/s\"\nloss = 0.1\nresend = \"1ms\"\n";

    /// Four nodes in a ring, each round after another time of computing.
    fn ring() -> Program {
        let mut program = Program { flow: Flow::Eager, ..Program::default() };
        program.courses = vec![Course::default(); 4];
        for message in 0..400u32 {
            let [from, to] = [message % 4, (message + 1) % 4].map(|node| node as u16);
            program.messages.push(Parcel { from, to, bytes: u64::from(message * 37 % 5000) });
            let sender = &mut program.courses[usize::from(from)].steps;
            sender.push(Step::Work { ns: u64::from(message * 7919 % 30_000), site: 0 });
            sender.push(Step::Send(message));
            program.courses[usize::from(to)].steps.push(Step::Take(message));
        }
        program
    }

    /// Three nodes that send results, each after other times of computing, to one that takes what
    /// comes first.
    fn collected() -> Program {
        let mut program = Program { own_messages: 300, ..Program::default() };
        program.courses = vec![Course::default(); 4];
        let mut wildcards = Wildcards::default();
        let envelope = Envelope { communicator: 0, tag: 0, any_source: true, any_tag: false };
        for message in 0..300u32 {
            let from = (1 + message % 3) as u16;
            program.messages.push(Parcel { from, to: 0, bytes: u64::from(message * 37 % 5000) });
            wildcards.add(message, envelope);
            let sender = &mut program.courses[usize::from(from)].steps;
            sender.push(Step::Work { ns: u64::from(message * 7919 % 30_000), site: 0 });
            sender.push(Step::Send(message));
            program.courses[0].steps.extend([Step::Post(message), Step::Take(message)]);
        }
        Program { wildcards: wildcards.into(), ..program }
    }

    #[test]
    fn plays_come_to_the_same_on_any_number_of_threads() {
        same_on_any_number_of_threads(&ring());
        same_on_any_number_of_threads(&collected());
    }

    fn same_on_any_number_of_threads(program: &Program) {
        let machine = fabric::parse_machine("few", MACHINE).unwrap();
        let draws: Vec<u32> = (0..DRAWS).collect();
        let times = predict::Times::of(program);
        let play = |draw: &u32| {
            let program = predict::DrawnProgram::of(program, &times, 1, *draw);
            let machine = predict::drawn_machine(&machine, 1, *draw);
            let mut taken = Vec::new();
            let tell = |message, at: predict::Stamps| taken.push((message, at.arrived, at.taken));
            let played = predict::play(&program, &machine, u64::from(*draw), tell)?;
            let nodes: Vec<_> = played.nodes.iter().map(|node| (node.end, node.waiting)).collect();
            let Rematched { receives, changed } = played.rematched;
            Ok(serde_json::to_string(&(draw, taken, nodes, receives, changed))?)
        };
        let on = |threads| {
            on_threads(threads, "playing".into(), &draws, |_| String::new(), play).unwrap()
        };
        let one = on(1);
        let others: std::collections::BTreeSet<&String> = one.iter().collect();
        assert_eq!(others.len(), DRAWS as usize, "draws differ");
        assert!(one == on(2) && one == on(4));
    }
}
