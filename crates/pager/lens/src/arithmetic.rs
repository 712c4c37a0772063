//! Document 004's arithmetic with typed-in numbers: from one run over a network to a network of
//! more bandwidth.
//!
//! The document cuts each of its steps to milliseconds, and so does the first reading: 83.459 s,
//! not 83.460. What it leaves open is whether all waiting for a page shrinks with the bandwidth. Of
//! its 9.64 ms a page the wire's part is about 7.1 ms; the second reading lets that alone shrink.

use document::{Block, Cell, Column, Document, Row, Table, Unit};

/// Headers, preamble and gap of an Ethernet frame with IP and TCP, bytes.
const FRAME_EXTRA: u64 = 78;
/// What such a frame carries, bytes.
const FRAME_BYTES: u64 = 1460;
/// A frame that only acknowledges, with preamble and gap, bytes: one for every two others.
const ACK_BYTES: u64 = 84;

/// What was measured, and what is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Typed {
    pub elapsed_s: f64,
    pub user_s: f64,
    pub system_s: f64,
    pub init_s: f64,
    pub page_outs: u64,
    pub page_ins: u64,
    /// Memory servers besides that for parity.
    pub servers: u64,
    /// Handling a page transfer, s.
    pub protocol_s: f64,
    pub page_bytes: u64,
    /// The network's rate, bits a second.
    pub rate_bits: u64,
    /// How many times the bandwidth is asked for.
    pub factor: f64,
}

/// A time in its parts, s.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Parts {
    user: f64,
    system: f64,
    init: f64,
    protocol: f64,
    blocked: f64,
}

impl Parts {
    fn total(&self) -> f64 {
        self.user + self.system + self.init + self.paging()
    }

    fn paging(&self) -> f64 {
        self.protocol + self.blocked
    }
}

/// To milliseconds, as the document writes its steps down.
fn cut(s: f64) -> f64 {
    (s * 1e3 + 1e-6).floor() / 1e3
}

impl Typed {
    /// Pages that crossed the network: with parity logging one more for each `servers` page-outs.
    pub fn transfers(&self) -> u64 {
        self.page_outs + self.page_outs / self.servers.max(1) + self.page_ins
    }

    /// What cannot be, in words.
    ///
    /// # Errors
    /// Where the parts are more than the whole.
    pub fn check(&self) -> Result<(), String> {
        let measured = self.measured();
        let ptime = measured.paging();
        if ptime < 0.0 {
            return Err(format!(
                "user, system and initialization time are {:.3} s more than the elapsed time",
                -ptime
            ));
        }
        if measured.blocked < 0.0 {
            return Err(format!(
                "handling {} transfers takes {:.3} s, more than the {ptime:.3} s that are left \
                for paging: lower --pptime or the counts",
                self.transfers(),
                measured.protocol
            ));
        }
        Ok(())
    }

    fn measured(&self) -> Parts {
        let Typed { user_s: user, system_s: system, init_s: init, .. } = *self;
        let protocol = cut(self.transfers() as f64 * self.protocol_s);
        let blocked = self.elapsed_s - user - system - init - protocol;
        Parts { user, system, init, protocol, blocked }
    }

    /// Time of a page on the wire, s.
    pub fn wire_s(&self) -> f64 {
        let frames = self.page_bytes.div_ceil(FRAME_BYTES);
        let bytes = self.page_bytes + frames * FRAME_EXTRA + frames.div_ceil(2) * ACK_BYTES;
        8.0 * bytes as f64 / self.rate_bits as f64
    }

    /// All waiting shrinks.
    fn all_shrinks(&self) -> Parts {
        let measured = self.measured();
        Parts { blocked: cut(measured.blocked / self.factor), ..measured }
    }

    /// Only the wire's part of it does.
    fn wire_shrinks(&self) -> Parts {
        let measured = self.measured();
        let wire = (self.transfers() as f64 * self.wire_s()).min(measured.blocked);
        let blocked = measured.blocked - wire + wire / self.factor;
        Parts { blocked: cut(blocked), ..measured }
    }

    /// All of it.
    pub fn document(&self) -> Document {
        let [measured, all, wire] = self.readings();
        let transfers = self.transfers();
        let each_ms = 1e3 * measured.blocked / transfers.max(1) as f64;
        let opening = vec![
            Block::Finding(format!(
                "{:.3} s become {:.3} s with {} times the bandwidth, or {:.1} s if only the wire's \
                part of a page's time shrinks.",
                measured.total(),
                all.total(),
                self.factor,
                wire.total()
            )),
            Block::Lead(format!(
                "{transfers} transfers: {} page-outs, one more for parity from every {} of them, \
                and {} page-ins. Each waits {each_ms:.2} ms, of which {:.2} ms are the wire's: {} \
                bytes at {} bits a second, with headers and acknowledgements.",
                self.page_outs,
                self.servers,
                self.page_ins,
                1e3 * self.wire_s(),
                self.page_bytes,
                self.rate_bits
            )),
            Block::Table(self.table()),
        ];
        let title = "Paging over more bandwidth · Fourstamp".to_owned();
        Document { title, opening, ..Document::default() }
    }

    fn readings(&self) -> [Parts; 3] {
        [self.measured(), self.all_shrinks(), self.wire_shrinks()]
    }

    fn table(&self) -> Table {
        let mut columns = vec![Column::text("part", "Part")];
        let heads = ["Measured", "All shrinks", "Wire shrinks"];
        for (key, head) in ["measured", "all_shrinks", "wire_shrinks"].into_iter().zip(heads) {
            columns.push(Column::new(seconds_key(key), format!("{head}, s"), Unit::Number));
            columns.push(Column::new(percent_key(key), "%", Unit::Number));
        }
        let readings = self.readings();
        let row = |name: &str, get: fn(&Parts) -> f64, shared: bool| -> Row {
            let mut cells = vec![Cell::from(name)];
            for parts in &readings {
                let (s, percent) = (get(parts), 100.0 * get(parts) / parts.total());
                cells.push(Cell::new(s).shown(format!("{s:.3}")));
                let share = Cell::new(percent).shown(format!("{percent:.3}"));
                cells.push(if shared { share } else { Cell::default() });
            }
            cells.into()
        };
        Table::new("arithmetic", columns).with([
            row("user", |parts| parts.user, true),
            row("system", |parts| parts.system, true),
            row("initialization", |parts| parts.init, true),
            row("page transfer", Parts::paging, true),
            row("of it protocol", |parts| parts.protocol, false),
            row("of it blocked", |parts| parts.blocked, false),
            row("elapsed", Parts::total, true),
        ])
    }
}

fn seconds_key(reading: &str) -> &'static str {
    match reading {
        "measured" => "measured_s",
        "all_shrinks" => "all_shrinks_s",
        _ => "wire_shrinks_s",
    }
}

fn percent_key(reading: &str) -> &'static str {
    match reading {
        "measured" => "measured_percent",
        "all_shrinks" => "all_shrinks_percent",
        _ => "wire_shrinks_percent",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: Typed = Typed {
        elapsed_s: 130.76,
        user_s: 66.138,
        system_s: 3.133,
        init_s: 0.21,
        page_outs: 2718,
        page_ins: 2055,
        servers: 4,
        protocol_s: 0.0016,
        page_bytes: 8192,
        rate_bits: 10_000_000,
        factor: 10.0,
    };

    fn shown(s: f64) -> String {
        format!("{s:.3}")
    }

    #[test]
    fn the_documents_numbers_come_out_to_the_last_digit() {
        assert_eq!(DOCUMENT.check(), Ok(()));
        assert_eq!(DOCUMENT.transfers(), 5452);
        let [measured, all, wire] = DOCUMENT.readings();
        let steps = [measured.protocol, measured.blocked, all.blocked, all.total()].map(shown);
        assert_eq!(steps, ["8.723", "52.556", "5.255", "83.459"]);
        let share = |s: f64| shown(100.0 * s / all.total());
        let shares = [all.user, all.system, all.init, all.paging()].map(share);
        assert_eq!(shares, ["79.246", "3.754", "0.252", "16.748"]);
        assert_eq!(format!("{:.1}", wire.total()), "95.8");
        assert_eq!(format!("{:.1}", 1e3 * DOCUMENT.wire_s()), "7.1");
    }

    #[test]
    fn the_same_bandwidth_changes_nothing_and_more_never_slows_down() {
        let same = Typed { factor: 1.0, ..DOCUMENT };
        for parts in same.readings() {
            assert!((parts.total() - 130.76).abs() < 2e-3, "{parts:?}");
        }
        let [_, all, wire] = Typed { factor: 1e9, ..DOCUMENT }.readings();
        assert!(all.blocked == 0.0 && wire.blocked > 13.0 && wire.total() < 130.76);
        // A wire that would take longer than was waited takes no more than that.
        let slow = Typed { rate_bits: 1_000_000, ..DOCUMENT };
        let [_, all, wire] = slow.readings();
        assert!((all.total() - wire.total()).abs() < 2e-3, "{all:?} {wire:?}");
    }

    #[test]
    fn parts_beyond_the_whole_are_refused() {
        let said = |typed: Typed| typed.check().expect_err("it cannot be");
        assert!(said(Typed { user_s: 200.0, ..DOCUMENT }).contains("more than the elapsed time"));
        assert!(said(Typed { protocol_s: 0.1, ..DOCUMENT }).contains("lower --pptime"));
    }
}
