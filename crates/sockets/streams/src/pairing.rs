//! Which two ends are one connection.

use crate::ends::{End, TakenOver};
use crate::entry::{Address, Birth, Caller};
use crate::transport::Transport;
use rustc_hash::FxHashMap;

/// The other end of each, where it was traced; its own where it is connected to itself.
pub(crate) fn partners(ends: &[End]) -> Vec<Option<usize>> {
    let mut partners = vec![None; ends.len()];
    by_inode(ends, &mut partners);
    by_caller(ends, &mut partners);
    by_address(ends, &mut partners);
    pipes(ends, &mut partners);
    for (at, _) in ends.iter().enumerate().filter(|(_, end)| end.is_own_peer()) {
        partners[at] = Some(at);
    }
    partners
}

/// Unix-domain sockets: one end at least has learnt from the kernel who the other is.
fn by_inode(ends: &[End], partners: &mut [Option<usize>]) {
    let is_unix = |end: &&End| end.transport == Transport::Unix && end.identity.inode != 0;
    let key = |end: &End, inode: u64| (end.clock.host, inode);
    let of_inode: FxHashMap<(u32, u64), usize> = (0..)
        .zip(ends)
        .filter(|(_, end)| is_unix(end))
        .map(|(at, end)| (key(end, end.identity.inode), at))
        .collect();
    for (at, end) in ends.iter().enumerate().filter(|(_, end)| is_unix(end)) {
        if let Some(&other) = of_inode.get(&key(end, end.identity.peer_inode))
            && end.identity.peer_inode != 0
            && other != at
            && partners[at].is_none()
            && partners[other].is_none()
        {
            (partners[at], partners[other]) = (Some(other), Some(at));
        }
    }
}

/// Unix-domain sockets whose client had gone before it was accepted: of neither end does the kernel
/// name the other. What one process connected to one listener was accepted in the same order, if
/// all of it was accepted, and the order of each is known.
fn by_caller(ends: &[End], partners: &mut [Option<usize>]) {
    let mut callers: FxHashMap<(u32, Caller), [Vec<usize>; 2]> = FxHashMap::default();
    for (at, end) in (0..).zip(ends).filter(|(at, end)| end.is_unnamed() && partners[*at].is_none())
    {
        let [connected, accepted] =
            callers.entry((end.clock.host, end.identity.caller)).or_default();
        match end.birth {
            Some(Birth::Connected) => connected.push(at),
            _ => accepted.push(at),
        }
    }
    for [connected, accepted] in callers.values_mut() {
        let is_in_turn = [&mut *connected, &mut *accepted].map(|all| one_by_one(ends, all));
        let pairs = || connected.iter().zip(accepted.iter());
        // Another process may have had the number before.
        let made = |at: &usize| ends[*at].made.at;
        let is_possible = pairs().all(|(one, other)| made(one)[0] <= made(other)[1]);
        if connected.len() == accepted.len() && is_in_turn == [true; 2] && is_possible {
            for (one, other) in pairs() {
                (partners[*one], partners[*other]) = (Some(*other), Some(*one));
            }
        }
    }
}

/// Put ends in the order in which they were made. Whether each was made before the next.
fn one_by_one(ends: &[End], all: &mut [usize]) -> bool {
    all.sort_unstable_by_key(|at| ends[*at].made.at);
    all.is_sorted_by(|one, other| ends[*one].made.at[1] <= ends[*other].made.at[0])
}

/// Pipes: both ends have one number in their file system, and one of them is written.
fn pipes(ends: &[End], partners: &mut [Option<usize>]) {
    let key = |end: &End| (end.clock.host, end.identity.inode, end.local);
    let of_kind = |kind| (0..).zip(ends).filter(move |(_, end): &(_, &End)| end.transport == kind);
    let written: FxHashMap<_, usize> =
        of_kind(Transport::PipeWrite).map(|(at, end)| (key(end), at)).collect();
    for (at, end) in of_kind(Transport::PipeRead) {
        if let Some(&other) = written.get(&key(end)) {
            (partners[at], partners[other]) = (Some(other), Some(at));
        }
    }
}

/// TCP: the address of one is the peer of the other. The same two addresses may come again, one
/// connection after another: what is accepted is then the last that was connected before. One that
/// connected before any traced process had it is older than all that was accepted.
fn by_address(ends: &[End], partners: &mut [Option<usize>]) {
    let mut connected: FxHashMap<(Address, Address), Vec<usize>> = FxHashMap::default();
    let mut others = Vec::new();
    let is_one_of_two = |end: &End| end.transport.is_tcp() && !end.is_own_peer();
    for (at, end) in ends.iter().enumerate().filter(|(_, end)| is_one_of_two(end)) {
        match end.birth {
            Some(Birth::Connected) => connected.entry((end.local, end.peer)).or_default().push(at),
            _ => others.push(at),
        }
    }
    others.sort_by_key(|at| ends[*at].made.at[0]);
    for at in others {
        let end = &ends[at];
        let Some(candidates) = connected.get_mut(&(end.peer, end.local)) else { continue };
        let made_of = |other: usize| match ends[other].taken_over {
            TakenOver::At(..) => i64::MIN,
            _ => ends[other].made.at[0],
        };
        let before = |other: &&usize| {
            let made = made_of(**other).saturating_sub(ends[**other].clock.apart(end.clock));
            made <= end.last && end.may_meet(&ends[**other])
        };
        let Some(&best) = candidates.iter().filter(before).max_by_key(|other| {
            let made = made_of(**other);
            // Best is the last before it was made, then the first after.
            (made <= end.made.at[0], if made <= end.made.at[0] { made } else { -made })
        }) else {
            continue;
        };
        candidates.retain(|other| *other != best);
        (partners[at], partners[best]) = (Some(best), Some(at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ends::{EndClock, Identity, Made};

    fn address(host: [u8; 4], port: u16) -> Address {
        Address { host: std::net::Ipv4Addr::from(host).to_ipv6_mapped().into(), port }
    }

    fn end(host: u32, birth: Birth, addresses: [Address; 2]) -> End {
        End {
            clock: EndClock { host, error_ns: 100 },
            identity: Identity { inode: 5, ..Identity::default() },
            birth: Some(birth),
            made: Made { at: [10; 2], thread: 0 },
            last: 20,
            ..End::new(Transport::Tcp, addresses, 0)
        }
    }

    #[test]
    fn what_every_machine_calls_itself_is_never_another_machine() {
        let talk = |far: [u8; 4], hosts: [u32; 2]| {
            let [one, other] = [address(far, 4000), address(far, 80)];
            let connected = end(hosts[0], Birth::Connected, [one, other]);
            partners(&[connected, end(hosts[1], Birth::Accepted, [other, one])])
        };
        let (met, not) = (vec![Some(1), Some(0)], vec![None, None]);
        assert_eq!(talk([127, 0, 0, 1], [0, 0]), met);
        assert_eq!(talk([127, 0, 0, 1], [0, 1]), not);
        assert_eq!(talk([10, 0, 0, 1], [0, 1]), met);
    }

    #[test]
    fn the_end_of_a_pipe_that_is_written_meets_the_one_that_is_read_on_its_own_machine() {
        let of = |host, transport, own, files: u16| {
            let local = address([0; 4], files);
            let identity = Identity { inode: own, ..Identity::default() };
            End { transport, identity, ..end(host, Birth::Pair, [local, local]) }
        };
        let (read, write) = (Transport::PipeRead, Transport::PipeWrite);
        let ends = [
            of(0, read, 7, 1),
            of(0, write, 7, 1),
            of(1, read, 7, 1),
            of(0, write, 7, 2),
            of(0, read, 8, 1),
            of(0, Transport::Unix, 7, 1),
        ];
        assert_eq!(partners(&ends), [Some(1), Some(0), None, None, None, None]);
    }

    /// Clients are processes of one host, by their numbers.
    fn unnamed(birth: Birth, client: u32, at: [i64; 2]) -> End {
        let made = Made { at, thread: 0 };
        let none = [Address { host: 0, port: 0 }; 2];
        let caller = Caller::new(client, 0, b"name");
        let identity = Identity { inode: 0, peer_inode: 0, caller };
        End { made, identity, birth: Some(birth), ..End::new(Transport::Unix, none, 0) }
    }

    #[test]
    fn clients_that_went_before_they_were_accepted_are_known_by_process_and_order() {
        let (called, accepted) = (Birth::Connected, Birth::Accepted);
        let one = [unnamed(called, 1, [0, 10]), unnamed(accepted, 1, [5, 30])];
        assert_eq!(partners(&one), [Some(1), Some(0)]);
        let another = [unnamed(called, 1, [0, 10]), unnamed(accepted, 2, [5, 30])];
        assert_eq!(partners(&another), [None, None]);
        let before = [unnamed(called, 1, [31, 40]), unnamed(accepted, 1, [5, 30])];
        assert_eq!(partners(&before), [None, None], "of another process with that number");
        let in_turn = [
            unnamed(accepted, 1, [40, 50]),
            unnamed(called, 1, [12, 20]),
            unnamed(accepted, 1, [30, 40]),
            unnamed(called, 2, [0, 9]),
            unnamed(called, 1, [0, 12]),
        ];
        assert_eq!(partners(&in_turn), [Some(1), Some(0), Some(4), None, Some(2)]);
        assert_eq!(partners(&in_turn[..4]), [None; 4], "one of them was another connection's");
    }

    #[test]
    fn clients_of_which_it_is_not_known_which_came_first_are_not_told_apart() {
        let (called, accepted) = (Birth::Connected, Birth::Accepted);
        let both = |called: [End; 2], accepted: [End; 2]| {
            partners(&called.into_iter().chain(accepted).collect::<Vec<_>>())
        };
        let in_turn = |birth| [[0, 9], [10, 19]].map(|made| unnamed(birth, 1, made));
        let at_once = |birth| [[0, 11], [10, 19]].map(|made| unnamed(birth, 1, made));
        let told = [Some(2), Some(3), Some(0), Some(1)];
        assert_eq!(both(in_turn(called), in_turn(accepted)), told);
        assert_eq!(both(at_once(called), in_turn(accepted)), [None; 4]);
        assert_eq!(both(in_turn(called), at_once(accepted)), [None; 4]);
    }

    #[test]
    fn who_calls_its_own_address_is_its_own_peer_whoever_had_it_before() {
        let own = [address([127, 0, 0, 1], 4000); 2];
        let ends =
            [Birth::Connected, Birth::Found, Birth::Connected].map(|birth| end(0, birth, own));
        assert_eq!(partners(&ends), [Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn clocks_that_are_apart_do_not_keep_two_ends_from_meeting() {
        let [one, other] = [address([10, 0, 0, 1], 4000), address([10, 0, 0, 2], 80)];
        let late = |made| End {
            made: Made { at: [made; 2], thread: 0 },
            ..end(0, Birth::Connected, [one, other])
        };
        let found = |made| partners(&[late(made), end(1, Birth::Accepted, [other, one])]);
        assert_eq!(found(220), [Some(1), Some(0)]);
        assert_eq!(found(221), [None, None]);
    }
}
