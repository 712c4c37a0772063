//! What a traced process says of itself, and what the closing says of all of them. Both are JSON,
//! which these types alone write and read.

use crate::entry::noticed;
use crate::held_back::HeldBackFacts;
use crate::transport::Hiding;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Where [`SocketsFacts`] stand among the parameters of `run.json`.
pub const KEY: &str = "sockets";

/// Where the [`Rules`](crate::framing::Rules) of ports stand among them, as text.
pub const FRAMING_KEY: &str = "frames";

/// Whether pipes are looked at, among them.
pub const PIPES_KEY: &str = "pipes";

/// A process, as it begins its log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProcessFacts {
    /// What it is called: its program, and the script where that is an interpreter.
    pub name: String,
    /// Its number on its host.
    pub pid: u32,
    /// Its parent's number there; 0 where it is not known.
    pub parent: u32,
}

/// What the run says of its processes, their connections, and what was not seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SocketsFacts {
    /// By node.
    pub processes: Vec<ProcessSummary>,
    /// The node that stands for all programs that were not traced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outside: Option<u32>,
    /// Connections of which both ends were traced, from a byte on that is known.
    pub whole_connections: u64,
    /// Connections of which one end was traced.
    pub half_connections: u64,
    /// Of those, ends that were there before the trace, of which the kernel does not tell what they
    /// had carried.
    pub older_connections: u64,
    /// Of connections with one traced end, those that were accepted and of whose clients the kernel
    /// said nothing, mostly because they had gone.
    pub gone_clients: u64,
    /// Connections of which an end was there before the trace, and the kernel told what it had
    /// carried.
    pub taken_over: TakenOverFacts,
    /// Connections of which nothing was matched.
    #[serde(flatten)]
    pub unmatched: UnmatchedFacts,
    /// Bytes that were written into connections with two traced ends, but for those that the other
    /// end had read before it was traced.
    pub bytes_sent: u64,
    /// Bytes of them that the other end has read.
    pub bytes_matched: u64,
    /// Messages with both sides known.
    pub matched: u64,
    /// Messages that were written at the same time as another one of their connection, so that the
    /// order of the two is not known.
    pub overlapping: u64,
    /// Requests with their answers: see [`exchanges`](crate::exchanges).
    pub exchanges: u64,
    /// Messages that belong to none, but for those by which a process wakes itself.
    pub outside_exchanges: u64,
    /// Messages that TCP held back.
    #[serde(skip_serializing_if = "HeldBackFacts::is_nothing")]
    pub held_back: HeldBackFacts,
    /// Why the rules that ports were given were not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread_rules: Option<String>,
    /// Pipes, where they were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipes: Option<PipesFacts>,
    /// What came of the rules that ports were given, by port.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub framing: Vec<FramingFacts>,
}

/// Connections with two traced ends of which nothing was matched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnmatchedFacts {
    /// Their offsets contradict one another.
    pub doubtful_connections: u64,
    /// They carried more bytes, by the kernel's account, than the calls that were seen had moved.
    pub hidden_connections: u64,
    /// Unix-domain connections on which the C library's streams moved bytes.
    pub stream_connections: u64,
    /// The nodes in which they did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stream_nodes: Vec<u32>,
}

impl UnmatchedFacts {
    /// How many.
    pub fn connections(&self) -> u64 {
        self.doubtful_connections + self.hidden_connections + self.stream_connections
    }
}

/// Pipes on which bytes went. They are no connections in what else is counted, but their messages
/// are messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PipesFacts {
    /// Pipes with calls at both ends, which one of the traced processes made.
    pub whole: u64,
    /// Bytes that were written into these.
    pub bytes_sent: u64,
    /// Bytes of them that were read.
    pub bytes_matched: u64,
    /// Pipes with calls at one end, or of which no traced process made either.
    pub half: u64,
    /// Of those, pipes that no traced process made.
    pub from_outside: u64,
    /// Pipes with calls at both ends that do not show all of its bytes, for some other reason than
    /// those that follow.
    pub hidden: u64,
    /// Pipes that the C library's streams used.
    pub streams: u64,
    /// The nodes in which they did.
    pub stream_nodes: Vec<u32>,
    /// Pipes that carried packets, or of which a descriptor both reads and writes.
    pub uncounted: u64,
    /// Messages that went through pipes, halves among them.
    pub messages: u64,
    /// Messages that are halves because calls at an end overlapped.
    pub crowded: u64,
}

impl PipesFacts {
    /// Pipes with two traced ends of which nothing is matched.
    pub fn unmatched(&self) -> u64 {
        self.hidden + self.streams + self.uncounted
    }

    /// One more of which nothing is matched, because of this, or because its bytes do not add up.
    pub(crate) fn count_unmatched(&mut self, why: Option<Hiding>) {
        let counter = match why {
            None => &mut self.hidden,
            Some(Hiding::Streams) => &mut self.streams,
            Some(Hiding::Packets | Hiding::BothWays) => &mut self.uncounted,
        };
        *counter += 1;
    }
}

/// Connections that others had used before a traced process did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TakenOverFacts {
    /// How many.
    pub connections: u64,
    /// Bytes of those with two traced ends that an end wrote or read before it was traced, and the
    /// other end while it was.
    pub bytes_of_others: u64,
}

/// What came of the rule of a port.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FramingFacts {
    /// The port.
    pub port: u16,
    /// The rule, as it was asked for.
    pub rule: String,
    /// None was asked for: it was guessed from the first bytes of connections.
    pub is_guessed: bool,
    /// Connections whose bytes did not follow what was guessed: each of their calls is a message.
    pub refuted: u64,
    /// Connections to it of which an end was traced from the beginning.
    pub connections: u64,
    /// Messages that the rule found.
    pub messages: u64,
    /// Of those, messages that are neither a request nor its answer: interim answers, pushes.
    pub aside: u64,
    /// Messages that the rule did not find, so that each is what a call moved.
    pub by_call: u64,
    /// Exchanges that the order on a connection told.
    pub exchanges: u64,
    /// Connections on which, from some message on, order tells nothing.
    pub out_of_order: u64,
    /// Directions of connections whose framing ended, by [`Reason`](crate::framing::Reason).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub stopped: BTreeMap<String, u64>,
}

/// A process, as the closing knows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProcessSummary {
    /// Its number in the run.
    pub node: u32,
    /// Its name, with the port that it serves: `redis-server:6379`.
    pub name: String,
    /// Its number on its host.
    pub pid: u32,
    /// The node of its parent process, where that is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// Connections that it used.
    pub connections: u64,
    /// Messages that it sent and received.
    pub messages: u64,
    /// Datagram sockets that it opened, which are not traced.
    pub datagram_sockets: u64,
    /// Connections that carried bytes by calls that were not seen: the most at any look.
    pub unseen_connections: u64,
    /// What it did that cannot be seen.
    #[serde(flatten)]
    pub noticed: Noticed,
    /// It still ran when the run was closed.
    pub goes_on: bool,
    /// When its recording stopped for that, or for want of room, ns on the timeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_ns: Option<i64>,
}

/// What a process did that cannot be seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Noticed {
    /// It set up io_uring.
    pub io_uring: bool,
    /// It listened on a TCP port by calls that were not seen.
    pub listens_unseen: bool,
    /// It gave connections to streams of the C library.
    pub streams: bool,
    /// It used urgent data.
    pub urgent: bool,
    /// A child of it could not open its log, and was not traced.
    pub lost_child: bool,
    /// A child of it was not traced: the run had as many processes as it can have.
    pub crowded: bool,
    /// It restricted its own system calls, and its recording stopped before.
    pub restricted: bool,
}

impl Noticed {
    /// Of the word in the head of the process's log.
    pub(crate) fn of(word: u64) -> Noticed {
        let has = |bit| word & bit != 0;
        Noticed {
            io_uring: has(noticed::IO_URING),
            listens_unseen: has(noticed::LISTENS_UNSEEN),
            streams: has(noticed::STREAMS),
            urgent: has(noticed::URGENT),
            lost_child: has(noticed::LOST_CHILD),
            crowded: has(noticed::CROWDED),
            restricted: has(noticed::RESTRICTED),
        }
    }
}

impl ProcessFacts {
    /// What the head of a log says.
    pub fn in_head(head: &[u8]) -> Option<ProcessFacts> {
        serde_json::from_slice(crate::entry::head::about(head)?).ok()
    }

    /// Of this process.
    pub fn here() -> ProcessFacts {
        let program = std::env::current_exe().unwrap_or_default();
        let words: Vec<String> =
            std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
        ProcessFacts {
            name: name_of(&program, &words),
            pid: std::process::id(),
            parent: std::os::unix::process::parent_id(),
        }
    }
}

/// By the word that started it: the file may have another name behind a link.
fn name_of(program: &Path, words: &[String]) -> String {
    const INTERPRETERS: [&str; 6] = ["python", "perl", "ruby", "node", "bash", "php"];
    let file = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut words = words.iter();
    // Servers write a title over their words: `nginx: worker process`.
    let untitled = |word: &String| word.split(": ").next().unwrap_or_default().to_owned();
    let first = words.next().map(untitled);
    let first = first.map(|word| file(Path::new(word.trim_start_matches('-'))));
    let name = first.filter(|name| !name.is_empty()).unwrap_or_else(|| file(program));
    // Behind `-c` the code itself stands.
    match words.find(|word| !word.starts_with('-') || *word == "-c") {
        Some(script) if INTERPRETERS.iter().any(|one| name.starts_with(one)) => {
            format!("{name} {}", file(Path::new(script)))
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_named_with_its_interpreter() {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        let name = |program: &str, text: &str| name_of(Path::new(program), &words(text));
        assert_eq!(name("/bin/redis-check-rdb", "redis-server --port 1"), "redis-server");
        assert_eq!(name("/usr/bin/python3.11", "python3 -u /srv/app.py 8000"), "python3 app.py");
        assert_eq!(name("/bin/dash", ""), "dash");
        assert_eq!(name("/bin/bash", "bash -c seq|sort"), "bash -c");
        let titled = ["nginx: master process nginx -c /etc/nginx.conf".to_owned()];
        assert_eq!(name_of(Path::new("/usr/sbin/nginx"), &titled), "nginx");
    }
}
