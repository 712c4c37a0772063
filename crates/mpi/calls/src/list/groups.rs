//! Beginning and end, communicators, and datatypes whose handle may come back.

/// Adds them to the lines before, and hands all on.
#[doc(hidden)]
#[macro_export]
macro_rules! mpi_groups {
    ($with:path, $($before:tt)*) => {
        $crate::mpi_one_sided! {
            $with,
            $($before)*
            80 Comm_dup(comm, out newcomm): Communicator;
            81 Comm_dup_with_info(comm, info, out newcomm): Communicator;
            82 Comm_idup(comm, out newcomm, out request): Communicator;
            83 Comm_create(comm, group, out newcomm): Communicator;
            84 Comm_create_group(comm, group, tag, out newcomm): Communicator;
            85 Comm_split(comm, color, key, out newcomm): Communicator;
            86 Comm_split_type(comm, split_type, key, info, out newcomm): Communicator;
            87 Cart_create(
                comm, ndims, in dims, in periods, reorder, out newcomm
            ): Communicator;
            88 Cart_sub(comm, in remain_dims, out newcomm): Communicator;
            89 Graph_create(
                comm, nnodes, in index, in edges, reorder, out newcomm
            ): Communicator;
            90 Dist_graph_create(
                comm, n, in nodes, in degrees, in targets, in weights, info, reorder,
                out newcomm
            ): Communicator;
            91 Dist_graph_create_adjacent(
                comm, indegree, in sources, in sourceweights, outdegree, in destinations,
                in destweights, info, reorder, out newcomm
            ): Communicator;
            92 Intercomm_create(
                comm, local_leader, bridge_comm, remote_leader, tag, out newcomm
            ): Communicator;
            93 Intercomm_merge(comm, high, out newcomm): Communicator;
            94 Comm_accept(in port_name, info, root, comm, out newcomm): Communicator;
            95 Comm_connect(in port_name, info, root, comm, out newcomm): Communicator;
            96 Comm_join(fd, out newcomm): Communicator;
            97 Comm_spawn(
                in command, in argv, maxprocs, info, root, comm, out newcomm,
                out array_of_errcodes
            ): Communicator;
            98 Comm_spawn_multiple(
                count, in array_of_commands, in array_of_argv, in array_of_maxprocs,
                in array_of_info, root, comm, out newcomm, out array_of_errcodes
            ): Communicator;
            99 Comm_free(inout old): Communicator;
            100 Comm_disconnect(inout old): Communicator;
            101 Type_free(inout datatype): Datatype;
            102 Init(inout argc, out argv): Life;
            103 Init_thread(inout argc, out argv, required, out provided): Life;
            104 Finalize(): Life;
            105 Abort(comm, errorcode): Life;
            329 Comm_idup_with_info(comm, info, out newcomm, out request): Communicator;
            330 Comm_create_from_group(
                group, in stringtag, info, errhandler, out newcomm
            ): Communicator;
            331 Intercomm_create_from_groups(
                local_group, local_leader, remote_group, remote_leader, in stringtag, info,
                errhandler, out newcomm
            ): Communicator;
            332 Session_init(info, errhandler, out session): Life;
            333 Session_finalize(inout session): Life;
            351 Comm_set_info(comm, info): Other;
        }
    };
}
