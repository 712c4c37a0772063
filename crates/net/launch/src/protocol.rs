//! What coordinator and nodes say to each other.

use clock::Calibration;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Raised with every change that older programs would misread. The handshake's version covers what
/// lies below.
pub const PROTOCOL: u32 = 3;

/// A control message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum Message {
    /// Node: I am here.
    Join(Join),
    /// Coordinator: you cannot take part.
    Refused {
        /// Why.
        reason: String,
    },
    /// Coordinator: this is your part.
    Assign(Box<Assignment>),
    /// Node: everything is set up; begin when you say so.
    Ready(Ready),
    /// Coordinator: begin.
    Go,
    /// Coordinator: how far are you?
    Ask,
    /// Node: so far. Also the sign that its process is not stopped.
    Progress {
        /// Units of work done.
        done: u64,
        /// Units of work in all; 0 if unknown.
        goal: u64,
        /// What else the work says about itself; known only to the workload.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        status: Value,
    },
    /// Coordinator: finish with what there is.
    Stop,
    /// Node: my work is over and recorded.
    Done {
        /// What the work returned.
        outcome: Value,
    },
    /// Node: my work has failed; what it had recorded is kept.
    Failed {
        /// Why.
        reason: String,
    },
    /// Coordinator: all is over; go.
    Release {
        /// Another launch follows: a node that was started by hand may join again.
        more: bool,
    },
}

/// A node process introduces itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Join {
    /// Version of this protocol.
    pub protocol: u32,
    /// Host name.
    pub host: String,
    /// The start of its machine: processes with the same one can share memory and a clock.
    pub boot_id: String,
    /// Process.
    pub pid: u32,
    /// Cores it may use.
    pub cores: u32,
    /// How many nodes it will hold.
    pub hosts: u16,
    /// Which of the started processes it is; absent when it was started by hand.
    pub slot: Option<u16>,
    /// Where its nodes listen for messages, one address each; already bound.
    pub data_addresses: Vec<SocketAddr>,
}

/// A process's part of a launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    /// The run folder to record into, as the node sees it.
    pub run_folder: PathBuf,
    /// What the run is known by, where it is known.
    #[serde(default)]
    pub run_id: Option<record::RunId>,
    /// Launch, counted from 0.
    pub launch: u32,
    /// Nodes in all.
    pub nodes: u16,
    /// The nodes that this process holds.
    pub hosted: Vec<u16>,
    /// What connects the nodes.
    pub fabric: fabric::Spec,
    /// How they record.
    pub recorder: record::RecorderOptions,
    /// What they do; known only to the workload.
    pub plan: Value,
    /// The clock domain that the others are tied to.
    pub reference_domain: String,
    /// What a file in the run folder contains, to find out whether the node sees the same folder.
    pub folder_nonce: String,
    /// Files that its work leaves in the run folder besides logs, named from there. They are sent
    /// where the node sees another folder.
    pub leaves: Vec<String>,
}

/// A node process is set up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ready {
    /// The clock domain of each of its nodes, in their order.
    pub domains: Vec<String>,
    /// Where their ticks come from.
    pub source: clock::Source,
    /// A short look at its clock; absent in the reference domain, where nobody needs it.
    pub calibration: Option<Calibration>,
}

/// Part of a file from a node that does not see the run folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogChunk {
    /// Name within the folder of live logs; of what else the work leaves, within the run folder.
    pub name: String,
    /// Where the bytes belong.
    pub offset: u64,
    /// The file as a whole: it replaces what is there.
    pub whole: bool,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Message {
    /// Whether it may be as large as a frame can be; all others are small.
    pub(crate) fn may_be_large(&self) -> bool {
        matches!(self, Message::Assign(_) | Message::Done { .. })
    }

    /// Its name, for errors.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Message::Join(_) => "join",
            Message::Refused { .. } => "refused",
            Message::Assign(_) => "assign",
            Message::Ready(_) => "ready",
            Message::Go => "go",
            Message::Ask => "ask",
            Message::Progress { .. } => "progress",
            Message::Stop => "stop",
            Message::Done { .. } => "done",
            Message::Failed { .. } => "failed",
            Message::Release { .. } => "release",
        }
    }
}
