//! MPI's functions with large counts (`MPI_Send_c` and its kin), for the tracer.
//!
//! They are in a library of their own because MPICH has them and Open MPI 4 has not: a program that
//! asks the loader for them, as mpi4py does, must not find them where its MPI library has none.
//! `fourstamp mpi trace` loads this library only with MPICH. Everything is done by the tracer
//! proper, libmpitrace.so.
//!
//! Only on x86-64: elsewhere these functions are not seen.

#[cfg(target_arch = "x86_64")]
mod exports {
    unsafe extern "C" {
        /// In libmpitrace.so, which must be loaded too.
        fn fourstamp_mpitrace_dispatch(frame: *mut usize, operation: usize) -> usize;
    }

    macro_rules! export {
        ($prefix:literal $number:literal $name:ident) => {
            const _: () = {
                #[unsafe(naked)]
                #[unsafe(export_name = concat!($prefix, stringify!($name)))]
                unsafe extern "C" fn entry() {
                    // The same row of arguments as the tracer's own trampolines make.
                    core::arch::naked_asm!(
                        "push r9",
                        "push r8",
                        "push rcx",
                        "push rdx",
                        "push rsi",
                        "push rdi",
                        "mov rdi, rsp",
                        "mov esi, {operation}",
                        "sub rsp, 8",
                        "call {dispatch}@PLT",
                        "add rsp, 56",
                        "ret",
                        operation = const $number,
                        dispatch = sym fourstamp_mpitrace_dispatch,
                    )
                }
            };
        };
    }

    macro_rules! exports {
        ($($number:literal $name:ident $(+ $large_number:literal $large:ident)?
            ($($argument:ident),*): $class:ident;)*) => {$($(
            export!("MPI_" $large_number $large);
            export!("PMPI_" $large_number $large);
        )?)*};
    }

    calls::mpi_functions!(exports);
}
