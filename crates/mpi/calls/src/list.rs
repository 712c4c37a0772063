//! THE list of MPI functions: one line each. The tracer makes its exports from it; logs name a
//! function by the number in it.
//!
//! A line holds the number, the name, for some the same function with large counts (`+`), the
//! arguments by their names in the standard, and what it does ([`Class`]): of calls that take part
//! in messages that says how the tracer reads the arguments.
//!
//! **A number is for good**: logs that exist use it. A new function takes the next one that is
//! free, wherever its line stands. The compiler refuses a number that is used twice or left out;
//! `tests/functions.rs` refuses other numbers than released versions used.

mod class;
mod tables;

pub use class::Class;
pub use tables::{ARGUMENTS, CLASSES, COUNT, NAMES, Operation, PLAIN, is_large};

/// Hands the list to a macro. After a `+` stand functions with large counts of MPI 4, which only
/// MPICH has: a library of their own exports them, lest a program take Open MPI to have them.
#[macro_export]
macro_rules! mpi_functions {
    ($with:path) => {
        $with! {
            0 Send + 215 Send_c(buf, count, datatype, dest, tag, comm): Send;
            1 Ssend + 216 Ssend_c(buf, count, datatype, dest, tag, comm): Send;
            2 Rsend + 217 Rsend_c(buf, count, datatype, dest, tag, comm): Send;
            3 Bsend + 218 Bsend_c(buf, count, datatype, dest, tag, comm): Send;
            4 Isend + 219 Isend_c(buf, count, datatype, dest, tag, comm, request): StartSend;
            5 Issend + 220 Issend_c(buf, count, datatype, dest, tag, comm, request): StartSend;
            6 Irsend + 221 Irsend_c(buf, count, datatype, dest, tag, comm, request): StartSend;
            7 Ibsend + 222 Ibsend_c(buf, count, datatype, dest, tag, comm, request): StartSend;
            8 Send_init + 223 Send_init_c(
                buf, count, datatype, dest, tag, comm, request
            ): PrepareSend;
            9 Ssend_init + 224 Ssend_init_c(
                buf, count, datatype, dest, tag, comm, request
            ): PrepareSend;
            10 Rsend_init + 225 Rsend_init_c(
                buf, count, datatype, dest, tag, comm, request
            ): PrepareSend;
            11 Bsend_init + 226 Bsend_init_c(
                buf, count, datatype, dest, tag, comm, request
            ): PrepareSend;
            12 Recv + 227 Recv_c(buf, count, datatype, source, tag, comm, status): Receive;
            13 Irecv + 228 Irecv_c(buf, count, datatype, source, tag, comm, request): StartReceive;
            14 Recv_init + 229 Recv_init_c(
                buf, count, datatype, source, tag, comm, request
            ): PrepareReceive;
            15 Sendrecv + 230 Sendrecv_c(
                sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                recvtag, comm, status
            ): SendReceive;
            16 Sendrecv_replace + 231 Sendrecv_replace_c(
                buf, count, datatype, dest, sendtag, source, recvtag, comm, status
            ): SendReceive;
            17 Probe(source, tag, comm, status): Probe;
            18 Iprobe(source, tag, comm, flag, status): Probe;
            19 Mprobe(source, tag, comm, message, status): MatchedProbe;
            20 Improbe(source, tag, comm, flag, message, status): MatchedProbe;
            21 Mrecv + 232 Mrecv_c(buf, count, datatype, message, status): MatchedReceive;
            22 Imrecv + 233 Imrecv_c(buf, count, datatype, message, request): MatchedReceive;
            23 Start(request): Start;
            24 Startall(count, array_of_requests): Start;
            25 Wait(request, status): Wait;
            26 Waitall(count, array_of_requests, array_of_statuses): Wait;
            27 Waitany(count, array_of_requests, index, status): Wait;
            28 Waitsome(
                incount, array_of_requests, outcount, array_of_indices, array_of_statuses
            ): Wait;
            29 Test(request, flag, status): Test;
            30 Testall(count, array_of_requests, flag, array_of_statuses): Test;
            31 Testany(count, array_of_requests, index, flag, status): Test;
            32 Testsome(
                incount, array_of_requests, outcount, array_of_indices, array_of_statuses
            ): Test;
            33 Request_get_status(request, flag, status): Inspect;
            34 Cancel(request): Request;
            35 Request_free(request): Request;
            36 Barrier(comm): Collective;
            37 Bcast + 234 Bcast_c(buffer, count, datatype, root, comm): Collective;
            38 Gather + 235 Gather_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm
            ): Collective;
            39 Gatherv + 236 Gatherv_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm
            ): Collective;
            40 Scatter + 237 Scatter_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm
            ): Collective;
            41 Scatterv + 238 Scatterv_c(
                sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm
            ): Collective;
            42 Allgather + 239 Allgather_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
            ): Collective;
            43 Allgatherv + 240 Allgatherv_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm
            ): Collective;
            44 Alltoall + 241 Alltoall_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
            ): Collective;
            45 Alltoallv + 242 Alltoallv_c(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm
            ): Collective;
            46 Alltoallw + 243 Alltoallw_c(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm
            ): Collective;
            47 Reduce + 244 Reduce_c(sendbuf, recvbuf, count, datatype, op, root, comm): Collective;
            48 Allreduce + 245 Allreduce_c(sendbuf, recvbuf, count, datatype, op, comm): Collective;
            49 Reduce_scatter + 246 Reduce_scatter_c(
                sendbuf, recvbuf, recvcounts, datatype, op, comm
            ): Collective;
            50 Reduce_scatter_block + 247 Reduce_scatter_block_c(
                sendbuf, recvbuf, recvcount, datatype, op, comm
            ): Collective;
            51 Scan + 248 Scan_c(sendbuf, recvbuf, count, datatype, op, comm): Collective;
            52 Exscan + 249 Exscan_c(sendbuf, recvbuf, count, datatype, op, comm): Collective;
            53 Neighbor_allgather + 250 Neighbor_allgather_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
            ): Collective;
            54 Neighbor_allgatherv + 251 Neighbor_allgatherv_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm
            ): Collective;
            55 Neighbor_alltoall + 252 Neighbor_alltoall_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
            ): Collective;
            56 Neighbor_alltoallv + 253 Neighbor_alltoallv_c(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm
            ): Collective;
            57 Neighbor_alltoallw + 254 Neighbor_alltoallw_c(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm
            ): Collective;
            58 Ibarrier(comm, request): StartCollective;
            59 Ibcast + 255 Ibcast_c(buffer, count, datatype, root, comm, request): StartCollective;
            60 Igather + 256 Igather_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request
            ): StartCollective;
            61 Igatherv + 257 Igatherv_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                request
            ): StartCollective;
            62 Iscatter + 258 Iscatter_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request
            ): StartCollective;
            63 Iscatterv + 259 Iscatterv_c(
                sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                request
            ): StartCollective;
            64 Iallgather + 260 Iallgather_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request
            ): StartCollective;
            65 Iallgatherv + 261 Iallgatherv_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request
            ): StartCollective;
            66 Ialltoall + 262 Ialltoall_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request
            ): StartCollective;
            67 Ialltoallv + 263 Ialltoallv_c(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, request
            ): StartCollective;
            68 Ialltoallw + 264 Ialltoallw_c(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, request
            ): StartCollective;
            69 Ireduce + 265 Ireduce_c(
                sendbuf, recvbuf, count, datatype, op, root, comm, request
            ): StartCollective;
            70 Iallreduce + 266 Iallreduce_c(
                sendbuf, recvbuf, count, datatype, op, comm, request
            ): StartCollective;
            71 Ireduce_scatter + 267 Ireduce_scatter_c(
                sendbuf, recvbuf, recvcounts, datatype, op, comm, request
            ): StartCollective;
            72 Ireduce_scatter_block + 268 Ireduce_scatter_block_c(
                sendbuf, recvbuf, recvcount, datatype, op, comm, request
            ): StartCollective;
            73 Iscan + 269 Iscan_c(
                sendbuf, recvbuf, count, datatype, op, comm, request
            ): StartCollective;
            74 Iexscan + 270 Iexscan_c(
                sendbuf, recvbuf, count, datatype, op, comm, request
            ): StartCollective;
            75 Ineighbor_allgather + 271 Ineighbor_allgather_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request
            ): StartCollective;
            76 Ineighbor_allgatherv + 272 Ineighbor_allgatherv_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request
            ): StartCollective;
            77 Ineighbor_alltoall + 273 Ineighbor_alltoall_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request
            ): StartCollective;
            78 Ineighbor_alltoallv + 274 Ineighbor_alltoallv_c(
                sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, request
            ): StartCollective;
            79 Ineighbor_alltoallw + 275 Ineighbor_alltoallw_c(
                sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, request
            ): StartCollective;
            80 Comm_dup(comm, newcomm): Communicator;
            81 Comm_dup_with_info(comm, info, newcomm): Communicator;
            82 Comm_idup(comm, newcomm, request): Communicator;
            83 Comm_create(comm, group, newcomm): Communicator;
            84 Comm_create_group(comm, group, tag, newcomm): Communicator;
            85 Comm_split(comm, color, key, newcomm): Communicator;
            86 Comm_split_type(comm, split_type, key, info, newcomm): Communicator;
            87 Cart_create(comm, ndims, dims, periods, reorder, newcomm): Communicator;
            88 Cart_sub(comm, remain_dims, newcomm): Communicator;
            89 Graph_create(comm, nnodes, index, edges, reorder, newcomm): Communicator;
            90 Dist_graph_create(
                comm, n, nodes, degrees, targets, weights, info, reorder, newcomm
            ): Communicator;
            91 Dist_graph_create_adjacent(
                comm, indegree, sources, sourceweights, outdegree, destinations, destweights, info,
                reorder, newcomm
            ): Communicator;
            92 Intercomm_create(
                comm, local_leader, bridge_comm, remote_leader, tag, newcomm
            ): Communicator;
            93 Intercomm_merge(comm, high, newcomm): Communicator;
            94 Comm_accept(port_name, info, root, comm, newcomm): Communicator;
            95 Comm_connect(port_name, info, root, comm, newcomm): Communicator;
            96 Comm_join(fd, newcomm): Communicator;
            97 Comm_spawn(
                command, argv, maxprocs, info, root, comm, newcomm, array_of_errcodes
            ): Communicator;
            98 Comm_spawn_multiple(
                count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root,
                comm, newcomm, array_of_errcodes
            ): Communicator;
            99 Comm_free(old): Communicator;
            100 Comm_disconnect(old): Communicator;
            101 Type_free(datatype): Datatype;
            102 Init(argc, argv): Life;
            103 Init_thread(argc, argv, required, provided): Life;
            104 Finalize(): Life;
            105 Abort(comm, errorcode): Life;
            106 Accumulate(
                origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, op, win
            ): Other;
            107 Buffer_attach(buffer, size): Other;
            108 Buffer_detach(buffer, size): Other;
            109 Close_port(port_name): Other;
            110 Compare_and_swap(
                origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win
            ): Other;
            111 Fetch_and_op(
                origin_addr, result_addr, datatype, target_rank, target_disp, op, win
            ): Other;
            112 File_close(fh): Other;
            113 File_delete(filename, info): Other;
            114 File_get_view(fh, disp, etype, filetype, datarep): Other;
            115 File_iread(fh, buf, count, datatype, request): Other;
            116 File_iread_all(fh, buf, count, datatype, request): Other;
            117 File_iread_at(fh, offset, buf, count, datatype, request): Other;
            118 File_iread_at_all(fh, offset, buf, count, datatype, request): Other;
            119 File_iread_shared(fh, buf, count, datatype, request): Other;
            120 File_iwrite(fh, buf, count, datatype, request): Other;
            121 File_iwrite_all(fh, buf, count, datatype, request): Other;
            122 File_iwrite_at(fh, offset, buf, count, datatype, request): Other;
            123 File_iwrite_at_all(fh, offset, buf, count, datatype, request): Other;
            124 File_iwrite_shared(fh, buf, count, datatype, request): Other;
            125 File_open(comm, filename, amode, info, fh): Other;
            126 File_preallocate(fh, size): Other;
            127 File_read(fh, buf, count, datatype, status): Other;
            128 File_read_all(fh, buf, count, datatype, status): Other;
            129 File_read_all_begin(fh, buf, count, datatype): Other;
            130 File_read_all_end(fh, buf, status): Other;
            131 File_read_at(fh, offset, buf, count, datatype, status): Other;
            132 File_read_at_all(fh, offset, buf, count, datatype, status): Other;
            133 File_read_at_all_begin(fh, offset, buf, count, datatype): Other;
            134 File_read_at_all_end(fh, buf, status): Other;
            135 File_read_ordered(fh, buf, count, datatype, status): Other;
            136 File_read_ordered_begin(fh, buf, count, datatype): Other;
            137 File_read_ordered_end(fh, buf, status): Other;
            138 File_read_shared(fh, buf, count, datatype, status): Other;
            139 File_seek(fh, offset, whence): Other;
            140 File_seek_shared(fh, offset, whence): Other;
            141 File_set_atomicity(fh, flag): Other;
            142 File_set_size(fh, size): Other;
            143 File_set_view(fh, disp, etype, filetype, datarep, info): Other;
            144 File_sync(fh): Other;
            145 File_write(fh, buf, count, datatype, status): Other;
            146 File_write_all(fh, buf, count, datatype, status): Other;
            147 File_write_all_begin(fh, buf, count, datatype): Other;
            148 File_write_all_end(fh, buf, status): Other;
            149 File_write_at(fh, offset, buf, count, datatype, status): Other;
            150 File_write_at_all(fh, offset, buf, count, datatype, status): Other;
            151 File_write_at_all_begin(fh, offset, buf, count, datatype): Other;
            152 File_write_at_all_end(fh, buf, status): Other;
            153 File_write_ordered(fh, buf, count, datatype, status): Other;
            154 File_write_ordered_begin(fh, buf, count, datatype): Other;
            155 File_write_ordered_end(fh, buf, status): Other;
            156 File_write_shared(fh, buf, count, datatype, status): Other;
            157 Get(
                origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, win
            ): Other;
            158 Get_accumulate(
                origin_addr, origin_count, origin_datatype, result_addr, result_count,
                result_datatype, target_rank, target_disp, target_count, target_datatype, op, win
            ): Other;
            159 Grequest_complete(request): Other;
            160 Grequest_start(query_fn, free_fn, cancel_fn, extra_state, request): Other;
            161 Lookup_name(service_name, info, port_name): Other;
            162 Open_port(info, port_name): Other;
            163 Pack(inbuf, incount, datatype, outbuf, outsize, position, comm): Other;
            164 Pack_external(datarep, inbuf, incount, datatype, outbuf, outsize, position): Other;
            165 Pack_external_size(datarep, incount, datatype, size): Other;
            166 Pack_size(incount, datatype, comm, size): Other;
            167 Publish_name(service_name, info, port_name): Other;
            168 Put(
                origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, win
            ): Other;
            169 Raccumulate(
                origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, op, win, request
            ): Other;
            170 Reduce_local(inbuf, inoutbuf, count, datatype, op): Other;
            171 Register_datarep(
                datarep, read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, extra_state
            ): Other;
            172 Rget(
                origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, win, request
            ): Other;
            173 Rget_accumulate(
                origin_addr, origin_count, origin_datatype, result_addr, result_count,
                result_datatype, target_rank, target_disp, target_count, target_datatype, op, win,
                request
            ): Other;
            174 Rput(
                origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, win, request
            ): Other;
            175 Type_commit(datatype): Other;
            176 Type_contiguous(count, oldtype, newtype): Other;
            177 Type_create_darray(
                size, rank, ndims, gsize_array, distrib_array, darg_array, psize_array, order,
                oldtype, newtype
            ): Other;
            178 Type_create_hindexed(
                count, array_of_blocklengths, array_of_displacements, oldtype, newtype
            ): Other;
            179 Type_create_hindexed_block(
                count, blocklength, array_of_displacements, oldtype, newtype
            ): Other;
            180 Type_create_hvector(count, blocklength, stride, oldtype, newtype): Other;
            181 Type_create_indexed_block(
                count, blocklength, array_of_displacements, oldtype, newtype
            ): Other;
            182 Type_create_resized(oldtype, lb, extent, newtype): Other;
            183 Type_create_struct(
                count, array_of_block_lengths, array_of_displacements, array_of_types, newtype
            ): Other;
            184 Type_create_subarray(
                ndims, size_array, subsize_array, start_array, order, oldtype, newtype
            ): Other;
            185 Type_dup(datatype, newtype): Other;
            186 Type_indexed(
                count, array_of_blocklengths, array_of_displacements, oldtype, newtype
            ): Other;
            187 Type_vector(count, blocklength, stride, oldtype, newtype): Other;
            188 Unpack(inbuf, insize, position, outbuf, outcount, datatype, comm): Other;
            189 Unpack_external(
                datarep, inbuf, insize, position, outbuf, outcount, datatype
            ): Other;
            190 Unpublish_name(service_name, info, port_name): Other;
            191 Win_allocate(size, disp_unit, info, comm, baseptr, win): Other;
            192 Win_allocate_shared(size, disp_unit, info, comm, baseptr, win): Other;
            193 Win_attach(win, base, size): Other;
            194 Win_complete(win): Other;
            195 Win_create(base, size, disp_unit, info, comm, win): Other;
            196 Win_create_dynamic(info, comm, win): Other;
            197 Win_detach(win, base): Other;
            198 Win_fence(assert, win): Other;
            199 Win_flush(rank, win): Other;
            200 Win_flush_all(win): Other;
            201 Win_flush_local(rank, win): Other;
            202 Win_flush_local_all(win): Other;
            203 Win_free(win): Other;
            204 Win_get_group(win, group): Other;
            205 Win_lock(lock_type, rank, assert, win): Other;
            206 Win_lock_all(assert, win): Other;
            207 Win_post(group, assert, win): Other;
            208 Win_shared_query(win, rank, size, disp_unit, baseptr): Other;
            209 Win_start(group, assert, win): Other;
            210 Win_sync(win): Other;
            211 Win_test(win, flag): Other;
            212 Win_unlock(rank, win): Other;
            213 Win_unlock_all(win): Other;
            214 Win_wait(win): Other;
        }
    };
}
