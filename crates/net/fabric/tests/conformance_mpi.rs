//! The conformance suite over MPI: every rank of a job runs it, as the node of its number.
//!
//! Started without a launcher it starts itself under each mpirun that there is, with 2, 3 and 4
//! ranks: `cargo test -p fourstamp-fabric --test conformance_mpi`, with a property's name behind it
//! for that one.

#![allow(clippy::unwrap_used)] // tests
#![allow(unused_imports, reason = "those of tests without MPI, which are not built here")]

extern crate fourstamp_fabric as fabric;

#[path = "conformance/table.rs"]
mod table;

#[path = "conformance/memory.rs"]
mod memory;
#[path = "conformance/one_way.rs"]
mod one_way;
#[path = "conformance/pressure.rs"]
mod pressure;
#[path = "conformance/stamps.rs"]
mod stamps;
#[path = "conformance/traffic.rs"]
mod traffic;

use fabric::Waiting::{Blocking, Polling};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, ExitCode};
use table::{Carrier, Fabric, ranks};

type Property = (&'static str, fn(&Fabric));

const PROPERTIES: [Property; 14] = [
    ("everything_comes_once_and_in_order", traffic::everything_comes_once_and_in_order),
    ("sizes_from_nothing_to_many_fragments", traffic::sizes_from_nothing_to_many_fragments),
    ("a_batch_comes_whole", traffic::a_batch_comes_whole),
    ("a_node_sends_to_itself", traffic::a_node_sends_to_itself),
    ("leaving_in_good_order_ends_the_receiving", traffic::leaving_in_good_order_ends_the_receiving),
    ("a_slow_receiver_makes_its_sender_wait", pressure::a_slow_receiver_makes_its_sender_wait),
    ("both_ways_at_once_under_pressure", pressure::both_ways_at_once_under_pressure),
    ("both_ways_at_once_without_waiting", pressure::both_ways_at_once_without_waiting),
    ("both_ways_at_once_in_large_calls", pressure::both_ways_at_once_in_large_calls),
    ("one_way_far_beyond_every_buffer", one_way::one_way_far_beyond_every_buffer),
    ("one_way_past_words_that_nobody_takes", one_way::one_way_past_words_that_nobody_takes),
    ("many_one_way_and_a_few_back", one_way::many_one_way_and_a_few_back),
    ("stamps_are_in_order", stamps::stamps_are_in_order),
    ("delegated_stamps_are_in_order", stamps::delegated_stamps_are_in_order),
];

/// Those of a pair.
const OF_TWO: [Property; 1] =
    [("answers_at_once_leave_nothing_behind", memory::answers_at_once_leave_nothing_behind)];

/// Set where another run of the tests is to do this.
const LATER: &str = "FOURSTAMP_TEST_TRANSPORT_LATER";
/// The launchers, and what each needs to be told here.
const LAUNCHERS: [(&str, &[&str]); 2] =
    [("mpirun.openmpi", &["--oversubscribe", "--bind-to", "none"]), ("mpirun.mpich", &[])];

fn main() -> ExitCode {
    let launched =
        ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"].iter().any(|name| std::env::var_os(name).is_some());
    if launched {
        return be_a_rank();
    }
    if std::env::args().any(|word| word == "--list") || !wanted_properties().any(|_| true) {
        return ExitCode::SUCCESS;
    }
    if std::env::var_os(LATER).is_some() {
        println!("left to `cargo xtask test --only transport`");
        return ExitCode::SUCCESS;
    }
    ExitCode::from(LAUNCHERS.iter().map(|(mpirun, told)| launch(mpirun, told)).max().unwrap())
}

/// Those that the command line names; without names, all.
fn wanted_properties() -> impl Iterator<Item = Property> {
    let names: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let all = PROPERTIES.into_iter().chain(OF_TWO);
    all.filter(move |(of, _)| names.is_empty() || names.iter().any(|name| of.contains(name)))
}

fn fabrics(nodes: u16) -> Vec<Fabric> {
    let mesh = |wait| Fabric::mesh(Carrier::Mpi, nodes, wait);
    let cube = |wait| Fabric::cube(Carrier::Mpi, nodes, wait);
    match nodes {
        2 => vec![mesh(Polling), mesh(Blocking), cube(Polling)],
        nodes if nodes.is_power_of_two() => vec![mesh(Blocking), cube(Blocking)],
        _ => vec![mesh(Blocking)],
    }
}

fn be_a_rank() -> ExitCode {
    ranks::begin();
    if ranks::rank() == 0 {
        println!("{}", fabric::mpi_library(None).unwrap().name);
    }
    let mut passed = 0;
    for fabric in fabrics(ranks::ranks()) {
        let of_any_size = |name: &str| OF_TWO.iter().all(|(of_two, _)| *of_two != name);
        for (name, property) in
            wanted_properties().filter(|(name, _)| fabric.nodes == 2 || of_any_size(name))
        {
            ranks::meet();
            if catch_unwind(AssertUnwindSafe(|| property(&fabric))).is_err() {
                eprintln!("{name} over {fabric:?}: rank {} failed", ranks::rank());
                ranks::abort();
            }
            passed += 1;
            if ranks::rank() == 0 {
                println!(
                    "{name} over {} ranks, {:?}, {:?} ... ok",
                    fabric.nodes, fabric.topology, fabric.wait
                );
            }
        }
    }
    if ranks::rank() == 0 {
        println!("test result: ok. {passed} passed; 0 failed");
    }
    ranks::end();
    ExitCode::SUCCESS
}

/// 0, or 1 if something failed.
fn launch(mpirun: &str, told: &[&str]) -> u8 {
    if Command::new(mpirun).arg("--version").output().is_err() {
        println!("skipped: there is no {mpirun} here");
        return 0;
    }
    for ranks in [2, 3, 4] {
        println!("{mpirun} -n {ranks}");
        let mut command = Command::new(mpirun);
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command.args(told).args(["-n", &ranks.to_string()]);
        command.arg(std::env::current_exe().unwrap()).args(std::env::args_os().skip(1));
        if !command.status().unwrap().success() {
            eprintln!("{mpirun}, {ranks} ranks: failed");
            return 1;
        }
    }
    0
}
