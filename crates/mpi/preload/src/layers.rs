//! Layers between the program and the MPI functions of C: the libraries that hold an MPI library's
//! functions for Fortran and C++. A call that comes from one of them comes from the program behind
//! it.
//!
//! Where a layer's function keeps the address that it returns to is said by the table that the
//! compiler made for the unwinding of exceptions (`.eh_frame`): at each place so many bytes above
//! the stack pointer. That is looked up once a place. A function whose frame has no fixed size at
//! that place is not looked behind.

use crate::objects;
use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EndianSlice, NativeEndian, UnwindContext,
    UnwindSection, X86_64,
};
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
    if !is_layer(objects::at(address)?.0.to_bytes()) {
        return None;
    }
    let (header, header_at) = header(address)?;
    // The stack pointer at `address` is a word above the place that held it, and the frame ends a
    // word above the place of its own return address.
    frame_size(address, header, header_at)
}

/// The header of the unwinding table of the object that `address` lies in, with the table behind
/// it, to the end of their segment; and where the header is.
fn header(address: usize) -> Option<(&'static [u8], usize)> {
    let (start, end) = objects::find(|object| {
        object.end_of_segment(address)?;
        let start = object.part(libc::PT_GNU_EH_FRAME)?;
        Some((start, object.end_of_segment(start)?))
    })?;
    // SAFETY: the loader mapped this segment to be read, and keeps it.
    Some((unsafe { std::slice::from_raw_parts(start as *const u8, end - start) }, start))
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
