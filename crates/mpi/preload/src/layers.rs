//! Layers between the program and the MPI functions of C: the libraries that hold an MPI library's
//! functions for Fortran and C++. A call that comes from one of them comes from the program behind
//! it.
//!
//! Where a layer's function keeps the address that it returns to is said by the table that the
//! compiler made for the unwinding of exceptions (`.eh_frame`): at each place so many bytes above
//! the stack pointer. That is looked up once a place. A function whose frame has no fixed size at
//! that place is not looked behind.

use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EndianSlice, NativeEndian, UnwindContext,
    UnwindSection, X86_64,
};
use std::ffi::{CStr, c_void};
use std::path::Path;

/// How their files begin: Open MPI's, then MPICH's and those of its relatives.
const NAMES: [&str; 7] = [
    "libmpi_mpifh",
    "libmpi_usempi",
    "libmpi_cxx",
    "libmpifort",
    "libmpichfort",
    "libmpicxx",
    "libmpichcxx",
];

type Bytes = EndianSlice<'static, NativeEndian>;

/// Whether the file of this name is a layer.
fn is_layer(file: &[u8]) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let path = Path::new(std::ffi::OsStr::from_bytes(file));
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    NAMES.iter().any(|known| name.starts_with(known))
}

/// Bytes from the place on the stack that holds the return address `address`, which leads into a
/// layer, to the place that holds the layer's own. `None` if it is no layer's, or not known.
#[cold]
pub fn step(address: usize) -> Option<usize> {
    if !is_layer(file(address)?) {
        return None;
    }
    let (header, header_at) = header(address)?;
    // The stack pointer at `address` is a word above the place that held it, and the frame ends a
    // word above the place of its own return address.
    frame_size(address, header, header_at)
}

/// The file that `address` is mapped from.
fn file(address: usize) -> Option<&'static [u8]> {
    // SAFETY: an all-zero value is a valid Dl_info: null pointers.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: dladdr only reads the loader's tables; `info` is there to be written.
    let found = unsafe { libc::dladdr(address as *const c_void, &raw mut info) } != 0;
    if !found || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's name of a mapped object is a terminated string, and stays as long as the
    // object does: a layer is never unloaded while its functions are called.
    Some(unsafe { CStr::from_ptr(info.dli_fname) }.to_bytes())
}

/// What is looked for among the loaded objects, and what was found.
struct Wanted {
    address: usize,
    /// Where the header of the unwinding table is, and the end of the segment that both lie in.
    found: Option<(usize, usize)>,
}

/// The header of the unwinding table of the object that `address` lies in, with the table behind
/// it, to the end of their segment; and where the header is.
fn header(address: usize) -> Option<(&'static [u8], usize)> {
    let mut wanted = Wanted { address, found: None };
    // SAFETY: the callback takes what it is called with, and `wanted` outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut wanted).cast()) };
    let (start, end) = wanted.found?;
    // SAFETY: the loader mapped this segment to be read, and keeps it.
    Some((unsafe { std::slice::from_raw_parts(start as *const u8, end - start) }, start))
}

unsafe extern "C" fn look(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    wanted: *mut c_void,
) -> libc::c_int {
    // SAFETY: `header` passes a `Wanted`, and the loader its own description of an object.
    let (info, wanted) = unsafe { (&*info, &mut *wanted.cast::<Wanted>()) };
    // SAFETY: the loader's program headers, so many.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let from = info.dlpi_addr as usize;
    let within = |header: &&libc::Elf64_Phdr, at: usize| {
        let start = from + header.p_vaddr as usize;
        header.p_type == libc::PT_LOAD && (start..start + header.p_memsz as usize).contains(&at)
    };
    if !headers.iter().any(|header| within(&header, wanted.address)) {
        return 0;
    }
    let table = headers.iter().find(|header| header.p_type == libc::PT_GNU_EH_FRAME);
    wanted.found = table.and_then(|table| {
        let start = from + table.p_vaddr as usize;
        let segment = headers.iter().find(|header| within(header, start))?;
        Some((start, from + segment.p_vaddr as usize + segment.p_filesz as usize))
    });
    1
}

/// Bytes from the stack pointer, as it is at `address`, to the end of the function's frame, if that
/// is fixed there.
fn frame_size(address: usize, header: &'static [u8], header_at: usize) -> Option<usize> {
    let bases = BaseAddresses::default().set_eh_frame_hdr(header_at as u64);
    let parsed =
        EhFrameHdr::new(header, NativeEndian).parse(&bases, size_of::<usize>() as u8).ok()?;
    let frames_at = match parsed.eh_frame_ptr() {
        gimli::Pointer::Direct(at) => at as usize,
        gimli::Pointer::Indirect(_) => return None,
    };
    let frames = EhFrame::new(header.get(frames_at.checked_sub(header_at)?..)?, NativeEndian);
    let bases = bases.set_eh_frame(frames_at as u64);
    let mut context = UnwindContext::new();
    // A return address belongs to the call before it.
    let call = address as u64 - 1;
    let table = parsed.table()?;
    let row = table
        .unwind_info_for_address(
            &frames,
            &bases,
            &mut context,
            call,
            EhFrame::<Bytes>::cie_from_offset,
        )
        .ok()?;
    match row.cfa() {
        CfaRule::RegisterAndOffset { register, offset } if *register == X86_64::RSP => {
            usize::try_from(*offset).ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_known_by_their_files() {
        assert!(is_layer(b"/usr/lib/libmpi_mpifh.so.40"));
        assert!(is_layer(b"/usr/lib/libmpi_usempif08.so.40"));
        assert!(is_layer(b"libmpichfort.so.12") && is_layer(b"libmpicxx.so.12"));
        assert!(!is_layer(b"/usr/lib/libmpi.so.40") && !is_layer(b"/home/me/libmpi_mpifh/app"));
    }
}
