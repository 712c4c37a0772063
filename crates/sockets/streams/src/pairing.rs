//! Which two ends are one connection.

use crate::ends::{End, TakenOver};
use crate::entry::{Address, Birth};
use crate::transport::Transport;
use rustc_hash::FxHashMap;

/// The other end of each, where it was traced; its own where it is connected to itself.
pub(crate) fn partners(ends: &[End]) -> Vec<Option<usize>> {
    let mut partners = vec![None; ends.len()];
    by_inode(ends, &mut partners);
    by_address(ends, &mut partners);
    pipes(ends, &mut partners);
    for (at, _) in ends.iter().enumerate().filter(|(_, end)| end.is_own_peer()) {
        partners[at] = Some(at);
    }
    partners
}

/// Unix-domain sockets: one end at least has learnt from the kernel who the other is.
fn by_inode(ends: &[End], partners: &mut [Option<usize>]) {
    let is_unix = |end: &&End| end.transport == Transport::Unix && end.inodes.own != 0;
    let key = |end: &End, inode: u64| (end.clock.host, inode);
    let of_inode: FxHashMap<(u32, u64), usize> = (0..)
        .zip(ends)
        .filter(|(_, end)| is_unix(end))
        .map(|(at, end)| (key(end, end.inodes.own), at))
        .collect();
    for (at, end) in ends.iter().enumerate().filter(|(_, end)| is_unix(end)) {
        if let Some(&other) = of_inode.get(&key(end, end.inodes.peer))
            && end.inodes.peer != 0
            && other != at
            && partners[at].is_none()
            && partners[other].is_none()
        {
            (partners[at], partners[other]) = (Some(other), Some(at));
        }
    }
}

/// Pipes: both ends have one number in their file system, and one of them is written.
fn pipes(ends: &[End], partners: &mut [Option<usize>]) {
    let key = |end: &End| (end.clock.host, end.inodes.own, end.local);
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
    others.sort_by_key(|at| ends[*at].made);
    for at in others {
        let end = &ends[at];
        let Some(candidates) = connected.get_mut(&(end.peer, end.local)) else { continue };
        let made_of = |other: usize| match ends[other].taken_over {
            TakenOver::At(..) => i64::MIN,
            _ => ends[other].made,
        };
        let before = |other: &&usize| {
            let made = made_of(**other).saturating_sub(ends[**other].clock.apart(end.clock));
            made <= end.last && end.may_meet(&ends[**other])
        };
        let Some(&best) = candidates.iter().filter(before).max_by_key(|other| {
            let made = made_of(**other);
            // Best is the last before it was made, then the first after.
            (made <= end.made, if made <= end.made { made } else { -made })
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
    use crate::ends::{EndClock, Inodes};

    fn address(host: [u8; 4], port: u16) -> Address {
        Address { host: std::net::Ipv4Addr::from(host).to_ipv6_mapped().into(), port }
    }

    fn end(host: u32, birth: Birth, addresses: [Address; 2]) -> End {
        End {
            clock: EndClock { host, error_ns: 100 },
            inodes: Inodes { own: 5, peer: 0 },
            birth: Some(birth),
            made: 10,
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
            let inodes = Inodes { own, peer: 0 };
            End { transport, inodes, ..end(host, Birth::Pair, [local, local]) }
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
        let late = |made| End { made, ..end(0, Birth::Connected, [one, other]) };
        let found = |made| partners(&[late(made), end(1, Birth::Accepted, [other, one])]);
        assert_eq!(found(220), [Some(1), Some(0)]);
        assert_eq!(found(221), [None, None]);
    }
}
