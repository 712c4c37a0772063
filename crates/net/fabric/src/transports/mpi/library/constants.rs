//! What the libraries' binary interfaces differ in, as far as we meet it.
//!
//! A test holds these numbers against the installed `mpi.h`.

use super::choice::MpiFamily;
use super::functions::Handle;
use std::ffi::{CStr, c_int, c_void};

/// Constants of one binary interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Constants {
    /// Whose launchers start its processes.
    pub family: MpiFamily,
    /// Whether a handle in memory has 4 bytes, else 8.
    pub narrow: bool,
    pub world: Handle,
    pub comm_null: Handle,
    pub request_null: Handle,
    pub byte: Handle,
    pub errors_return: Handle,
    /// `MPI_STATUS_IGNORE` and `MPI_STATUSES_IGNORE`.
    pub status_ignore: usize,
    /// `MPI_THREAD_SERIALIZED`.
    pub thread_serialized: c_int,
}

/// MPICH 3.1 and later, and what shares its binary interface (Intel MPI, MVAPICH, Cray MPICH).
const MPICH: Constants = Constants {
    family: MpiFamily::Mpich,
    narrow: true,
    world: 0x4400_0000,
    comm_null: 0x0400_0000,
    request_null: 0x2c00_0000,
    byte: 0x4c00_010d,
    errors_return: 0x5400_0001,
    status_ignore: 1,
    thread_serialized: 2,
};

/// The binary interface that MPI 5.0 prescribes, in `libmpi_abi.so.1`. (Drafts of it, in a
/// `libmpi_abi.so.0`, have other numbers.)
const STANDARD: Constants = Constants {
    family: MpiFamily::Mpich,
    narrow: false,
    world: 0x101,
    comm_null: 0x100,
    request_null: 0x180,
    byte: 0x247,
    errors_return: 0x143,
    status_ignore: 0,
    thread_serialized: 2048,
};

/// What MPICH and its kin call themselves.
const KIN_OF_MPICH: [&str; 5] = ["MPICH", "Intel(R) MPI", "MVAPICH", "CRAY MPI", "ParaStation"];

impl Constants {
    /// Those of the library that has these symbols and this name; `None`: neither of the three.
    pub fn find(symbol: impl Fn(&CStr) -> *mut c_void, name: &str) -> Option<Constants> {
        let object = |name: &CStr| Some(symbol(name) as Handle).filter(|address| *address != 0);
        if let Some(world) = object(c"ompi_mpi_comm_world") {
            return Some(Constants {
                family: MpiFamily::OpenMpi,
                narrow: false,
                world,
                comm_null: object(c"ompi_mpi_comm_null")?,
                request_null: object(c"ompi_request_null")?,
                byte: object(c"ompi_mpi_byte")?,
                errors_return: object(c"ompi_mpi_errors_return")?,
                status_ignore: 0,
                thread_serialized: 2,
            });
        }
        if has_standard_abi(symbol(c"MPI_Abi_get_version")) {
            return Some(STANDARD);
        }
        KIN_OF_MPICH.iter().any(|kin| name.contains(kin)).then_some(MPICH)
    }
}

/// Whether that function, if it is there, says so: MPICH's own library has it, too, and says no.
fn has_standard_abi(address: *mut c_void) -> bool {
    type GetVersion = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
    if address.is_null() {
        return false;
    }
    // SAFETY: a function of that name has these arguments, by MPI 5.0.
    let get_version = unsafe { std::mem::transmute::<*mut c_void, GetVersion>(address) };
    let (mut major, mut minor) = (0, 0);
    // SAFETY: allowed at any time; room for two ints.
    let told = unsafe { get_version(&raw mut major, &raw mut minor) } == 0;
    told && major == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::process::Command;

    const SOURCE: &str = r#"
        #include <mpi.h>
        #include <stdio.h>
        #define SAY(name, value) printf("%s %llu\n", name, (unsigned long long)(value))
        int main(void) {
            SAY("handle_bytes", sizeof(MPI_Request));
        #ifndef OPEN_MPI
            SAY("world", MPI_COMM_WORLD);
            SAY("comm_null", MPI_COMM_NULL);
            SAY("request_null", MPI_REQUEST_NULL);
            SAY("byte", MPI_BYTE);
            SAY("errors_return", MPI_ERRORS_RETURN);
        #endif
            SAY("status_ignore", MPI_STATUS_IGNORE);
            SAY("statuses_ignore", MPI_STATUSES_IGNORE);
            SAY("thread_serialized", MPI_THREAD_SERIALIZED);
            return 0;
        }"#;

    /// What the installed library's `mpi.h` says; `None` where it is not installed.
    fn header(library: &str) -> Option<HashMap<String, usize>> {
        let folder = tempfile::tempdir().unwrap();
        let (source, program) = (folder.path().join("c.c"), folder.path().join("c"));
        std::fs::write(&source, SOURCE).unwrap();
        let mut compiler = Command::new(format!("mpicc.{library}"));
        let Ok(compiled) = compiler.arg("-w").arg("-o").arg(&program).arg(source).output() else {
            println!("skipped: mpicc.{library} is not installed");
            return None;
        };
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let printed = String::from_utf8(Command::new(program).output().unwrap().stdout).unwrap();
        let facts = printed.lines().map(|line| line.split_once(' ').unwrap());
        Some(facts.map(|(name, value)| (name.to_string(), value.parse().unwrap())).collect())
    }

    fn compare(ours: &Constants, header: &HashMap<String, usize>) {
        assert_eq!(header["handle_bytes"], if ours.narrow { 4 } else { 8 });
        assert_eq!(header["status_ignore"], ours.status_ignore);
        assert_eq!(header["statuses_ignore"], ours.status_ignore);
        assert_eq!(header["thread_serialized"], ours.thread_serialized as usize);
        let handles = [
            ("world", ours.world),
            ("comm_null", ours.comm_null),
            ("request_null", ours.request_null),
            ("byte", ours.byte),
            ("errors_return", ours.errors_return),
        ];
        for (name, handle) in handles {
            assert_eq!(header.get(name).copied().unwrap_or(handle), handle, "{name}");
        }
    }

    #[test]
    fn mpich_is_as_its_header_says() {
        header("mpich").iter().for_each(|header| compare(&MPICH, header));
    }

    #[test]
    fn open_mpi_is_as_its_header_says() {
        // Any address will do: its handles are those of objects.
        let found = Constants::find(|name| name.as_ptr().cast_mut().cast(), "").unwrap();
        assert_eq!(found.family, MpiFamily::OpenMpi);
        header("openmpi").iter().for_each(|header| compare(&found, header));
    }

    #[test]
    fn a_library_is_known_by_its_objects_or_by_its_name() {
        let nothing = |_: &CStr| std::ptr::null_mut();
        for name in ["MPICH Version: 4.0.2", "Intel(R) MPI Library 2021.19 for Linux* OS"] {
            assert_eq!(Constants::find(nothing, name), Some(MPICH), "{name}");
        }
        for name in ["HPE MPT 2.25", "MPItrampoline 5.4", ""] {
            assert_eq!(Constants::find(nothing, name), None, "{name}");
        }
    }
}
