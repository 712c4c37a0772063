//! What a page server says of itself.

use clock::{Anchor, Quality};
use serde::{Deserialize, Serialize};

/// A server's greeting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerAbout {
    /// Names the boot of its machine: equal here and there means the same machine.
    pub boot_id: String,
    /// Its machine's name.
    pub host: String,
    /// Its process.
    pub pid: u32,
    /// Its clock: source, rate, step.
    pub quality: Quality,
    /// That clock and the system's at one moment.
    pub anchor: Anchor,
    /// Pages that it keeps at most, for all clients together.
    pub capacity_pages: u64,
}

impl ServerAbout {
    /// For the record.
    pub fn process(&self) -> record::OtherProcess {
        record::OtherProcess {
            host: self.host.clone(),
            pid: self.pid,
            boot_id: self.boot_id.clone(),
            quality: self.quality,
            anchor: self.anchor,
        }
    }
}
