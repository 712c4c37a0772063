//! What every transport must do, checked over each of them in the same way: see `conformance/`.
//!
//! A property is a function of a [`table::Fabric`]; the table at the end of this file makes one
//! test of every property over every fabric. Nodes are threads here; the tests in `death` start
//! processes of their own.

#![allow(clippy::unwrap_used)] // tests

extern crate fourstamp_fabric as fabric;

#[path = "conformance/table.rs"]
mod table;

#[path = "conformance/death.rs"]
mod death;
#[path = "conformance/one_way.rs"]
mod one_way;
#[path = "conformance/pressure.rs"]
mod pressure;
#[path = "conformance/stamps.rs"]
mod stamps;
#[path = "conformance/strangers.rs"]
mod strangers;
#[path = "conformance/traffic.rs"]
mod traffic;

/// One test for every property and every fabric.
macro_rules! properties_over_fabrics {
    ($($property:ident in $module:ident;)*) => {
        $(mod $property {
            use super::$module::$property as property;
            use super::table::Carrier::{Machine, Shm, Tcp, Thread};
            use super::table::{Fabric, troubled, udp_adaptive, udp_periodic, udp_tasked};
            use fabric::MachineTopology::{Bus, Hypercube, Mesh, Switch};
            use fabric::Waiting::{Blocking, Polling};

            properties_over_fabrics!(@fabrics
                thread_pair_polling: Fabric::mesh(Thread, 2, Polling),
                thread_mesh_of_3_blocking: Fabric::mesh(Thread, 3, Blocking),
                thread_cube_of_2_polling: Fabric::cube(Thread, 2, Polling),
                thread_cube_of_4_blocking: Fabric::cube(Thread, 4, Blocking),
                thread_cube_of_16_blocking: Fabric::cube(Thread, 16, Blocking),
                thread_mesh_of_12_blocking: Fabric::mesh(Thread, 12, Blocking).with_ample_room(),
                shm_pair_polling: Fabric::mesh(Shm, 2, Polling),
                shm_mesh_of_3_blocking: Fabric::mesh(Shm, 3, Blocking),
                shm_cube_of_4_blocking: Fabric::cube(Shm, 4, Blocking),
                shm_cube_of_8_blocking: Fabric::cube(Shm, 8, Blocking),
                tcp_pair_polling: Fabric::mesh(Tcp, 2, Polling),
                tcp_pair_blocking: Fabric::mesh(Tcp, 2, Blocking),
                tcp_mesh_of_3_polling: Fabric::mesh(Tcp, 3, Polling),
                tcp_mesh_of_4_blocking: Fabric::mesh(Tcp, 4, Blocking),
                tcp_cube_of_2_polling: Fabric::cube(Tcp, 2, Polling),
                tcp_cube_of_4_blocking: Fabric::cube(Tcp, 4, Blocking),
                tcp_cube_of_8_blocking: Fabric::cube(Tcp, 8, Blocking),
                udp_pair_polling_adaptive: Fabric::mesh(udp_adaptive(), 2, Polling),
                udp_pair_polling_periodic: Fabric::mesh(udp_periodic(), 2, Polling),
                udp_pair_blocking_adaptive: Fabric::mesh(udp_adaptive(), 2, Blocking),
                udp_pair_blocking_periodic: Fabric::mesh(udp_periodic(), 2, Blocking),
                udp_pair_tasked: Fabric::mesh(udp_tasked(), 2, Blocking),
                udp_mesh_of_4_blocking: Fabric::mesh(udp_adaptive(), 4, Blocking),
                udp_mesh_of_3_tasked: Fabric::mesh(udp_tasked(), 3, Blocking),
                udp_cube_of_4_blocking: Fabric::cube(udp_adaptive(), 4, Blocking),
                udp_pair_troubled_adaptive: Fabric::mesh(troubled(udp_adaptive(), 0.1), 2, Polling),
                udp_pair_troubled_periodic:
                    Fabric::mesh(troubled(udp_periodic(), 0.1), 2, Blocking),
                udp_pair_in_great_trouble: Fabric::mesh(troubled(udp_adaptive(), 0.3), 2, Blocking),
                udp_pair_in_great_trouble_periodic:
                    Fabric::mesh(troubled(udp_periodic(), 0.3), 2, Polling),
                udp_mesh_of_3_troubled: Fabric::mesh(troubled(udp_tasked(), 0.2), 3, Blocking),
                udp_cube_of_4_troubled: Fabric::cube(troubled(udp_adaptive(), 0.1), 4, Blocking),
                machine_pair_blocking: Fabric::mesh(Machine(Switch), 2, Blocking),
                machine_pair_polling: Fabric::mesh(Machine(Mesh), 2, Polling),
                machine_cube_of_4: Fabric::mesh(Machine(Hypercube), 4, Blocking),
                machine_bus_of_3: Fabric::mesh(Machine(Bus), 3, Blocking),
                planted_thread_pair: Fabric::mesh(Thread, 2, Blocking).planted(),
                planted_tcp_mesh_of_3: Fabric::mesh(Tcp, 3, Blocking).planted(),
                planted_shm_cube_of_4: Fabric::cube(Shm, 4, Blocking).planted(),
            );
        })*
    };
    (@fabrics $($name:ident: $fabric:expr,)*) => {
        $(#[test]
        fn $name() {
            property(&$fabric);
        })*
    };
}

properties_over_fabrics! {
    everything_comes_once_and_in_order in traffic;
    sizes_from_nothing_to_many_fragments in traffic;
    a_batch_comes_whole in traffic;
    a_node_sends_to_itself in traffic;
    leaving_in_good_order_ends_the_receiving in traffic;
    a_slow_receiver_makes_its_sender_wait in pressure;
    both_ways_at_once_under_pressure in pressure;
    both_ways_at_once_without_waiting in pressure;
    both_ways_at_once_in_large_calls in pressure;
    one_way_far_beyond_every_buffer in one_way;
    one_way_past_words_that_nobody_takes in one_way;
    many_one_way_and_a_few_back in one_way;
    stamps_are_in_order in stamps;
    delegated_stamps_are_in_order in stamps;
}
