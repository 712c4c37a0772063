//! The vault in a simulated world: every get brings what was put last, or the page is lost, and
//! that only when two places died before all was safe again.

mod figures;
mod owner;

use owner::{Owner, Setting};

use super::{Policy, Role};
use crate::Place;

fn seeds() -> u64 {
    let told = std::env::var("FOURSTAMP_SEEDS").ok().and_then(|text| text.parse().ok());
    told.unwrap_or(2000)
}

fn roles(seed: u64) -> Vec<(Place, Role)> {
    let (data, parity, spare) = match seed % 7 {
        0 => (4, 1, 0),
        1 => (3, 1, 1),
        2 => (2, 0, 0),
        3 => (5, 0, 1),
        4 => (1, 1, 0),
        5 => (3, 2, 0),
        _ => (1, 0, 0),
    };
    let roles = [(data, Role::Data), (parity, Role::Parity), (spare, Role::Spare)];
    let roles = roles.into_iter().flat_map(|(count, role)| std::iter::repeat_n(role, count));
    (0..).map(Place).zip(roles).collect()
}

fn live_through(policy: Policy, seed: u64) {
    let room = match seed / 7 % 3 {
        0 => 10_000,
        1 => 30,
        _ => 8,
    };
    let refuses = if seed.is_multiple_of(5) { 30 } else { 0 };
    let spoils = seed.is_multiple_of(11);
    let mut owner = Owner::new(Setting {
        policy,
        servers: roles(seed),
        seed,
        room,
        refuses,
        spoils,
        crashes: true,
    });
    owner.live(400);
    owner.end();
}

fn all_seeds(policy: Policy) {
    for seed in 0..seeds() {
        let run = std::panic::catch_unwind(|| live_through(policy, seed));
        assert!(
            run.is_ok(),
            "policy {policy}, seed {seed}: FOURSTAMP_POLICY={policy} FOURSTAMP_SEED={seed} cargo \
            test -p fourstamp-pager one_seed -- --ignored"
        );
    }
}

#[test]
fn without_reliability() {
    all_seeds(Policy::None);
}

#[test]
fn mirrored() {
    all_seeds(Policy::Mirror);
}

#[test]
fn parity_logging() {
    all_seeds(Policy::ParityLog);
}

#[test]
fn on_the_disk() {
    all_seeds(Policy::Disk);
}

#[test]
#[ignore = "replays what failed: FOURSTAMP_SEED=n, and FOURSTAMP_POLICY=name"]
fn one_seed() {
    let seed = std::env::var("FOURSTAMP_SEED").unwrap().parse().unwrap();
    let policy =
        std::env::var("FOURSTAMP_POLICY").map_or(Policy::ParityLog, |name| name.parse().unwrap());
    live_through(policy, seed);
}
