//! Messages from rank to rank, and the requests of all calls.

/// Adds them to the lines before, and hands all on.
#[doc(hidden)]
#[macro_export]
macro_rules! mpi_messages {
    ($with:path, $($before:tt)*) => {
        $crate::mpi_collectives! {
            $with,
            $($before)*
            0 Send + 215 Send_c(buf, count, datatype, dest, tag, comm): Send;
            1 Ssend + 216 Ssend_c(buf, count, datatype, dest, tag, comm): Send;
            2 Rsend + 217 Rsend_c(buf, count, datatype, dest, tag, comm): Send;
            3 Bsend + 218 Bsend_c(buf, count, datatype, dest, tag, comm): Send;
            4 Isend + 219 Isend_c(
                buf, count, datatype, dest, tag, comm, out request
            ): StartSend;
            5 Issend + 220 Issend_c(
                buf, count, datatype, dest, tag, comm, out request
            ): StartSend;
            6 Irsend + 221 Irsend_c(
                buf, count, datatype, dest, tag, comm, out request
            ): StartSend;
            7 Ibsend + 222 Ibsend_c(
                buf, count, datatype, dest, tag, comm, out request
            ): StartSend;
            8 Send_init + 223 Send_init_c(
                buf, count, datatype, dest, tag, comm, out request
            ): PrepareSend;
            9 Ssend_init + 224 Ssend_init_c(
                buf, count, datatype, dest, tag, comm, out request
            ): PrepareSend;
            10 Rsend_init + 225 Rsend_init_c(
                buf, count, datatype, dest, tag, comm, out request
            ): PrepareSend;
            11 Bsend_init + 226 Bsend_init_c(
                buf, count, datatype, dest, tag, comm, out request
            ): PrepareSend;
            12 Recv + 227 Recv_c(buf, count, datatype, source, tag, comm, out status): Receive;
            13 Irecv + 228 Irecv_c(
                buf, count, datatype, source, tag, comm, out request
            ): StartReceive;
            14 Recv_init + 229 Recv_init_c(
                buf, count, datatype, source, tag, comm, out request
            ): PrepareReceive;
            15 Sendrecv + 230 Sendrecv_c(
                sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                source, recvtag, comm, out status
            ): SendReceive;
            16 Sendrecv_replace + 231 Sendrecv_replace_c(
                buf, count, datatype, dest, sendtag, source, recvtag, comm, out status
            ): SendReceive;
            17 Probe(source, tag, comm, out status): Probe;
            18 Iprobe(source, tag, comm, out flag, out status): Probe;
            19 Mprobe(source, tag, comm, out message, out status): MatchedProbe;
            20 Improbe(source, tag, comm, out flag, out message, out status): MatchedProbe;
            21 Mrecv + 232 Mrecv_c(
                buf, count, datatype, inout message, out status
            ): MatchedReceive;
            22 Imrecv + 233 Imrecv_c(
                buf, count, datatype, inout message, out request
            ): MatchedReceive;
            23 Start(inout request): Start;
            24 Startall(count, inout array_of_requests): Start;
            25 Wait(inout request, out status): Wait;
            26 Waitall(count, inout array_of_requests, out array_of_statuses): Wait;
            27 Waitany(count, inout array_of_requests, out index, out status): Wait;
            28 Waitsome(
                incount, inout array_of_requests, out outcount, out array_of_indices,
                out array_of_statuses
            ): Wait;
            29 Test(inout request, out flag, out status): Test;
            30 Testall(count, inout array_of_requests, out flag, out array_of_statuses): Test;
            31 Testany(count, inout array_of_requests, out index, out flag, out status): Test;
            32 Testsome(
                incount, inout array_of_requests, out outcount, out array_of_indices,
                out array_of_statuses
            ): Test;
            33 Request_get_status(request, out flag, out status): Inspect;
            34 Cancel(inout request): Request;
            35 Request_free(inout request): Request;
            276 Isendrecv + 277 Isendrecv_c(
                sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                source, recvtag, comm, out request
            ): StartSendReceive;
            278 Isendrecv_replace + 279 Isendrecv_replace_c(
                buf, count, datatype, dest, sendtag, source, recvtag, comm, out request
            ): StartSendReceive;
            280 Psend_init(
                buf, partitions, count, datatype, dest, tag, comm, info, out request
            ): PrepareSend;
            281 Precv_init(
                buf, partitions, count, datatype, source, tag, comm, info, out request
            ): PrepareReceive;
            282 Pready(partition, request): Ready;
            283 Pready_range(partition_low, partition_high, request): Ready;
            284 Pready_list(length, in array_of_partitions, request): Ready;
            285 Parrived(request, partition, out flag): Inspect;
            334 Request_get_status_all(
                count, in array_of_requests, out flag, out array_of_statuses
            ): Inspect;
            335 Request_get_status_any(
                count, in array_of_requests, out index, out flag, out status
            ): Inspect;
            336 Request_get_status_some(
                incount, in array_of_requests, out outcount, out array_of_indices,
                out array_of_statuses
            ): Inspect;
        }
    };
}
