//! The list of functions against each installed `mpi.h`: every argument is what the header says and
//! is passed as it says, and no function is missing that moves data or waits.

use crate::common::{headers, libraries};
use calls::list::{Argument, Kind, NAMES, Passing, SIGNATURES, is_large};

/// Whether the list says of an argument what its declaration says.
fn agrees(argument: &Argument, declared: &str, large: bool) -> bool {
    let is =
        |word: &str| declared.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == word);
    let data = is("void") || declared.contains("_function");
    let points = declared.contains('*') || declared.contains('[');
    let passed = match argument.passing {
        Passing::Value => !points || data,
        Passing::In => points && !data,
        Passing::Out | Passing::InOut => points && !data && !is("const"),
    };
    let handle = ["Comm", "Request", "Message", "Datatype", "Win", "Group", "Session"];
    let kind = match argument.kind {
        Kind::Buffer => is("void"),
        Kind::Int => is("int"),
        Kind::Count if large => is("MPI_Count"),
        Kind::Count => is("int"),
        Kind::Status => is("MPI_Status"),
        // ROMIO's name for a request.
        Kind::Handle => handle.iter().any(|name| is(&format!("MPI_{name}"))) || is("MPIO_Request"),
        Kind::Opaque => !is("MPI_Status") && !is("MPI_Request"),
    };
    passed && kind
}

#[test]
fn every_argument_is_what_the_headers_say() {
    for mpi in libraries() {
        let header = headers::of(mpi);
        assert!(header.len() > 300, "{mpi:?}: {} functions", header.len());
        for (number, name) in NAMES.iter().enumerate() {
            let Some(declared) = header.get(*name) else {
                println!("skipped: {} has no MPI_{name}", mpi.0);
                continue;
            };
            let listed = SIGNATURES[number];
            assert_eq!(listed.len(), declared.len(), "MPI_{name}");
            for (argument, declared) in listed.iter().zip(declared) {
                let same = agrees(argument, declared, is_large(number));
                assert!(same, "MPI_{name} of {}: {argument:?} is `{declared}`", mpi.0);
            }
        }
    }
}

/// What neither moves data nor waits, by the beginnings and ends of names: questions, handles,
/// names, attributes, groups, descriptions of data.
const LOCAL: &[&str] = &[
    "Add_error_",
    "Address",
    "Aint_",
    "Alloc_mem",
    "Attr_",
    "Buffer_attach",
    "Cart_coords",
    "Cart_get",
    "Cart_map",
    "Cart_rank",
    "Cart_shift",
    "Cartdim_get",
    "Comm_call_errhandler",
    "Comm_compare",
    "Comm_create_errhandler",
    "Comm_create_keyval",
    "Comm_delete_attr",
    "Comm_free_keyval",
    "Comm_get_",
    "Comm_group",
    "Comm_rank",
    "Comm_remote_",
    "Comm_set_attr",
    "Comm_set_errhandler",
    "Comm_set_name",
    "Comm_size",
    "Comm_test_inter",
    "Dims_create",
    "Dist_graph_neighbors",
    "Errhandler_",
    "Error_",
    "File_call_errhandler",
    "File_create_errhandler",
    "File_get_",
    "File_set_errhandler",
    "Finalized",
    "Free_mem",
    "Get_address",
    "Get_count",
    "Get_elements",
    "Get_library_version",
    "Get_processor_name",
    "Get_version",
    "Graph_get",
    "Graph_map",
    "Graph_neighbors",
    "Graphdims_get",
    "Group_",
    "Info_",
    "Initialized",
    "Is_thread_main",
    "Keyval_",
    "Op_",
    "Pack",
    "Pcontrol",
    "Query_thread",
    "Reduce_local",
    "Register_datarep",
    "Session_call_errhandler",
    "Session_create_errhandler",
    "Session_get_",
    "Session_set_errhandler",
    "Status_",
    "T_",
    "Test_cancelled",
    "Topo_test",
    "Type_",
    "Unpack",
    "Win_call_errhandler",
    "Win_create_errhandler",
    "Win_create_keyval",
    "Win_delete_attr",
    "Win_free_keyval",
    "Win_get_",
    "Win_set_attr",
    "Win_set_errhandler",
    "Win_set_name",
    "Win_shared_query",
    "DUP_FN",
];

#[test]
fn no_function_that_moves_data_or_waits_is_missing() {
    for mpi in libraries() {
        let converts = |name: &str| ["_c2f", "_f2c"].iter().any(|end| name.contains(end));
        let missing: Vec<String> = headers::of(mpi)
            .into_keys()
            .filter(|name| !NAMES.contains(&name.as_str()) && !converts(name))
            .filter(|name| !LOCAL.iter().any(|local| name.starts_with(local)))
            .collect();
        assert_eq!(missing, Vec::<String>::new(), "{mpi:?}: put them into the list");
    }
}
