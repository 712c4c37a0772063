//! Which two ends are one connection.

use crate::ends::{End, TakenOver};
use crate::entry::{Address, Birth};
use rustc_hash::FxHashMap;

/// The other end of each, where it was traced.
pub(crate) fn partners(ends: &[End]) -> Vec<Option<usize>> {
    let mut partners = vec![None; ends.len()];
    by_inode(ends, &mut partners);
    by_address(ends, &mut partners);
    partners
}

/// Unix-domain sockets: one end at least has learnt from the kernel who the other is.
fn by_inode(ends: &[End], partners: &mut [Option<usize>]) {
    let is_unix = |end: &&End| end.is_unix && end.inode != 0;
    let of_inode: FxHashMap<u64, usize> =
        (0..).zip(ends).filter(|(_, end)| is_unix(end)).map(|(at, end)| (end.inode, at)).collect();
    for (at, end) in ends.iter().enumerate().filter(|(_, end)| is_unix(end)) {
        if let Some(&other) = of_inode.get(&end.peer_inode)
            && end.peer_inode != 0
            && other != at
            && partners[at].is_none()
            && partners[other].is_none()
        {
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
    for (at, end) in ends.iter().enumerate().filter(|(_, end)| !end.is_unix) {
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
        let before = |other: &&usize| made_of(**other) <= end.last;
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
