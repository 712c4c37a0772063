//! The program in a traced run: what each rank did, as steps that can be played on another machine.
//!
//! A rank computes between its calls. In a call it sends, posts receives, takes messages and waits
//! until buffers are free, for the messages that were matched when the run was closed; where it
//! received from any source, or any tag, they are matched anew. A collective becomes the messages
//! that the library makes of it. What is left in a call then is the library's
//! own work, which the machine charges.

mod collectives;
mod deeds;
mod eager;
mod polls;
mod rank;
mod whole;

use crate::{CallTables, LensError, communicators, facts};
use collectives::Collectives;
use deeds::Deeds;
pub use eager::EagerLimit;
use predict::{Courses, Flow, Library, Program, RecordedRun};
use record::Run;
use std::collections::BTreeMap;

/// A program that was read off a run, and how far it is what ran.
pub struct ReadProgram {
    pub recorded: RecordedRun,
    /// What is not played as it was, in sentences.
    pub kept: Vec<String>,
    /// The largest message that the library sends at once, where the program has longer ones.
    pub eager: Option<EagerLimit>,
}

/// Why a run holds no program that can be played.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    #[error(transparent)]
    Tables(#[from] LensError),
    #[error(transparent)]
    Record(#[from] record::RecordError),
    #[error(
        "rank {rank} never left {call}: the program was cut, and what it would have done is \
             unknown: record it again, to its end"
    )]
    Cut { rank: u32, call: String },
    #[error("rank {rank} left no log, and what it did is unknown: record the program again")]
    NoLog { rank: u64 },
    #[error(
        "the log of rank {rank} is damaged, and a program with holes in it cannot be played: \
             record it again"
    )]
    DamagedLog { rank: u64 },
    #[error(
        "{matched} of its {all} messages are known with both their send and their receive, and a \
             program with holes in it cannot be played: `fourstamp report` says what is missing"
    )]
    Unmatched { matched: u64, all: u64 },
    #[error(
        "{early} of its {matched} messages arrived before they were sent: either the clocks or \
             the matching is wrong; record it again"
    )]
    BeforeSent { early: u64, matched: u64 },
    #[error("its ranks sent each other no message, so that no network matters to it")]
    NoMessages,
    #[error(
        "more than one thread of rank {rank} calls MPI, and which of them waits for which is \
             unknown: record the program with one thread a rank that calls MPI"
    )]
    Threads { rank: u32 },
    #[error("it has {0} ranks, and 65535 can be played")]
    Ranks(usize),
    #[error("it has no tables of calls: it was recorded by an older version")]
    NoTables,
}

/// Calls whose time is kept as it was recorded, by function; messages that are not played; and
/// loops whose time is not kept.
#[derive(Default)]
struct Kept {
    ns_of: BTreeMap<i64, (u64, u64)>,
    unmatched: u64,
    /// How many, and how long they took.
    poll_loops: (u64, u64),
}

impl Kept {
    fn call(&mut self, function: i64, ns: u64) {
        let (calls, sum) = self.ns_of.entry(function).or_default();
        *calls += 1;
        *sum += ns;
    }

    fn poll_loop(&mut self, ns: u64) {
        let (loops, sum) = &mut self.poll_loops;
        *loops += 1;
        *sum += ns;
    }

    fn sentences(&self, measured_ns: u64) -> Vec<String> {
        // Less is not worth a word.
        const WORTH: f64 = 0.001;
        let worth = |ns: u64| ns as f64 > WORTH * measured_ns as f64;
        let mut said: Vec<String> = Vec::new();
        for (function, (calls, ns)) in self.ns_of.iter().filter(|(_, (_, ns))| worth(*ns)) {
            said.push(format!(
                "{} of {} are not played but kept as recorded, {} of all ranks together.",
                document::counted(*calls, "call"),
                crate::function_name(*function),
                document::time(*ns as f64),
            ));
        }
        let (loops, ns) = self.poll_loops;
        if worth(ns) {
            said.push(format!(
                "Polls (Test, Iprobe and their like) go on until what they look for has come: {} \
                that computed in between, {} of all ranks together.",
                document::counted(loops, "loop"),
                document::time(ns as f64),
            ));
        }
        if self.unmatched > 0 {
            said.push(format!(
                "{} without a receive, or without a send, are not played.",
                document::counted(self.unmatched, "message")
            ));
        }
        said
    }
}

/// Read the program of a closed run.
///
/// # Errors
/// When there is none that can be played, or a table is damaged.
pub fn program(run: &Run) -> Result<ReadProgram, ProgramError> {
    let facts = facts::of(run.info.parameters.get(mpi_facts::KEY)).unwrap_or_default();
    whole::check(&facts)?;
    let tables = CallTables::of(run);
    if tables.is_empty() {
        return Err(ProgramError::NoTables);
    }
    let ranks: Vec<u32> = tables.ranks().collect();
    let most = ranks.iter().max().map_or(0, |most| *most as usize + 1);
    if most > usize::from(u16::MAX) {
        return Err(ProgramError::Ranks(most));
    }
    let library = match facts.library.as_deref().unwrap_or_default().contains("Open MPI") {
        true => Library::OpenMpi,
        false => Library::Mpich,
    };
    let mut kept = Kept::default();
    let deeds::Read { mut deeds, mut messages, wildcards } = deeds::read(run, most, &mut kept)?;
    let own_messages = messages.len() as u32;
    let members = communicators(run)?;
    let collectives = Collectives::of(&tables, &members, library, &mut messages)?;
    let read = rank::courses(&tables, most, &mut deeds, &collectives, &mut kept)?;
    if messages.is_empty() {
        return Err(ProgramError::NoMessages);
    }
    let program = Program {
        courses: read.courses,
        messages,
        own_messages,
        flow: Flow::Eager,
        wildcards: wildcards.into(),
        asks_first: false,
    };
    let recorded = RecordedRun { program, measured_ns: read.measured_ns };
    let mut said = kept.sentences(recorded.measured_ns);
    said.extend(collectives.sentences());
    let eager = eager::limit(library, &facts, recorded.program.most_bytes());
    Ok(ReadProgram { recorded, kept: said, eager })
}
