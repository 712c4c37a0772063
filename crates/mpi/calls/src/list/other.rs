//! What is left: buffers, names of services, packing, datatypes.

/// Adds them to the lines before, and hands all on.
#[doc(hidden)]
#[macro_export]
macro_rules! mpi_other {
    ($with:path, $($before:tt)*) => {
        $with! {
            $($before)*
            107 Buffer_attach(buffer, size): Local;
            108 Buffer_detach + 356 Buffer_detach_c(buffer, out size): Other;
            109 Close_port(in port_name): Local;
            159 Grequest_complete(request): Local;
            160 Grequest_start(query_fn, free_fn, cancel_fn, extra_state, out request): Local;
            161 Lookup_name(in service_name, info, out port_name): Other;
            162 Open_port(info, out port_name): Local;
            163 Pack(inbuf, incount, datatype, outbuf, outsize, inout position, comm): Local;
            164 Pack_external(
                in datarep, inbuf, incount, datatype, outbuf, outsize, inout position
            ): Local;
            165 Pack_external_size(in datarep, incount, datatype, out size): Local;
            166 Pack_size(incount, datatype, comm, out size): Local;
            167 Publish_name(in service_name, info, in port_name): Other;
            170 Reduce_local(inbuf, inoutbuf, count, datatype, op): Local;
            175 Type_commit(inout datatype): Local;
            176 Type_contiguous(count, oldtype, out newtype): Local;
            177 Type_create_darray(
                size, rank, ndims, in gsize_array, in distrib_array, in darg_array,
                in psize_array, order, oldtype, out newtype
            ): Local;
            178 Type_create_hindexed(
                count, in array_of_blocklengths, in array_of_displacements, oldtype, out newtype
            ): Local;
            179 Type_create_hindexed_block(
                count, blocklength, in array_of_displacements, oldtype, out newtype
            ): Local;
            180 Type_create_hvector(count, blocklength, stride, oldtype, out newtype): Local;
            181 Type_create_indexed_block(
                count, blocklength, in array_of_displacements, oldtype, out newtype
            ): Local;
            182 Type_create_resized(oldtype, lb, extent, out newtype): Local;
            183 Type_create_struct(
                count, in array_of_block_lengths, in array_of_displacements, in array_of_types,
                out newtype
            ): Local;
            184 Type_create_subarray(
                ndims, in size_array, in subsize_array, in start_array, order, oldtype,
                out newtype
            ): Local;
            185 Type_dup(datatype, out newtype): Local;
            186 Type_indexed(
                count, in array_of_blocklengths, in array_of_displacements, oldtype, out newtype
            ): Local;
            187 Type_vector(count, blocklength, stride, oldtype, out newtype): Local;
            188 Unpack(inbuf, insize, inout position, outbuf, outcount, datatype, comm): Local;
            189 Unpack_external(
                in datarep, inbuf, insize, inout position, outbuf, outcount, datatype
            ): Local;
            190 Unpublish_name(in service_name, info, in port_name): Other;
            337 Buffer_flush(): Other;
            338 Buffer_iflush(out request): Other;
            339 Comm_attach_buffer + 340 Comm_attach_buffer_c(comm, buffer, size): Local;
            341 Comm_detach_buffer + 342 Comm_detach_buffer_c(
                comm, buffer_addr, out size
            ): Other;
            343 Comm_flush_buffer(comm): Other;
            344 Comm_iflush_buffer(comm, out request): Other;
            345 Session_attach_buffer + 346 Session_attach_buffer_c(
                session, buffer, size
            ): Local;
            347 Session_detach_buffer + 348 Session_detach_buffer_c(
                session, buffer_addr, out size
            ): Other;
            349 Session_flush_buffer(session): Other;
            350 Session_iflush_buffer(session, out request): Other;
        }
    };
}
