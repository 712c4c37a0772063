//! The ends of connections: sockets, whichever processes use them, with the calls on each.

use crate::CloseError;
use crate::entry::{Address, Birth, Call, Ends as Found, Entry, Socket, flags};
use crate::logs::Process;
use crate::marks::Marks;
use crate::op::Op;
use clock::{Cursor, Model, Ticks};
use record::NULL;
use rustc_hash::FxHashMap;

/// An end of a connection.
#[derive(Debug)]
pub(crate) struct End {
    pub is_unix: bool,
    pub inode: u64,
    /// Of a Unix-domain socket, as far as it is known; else 0.
    pub peer_inode: u64,
    pub local: Address,
    pub peer: Address,
    /// How it came to be, where a traced process made it.
    pub birth: Option<Birth>,
    /// When it was made or found, ns.
    pub made: i64,
    /// When it was last used, ns.
    pub last: i64,
    /// The process that was first to use it.
    pub node: u32,
    pub sends: Vec<Op>,
    pub receives: Vec<Op>,
    /// Where messages end in what it wrote, and in what it read, as far as it is framed.
    pub sent: Marks,
    pub received: Marks,
    /// A descriptor of it was closed.
    pub is_closed: bool,
    /// From when a process that wrote into it may have written what it did not log.
    pub silence: Silence,
}

/// When the first of the processes that wrote into an end logged its last call of any kind; of all
/// that used it, where none of them wrote.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Silence {
    /// ns.
    pub from: i64,
    is_of_writer: bool,
}

impl Silence {
    /// A process that used the end has logged nothing after this.
    fn add(&mut self, last: i64, is_writer: bool) {
        if is_writer == self.is_of_writer {
            self.from = self.from.min(last);
        } else if is_writer {
            *self = Silence { from: last, is_of_writer: true };
        }
    }
}

/// Which socket of the system it is.
type Key = (u64, Address, Address);

/// All ends, from the logs of all processes.
#[derive(Default)]
pub(crate) struct Ends {
    pub list: Vec<End>,
    by_key: FxHashMap<Key, usize>,
    /// Slots of logs that held no entry.
    pub damaged: u64,
    /// Connections of each process.
    pub used: Vec<u64>,
}

impl Ends {
    /// Take in what a process logged.
    pub fn add(&mut self, process: &Process, model: &Model) -> Result<(), CloseError> {
        let node = process.sheet.node;
        // A thread's chunk may lie before that of the thread that made the socket.
        let mut numbers: FxHashMap<u32, usize> = FxHashMap::default();
        let mut clock = model.cursor();
        process.each(|entry| {
            if let Entry::Socket(socket) = entry {
                numbers.insert(socket.number, self.end_of(&socket, node, &mut clock));
            }
        })?;
        let mut last = i64::MIN;
        self.damaged += process.each(|entry| {
            let (socket, at) = match &entry {
                Entry::Send(call) | Entry::Receive(call) => (call.socket, call.exit),
                Entry::Close { socket, at } => (*socket, *at),
                Entry::Ends(Found { socket, .. }) | Entry::Stop { socket, .. } => (*socket, 0),
                Entry::Socket(_) => return,
            };
            let Some(end) = numbers.get(&socket).map(|at| &mut self.list[*at]) else { return };
            if at != 0 {
                let at = clock.timeline(Ticks(at)).0;
                (end.last, last) = (end.last.max(at), last.max(at));
            }
            match entry {
                Entry::Send(call) => end.sends.push(op(&call, node, &mut clock)),
                Entry::Receive(call) => end.receives.push(op(&call, node, &mut clock)),
                Entry::Close { .. } => end.is_closed = true,
                Entry::Ends(found) => end.marks(found.is_sent).add(node, found.iter()),
                Entry::Stop { is_sent, reason, .. } => end.marks(is_sent).stop(node, reason),
                Entry::Socket(_) => {}
            }
        })?;
        let mut used: Vec<usize> = numbers.into_values().collect();
        used.sort_unstable();
        used.dedup();
        for at in &used {
            let end = &mut self.list[*at];
            let is_writer = end.sends.last().is_some_and(|op| op.node == node);
            end.silence.add(last, is_writer);
        }
        self.used.push(used.len() as u64);
        Ok(())
    }

    fn end_of(&mut self, socket: &Socket, node: u32, clock: &mut Cursor<'_>) -> usize {
        let key = (socket.inode, socket.local, socket.peer);
        let [enter, exit] = socket.made.map(|at| clock.timeline(Ticks(at)).0);
        let at = *self.by_key.entry(key).or_insert_with(|| {
            self.list.push(End {
                is_unix: socket.is_unix,
                inode: socket.inode,
                peer_inode: 0,
                local: socket.local,
                peer: socket.peer,
                birth: None,
                made: enter,
                last: exit,
                node,
                sends: Vec::new(),
                receives: Vec::new(),
                sent: Marks::default(),
                received: Marks::default(),
                is_closed: false,
                silence: Silence { from: i64::MAX, is_of_writer: false },
            });
            self.list.len() - 1
        });
        let end = &mut self.list[at];
        end.peer_inode = end.peer_inode.max(socket.peer_inode);
        end.made = end.made.min(enter);
        if socket.birth != Birth::Found {
            end.birth = Some(socket.birth);
        }
        at
    }

    /// Put the calls of each end in order: several threads and processes may share it.
    pub fn sort(&mut self) {
        for end in &mut self.list {
            end.sends.sort_by_key(|op| (op.exit, op.enter));
            end.receives.sort_by_key(|op| (op.exit, op.enter));
            end.sent.complete(&end.sends, end.is_closed);
            let is_ended = end.receives.iter().any(|op| op.has(flags::END));
            end.received.complete(&end.receives, is_ended);
        }
    }
}

impl End {
    fn marks(&mut self, is_sent: bool) -> &mut Marks {
        if is_sent { &mut self.sent } else { &mut self.received }
    }
}

fn op(call: &Call, node: u32, clock: &mut Cursor<'_>) -> Op {
    let is_stamped = call.flags & flags::STAMPED != 0;
    let stamp = match is_stamped {
        true => clock.realtime_to_timeline(call.fourth as i64).0,
        false => NULL,
    };
    Op {
        enter: clock.timeline(Ticks(call.enter)).0,
        exit: clock.timeline(Ticks(call.exit)).0,
        stamp,
        bytes: call.bytes,
        offered: if is_stamped { 0 } else { u32::try_from(call.fourth).unwrap_or(u32::MAX) },
        node,
        flags: call.flags,
    }
}
