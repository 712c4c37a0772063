//! Collectives that are prepared once and started again and again.

/// Adds them to the lines before, and hands all on.
#[doc(hidden)]
#[macro_export]
macro_rules! mpi_persistent {
    ($with:path, $($before:tt)*) => {
        $crate::mpi_groups! {
            $with,
            $($before)*
            286 Barrier_init(comm, info, out request): PrepareCollective;
            287 Bcast_init + 288 Bcast_init_c(
                buffer, count, datatype, root, comm, info, out request
            ): PrepareCollective;
            289 Gather_init + 290 Gather_init_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
                out request
            ): PrepareCollective;
            291 Gatherv_init + 292 Gatherv_init_c(
                sendbuf, sendcount, sendtype, recvbuf, in recvcounts, in displs, recvtype, root,
                comm, info, out request
            ): PrepareCollective;
            293 Scatter_init + 294 Scatter_init_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
                out request
            ): PrepareCollective;
            295 Scatterv_init + 296 Scatterv_init_c(
                sendbuf, in sendcounts, in displs, sendtype, recvbuf, recvcount, recvtype, root,
                comm, info, out request
            ): PrepareCollective;
            297 Allgather_init + 298 Allgather_init_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
                out request
            ): PrepareCollective;
            299 Allgatherv_init + 300 Allgatherv_init_c(
                sendbuf, sendcount, sendtype, recvbuf, in recvcounts, in displs, recvtype, comm,
                info, out request
            ): PrepareCollective;
            301 Alltoall_init + 302 Alltoall_init_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
                out request
            ): PrepareCollective;
            303 Alltoallv_init + 304 Alltoallv_init_c(
                sendbuf, in sendcounts, in sdispls, sendtype, recvbuf, in recvcounts,
                in rdispls, recvtype, comm, info, out request
            ): PrepareCollective;
            305 Alltoallw_init + 306 Alltoallw_init_c(
                sendbuf, in sendcounts, in sdispls, in sendtypes, recvbuf, in recvcounts,
                in rdispls, in recvtypes, comm, info, out request
            ): PrepareCollective;
            307 Reduce_init + 308 Reduce_init_c(
                sendbuf, recvbuf, count, datatype, op, root, comm, info, out request
            ): PrepareCollective;
            309 Allreduce_init + 310 Allreduce_init_c(
                sendbuf, recvbuf, count, datatype, op, comm, info, out request
            ): PrepareCollective;
            311 Reduce_scatter_init + 312 Reduce_scatter_init_c(
                sendbuf, recvbuf, in recvcounts, datatype, op, comm, info, out request
            ): PrepareCollective;
            313 Reduce_scatter_block_init + 314 Reduce_scatter_block_init_c(
                sendbuf, recvbuf, recvcount, datatype, op, comm, info, out request
            ): PrepareCollective;
            315 Scan_init + 316 Scan_init_c(
                sendbuf, recvbuf, count, datatype, op, comm, info, out request
            ): PrepareCollective;
            317 Exscan_init + 318 Exscan_init_c(
                sendbuf, recvbuf, count, datatype, op, comm, info, out request
            ): PrepareCollective;
            319 Neighbor_allgather_init + 320 Neighbor_allgather_init_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
                out request
            ): PrepareCollective;
            321 Neighbor_allgatherv_init + 322 Neighbor_allgatherv_init_c(
                sendbuf, sendcount, sendtype, recvbuf, in recvcounts, in displs, recvtype, comm,
                info, out request
            ): PrepareCollective;
            323 Neighbor_alltoall_init + 324 Neighbor_alltoall_init_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
                out request
            ): PrepareCollective;
            325 Neighbor_alltoallv_init + 326 Neighbor_alltoallv_init_c(
                sendbuf, in sendcounts, in sdispls, sendtype, recvbuf, in recvcounts,
                in rdispls, recvtype, comm, info, out request
            ): PrepareCollective;
            327 Neighbor_alltoallw_init + 328 Neighbor_alltoallw_init_c(
                sendbuf, in sendcounts, in sdispls, in sendtypes, recvbuf, in recvcounts,
                in rdispls, in recvtypes, comm, info, out request
            ): PrepareCollective;
        }
    };
}
