//! THE list of MPI functions: one line each. The tracer makes its exports from it, and logs name a
//! function by its place in it, so that adding one is one line here.
//!
//! A line holds the name, the arguments by their names in the standard, and what the function does
//! ([`Class`]). The classes of calls that take part in messages say how the tracer reads the
//! arguments.

/// What a function does, as far as the tracer cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// A blocking send.
    Send,
    /// Begins a send.
    StartSend,
    /// Prepares a send that can be started again and again.
    PrepareSend,
    /// A blocking receive.
    Receive,
    /// Begins a receive.
    StartReceive,
    /// Prepares a receive that can be started again and again.
    PrepareReceive,
    /// A send and a receive in one.
    SendReceive,
    /// Looks for a message, and leaves it there.
    Probe,
    /// Looks for a message and takes it out of the queue.
    MatchedProbe,
    /// Receives what a matched probe took.
    MatchedReceive,
    /// Starts prepared requests.
    Start,
    /// Waits for requests.
    Wait,
    /// Asks for requests.
    Test,
    /// Gives up or gives back a request.
    Request,
    /// Everybody of a communicator takes part.
    Collective,
    /// Begins a collective.
    StartCollective,
    /// Makes or frees a communicator.
    Communicator,
    /// Frees a datatype, whose handle may come back as another one.
    Datatype,
    /// Begins or ends MPI.
    Life,
    /// Passes through and is counted.
    Other,
}

/// Hands the list to a macro, in two parts: what both libraries have, and the functions with large
/// counts of MPI 4, which only MPICH has. Those are exported by a library of their own, because a
/// program would take their presence for the library's.
#[macro_export]
macro_rules! mpi_functions {
    ($with:path) => {
        $with! {
            common {
                Send(buf, count, datatype, dest, tag, comm): Send;
                Ssend(buf, count, datatype, dest, tag, comm): Send;
                Rsend(buf, count, datatype, dest, tag, comm): Send;
                Bsend(buf, count, datatype, dest, tag, comm): Send;
                Isend(buf, count, datatype, dest, tag, comm, request): StartSend;
                Issend(buf, count, datatype, dest, tag, comm, request): StartSend;
                Irsend(buf, count, datatype, dest, tag, comm, request): StartSend;
                Ibsend(buf, count, datatype, dest, tag, comm, request): StartSend;
                Send_init(buf, count, datatype, dest, tag, comm, request): PrepareSend;
                Ssend_init(buf, count, datatype, dest, tag, comm, request): PrepareSend;
                Rsend_init(buf, count, datatype, dest, tag, comm, request): PrepareSend;
                Bsend_init(buf, count, datatype, dest, tag, comm, request): PrepareSend;
                Recv(buf, count, datatype, source, tag, comm, status): Receive;
                Irecv(buf, count, datatype, source, tag, comm, request): StartReceive;
                Recv_init(buf, count, datatype, source, tag, comm, request): PrepareReceive;
                Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status): SendReceive;
                Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, status): SendReceive;
                Probe(source, tag, comm, status): Probe;
                Iprobe(source, tag, comm, flag, status): Probe;
                Mprobe(source, tag, comm, message, status): MatchedProbe;
                Improbe(source, tag, comm, flag, message, status): MatchedProbe;
                Mrecv(buf, count, datatype, message, status): MatchedReceive;
                Imrecv(buf, count, datatype, message, request): MatchedReceive;
                Start(request): Start;
                Startall(count, array_of_requests): Start;
                Wait(request, status): Wait;
                Waitall(count, array_of_requests, array_of_statuses): Wait;
                Waitany(count, array_of_requests, index, status): Wait;
                Waitsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses): Wait;
                Test(request, flag, status): Test;
                Testall(count, array_of_requests, flag, array_of_statuses): Test;
                Testany(count, array_of_requests, index, flag, status): Test;
                Testsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses): Test;
                Request_get_status(request, flag, status): Test;
                Cancel(request): Request;
                Request_free(request): Request;
                Barrier(comm): Collective;
                Bcast(buffer, count, datatype, root, comm): Collective;
                Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm): Collective;
                Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm): Collective;
                Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm): Collective;
                Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm): Collective;
                Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm): Collective;
                Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm): Collective;
                Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm): Collective;
                Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm): Collective;
                Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm): Collective;
                Reduce(sendbuf, recvbuf, count, datatype, op, root, comm): Collective;
                Allreduce(sendbuf, recvbuf, count, datatype, op, comm): Collective;
                Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm): Collective;
                Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm): Collective;
                Scan(sendbuf, recvbuf, count, datatype, op, comm): Collective;
                Exscan(sendbuf, recvbuf, count, datatype, op, comm): Collective;
                Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm): Collective;
                Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm): Collective;
                Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm): Collective;
                Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm): Collective;
                Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm): Collective;
                Ibarrier(comm, request): StartCollective;
                Ibcast(buffer, count, datatype, root, comm, request): StartCollective;
                Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request): StartCollective;
                Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request): StartCollective;
                Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request): StartCollective;
                Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request): StartCollective;
                Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request): StartCollective;
                Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request): StartCollective;
                Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request): StartCollective;
                Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request): StartCollective;
                Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request): StartCollective;
                Ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request): StartCollective;
                Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request): StartCollective;
                Ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request): StartCollective;
                Ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, request): StartCollective;
                Iscan(sendbuf, recvbuf, count, datatype, op, comm, request): StartCollective;
                Iexscan(sendbuf, recvbuf, count, datatype, op, comm, request): StartCollective;
                Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request): StartCollective;
                Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request): StartCollective;
                Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request): StartCollective;
                Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request): StartCollective;
                Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request): StartCollective;
                Comm_dup(comm, newcomm): Communicator;
                Comm_dup_with_info(comm, info, newcomm): Communicator;
                Comm_idup(comm, newcomm, request): Communicator;
                Comm_create(comm, group, newcomm): Communicator;
                Comm_create_group(comm, group, tag, newcomm): Communicator;
                Comm_split(comm, color, key, newcomm): Communicator;
                Comm_split_type(comm, split_type, key, info, newcomm): Communicator;
                Cart_create(comm, ndims, dims, periods, reorder, newcomm): Communicator;
                Cart_sub(comm, remain_dims, newcomm): Communicator;
                Graph_create(comm, nnodes, index, edges, reorder, newcomm): Communicator;
                Dist_graph_create(comm, n, nodes, degrees, targets, weights, info, reorder, newcomm): Communicator;
                Dist_graph_create_adjacent(comm, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder, newcomm): Communicator;
                Intercomm_create(comm, local_leader, bridge_comm, remote_leader, tag, newcomm): Communicator;
                Intercomm_merge(comm, high, newcomm): Communicator;
                Comm_accept(port_name, info, root, comm, newcomm): Communicator;
                Comm_connect(port_name, info, root, comm, newcomm): Communicator;
                Comm_join(fd, newcomm): Communicator;
                Comm_spawn(command, argv, maxprocs, info, root, comm, newcomm, array_of_errcodes): Communicator;
                Comm_spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm, newcomm, array_of_errcodes): Communicator;
                Comm_free(old): Communicator;
                Comm_disconnect(old): Communicator;
                Type_free(datatype): Datatype;
                Init(argc, argv): Life;
                Init_thread(argc, argv, required, provided): Life;
                Finalize(): Life;
                Abort(comm, errorcode): Life;
                Accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win): Other;
                Buffer_attach(buffer, size): Other;
                Buffer_detach(buffer, size): Other;
                Close_port(port_name): Other;
                Compare_and_swap(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win): Other;
                Fetch_and_op(origin_addr, result_addr, datatype, target_rank, target_disp, op, win): Other;
                File_close(fh): Other;
                File_delete(filename, info): Other;
                File_get_view(fh, disp, etype, filetype, datarep): Other;
                File_iread(fh, buf, count, datatype, request): Other;
                File_iread_all(fh, buf, count, datatype, request): Other;
                File_iread_at(fh, offset, buf, count, datatype, request): Other;
                File_iread_at_all(fh, offset, buf, count, datatype, request): Other;
                File_iread_shared(fh, buf, count, datatype, request): Other;
                File_iwrite(fh, buf, count, datatype, request): Other;
                File_iwrite_all(fh, buf, count, datatype, request): Other;
                File_iwrite_at(fh, offset, buf, count, datatype, request): Other;
                File_iwrite_at_all(fh, offset, buf, count, datatype, request): Other;
                File_iwrite_shared(fh, buf, count, datatype, request): Other;
                File_open(comm, filename, amode, info, fh): Other;
                File_preallocate(fh, size): Other;
                File_read(fh, buf, count, datatype, status): Other;
                File_read_all(fh, buf, count, datatype, status): Other;
                File_read_all_begin(fh, buf, count, datatype): Other;
                File_read_all_end(fh, buf, status): Other;
                File_read_at(fh, offset, buf, count, datatype, status): Other;
                File_read_at_all(fh, offset, buf, count, datatype, status): Other;
                File_read_at_all_begin(fh, offset, buf, count, datatype): Other;
                File_read_at_all_end(fh, buf, status): Other;
                File_read_ordered(fh, buf, count, datatype, status): Other;
                File_read_ordered_begin(fh, buf, count, datatype): Other;
                File_read_ordered_end(fh, buf, status): Other;
                File_read_shared(fh, buf, count, datatype, status): Other;
                File_seek(fh, offset, whence): Other;
                File_seek_shared(fh, offset, whence): Other;
                File_set_atomicity(fh, flag): Other;
                File_set_size(fh, size): Other;
                File_set_view(fh, disp, etype, filetype, datarep, info): Other;
                File_sync(fh): Other;
                File_write(fh, buf, count, datatype, status): Other;
                File_write_all(fh, buf, count, datatype, status): Other;
                File_write_all_begin(fh, buf, count, datatype): Other;
                File_write_all_end(fh, buf, status): Other;
                File_write_at(fh, offset, buf, count, datatype, status): Other;
                File_write_at_all(fh, offset, buf, count, datatype, status): Other;
                File_write_at_all_begin(fh, offset, buf, count, datatype): Other;
                File_write_at_all_end(fh, buf, status): Other;
                File_write_ordered(fh, buf, count, datatype, status): Other;
                File_write_ordered_begin(fh, buf, count, datatype): Other;
                File_write_ordered_end(fh, buf, status): Other;
                File_write_shared(fh, buf, count, datatype, status): Other;
                Get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win): Other;
                Get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win): Other;
                Grequest_complete(request): Other;
                Grequest_start(query_fn, free_fn, cancel_fn, extra_state, request): Other;
                Lookup_name(service_name, info, port_name): Other;
                Open_port(info, port_name): Other;
                Pack(inbuf, incount, datatype, outbuf, outsize, position, comm): Other;
                Pack_external(datarep, inbuf, incount, datatype, outbuf, outsize, position): Other;
                Pack_external_size(datarep, incount, datatype, size): Other;
                Pack_size(incount, datatype, comm, size): Other;
                Publish_name(service_name, info, port_name): Other;
                Put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win): Other;
                Raccumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request): Other;
                Reduce_local(inbuf, inoutbuf, count, datatype, op): Other;
                Register_datarep(datarep, read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, extra_state): Other;
                Rget(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request): Other;
                Rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request): Other;
                Rput(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request): Other;
                Type_commit(datatype): Other;
                Type_contiguous(count, oldtype, newtype): Other;
                Type_create_darray(size, rank, ndims, gsize_array, distrib_array, darg_array, psize_array, order, oldtype, newtype): Other;
                Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype): Other;
                Type_create_hindexed_block(count, blocklength, array_of_displacements, oldtype, newtype): Other;
                Type_create_hvector(count, blocklength, stride, oldtype, newtype): Other;
                Type_create_indexed_block(count, blocklength, array_of_displacements, oldtype, newtype): Other;
                Type_create_resized(oldtype, lb, extent, newtype): Other;
                Type_create_struct(count, array_of_block_lengths, array_of_displacements, array_of_types, newtype): Other;
                Type_create_subarray(ndims, size_array, subsize_array, start_array, order, oldtype, newtype): Other;
                Type_dup(datatype, newtype): Other;
                Type_indexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype): Other;
                Type_vector(count, blocklength, stride, oldtype, newtype): Other;
                Unpack(inbuf, insize, position, outbuf, outcount, datatype, comm): Other;
                Unpack_external(datarep, inbuf, insize, position, outbuf, outcount, datatype): Other;
                Unpublish_name(service_name, info, port_name): Other;
                Win_allocate(size, disp_unit, info, comm, baseptr, win): Other;
                Win_allocate_shared(size, disp_unit, info, comm, baseptr, win): Other;
                Win_attach(win, base, size): Other;
                Win_complete(win): Other;
                Win_create(base, size, disp_unit, info, comm, win): Other;
                Win_create_dynamic(info, comm, win): Other;
                Win_detach(win, base): Other;
                Win_fence(assert, win): Other;
                Win_flush(rank, win): Other;
                Win_flush_all(win): Other;
                Win_flush_local(rank, win): Other;
                Win_flush_local_all(win): Other;
                Win_free(win): Other;
                Win_get_group(win, group): Other;
                Win_lock(lock_type, rank, assert, win): Other;
                Win_lock_all(assert, win): Other;
                Win_post(group, assert, win): Other;
                Win_shared_query(win, rank, size, disp_unit, baseptr): Other;
                Win_start(group, assert, win): Other;
                Win_sync(win): Other;
                Win_test(win, flag): Other;
                Win_unlock(rank, win): Other;
                Win_unlock_all(win): Other;
                Win_wait(win): Other;
            }
            large {
                Send_c(buf, count, datatype, dest, tag, comm): Send;
                Ssend_c(buf, count, datatype, dest, tag, comm): Send;
                Rsend_c(buf, count, datatype, dest, tag, comm): Send;
                Bsend_c(buf, count, datatype, dest, tag, comm): Send;
                Isend_c(buf, count, datatype, dest, tag, comm, request): StartSend;
                Issend_c(buf, count, datatype, dest, tag, comm, request): StartSend;
                Irsend_c(buf, count, datatype, dest, tag, comm, request): StartSend;
                Ibsend_c(buf, count, datatype, dest, tag, comm, request): StartSend;
                Send_init_c(buf, count, datatype, dest, tag, comm, request): PrepareSend;
                Ssend_init_c(buf, count, datatype, dest, tag, comm, request): PrepareSend;
                Rsend_init_c(buf, count, datatype, dest, tag, comm, request): PrepareSend;
                Bsend_init_c(buf, count, datatype, dest, tag, comm, request): PrepareSend;
                Recv_c(buf, count, datatype, source, tag, comm, status): Receive;
                Irecv_c(buf, count, datatype, source, tag, comm, request): StartReceive;
                Recv_init_c(buf, count, datatype, source, tag, comm, request): PrepareReceive;
                Sendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status): SendReceive;
                Sendrecv_replace_c(buf, count, datatype, dest, sendtag, source, recvtag, comm, status): SendReceive;
                Mrecv_c(buf, count, datatype, message, status): MatchedReceive;
                Imrecv_c(buf, count, datatype, message, request): MatchedReceive;
                Bcast_c(buffer, count, datatype, root, comm): Collective;
                Gather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm): Collective;
                Gatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm): Collective;
                Scatter_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm): Collective;
                Scatterv_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm): Collective;
                Allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm): Collective;
                Allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm): Collective;
                Alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm): Collective;
                Alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm): Collective;
                Alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm): Collective;
                Reduce_c(sendbuf, recvbuf, count, datatype, op, root, comm): Collective;
                Allreduce_c(sendbuf, recvbuf, count, datatype, op, comm): Collective;
                Reduce_scatter_c(sendbuf, recvbuf, recvcounts, datatype, op, comm): Collective;
                Reduce_scatter_block_c(sendbuf, recvbuf, recvcount, datatype, op, comm): Collective;
                Scan_c(sendbuf, recvbuf, count, datatype, op, comm): Collective;
                Exscan_c(sendbuf, recvbuf, count, datatype, op, comm): Collective;
                Neighbor_allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm): Collective;
                Neighbor_allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm): Collective;
                Neighbor_alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm): Collective;
                Neighbor_alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm): Collective;
                Neighbor_alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm): Collective;
                Ibcast_c(buffer, count, datatype, root, comm, request): StartCollective;
                Igather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request): StartCollective;
                Igatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request): StartCollective;
                Iscatter_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request): StartCollective;
                Iscatterv_c(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request): StartCollective;
                Iallgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request): StartCollective;
                Iallgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request): StartCollective;
                Ialltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request): StartCollective;
                Ialltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request): StartCollective;
                Ialltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request): StartCollective;
                Ireduce_c(sendbuf, recvbuf, count, datatype, op, root, comm, request): StartCollective;
                Iallreduce_c(sendbuf, recvbuf, count, datatype, op, comm, request): StartCollective;
                Ireduce_scatter_c(sendbuf, recvbuf, recvcounts, datatype, op, comm, request): StartCollective;
                Ireduce_scatter_block_c(sendbuf, recvbuf, recvcount, datatype, op, comm, request): StartCollective;
                Iscan_c(sendbuf, recvbuf, count, datatype, op, comm, request): StartCollective;
                Iexscan_c(sendbuf, recvbuf, count, datatype, op, comm, request): StartCollective;
                Ineighbor_allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request): StartCollective;
                Ineighbor_allgatherv_c(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request): StartCollective;
                Ineighbor_alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request): StartCollective;
                Ineighbor_alltoallv_c(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request): StartCollective;
                Ineighbor_alltoallw_c(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request): StartCollective;
            }
        }
    };
}

macro_rules! tables {
    (
        common { $($name:ident($($argument:ident),*): $class:ident;)* }
        large { $($large:ident($($large_argument:ident),*): $large_class:ident;)* }
    ) => {
        /// Names of the functions, without `MPI_`, in the order of the list.
        pub const NAMES: &[&str] = &[$(stringify!($name),)* $(stringify!($large)),*];
        /// Their classes.
        pub const CLASSES: &[Class] = &[$(Class::$class,)* $(Class::$large_class),*];
        /// How many arguments each takes.
        pub const ARGUMENTS: &[usize] = &[
            $(<[&str]>::len(&[$(stringify!($argument)),*]),)*
            $(<[&str]>::len(&[$(stringify!($large_argument)),*])),*
        ];
        /// The first function whose counts are 64 bits wide: all from there on are so.
        pub const FIRST_LARGE: usize = <[&str]>::len(&[$(stringify!($name)),*]);
    };
}
mpi_functions!(tables);
