//! One-sided communication.

/// Adds them to the lines before, and hands all on.
#[doc(hidden)]
#[macro_export]
macro_rules! mpi_one_sided {
    ($with:path, $($before:tt)*) => {
        $crate::mpi_files! {
            $with,
            $($before)*
            106 Accumulate + 355 Accumulate_c(
                origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                target_count, target_datatype, op, win
            ): OneSided;
            110 Compare_and_swap(
                origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win
            ): OneSided;
            111 Fetch_and_op(
                origin_addr, result_addr, datatype, target_rank, target_disp, op, win
            ): OneSided;
            157 Get + 385 Get_c(
                origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                target_count, target_datatype, win
            ): OneSided;
            158 Get_accumulate + 386 Get_accumulate_c(
                origin_addr, origin_count, origin_datatype, result_addr, result_count,
                result_datatype, target_rank, target_disp, target_count, target_datatype, op,
                win
            ): OneSided;
            168 Put + 387 Put_c(
                origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                target_count, target_datatype, win
            ): OneSided;
            169 Raccumulate + 388 Raccumulate_c(
                origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                target_count, target_datatype, op, win, out request
            ): OneSided;
            172 Rget + 389 Rget_c(
                origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                target_count, target_datatype, win, out request
            ): OneSided;
            173 Rget_accumulate + 390 Rget_accumulate_c(
                origin_addr, origin_count, origin_datatype, result_addr, result_count,
                result_datatype, target_rank, target_disp, target_count, target_datatype, op,
                win, out request
            ): OneSided;
            174 Rput + 391 Rput_c(
                origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                target_count, target_datatype, win, out request
            ): OneSided;
            191 Win_allocate + 392 Win_allocate_c(
                size, disp_unit, info, comm, baseptr, out win
            ): Window;
            192 Win_allocate_shared + 393 Win_allocate_shared_c(
                size, disp_unit, info, comm, baseptr, out win
            ): Window;
            193 Win_attach(win, base, size): Local;
            194 Win_complete(win): Epoch;
            195 Win_create + 394 Win_create_c(
                base, size, disp_unit, info, comm, out win
            ): Window;
            196 Win_create_dynamic(info, comm, out win): Window;
            197 Win_detach(win, base): Local;
            198 Win_fence(assert, win): Window;
            199 Win_flush(rank, win): Epoch;
            200 Win_flush_all(win): Epoch;
            201 Win_flush_local(rank, win): Epoch;
            202 Win_flush_local_all(win): Epoch;
            203 Win_free(inout win): Window;
            204 Win_get_group(win, out group): Local;
            205 Win_lock(lock_type, rank, assert, win): Epoch;
            206 Win_lock_all(assert, win): Epoch;
            207 Win_post(group, assert, win): Epoch;
            208 Win_shared_query(win, rank, out size, out disp_unit, baseptr): Local;
            209 Win_start(group, assert, win): Epoch;
            210 Win_sync(win): Local;
            211 Win_test(win, out flag): Epoch;
            212 Win_unlock(rank, win): Epoch;
            213 Win_unlock_all(win): Epoch;
            214 Win_wait(win): Epoch;
            352 Win_set_info(win, info): Other;
        }
    };
}
