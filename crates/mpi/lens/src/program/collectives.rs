//! The collectives of a run: who took part in which, and the messages that are made of each.

use crate::{CallTables, LensError, function_name};
use calls::list::{CLASSES, Class, NAMES, PLAIN};
use calls::table::CallColumn;
use predict::{Hop, Library, Parcel, Pattern, Step, hops};
use std::collections::{BTreeMap, HashMap};

/// A communicator, and which of its collectives in order.
type Key = (i64, u32);

/// A collective that all its ranks took part in.
struct Instance {
    function: i64,
    /// By the ranks of its communicator.
    bytes: Vec<u64>,
    root: u16,
    /// The messages of each member, round by round: the round, what it does.
    steps: Vec<Vec<(u32, Step)>>,
}

pub(super) struct Collectives {
    all: HashMap<Key, Instance>,
    members: BTreeMap<i64, Vec<u32>>,
    uneven: u64,
    not_blocking: u64,
}

/// Counts the collectives of a rank, communicator by communicator.
#[derive(Default)]
pub(super) struct Counter {
    next: HashMap<i64, u32>,
}

impl Counter {
    fn key(&mut self, communicator: i64) -> Key {
        let next = self.next.entry(communicator).or_default();
        *next += 1;
        (communicator, *next - 1)
    }
}

/// What a function does, if its messages can be made.
fn pattern(function: i64) -> Option<Pattern> {
    let plain = PLAIN.get(usize::try_from(function).ok()?)?;
    let name = NAMES[*plain as usize];
    let name = name
        .strip_prefix('I')
        .map_or(name.to_string(), |rest| rest[..1].to_uppercase() + &rest[1..]);
    Some(match name.as_str() {
        "Barrier" => Pattern::Barrier,
        "Bcast" => Pattern::Bcast,
        "Reduce" => Pattern::Reduce,
        "Allreduce" => Pattern::Allreduce,
        "Gather" | "Gatherv" => Pattern::Gather,
        "Scatter" | "Scatterv" => Pattern::Scatter,
        "Allgather" | "Allgatherv" => Pattern::Allgather,
        "Alltoall" | "Alltoallv" | "Alltoallw" => Pattern::Alltoall,
        "Reduce_scatter" | "Reduce_scatter_block" => Pattern::ReduceScatter,
        "Scan" | "Exscan" => Pattern::Scan,
        _ => return None,
    })
}

/// Whether a call is a collective whose messages are made.
fn is_one(function: i64) -> bool {
    let class = usize::try_from(function).ok().and_then(|at| CLASSES.get(at));
    matches!(class, Some(Class::Collective | Class::StartCollective)) && pattern(function).is_some()
}

impl Collectives {
    pub fn of(
        tables: &CallTables,
        members: &BTreeMap<i64, Vec<u32>>,
        library: Library,
        messages: &mut Vec<Parcel>,
    ) -> Result<Collectives, LensError> {
        let mut found = Collectives {
            all: HashMap::new(),
            members: members.clone(),
            uneven: 0,
            not_blocking: 0,
        };
        let mut counters: HashMap<u32, Counter> = HashMap::new();
        tables.each_call(|call| {
            let function = call.value(CallColumn::Call).unwrap_or(-1);
            if is_one(function)
                && let Some(communicator) = call.value(CallColumn::Communicator)
            {
                let key = counters.entry(call.rank()).or_default().key(communicator);
                let peer = call.value(CallColumn::Peer);
                let bytes = call.value(CallColumn::Bytes).unwrap_or(0) as u64;
                found.takes_part(key, call.rank(), function, peer, bytes);
                found.not_blocking += u64::from(call.value(CallColumn::DoneIn).is_some());
            }
            Ok::<(), LensError>(())
        })?;
        found.make(library, messages);
        Ok(found)
    }

    fn takes_part(&mut self, key: Key, rank: u32, function: i64, peer: Option<i64>, bytes: u64) {
        let Some(members) = self.members.get(&key.0) else { return };
        let place = |rank: u32| members.iter().position(|member| *member == rank);
        let Some(me) = place(rank) else { return };
        let root = peer.and_then(|peer| place(u32::try_from(peer).ok()?)).unwrap_or(0);
        let instance = self.all.entry(key).or_insert_with(|| Instance {
            function,
            bytes: vec![0; members.len()],
            root: root as u16,
            steps: Vec::new(),
        });
        instance.bytes[me] = bytes;
    }

    fn make(&mut self, library: Library, messages: &mut Vec<Parcel>) {
        let mut keys: Vec<Key> = self.all.keys().copied().collect();
        keys.sort_unstable();
        let mut known: HashMap<(Pattern, u16, u16, u64), Vec<Hop>> = HashMap::new();
        for key in keys {
            let Some(instance) = self.all.get_mut(&key) else { continue };
            let Some(pattern) = pattern(instance.function) else { continue };
            let members = &self.members[&key.0];
            let (ranks, root) = (members.len() as u16, instance.root);
            let bytes = match pattern {
                // Only the root gives.
                Pattern::Bcast | Pattern::Scatter => {
                    instance.bytes.iter().copied().max().unwrap_or(0)
                }
                _ => instance.bytes.iter().sum::<u64>() / u64::from(ranks.max(1)),
            };
            let uneven = instance.bytes.iter().any(|other| *other != instance.bytes[0]);
            let rooted = matches!(pattern, Pattern::Bcast | Pattern::Scatter);
            self.uneven += u64::from(uneven && !rooted);
            let made = known
                .entry((pattern, ranks, root, bytes))
                .or_insert_with(|| hops(pattern, library, ranks, root, bytes));
            instance.steps = steps(made, members, messages);
        }
    }

    /// What a call makes its rank do, with the number of the collective counted on.
    pub fn steps_of(
        &self,
        counter: &mut Counter,
        rank: u32,
        function: i64,
        communicator: Option<i64>,
    ) -> Option<Vec<Step>> {
        if !is_one(function) {
            return None;
        }
        let key = counter.key(communicator?);
        let members = self.members.get(&key.0)?;
        let me = members.iter().position(|member| *member == rank)?;
        let steps = self.all.get(&key)?.steps.get(me)?;
        Some(steps.iter().map(|(_, step)| *step).collect())
    }

    pub fn sentences(&self) -> Vec<String> {
        let mut said = Vec::new();
        let mut functions: BTreeMap<i64, u64> = BTreeMap::new();
        self.all.values().for_each(|one| *functions.entry(one.function).or_default() += 1);
        if !functions.is_empty() {
            let each = functions.iter().map(|(function, count)| {
                format!("{} {}", document::count(*count), function_name(*function))
            });
            said.push(format!(
                "Collectives are played as the messages that the library is known to make of them \
                by size and ranks: {}.",
                each.collect::<Vec<_>>().join(", ")
            ));
        }
        if self.uneven > 0 {
            said.push(format!(
                "In {} the ranks gave different amounts; each is played with their mean.",
                document::counted(self.uneven, "collective")
            ));
        }
        if self.not_blocking > 0 {
            said.push(format!(
                "{} that did not block are played where they were waited for.",
                document::counted(self.not_blocking, "collective call")
            ));
        }
        said
    }
}

/// The steps of each member: round by round it posts its receives, sends, takes.
fn steps(hops: &[Hop], members: &[u32], messages: &mut Vec<Parcel>) -> Vec<Vec<(u32, Step)>> {
    let mut steps: Vec<Vec<(u32, u8, Step)>> = vec![Vec::new(); members.len()];
    for hop in hops {
        let message = messages.len() as u32;
        let [from, to] = [hop.from, hop.to].map(|rank| members[usize::from(rank)] as u16);
        messages.push(Parcel { from, to, bytes: hop.bytes });
        let sender = &mut steps[usize::from(hop.from)];
        sender.push((hop.round, 1, Step::Send(message)));
        sender.push((hop.round, 3, Step::Free(message)));
        let receiver = &mut steps[usize::from(hop.to)];
        receiver.push((hop.round, 0, Step::Post(message)));
        receiver.push((hop.round, 2, Step::Take(message)));
    }
    let in_order = |mut all: Vec<(u32, u8, Step)>| {
        all.sort_by_key(|(round, turn, _)| (*round, *turn));
        all.into_iter().map(|(round, _, step)| (round, step)).collect()
    };
    steps.into_iter().map(in_order).collect()
}
