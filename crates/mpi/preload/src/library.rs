//! The MPI library behind the tracer: which one it is, its functions, its constants.
//!
//! Functions are looked for behind this library in the loader's order. A program that opens its MPI
//! library for itself (Python's mpi4py does) has none there: then the libraries that are mapped are
//! asked, without loading anything.

use crate::layout::{Handles, Layout, MPICH, MPICH_HANDLES, OPEN_MPI, Status};
use crate::loaded;
use calls::list::NAMES;
use mpi_facts::ThreadLevel;
use std::ffi::CString;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The library's functions by operation, 0 until they are first called.
static FUNCTIONS: [AtomicUsize; NAMES.len()] = [const { AtomicUsize::new(0) }; NAMES.len()];

/// The library's own function of that name. Ends the process as the loader would if there is none,
/// because there is nothing that could be called.
#[inline(always)]
pub fn function(operation: usize) -> usize {
    match FUNCTIONS[operation].load(Ordering::Relaxed) {
        0 => find(operation),
        found => found,
    }
}

#[cold]
fn find(operation: usize) -> usize {
    let name = NAMES[operation];
    let Some(found) = named(name) else { crate::trouble::no_such_function(name) };
    FUNCTIONS[operation].store(found, Ordering::Relaxed);
    found
}

fn named(name: &str) -> Option<usize> {
    symbol(&format!("PMPI_{name}")).or_else(|| symbol(&format!("MPI_{name}")))
}

/// Whether the library has `MPI_name`.
pub fn has(name: &str) -> bool {
    named(name).is_some()
}

/// Where the loader is told that function `operation` is: `ours`, or nowhere if the library does
/// not have it.
pub extern "C" fn resolve(operation: usize, ours: usize) -> usize {
    if has(NAMES[operation]) { ours } else { 0 }
}

/// A symbol of the library: a function or an object.
pub fn symbol(name: &str) -> Option<usize> {
    let name = CString::new(name).ok()?;
    // SAFETY: a terminated string; RTLD_NEXT asks the objects that come after this one.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) } as usize;
    if next != 0 { Some(next) } else { loaded::symbol(&name) }
}

/// Where an object of the library lies for everybody: a program that was linked at a fixed address
/// has its own copy of it.
fn object(name: &str) -> Option<usize> {
    let terminated = CString::new(name).ok()?;
    // SAFETY: a terminated string; RTLD_DEFAULT asks all objects in order.
    let first = unsafe { libc::dlsym(libc::RTLD_DEFAULT, terminated.as_ptr()) } as usize;
    if first != 0 { Some(first) } else { symbol(name) }
}

/// The library, once the program has initialised it.
#[derive(Clone, Debug)]
pub struct Library {
    /// Its binary interface.
    pub layout: Layout,
    /// Its handles.
    pub handles: Handles,
    /// Whether the status of a send and a receive in one says what was received; see
    /// [`told`](crate::told).
    pub tells_of_both: bool,
    functions: Functions,
}

/// Call the function at an address with these words.
macro_rules! call {
    ($address:expr, $($argument:ident),*) => {{
        type Function = unsafe extern "C" fn($(call!(@word $argument)),*) -> i32;
        // SAFETY: the address was found under the function's name, and it takes this many words.
        let function: Function = unsafe { core::mem::transmute($address) };
        // SAFETY: the caller answers for the arguments.
        unsafe { function($($argument),*) }
    }};
    (@word $argument:ident) => { usize };
}

macro_rules! functions {
    ($($name:ident: $mpi:literal($($argument:ident),*);)*) => {
        /// Functions that the tracer calls for itself, which the program's calls of the same name
        /// do not see.
        #[derive(Clone, Debug)]
        struct Functions { $($name: usize),* }

        impl Functions {
            fn find() -> Option<Functions> {
                Some(Functions { $($name: symbol($mpi)?),* })
            }
        }

        impl Library {
            $(
                #[allow(clippy::too_many_arguments, reason = "they are MPI's")]
                /// # Safety
                /// The arguments must be what the function of that name takes, pointers as
                /// addresses.
                pub unsafe fn $name(&self, $($argument: usize),*) -> i32 {
                    call!(self.functions.$name, $($argument),*)
                }
            )*
        }
    };
}

/// The same of functions that not every library has: without one there is no result.
macro_rules! newer_functions {
    ($($name:ident: $mpi:literal($($argument:ident),*);)*) => {
        impl Library {
            $(
                #[allow(clippy::too_many_arguments, reason = "they are MPI's")]
                /// # Safety
                /// The arguments must be what the function of that name takes, pointers as
                /// addresses.
                pub unsafe fn $name(&self, $($argument: usize),*) -> Option<i32> {
                    Some(call!(symbol($mpi)?, $($argument),*))
                }
            )*
        }
    };
}

functions! {
    comm_rank: "PMPI_Comm_rank"(comm, rank);
    comm_group: "PMPI_Comm_group"(comm, group);
    comm_remote_group: "PMPI_Comm_remote_group"(comm, group);
    comm_test_inter: "PMPI_Comm_test_inter"(comm, flag);
    comm_dup: "PMPI_Comm_dup"(comm, newcomm);
    comm_free: "PMPI_Comm_free"(comm);
    comm_get_parent: "PMPI_Comm_get_parent"(comm);
    topo_test: "PMPI_Topo_test"(comm, status);
    cartdim_get: "PMPI_Cartdim_get"(comm, ndims);
    cart_shift: "PMPI_Cart_shift"(comm, direction, disp, source, dest);
    graph_neighbors_count: "PMPI_Graph_neighbors_count"(comm, rank, count);
    graph_neighbors: "PMPI_Graph_neighbors"(comm, rank, most, neighbors);
    dist_graph_neighbors_count: "PMPI_Dist_graph_neighbors_count"(
        comm, indegree, outdegree, weighted
    );
    dist_graph_neighbors: "PMPI_Dist_graph_neighbors"(
        comm, most_in, sources, source_weights, most_out, destinations, weights
    );
    group_size: "PMPI_Group_size"(group, size);
    group_rank: "PMPI_Group_rank"(group, rank);
    group_translate: "PMPI_Group_translate_ranks"(group, count, ranks, other, others);
    group_free: "PMPI_Group_free"(group);
    type_size: "PMPI_Type_size_x"(datatype, size);
    iallgather: "PMPI_Iallgather"(
        send, count, datatype, receive, receive_count, receive_datatype, comm, request
    );
    gather: "PMPI_Gather"(
        send, count, datatype, receive, receive_count, receive_datatype, root, comm
    );
    test: "PMPI_Test"(request, flag, status);
    send: "PMPI_Send"(buffer, count, datatype, dest, tag, comm);
    receive: "PMPI_Recv"(buffer, count, datatype, source, tag, comm, status);
    query_thread: "PMPI_Query_thread"(provided);
    error_to_class: "PMPI_Error_class"(code, class);
    request_status: "PMPI_Request_get_status"(request, flag, status);
    version: "PMPI_Get_library_version"(text, length);
}

newer_functions! {
    isendrecv: "PMPI_Isendrecv"(
        send, count, datatype, dest, tag,
        receive, receive_count, receive_datatype, source, receive_tag, comm, request
    );
    group_from_session: "PMPI_Group_from_session_pset"(session, name, group);
}

impl Library {
    /// The library that the program uses; `None` when it lacks something that every MPI 3.1 has.
    pub fn find() -> Option<Library> {
        let functions = Functions::find()?;
        let Some(world) = object("ompi_mpi_comm_world") else {
            let (layout, handles) = (MPICH, MPICH_HANDLES);
            return Some(Library { layout, handles, tells_of_both: false, functions });
        };
        let handles = Handles {
            world,
            itself: object("ompi_mpi_comm_self")?,
            comm_null: object("ompi_mpi_comm_null")?,
            request_null: object("ompi_request_null")?,
            type_null: object("ompi_mpi_datatype_null")?,
            byte: object("ompi_mpi_byte")?,
        };
        Some(Library { layout: OPEN_MPI, handles, tells_of_both: false, functions })
    }

    /// A rank of a call that names nobody.
    #[inline(always)]
    pub fn is_nobody(&self, rank: i32) -> bool {
        rank == self.layout.proc_null
    }

    /// The status that a call wrote.
    ///
    /// # Safety
    /// `pointer` must be what the call was given for its status, and not the constant that ignores
    /// it.
    #[inline(always)]
    pub unsafe fn status(&self, pointer: usize, index: usize) -> Status {
        // SAFETY: the caller says that there are statuses.
        unsafe { self.layout.status_at(pointer, index) }
    }

    /// What the library calls itself.
    pub fn version_text(&self) -> String {
        // MPI_MAX_LIBRARY_VERSION_STRING is 256 in Open MPI and 8192 in MPICH.
        let mut text = vec![0u8; 8192];
        let mut length = 0i32;
        // SAFETY: room for the longest text that either library writes, and for its length.
        let failed =
            unsafe { self.version(text.as_mut_ptr() as usize, &raw mut length as usize) } != 0;
        let length = if failed { 0 } else { usize::try_from(length).unwrap_or(0).min(text.len()) };
        String::from_utf8_lossy(&text[..length]).trim_end_matches(['\0', '\n', ' ']).to_string()
    }

    /// What the program may do with threads.
    pub fn thread_level(&self) -> ThreadLevel {
        let mut level = 0i32;
        // SAFETY: room for an int.
        unsafe { self.query_thread(&raw mut level as usize) };
        ThreadLevel(level)
    }

    /// The class of an error that a call returned.
    #[cold]
    pub fn error_class(&self, code: i32) -> i32 {
        let mut class = 0i32;
        // SAFETY: a code of the library, and room for an int.
        unsafe { self.error_to_class(code as usize, &raw mut class as usize) };
        class
    }

    /// Whether other ranks have spawned this process.
    pub fn is_spawned(&self) -> bool {
        let mut parent = 0usize;
        // SAFETY: room for a handle.
        let failed = unsafe { self.comm_get_parent(&raw mut parent as usize) };
        failed == 0 && self.layout.handle(parent) != self.handles.comm_null
    }

    /// The group of all ranks, of a program that has a world.
    pub fn group_of_world(&self) -> Option<usize> {
        let mut group = 0usize;
        // SAFETY: the world, and room for a handle.
        let failed = unsafe { self.comm_group(self.handles.world, &raw mut group as usize) };
        (failed == 0).then(|| self.layout.handle(group))
    }

    /// The same of a program that has a session only.
    pub fn group_of_session(&self, session: usize) -> Option<usize> {
        let (name, mut group) = (c"mpi://WORLD", 0usize);
        let (name, place) = (name.as_ptr() as usize, &raw mut group as usize);
        // SAFETY: an open session, a terminated string, and room for a handle.
        let failed = unsafe { self.group_from_session(session, name, place) }?;
        (failed == 0).then(|| self.layout.handle(group))
    }

    /// Processes of a group.
    pub fn size_of_group(&self, group: usize) -> u32 {
        let mut size = 0i32;
        // SAFETY: a group of the library, and room for an int.
        unsafe { self.group_size(group, &raw mut size as usize) };
        u32::try_from(size).unwrap_or(0)
    }

    /// This process's rank in a group.
    pub fn rank_in_group(&self, group: usize) -> Option<i32> {
        let mut rank = 0i32;
        // SAFETY: a group of the library, and room for an int.
        (unsafe { self.group_rank(group, &raw mut rank as usize) } == 0).then_some(rank)
    }

    /// This process's rank in a communicator.
    pub fn rank_in(&self, comm: usize) -> Option<i32> {
        let mut rank = 0i32;
        // SAFETY: a communicator of the library, and room for an int.
        (unsafe { self.comm_rank(comm, &raw mut rank as usize) } == 0).then_some(rank)
    }
}
