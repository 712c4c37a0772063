//! What the policies cost, and single stories.

use super::owner::{Owner, Setting};
use crate::vault::{Policy, Role};
use crate::{Page, Place};

fn calm(policy: Policy, data: u16, parity: u16, room: u32) -> Owner {
    let roles = (0..data + parity)
        .map(|number| (Place(number), if number < data { Role::Data } else { Role::Parity }));
    Owner::new(Setting {
        policy,
        servers: roles.collect(),
        seed: 1,
        room,
        refuses: 0,
        spoils: false,
        crashes: false,
    })
}

fn put_all(owner: &mut Owner, pages: u64) {
    for page in 0..pages {
        while !owner.put(Page(page)) {
            owner.step();
        }
    }
    owner.settle();
}

fn outs(owner: &Owner) -> (u64, u64, u64) {
    let status = owner.vault.status();
    (status.page_outs, status.parity_outs, status.moved)
}

#[test]
fn parity_logging_costs_one_transfer_more_in_each_round() {
    for servers in [1, 2, 4, 8] {
        let mut owner = calm(Policy::ParityLog, servers, 1, 10_000);
        put_all(&mut owner, 800);
        assert_eq!(outs(&owner), (800, 800 / u64::from(servers), 0), "{servers} servers");
    }
}

#[test]
fn without_a_parity_server_groups_span_one_server_less() {
    let mut owner = calm(Policy::ParityLog, 4, 0, 10_000);
    put_all(&mut owner, 900);
    assert_eq!(outs(&owner), (900, 300, 0));
    let used: Vec<u64> = owner.vault.status().places.iter().map(|place| place.used).collect();
    assert_eq!((used.iter().sum::<u64>(), used[4]), (1200, 0));
}

#[test]
fn the_other_policies_cost_what_they_should() {
    for (policy, parity) in [(Policy::None, 0), (Policy::Mirror, 300), (Policy::Disk, 0)] {
        let mut owner = calm(policy, 3, 1, 10_000);
        put_all(&mut owner, 300);
        assert_eq!(outs(&owner), (300, parity, 0), "{policy}");
        let disk = owner.vault.status().places[4].used;
        let on_disk = policy == Policy::Disk;
        assert_eq!(disk, if on_disk { 300 } else { 0 }, "{policy}");
    }
}

#[test]
fn groups_whose_pages_are_all_replaced_are_freed() {
    let mut owner = calm(Policy::ParityLog, 4, 1, 10_000);
    for _ in 0..5 {
        put_all(&mut owner, 400);
    }
    let status = owner.vault.status();
    let used: u64 = status.places.iter().map(|place| place.used).sum();
    assert_eq!(
        (used, status.groups_full, status.groups_with_inactive, status.reclaimed),
        (500, 100, 0, 0)
    );
}

/// Pages are replaced at random, with less spare room than the 10 % of the paper: groups have to be
/// put together, and nothing goes to the disk.
#[test]
fn little_spare_room_is_enough() {
    let mut owner = calm(Policy::ParityLog, 4, 1, 1080);
    put_all(&mut owner, 4000);
    for step in 0..12_000_u64 {
        let page = Page(step.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20 & 0xFFFF_FFFF);
        while !owner.put(Page(page.0 % 4000)) {
            owner.step();
        }
    }
    owner.settle();
    let status = owner.vault.status();
    assert!(status.reclaimed > 100, "{status:#?}");
    assert!(status.places[5].granted < 400, "too much was on the disk: {status:#?}");
    owner.end();
}

#[test]
fn one_death_loses_nothing_and_a_second_before_rebuilding_is_told_exactly() {
    for policy in [Policy::Mirror, Policy::ParityLog] {
        let mut owner = calm(policy, 4, 1, 10_000);
        put_all(&mut owner, 400);
        owner.crash(Place(1));
        owner.settle();
        let status = owner.vault.status();
        assert_eq!((owner.lost.len(), status.lost, status.unprotected), (0, 0, 0), "{policy}");
        assert!(status.rebuilt > 0 && status.places[1].pages == 0, "{policy}");
        owner.crash(Place(2));
        owner.crash(Place(3));
        owner.settle();
        let status = owner.vault.status();
        assert!(status.lost > 0 && status.lost < 400, "{policy}: {status:#?}");
        assert_eq!(owner.lost.len() as u64, status.lost, "{policy}");
        owner.end();
    }
}

#[test]
fn a_spare_takes_the_role_of_the_dead() {
    for (dead, role) in [(Place(0), Role::Data), (Place(3), Role::Parity)] {
        let servers = vec![
            (Place(0), Role::Data),
            (Place(1), Role::Data),
            (Place(2), Role::Data),
            (Place(3), Role::Parity),
            (Place(4), Role::Spare),
        ];
        let setting = Setting {
            policy: Policy::ParityLog,
            servers,
            seed: 3,
            room: 10_000,
            refuses: 0,
            spoils: false,
            crashes: false,
        };
        let mut owner = Owner::new(setting);
        put_all(&mut owner, 300);
        assert_eq!(owner.vault.status().places[4].used, 0);
        owner.crash(dead);
        owner.settle();
        let status = owner.vault.status();
        let used = status.places[4].used;
        assert!(
            if role == Role::Parity { used == 100 } else { used > 30 },
            "{role:?}: {status:#?}"
        );
        assert_eq!((status.places[5].used, status.lost), (0, 0));
    }
}

#[test]
fn pages_come_back_from_the_disk_when_there_is_room_again() {
    let mut owner = calm(Policy::ParityLog, 2, 1, 60);
    put_all(&mut owner, 300);
    let disk = |owner: &Owner| owner.vault.status().places[3].used;
    assert!(disk(&owner) > 100);
    for spot in owner.world.spots.values_mut() {
        spot.room += 10_000;
    }
    for _ in 0..200 {
        owner.settle();
    }
    assert_eq!((disk(&owner), owner.lost.len()), (0, 0));
    owner.end();
}

#[test]
fn a_server_that_comes_back_is_used_again() {
    let mut owner = calm(Policy::Mirror, 2, 0, 10_000);
    put_all(&mut owner, 100);
    owner.crash(Place(0));
    owner.settle();
    assert_eq!((owner.vault.status().places[2].used, owner.lost.len()), (100, 0));
    owner.join(Place(0), Role::Data);
    for _ in 0..100 {
        owner.settle();
    }
    let used: Vec<u64> = owner.vault.status().places.iter().map(|place| place.used).collect();
    assert_eq!(used, [100, 100, 0]);
}

/// A canary: a policy that cannot lose anything loses all, and that must be noticed.
#[test]
#[should_panic(expected = "was lost after")]
fn losing_is_noticed() {
    let mut owner = calm(Policy::Disk, 1, 0, 100);
    put_all(&mut owner, 10);
    owner.crash(Place::DISK);
    owner.settle();
}

/// The same for parity that is not there when it is needed.
#[test]
#[should_panic(expected = "was lost after 1 deaths")]
fn parity_is_what_saves_pages() {
    let mut owner = calm(Policy::ParityLog, 4, 1, 1000);
    put_all(&mut owner, 100);
    while owner.world.spoil(Place(4)) {}
    owner.crash(Place(1));
    owner.settle();
}
