//! Figures with their intervals as a machine, and what the runs leave open.

use super::figures::{Figures, Piece};
use super::resample::interval;
use super::shape::Shape;
use super::sizes::{At, Sizes, median, passing_error};
use super::{Calibrated, NO_LIMIT, Short, Wanted, draws, eager};
use crate::{Basis, Constant, FIELDS, Larger, Machine};
use std::collections::BTreeMap;

/// What runs cannot tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// Figures that it is about.
    pub figures: &'static str,
    pub why: String,
    /// The workload of `fourstamp bench` that would tell, with its options; empty: none would.
    pub remedy: &'static str,
}

/// A stamp resolves this, ns; a time between two of them twice that.
const RESOLVED: f64 = 1.0;
/// Neighbouring pieces that differ by less, as a part, are one.
const ALIKE: f64 = 1e-3;

/// The machine of these figures; `drawn` are those of the resamples.
pub(super) fn machine(
    sizes: &Sizes,
    shape: &Shape,
    best: &Figures,
    drawn: &[Figures],
    wanted: &Wanted<'_>,
) -> Calibrated {
    let mut making = Making {
        sizes,
        shape,
        best,
        drawn,
        together: together(sizes, best, drawn, wanted),
        wanted,
        worst: worst(sizes, best),
        constants: BTreeMap::new(),
        open: Vec::new(),
    };
    making.ends();
    making.wire();
    making.packets();
    making.burst();
    making.room();
    making.eager();
    let Making { constants, open, worst, .. } = making;
    Calibrated {
        machine: Machine {
            name: wanted.name.into(),
            about: wanted.about.into(),
            nodes: wanted.nodes,
            topology: wanted.topology,
            constants,
            costs: BTreeMap::new(),
        },
        open,
        short: short(sizes, best),
        stream: stream(sizes, best),
        worst: {
            let times = best.burst.map_or(1.0, |burst| burst.spares(worst.bytes));
            let fitted = best.one_way(worst.bytes, worst.packets);
            (worst.bytes, worst.value / times, fitted / times)
        },
    }
}

/// Figures that belong together, if all parts of one way were seen.
fn together(sizes: &Sizes, best: &Figures, drawn: &[Figures], wanted: &Wanted<'_>) -> Vec<Figures> {
    let seen = sizes.one_way().nth(1).and(sizes.sending().next()).and(sizes.receive().next());
    match seen {
        Some(_) => draws::together(sizes, best, drawn, wanted.clock_error, wanted.seed),
        None => Vec::new(),
    }
}

/// The size whose one way lies farthest off its line.
fn worst(sizes: &Sizes, best: &Figures) -> At {
    let off = |at: &At| (best.one_way(at.bytes, at.packets) / at.value.max(1.0) - 1.0).abs();
    let worst = sizes.one_way().max_by(|a, b| off(a).total_cmp(&off(b)));
    worst.unwrap_or(At { bytes: 0, packets: 1.0, value: 0.0 })
}

/// How far a piece's line lies off at worst, as a part.
fn off(sizes: &Sizes, best: &Figures, from: u64) -> f64 {
    let here = sizes.one_way().filter(|at| best.piece(at.bytes).from == from);
    let each = here.map(|at| (best.one_way(at.bytes, at.packets) / at.value.max(1.0) - 1.0).abs());
    each.fold(0.0, f64::max)
}

/// The same where bytes are most of the time, if they are anywhere: what small messages are off by
/// says nothing of a rate.
fn off_by_bytes(sizes: &Sizes, best: &Figures, piece: &Piece) -> f64 {
    let of_bytes = |at: &At| piece.wire * at.bytes as f64 > at.value / 2.0;
    let here = sizes.one_way().filter(|at| best.piece(at.bytes).from == piece.from);
    let large = here.filter(of_bytes);
    let each = large.map(|at| (best.one_way(at.bytes, at.packets) / at.value - 1.0).abs());
    if best.burst.is_some() {
        // Its rate was seen in a stream: a size that is far off says that the line is bent there.
        let each: Vec<f64> = each.collect();
        return median(&each).unwrap_or_default();
    }
    each.reduce(f64::max).unwrap_or_else(|| off(sizes, best, piece.from))
}

/// The size at which a stream is farthest from what its slowest part takes.
fn stream(sizes: &Sizes, best: &Figures) -> Option<(u64, f64, f64)> {
    let both = sizes.passing().map(|at| (at.bytes, at.value, best.passing(&at)));
    let off = |of: &(u64, f64, f64)| (of.2.max(RESOLVED) / of.1.max(RESOLVED)).ln().abs();
    both.max_by(|a, b| off(a).total_cmp(&off(b)))
}

fn short(sizes: &Sizes, best: &Figures) -> Option<Short> {
    let worst = best.pieces.iter().max_by(|a, b| a.parts.short.total_cmp(&b.parts.short))?;
    let first = sizes.one_way().find(|at| at.bytes >= worst.from)?;
    let short = Short { bytes: first.bytes, by: worst.parts.short, one_way: first.value };
    (short.by > RESOLVED).then_some(short)
}

struct Making<'a> {
    sizes: &'a Sizes,
    shape: &'a Shape,
    best: &'a Figures,
    drawn: &'a [Figures],
    /// What belongs together; none where the runs leave open to which figure something belongs.
    together: Vec<Figures>,
    wanted: &'a Wanted<'a>,
    worst: At,
    constants: BTreeMap<String, Constant>,
    open: Vec<Open>,
}

impl Making<'_> {
    /// Both processors.
    fn ends(&mut self) {
        let sent = self.sizes.sending().next().is_some();
        let received = self.sizes.receive().next().is_some();
        if sent {
            let from = self.from("messages sent one after another", self.sizes.sending());
            self.by_size("processor.send", &from, |piece| piece.parts.send, |_| 0.0);
        } else {
            self.unknown_time("processor.send", self.latency());
            self.leave(
                "processor.send",
                "no run sends one message after another: it is in network.latency".into(),
                "burst",
            );
        }
        if received {
            let from = self.from("messages that a receiver waited for", self.sizes.receive());
            let bound = self.wanted.clock_error;
            self.by_size("processor.receive", &from, |piece| piece.parts.receive, |_| bound);
        } else {
            self.unknown_time("processor.receive", self.latency());
            self.leave(
                "processor.receive",
                "no round trip has its messages recorded: it is in network.latency".into(),
                "sweep",
            );
        }
        // What a look takes is in what receiving does; a file needs one that does not add to it.
        let source = "a part of 'receive', which was seen as a whole".to_owned();
        self.set("processor.look", Constant { source, ..Constant::of(1.0) });
        if self.sizes.taking().next().is_some() && received {
            let from = self.from("messages taken one after another", self.sizes.taking());
            self.one("processor.wake", &from, |figures| figures.wake);
        } else {
            self.leave(
                "processor.wake",
                "no receiver had messages waiting for it: it is in processor.receive".into(),
                "stream",
            );
        }
        if self.shape.copy && self.best.copy > 0.0 {
            let from = self.from("receiving by size", self.sizes.receive());
            let constant =
                self.rate(&from, self.best.copy, |figures| figures.copy, self.resolved(2.0));
            self.set("processor.copy", constant);
        } else if !self.shape.copy {
            self.leave(
                "processor.copy",
                "receiving was seen at fewer than three sizes: it is in network.bandwidth".into(),
                "sweep",
            );
        }
    }

    /// Latency and bandwidth.
    fn wire(&mut self) {
        let from = self.from("half of the round trips", self.sizes.one_way());
        let several = self.sizes.one_way().nth(1).is_some();
        let (best, sizes) = (self.best, self.sizes);
        // What is not the handler's is latency.
        let narrow = if best.handler > 0.0 { passing_error(sizes) } else { 0.0 };
        let misfit = move |piece: &Piece| {
            off(sizes, best, piece.from) * (piece.parts.sum() + best.handler + best.wake) + narrow
        };
        self.by_size("network.latency", &from, |piece| piece.parts.latency, misfit);
        let unseen = ["processor.send", "processor.receive"]
            .iter()
            .any(|name| self.constants[*name].basis == Basis::Estimated);
        let latency = self.constants.get_mut("network.latency");
        if let Some(latency) = latency.filter(|_| unseen || !several) {
            from_nothing(latency);
        }
        if several {
            let pieces = (0..self.best.pieces.len()).map(|at| {
                let wire = move |figures: &Figures| figures.pieces[at].wire;
                let (slope, begin) = (wire(best), best.pieces[at].from);
                let more = off_by_bytes(sizes, best, &best.pieces[at]) * slope + self.resolved(6.0);
                (begin, self.rate(&from, slope, wire, more))
            });
            let constant = joined(pieces.collect());
            self.set("network.bandwidth", constant);
            return;
        }
        let bytes = self.worst.bytes.max(1) as f64;
        let least = (bytes * 1e9 / self.worst.value.max(1.0)).max(1e3);
        let source = format!("{}: one size only", self.wanted.runs);
        let range = Some([least, NO_LIMIT]);
        let basis = Basis::Estimated;
        let constant = Constant { range, basis, source, ..Constant::of(NO_LIMIT) };
        self.set("network.bandwidth", constant);
        self.leave(
            "network.latency and network.bandwidth",
            format!("round trips have {} bytes only: all of it is in latency", self.worst.bytes),
            "sweep",
        );
    }

    /// What packets take, where messages of several were seen.
    fn packets(&mut self) {
        let from = self.from("messages of several packets", self.sizes.one_way());
        if let Some((least, most)) = packet(self.sizes).filter(|_| self.shape.packets) {
            let source = format!("{}: packets of each message", self.wanted.runs);
            let range = Some([least, most]);
            let basis = Basis::Measured;
            self.set("network.packet", Constant { range, basis, source, ..Constant::of(least) });
        }
        if self.shape.packets {
            self.one("processor.interrupt", &from, |figures| figures.interrupt);
            let even = self.constants["network.bandwidth"].larger.is_empty();
            let wire = |figures: &Figures| figures.pieces[0].wire;
            if even && wire(self.best) > 0.0 {
                self.one("network.header", &from, |figures| {
                    let wire = wire(figures);
                    if wire > 0.0 { figures.step / wire } else { 0.0 }
                });
            } else {
                self.one("network.gap", &from, |figures| figures.step);
            }
            if self.best.step > 0.0 {
                self.leave(
                    "network.header and network.gap",
                    "what a packet takes besides its bytes is given as one of them".into(),
                    "",
                );
            }
        } else {
            self.leave(
                "network.packet, network.header and processor.interrupt",
                "what a packet takes was not seen by itself: it is in network.latency, \
                network.bandwidth and processor.receive"
                    .into(),
                "",
            );
        }
        if self.best.handler > 0.0 {
            let from = self.from("a stream slower than both ends", self.sizes.passing());
            let error = passing_error(self.sizes);
            self.one_within("network.handler", &from, |figures| figures.handler, error);
            self.leave(
                "network.handler and network.gap",
                "what holds a stream up in the network is given as the first".into(),
                "",
            );
        }
    }

    /// What a link that was idle passes at once.
    fn burst(&mut self) {
        if self.best.burst.is_none() {
            return;
        }
        let from = self.from("streams slower than messages alone", self.sizes.passing());
        self.one("network.burst", &from, |figures| figures.burst.map_or(0.0, |burst| burst.bytes));
        self.one("network.header", &from, |figures| {
            figures.burst.map_or(0.0, |burst| burst.header)
        });
    }

    /// Buffers and window: how many messages were under way when a sender found room at last.
    fn room(&mut self) {
        let seen: Vec<(u64, f64)> = self
            .sizes
            .0
            .iter()
            .filter_map(|(bytes, shown)| Some((*bytes, f64::from(shown.under_way?))))
            .collect();
        let (Some(&(_, small)), Some(&(bytes, large))) = (seen.first(), seen.last()) else {
            self.leave(
                "network.buffers and network.window",
                "no sender had to wait for room: they are the usual ones".into(),
                "stream",
            );
            return;
        };
        const FEWER: f64 = 0.8;
        let source = format!("{}: messages under way when one found room", self.wanted.runs);
        let known = |range: [f64; 2], value: f64| Constant {
            range: Some(range),
            basis: Basis::Measured,
            source: source.clone(),
            ..Constant::of(value)
        };
        let crowd = self.sizes.0.values().filter_map(|shown| shown.crowd).max().unwrap_or(0);
        // More of other messages were under way than of those that had to wait.
        let by_bytes = large < FEWER * small || f64::from(crowd) > small + 2.0;
        if by_bytes {
            let counted = bytes.max(64) as f64;
            let [least, most] = [large * counted + 1.0, (large + 1.0) * counted];
            self.set("network.window", known([least.max(64.0), most.max(64.0)], most.max(64.0)));
        }
        if !by_bytes || seen.len() > 1 {
            // Some count messages until they arrive, some until they are taken.
            let first = self.sizes.0.values().find_map(|shown| shown.not_arrived);
            let least = first.map_or(small, f64::from).clamp(1.0, small.max(1.0));
            self.set("network.buffers", known([least, small + 2.0], small + 1.0));
        }
        if !by_bytes && seen.len() < 2 {
            self.leave(
                "network.buffers and network.window",
                format!("senders waited for room at {bytes} bytes only: messages are counted"),
                "stream --size 16K",
            );
        }
    }

    /// Up to which size messages go at once, where that is asked of the network.
    fn eager(&mut self) {
        let Some(tried) = self.wanted.eager else { return };
        match eager::limit(tried, self.wanted.runs) {
            Some(limit) => self.set("network.eager", limit),
            None => self.leave(
                "network.eager",
                "no run tried which messages wait for their receives".into(),
                "sweep",
            ),
        }
    }

    fn leave(&mut self, figures: &'static str, why: String, remedy: &'static str) {
        self.open.push(Open { figures, why, remedy });
    }

    /// What a source says: of which runs, and of what at which sizes.
    fn from(&self, what: &str, at: impl Iterator<Item = At>) -> String {
        let sizes: Vec<u64> = at.map(|at| at.bytes).collect();
        let of = match sizes[..] {
            [] => String::new(),
            [one] => format!(" of {one} B"),
            [first, .., last] => format!(", {} sizes of {first} to {last} B", sizes.len()),
        };
        format!("{}: {what}{of}", self.wanted.runs)
    }

    /// What so many stamps resolve of a time a byte.
    fn resolved(&self, stamps: f64) -> f64 {
        let largest = self.sizes.one_way().map(|at| at.bytes).max();
        stamps * RESOLVED / largest.unwrap_or(1).max(1) as f64
    }

    fn latency(&self) -> f64 {
        self.best.pieces[0].parts.latency.max(RESOLVED)
    }

    fn set(&mut self, name: &str, constant: Constant) {
        self.constants.insert(name.into(), constant);
    }

    /// A time that the runs do not tell: none of it is counted, and it may be as much as this.
    fn unknown_time(&mut self, name: &str, most: f64) {
        let source = format!("{}: does not tell it", self.wanted.runs);
        let (range, basis) = (Some([0.0, most]), Basis::Estimated);
        self.set(name, Constant { range, basis, source, ..Constant::of(0.0) });
    }

    fn one(&mut self, name: &str, source: &str, of: impl Fn(&Figures) -> f64) {
        self.one_within(name, source, of, 0.0);
    }

    /// The same; `more` widens its interval.
    fn one_within(&mut self, name: &str, source: &str, of: impl Fn(&Figures) -> f64, more: f64) {
        let value = of(self.best);
        let range = interval(self.drawn.iter().map(&of), value);
        let constant = measured(name, value, widened(range, RESOLVED + more), source);
        let draws = self.together.iter().map(of);
        self.set(name, drawn(name, constant, draws));
    }

    /// A figure of each piece; `more` widens its interval.
    fn by_size(
        &mut self,
        name: &str,
        source: &str,
        of: impl Fn(&Piece) -> f64,
        more: impl Fn(&Piece) -> f64,
    ) {
        let pieces = self.best.pieces.iter().enumerate().map(|(at, piece)| {
            let resampled = self.drawn.iter().map(|figures| of(&figures.pieces[at]));
            let range = widened(interval(resampled, of(piece)), RESOLVED + more(piece));
            let draws = self.together.iter().map(|figures| of(&figures.pieces[at]));
            (piece.from, drawn(name, measured(name, of(piece), range, source), draws))
        });
        let constant = joined(pieces.collect());
        self.set(name, constant);
    }

    /// A rate from ns a byte; `more` widens the interval of those.
    fn rate(&self, source: &str, slope: f64, of: impl Fn(&Figures) -> f64, more: f64) -> Constant {
        const BANDWIDTH: &str = "network.bandwidth";
        let [least, most] = widened(interval(self.drawn.iter().map(&of), slope), more);
        let [fast, slow] = [least, most].map(rate_of);
        let constant = measured(BANDWIDTH, rate_of(slope), [slow, fast], source);
        drawn(BANDWIDTH, constant, self.together.iter().map(|figures| rate_of(of(figures))))
    }
}

fn rate_of(slope: f64) -> f64 {
    if slope > 0.0 { (1e9 / slope).clamp(1e3, NO_LIMIT) } else { NO_LIMIT }
}

fn widened([least, most]: [f64; 2], by: f64) -> [f64; 2] {
    [(least - by).max(0.0), most + by]
}

fn measured(name: &str, value: f64, range: [f64; 2], source: &str) -> Constant {
    Constant {
        range: Some(range.map(|end| kept(name, end))),
        basis: Basis::Measured,
        source: source.into(),
        ..Constant::of(kept(name, value))
    }
}

/// The same with what belongs together with the draws of other figures.
fn drawn(name: &str, constant: Constant, draws: impl Iterator<Item = f64>) -> Constant {
    Constant { draws: draws.map(|value| kept(name, value)).collect(), ..constant }
}

/// Within the bounds of its row.
fn kept(name: &str, value: f64) -> f64 {
    let within = FIELDS.iter().find(|field| field.name == name).map(|field| field.within);
    within.map_or(value, |[least, most]| value.clamp(least, most))
}

/// Pieces as one constant; those that say the same are one.
fn joined(pieces: Vec<(u64, Constant)>) -> Constant {
    let mut pieces = pieces.into_iter();
    let mut whole = pieces.next().map_or(Constant::of(0.0), |(_, first)| first);
    let mut last = whole.clone();
    for (from, figure) in pieces {
        let alike = (figure.value - last.value).abs() <= RESOLVED.max(ALIKE * last.value);
        if !alike {
            last = figure.clone();
            whole.larger.push(Larger { from, figure });
        }
    }
    whole
}

/// Part of it may belong to figures that the runs do not tell.
fn from_nothing(constant: &mut Constant) {
    let open = |range: &mut Option<[f64; 2]>| {
        if let Some([least, _]) = range {
            *least = 0.0;
        }
    };
    open(&mut constant.range);
    constant.larger.iter_mut().for_each(|larger| open(&mut larger.figure.range));
}

/// The payload of a packet, from messages of one and of several: the smallest and the largest.
fn packet(sizes: &Sizes) -> Option<(f64, f64)> {
    let seen = || sizes.0.iter().map(|(bytes, shown)| (*bytes as f64, f64::from(shown.packets)));
    let least = seen().map(|(bytes, packets)| bytes / packets).fold(1.0, f64::max).ceil();
    let several = seen().filter(|seen| seen.1 > 1.0);
    let most = several.map(|(bytes, packets)| bytes / (packets - 1.0)).fold(f64::MAX, f64::min);
    (most < f64::MAX && least <= most).then(|| (least, most.floor().max(least)))
}
