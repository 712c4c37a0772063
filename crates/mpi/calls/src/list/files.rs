//! Files.

/// Adds them to the lines before, and hands all on.
#[doc(hidden)]
#[macro_export]
macro_rules! mpi_files {
    ($with:path, $($before:tt)*) => {
        $crate::mpi_other! {
            $with,
            $($before)*
            112 File_close(inout fh): Other;
            113 File_delete(in filename, info): Other;
            114 File_get_view(fh, out disp, out etype, out filetype, out datarep): Local;
            115 File_iread + 357 File_iread_c(fh, buf, count, datatype, out request): Other;
            116 File_iread_all + 358 File_iread_all_c(
                fh, buf, count, datatype, out request
            ): Other;
            117 File_iread_at + 359 File_iread_at_c(
                fh, offset, buf, count, datatype, out request
            ): Other;
            118 File_iread_at_all + 360 File_iread_at_all_c(
                fh, offset, buf, count, datatype, out request
            ): Other;
            119 File_iread_shared + 361 File_iread_shared_c(
                fh, buf, count, datatype, out request
            ): Other;
            120 File_iwrite + 362 File_iwrite_c(fh, buf, count, datatype, out request): Other;
            121 File_iwrite_all + 363 File_iwrite_all_c(
                fh, buf, count, datatype, out request
            ): Other;
            122 File_iwrite_at + 364 File_iwrite_at_c(
                fh, offset, buf, count, datatype, out request
            ): Other;
            123 File_iwrite_at_all + 365 File_iwrite_at_all_c(
                fh, offset, buf, count, datatype, out request
            ): Other;
            124 File_iwrite_shared + 366 File_iwrite_shared_c(
                fh, buf, count, datatype, out request
            ): Other;
            125 File_open(comm, in filename, amode, info, out fh): Other;
            126 File_preallocate(fh, size): Other;
            127 File_read + 367 File_read_c(fh, buf, count, datatype, out status): Other;
            128 File_read_all + 368 File_read_all_c(
                fh, buf, count, datatype, out status
            ): Other;
            129 File_read_all_begin + 369 File_read_all_begin_c(
                fh, buf, count, datatype
            ): Other;
            130 File_read_all_end(fh, buf, out status): Other;
            131 File_read_at + 370 File_read_at_c(
                fh, offset, buf, count, datatype, out status
            ): Other;
            132 File_read_at_all + 371 File_read_at_all_c(
                fh, offset, buf, count, datatype, out status
            ): Other;
            133 File_read_at_all_begin + 372 File_read_at_all_begin_c(
                fh, offset, buf, count, datatype
            ): Other;
            134 File_read_at_all_end(fh, buf, out status): Other;
            135 File_read_ordered + 373 File_read_ordered_c(
                fh, buf, count, datatype, out status
            ): Other;
            136 File_read_ordered_begin + 374 File_read_ordered_begin_c(
                fh, buf, count, datatype
            ): Other;
            137 File_read_ordered_end(fh, buf, out status): Other;
            138 File_read_shared + 375 File_read_shared_c(
                fh, buf, count, datatype, out status
            ): Other;
            139 File_seek(fh, offset, whence): Local;
            140 File_seek_shared(fh, offset, whence): Other;
            141 File_set_atomicity(fh, flag): Other;
            142 File_set_size(fh, size): Other;
            143 File_set_view(fh, disp, etype, filetype, in datarep, info): Other;
            144 File_sync(fh): Other;
            145 File_write + 376 File_write_c(fh, buf, count, datatype, out status): Other;
            146 File_write_all + 377 File_write_all_c(
                fh, buf, count, datatype, out status
            ): Other;
            147 File_write_all_begin + 378 File_write_all_begin_c(
                fh, buf, count, datatype
            ): Other;
            148 File_write_all_end(fh, buf, out status): Other;
            149 File_write_at + 379 File_write_at_c(
                fh, offset, buf, count, datatype, out status
            ): Other;
            150 File_write_at_all + 380 File_write_at_all_c(
                fh, offset, buf, count, datatype, out status
            ): Other;
            151 File_write_at_all_begin + 381 File_write_at_all_begin_c(
                fh, offset, buf, count, datatype
            ): Other;
            152 File_write_at_all_end(fh, buf, out status): Other;
            153 File_write_ordered + 382 File_write_ordered_c(
                fh, buf, count, datatype, out status
            ): Other;
            154 File_write_ordered_begin + 383 File_write_ordered_begin_c(
                fh, buf, count, datatype
            ): Other;
            155 File_write_ordered_end(fh, buf, out status): Other;
            156 File_write_shared + 384 File_write_shared_c(
                fh, buf, count, datatype, out status
            ): Other;
            171 Register_datarep(
                in datarep, read_conversion_fn, write_conversion_fn, dtype_file_extent_fn,
                extra_state
            ): Local;
            353 File_set_info(fh, info): Other;
            354 File_get_position_shared(fh, out offset): Other;
        }
    };
}
