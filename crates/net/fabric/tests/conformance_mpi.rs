//! The conformance suite over MPI: every rank of a job runs it, as the node of its number.
//!
//! Started without a launcher it starts itself under mpirun, with 2, 3 and 4 ranks: `cargo test -p
//! fourstamp-fabric --features mpi --test conformance_mpi`, with `MPICC=mpicc.mpich` before it for
//! MPICH.

#![allow(clippy::unwrap_used)] // tests

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

fn main() -> ExitCode {
    let launched =
        ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"].iter().any(|name| std::env::var_os(name).is_some());
    if launched { be_a_rank() } else { launch() }
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
    for fabric in fabrics(ranks::ranks()) {
        let of_two = OF_TWO.into_iter().filter(|_| fabric.nodes == 2);
        for (name, property) in PROPERTIES.into_iter().chain(of_two) {
            ranks::meet();
            if catch_unwind(AssertUnwindSafe(|| property(&fabric))).is_err() {
                eprintln!("{name} over {fabric:?}: rank {} failed", ranks::rank());
                ranks::abort();
            }
            if ranks::rank() == 0 {
                println!(
                    "{name} over {} ranks, {:?}, {:?} ... ok",
                    fabric.nodes, fabric.topology, fabric.wait
                );
            }
        }
    }
    ranks::end();
    ExitCode::SUCCESS
}

fn launch() -> ExitCode {
    let library = fabric::mpi_library().unwrap();
    let own = if library.contains("Open MPI") { "mpirun.openmpi" } else { "mpirun.mpich" };
    let found = |name: &&&str| Command::new(name).arg("--version").output().is_ok();
    let Some(mpirun) = [own, "mpirun"].iter().find(found).copied() else {
        println!("skipped: there is neither {own} nor mpirun here");
        return ExitCode::SUCCESS;
    };
    println!("{library}, {mpirun}");
    for ranks in [2, 3, 4] {
        let mut command = Command::new(mpirun);
        if library.contains("Open MPI") {
            command.args(["--oversubscribe", "--bind-to", "none"]);
            command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        }
        let status =
            command.args(["-n", &ranks.to_string()]).arg(std::env::current_exe().unwrap()).status();
        if !status.unwrap().success() {
            eprintln!("{ranks} ranks: failed");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
