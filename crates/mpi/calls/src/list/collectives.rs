//! Collectives.

/// Adds them to the lines before, and hands all on.
#[doc(hidden)]
#[macro_export]
macro_rules! mpi_collectives {
    ($with:path, $($before:tt)*) => {
        $crate::mpi_persistent! {
            $with,
            $($before)*
            36 Barrier(comm): Collective;
            37 Bcast + 234 Bcast_c(buffer, count, datatype, root, comm): Collective;
            38 Gather + 235 Gather_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm
            ): Collective;
            39 Gatherv + 236 Gatherv_c(
                sendbuf, sendcount, sendtype, recvbuf, in recvcounts, in displs, recvtype, root,
                comm
            ): Collective;
            40 Scatter + 237 Scatter_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm
            ): Collective;
            41 Scatterv + 238 Scatterv_c(
                sendbuf, in sendcounts, in displs, sendtype, recvbuf, recvcount, recvtype, root,
                comm
            ): Collective;
            42 Allgather + 239 Allgather_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
            ): Collective;
            43 Allgatherv + 240 Allgatherv_c(
                sendbuf, sendcount, sendtype, recvbuf, in recvcounts, in displs, recvtype, comm
            ): Collective;
            44 Alltoall + 241 Alltoall_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
            ): Collective;
            45 Alltoallv + 242 Alltoallv_c(
                sendbuf, in sendcounts, in sdispls, sendtype, recvbuf, in recvcounts,
                in rdispls, recvtype, comm
            ): Collective;
            46 Alltoallw + 243 Alltoallw_c(
                sendbuf, in sendcounts, in sdispls, in sendtypes, recvbuf, in recvcounts,
                in rdispls, in recvtypes, comm
            ): Collective;
            47 Reduce + 244 Reduce_c(
                sendbuf, recvbuf, count, datatype, op, root, comm
            ): Collective;
            48 Allreduce + 245 Allreduce_c(
                sendbuf, recvbuf, count, datatype, op, comm
            ): Collective;
            49 Reduce_scatter + 246 Reduce_scatter_c(
                sendbuf, recvbuf, in recvcounts, datatype, op, comm
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
                sendbuf, sendcount, sendtype, recvbuf, in recvcounts, in displs, recvtype, comm
            ): Collective;
            55 Neighbor_alltoall + 252 Neighbor_alltoall_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
            ): Collective;
            56 Neighbor_alltoallv + 253 Neighbor_alltoallv_c(
                sendbuf, in sendcounts, in sdispls, sendtype, recvbuf, in recvcounts,
                in rdispls, recvtype, comm
            ): Collective;
            57 Neighbor_alltoallw + 254 Neighbor_alltoallw_c(
                sendbuf, in sendcounts, in sdispls, in sendtypes, recvbuf, in recvcounts,
                in rdispls, in recvtypes, comm
            ): Collective;
            58 Ibarrier(comm, out request): StartCollective;
            59 Ibcast + 255 Ibcast_c(
                buffer, count, datatype, root, comm, out request
            ): StartCollective;
            60 Igather + 256 Igather_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                out request
            ): StartCollective;
            61 Igatherv + 257 Igatherv_c(
                sendbuf, sendcount, sendtype, recvbuf, in recvcounts, in displs, recvtype, root,
                comm, out request
            ): StartCollective;
            62 Iscatter + 258 Iscatter_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                out request
            ): StartCollective;
            63 Iscatterv + 259 Iscatterv_c(
                sendbuf, in sendcounts, in displs, sendtype, recvbuf, recvcount, recvtype, root,
                comm, out request
            ): StartCollective;
            64 Iallgather + 260 Iallgather_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, out request
            ): StartCollective;
            65 Iallgatherv + 261 Iallgatherv_c(
                sendbuf, sendcount, sendtype, recvbuf, in recvcounts, in displs, recvtype, comm,
                out request
            ): StartCollective;
            66 Ialltoall + 262 Ialltoall_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, out request
            ): StartCollective;
            67 Ialltoallv + 263 Ialltoallv_c(
                sendbuf, in sendcounts, in sdispls, sendtype, recvbuf, in recvcounts,
                in rdispls, recvtype, comm, out request
            ): StartCollective;
            68 Ialltoallw + 264 Ialltoallw_c(
                sendbuf, in sendcounts, in sdispls, in sendtypes, recvbuf, in recvcounts,
                in rdispls, in recvtypes, comm, out request
            ): StartCollective;
            69 Ireduce + 265 Ireduce_c(
                sendbuf, recvbuf, count, datatype, op, root, comm, out request
            ): StartCollective;
            70 Iallreduce + 266 Iallreduce_c(
                sendbuf, recvbuf, count, datatype, op, comm, out request
            ): StartCollective;
            71 Ireduce_scatter + 267 Ireduce_scatter_c(
                sendbuf, recvbuf, in recvcounts, datatype, op, comm, out request
            ): StartCollective;
            72 Ireduce_scatter_block + 268 Ireduce_scatter_block_c(
                sendbuf, recvbuf, recvcount, datatype, op, comm, out request
            ): StartCollective;
            73 Iscan + 269 Iscan_c(
                sendbuf, recvbuf, count, datatype, op, comm, out request
            ): StartCollective;
            74 Iexscan + 270 Iexscan_c(
                sendbuf, recvbuf, count, datatype, op, comm, out request
            ): StartCollective;
            75 Ineighbor_allgather + 271 Ineighbor_allgather_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, out request
            ): StartCollective;
            76 Ineighbor_allgatherv + 272 Ineighbor_allgatherv_c(
                sendbuf, sendcount, sendtype, recvbuf, in recvcounts, in displs, recvtype, comm,
                out request
            ): StartCollective;
            77 Ineighbor_alltoall + 273 Ineighbor_alltoall_c(
                sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, out request
            ): StartCollective;
            78 Ineighbor_alltoallv + 274 Ineighbor_alltoallv_c(
                sendbuf, in sendcounts, in sdispls, sendtype, recvbuf, in recvcounts,
                in rdispls, recvtype, comm, out request
            ): StartCollective;
            79 Ineighbor_alltoallw + 275 Ineighbor_alltoallw_c(
                sendbuf, in sendcounts, in sdispls, in sendtypes, recvbuf, in recvcounts,
                in rdispls, in recvtypes, comm, out request
            ): StartCollective;
        }
    };
}
