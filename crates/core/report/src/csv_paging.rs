//! A paged run's transfers along the run as CSV rows, in the long format of [`csv`](crate::csv).

use std::io::{Result, Write};

use stats::analysis::{Analysis, PageKind};

use crate::csv::number;

/// Pages and bytes a second of each kind that the run has, slice by slice.
pub(crate) fn paging(analysis: &Analysis, out: &mut dyn Write) -> Result<()> {
    let Some(paging) = &analysis.paging else { return Ok(()) };
    for of in &paging.kinds {
        let name = match of.kind {
            PageKind::In => "page-in",
            PageKind::Out => "page-out",
            PageKind::Parity => "parity",
        };
        for bin in &paging.series {
            let place = format!("paging,,{name},,{},{}", bin.from_ns, bin.to_ns);
            writeln!(out, "{place},{},pages/s", number(bin.pages_per_s[of.kind as usize]))?;
            writeln!(out, "{place},{},bytes/s", number(bin.bytes_per_s[of.kind as usize]))?;
        }
    }
    Ok(())
}
