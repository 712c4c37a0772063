//! A paged run's transfers along the run.

use document::{Point, Series};

use crate::found::{PageKind, Paging};

/// Its name.
pub(crate) const NAME: &str = "paging";

/// Pages and bytes a second of each kind that the run has, slice by slice.
pub(crate) fn series(paging: &Paging) -> Series {
    let mut points = Vec::new();
    for of in &paging.kinds {
        let name = match of.kind {
            PageKind::In => "page-in",
            PageKind::Out => "page-out",
            PageKind::Parity => "parity",
        };
        for bin in &paging.series {
            let at = of.kind as usize;
            let rates = [(bin.pages_per_s[at], "pages/s"), (bin.bytes_per_s[at], "bytes/s")];
            points.extend(
                rates.map(|(y, unit)| Point::of(name, y, unit).over(bin.from_ns, bin.to_ns)),
            );
        }
    }
    Series { name: NAME, points }
}
