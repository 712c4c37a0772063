//! What a wait was made of: what the engine did, and what it waited for itself.

/// What ended a wait of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// A server's answer.
    Network,
    /// The disk.
    Disk,
    /// Nothing yet, or another fault: the engine waits on.
    Neither,
}

/// What the engine waited for while a thread of the program waited for the engine, ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Idle {
    /// Not known yet for what.
    open: u64,
    network: u64,
    server: u64,
    disk: u64,
    /// Of `network`: what the last answer ended, less what its server took.
    last: u64,
}

impl Idle {
    /// The engine waited so long.
    pub fn add(&mut self, ticks: u64, woken: Woken) {
        self.open += ticks;
        match woken {
            Woken::Network => {
                self.last = std::mem::take(&mut self.open);
                self.network += self.last;
            }
            Woken::Disk => self.disk += std::mem::take(&mut self.open),
            Woken::Neither => {}
        }
    }

    /// A server took so long for the answer that has just come.
    pub fn served(&mut self, ticks: u64) {
        let server = ticks.min(self.last);
        self.last -= server;
        self.network -= server;
        self.server += server;
    }

    fn all(&self) -> u64 {
        self.open + self.network + self.server + self.disk
    }
}

/// Waits by what they were made of, ticks. The parts add up to the time in which somebody waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waited {
    /// The engine worked.
    pub handling: u64,
    /// Bytes were on their way, or a request.
    pub network: u64,
    /// A server had read a request and not answered it yet.
    pub server: u64,
    pub disk: u64,
    /// The engine was ready to run and had no processor.
    pub late: u64,
    /// The engine waited, and neither a server nor the disk ended that.
    pub unknown: u64,
}

impl Waited {
    /// A wait of `ticks`, of which the engine was without a processor for `late`: nobody knows at
    /// which of its moments, so each part has its share of that.
    pub fn split(ticks: u64, idle: &Idle, late: u64) -> Waited {
        // Several readings of the clock: the engine's wait may end a little after the program's.
        let scale = |part: u64| {
            let rest = u128::from(ticks.saturating_sub(late));
            (u128::from(part) * rest / u128::from(ticks.max(idle.all()).max(1))) as u64
        };
        let (network, server) = (scale(idle.network), scale(idle.server));
        let (disk, unknown) = (scale(idle.disk), scale(idle.open));
        let late = late.min(ticks);
        let handling = ticks - late - network - server - disk - unknown;
        Waited { handling, network, server, disk, late, unknown }
    }

    /// All of it.
    pub fn all(&self) -> u64 {
        self.handling + self.network + self.server + self.disk + self.late + self.unknown
    }

    pub fn add(&mut self, more: &Waited) {
        self.handling += more.handling;
        self.network += more.network;
        self.server += more.server;
        self.disk += more.disk;
        self.late += more.late;
        self.unknown += more.unknown;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_wait_belongs_to_what_ended_it() {
        let mut idle = Idle::default();
        idle.add(5, Woken::Neither);
        idle.add(20, Woken::Network);
        idle.served(10);
        idle.served(100);
        idle.add(30, Woken::Disk);
        idle.served(7);
        idle.add(4, Woken::Neither);
        assert_eq!(idle, Idle { open: 4, network: 0, server: 25, disk: 30, last: 0 });
        let waited = Waited::split(100, &idle, 0);
        assert_eq!(
            waited,
            Waited { handling: 41, network: 0, server: 25, disk: 30, late: 0, unknown: 4 }
        );
    }

    #[test]
    fn lateness_is_nobodys_fault() {
        let mut idle = Idle::default();
        idle.add(600, Woken::Network);
        let waited = Waited::split(1000, &idle, 500);
        assert_eq!((waited.handling, waited.network, waited.late), (200, 300, 500));
    }

    proptest! {
        #[test]
        fn parts_add_up(
            ticks in 0..1u64 << 50, open in 0..1u64 << 50, network in 0..1u64 << 50,
            disk in 0..1u64 << 50, server in 0..1u64 << 50, late in 0..1u64 << 51,
        ) {
            let idle = Idle { open, network, server, disk, last: 0 };
            prop_assert_eq!(Waited::split(ticks, &idle, late).all(), ticks);
        }
    }
}
