//! The figures that a set of stretches gives: of all of them, or of a resample.

use super::burst::Burst;
use super::line::Line;
use super::parts::Parts;
use super::shape::{self, ALIKE, Shape, piece, without};
use super::sizes::{At, Sizes, median};

/// Receiving differs by size where it does by this part and so many ns.
const APART: (f64, f64) = (0.15, 20.0);

/// One piece of them, for messages from a size on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    pub from: u64,
    pub parts: Parts,
    /// Of the wire, ns a byte.
    pub wire: f64,
}

/// Figures, ns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figures {
    /// A byte, at each end.
    pub copy: f64,
    /// A packet, of the receiver's processor, and on the wire.
    pub interrupt: f64,
    pub step: f64,
    pub handler: f64,
    pub wake: f64,
    /// Of the link, if it lets one through: pieces are of messages that it spares nothing.
    pub burst: Option<Burst>,
    pub pieces: Vec<Piece>,
}

impl Figures {
    pub fn of(sizes: &Sizes, shape: &Shape) -> Figures {
        let one_way: Vec<At> = sizes.one_way().collect();
        let received: Vec<At> = sizes.receive().collect();
        let of_both = shape::step(&one_way, shape.packets);
        let plain: Vec<At> = one_way.iter().map(|at| without(at, of_both)).collect();
        let ends = Ends::of(&received, shape, of_both, &plain);
        let stream = Stream::of(sizes, &ends, &received);
        let pieces = |handler: f64| pieces(shape, &plain, &received, &ends, &stream, handler);
        let open = Figures {
            copy: ends.copy,
            interrupt: ends.interrupt,
            step: of_both - ends.interrupt,
            handler: 0.0,
            wake: stream.wake,
            burst: None,
            pieces: pieces(0.0),
        };
        let handler = open.narrow(sizes);
        Figures { handler, pieces: pieces(handler), ..open }
    }

    /// The same of a link with a burst, whose rate the burst tells better than lines do.
    pub fn rated(mut self, burst: Option<Burst>) -> Figures {
        self.burst = burst;
        if let Some(burst) = burst {
            let wire = (burst.a_byte - 2.0 * self.copy).max(0.0);
            self.pieces.iter_mut().for_each(|piece| piece.wire = wire);
        }
        self
    }

    /// What one way takes by them.
    pub fn one_way(&self, bytes: u64, packets: f64) -> f64 {
        let piece = self.piece(bytes);
        let a_byte = piece.wire + 2.0 * self.copy;
        let a_packet = self.step + self.interrupt;
        self.handler + self.wake + piece.parts.sum() + a_byte * bytes as f64 + a_packet * packets
    }

    /// What a message of a stream takes by them: what its slowest part does.
    pub fn passing(&self, at: &At) -> f64 {
        let piece = self.piece(at.bytes);
        let copied = self.copy * at.bytes as f64;
        let receiver = piece.parts.receive + copied + self.interrupt * at.packets;
        let header = self.burst.map_or(0.0, |burst| burst.header);
        let link = piece.wire * (at.bytes as f64 + header) + self.step * at.packets;
        (piece.parts.send + copied).max(receiver).max(link).max(self.handler * at.packets)
    }

    pub fn piece(&self, bytes: u64) -> &Piece {
        let found = self.pieces.iter().rev().find(|piece| piece.from <= bytes);
        found.unwrap_or(&self.pieces[0])
    }

    /// What the network takes for a packet while others wait for it, where a stream is slower than
    /// either end and the wire: told at the smallest size, and no more than one way leaves.
    fn narrow(&self, sizes: &Sizes) -> f64 {
        const CLEARLY: f64 = 1.05;
        let Some(passing) = sizes.passing().next() else { return 0.0 };
        let at_size = |of: Option<At>| of.filter(|at| at.bytes == passing.bytes);
        let ends = [at_size(sizes.sending().next()), at_size(sizes.taking().next())];
        let piece = self.piece(passing.bytes);
        let wire = piece.wire * passing.bytes as f64 + self.step * passing.packets;
        let known = ends.into_iter().flatten().map(|at| at.value).fold(wire, f64::max);
        if passing.value < CLEARLY * known {
            return 0.0;
        }
        (passing.value / passing.packets).clamp(0.0, piece.parts.latency)
    }
}

/// What both ends take by byte and by packet.
struct Ends {
    copy: f64,
    interrupt: f64,
}

impl Ends {
    fn of(received: &[At], shape: &Shape, of_both: f64, plain: &[At]) -> Ends {
        let nothing = Ends { copy: 0.0, interrupt: 0.0 };
        if !shape.copy {
            return nothing;
        }
        let Some(line) = Line::through(received, shape.packets) else { return nothing };
        // The wire has what is left of the steepest piece.
        let steepest = shape.lines.iter().enumerate().map(|(at, from)| {
            let values = piece(plain, *from, shape.lines.get(at + 1).copied());
            Line::rising(&values, &Line::default()).slope
        });
        let most = steepest.fold(0.0, f64::max) / 2.0;
        Ends { copy: line.slope.clamp(0.0, most), interrupt: line.step.clamp(0.0, of_both) }
    }

    fn without(&self, at: &At) -> At {
        let less = self.copy * at.bytes as f64 + self.interrupt * at.packets;
        At { value: (at.value - less).max(0.0), ..*at }
    }
}

/// What streams show of both ends at work.
struct Stream {
    /// Of sending, by size; empty where no stream shows it.
    sending: Vec<At>,
    /// By how much a receiver that waits takes longer than one that is at work.
    wake: f64,
    /// By how much one at work takes longer than one that waits.
    excess: f64,
}

impl Stream {
    fn of(sizes: &Sizes, ends: &Ends, received: &[At]) -> Stream {
        let copied = |at: At| At { value: (at.value - ends.copy * at.bytes as f64).max(0.0), ..at };
        let waiting: Vec<At> = received.iter().map(|at| ends.without(at)).collect();
        let near = |bytes: u64| {
            let far = |at: &&At| (at.bytes.max(1) as f64 / bytes.max(1) as f64).ln().abs();
            waiting.iter().min_by(|a, b| far(a).total_cmp(&far(b)))
        };
        // The ends of a stretch, and packets that come in lumps, make as much of a difference.
        let longer = |at: At| {
            let (waits, works) = (near(at.bytes)?.value, ends.without(&at).value);
            let alike = (waits - works).abs() <= ALIKE.1.max(ALIKE.0 * waits);
            Some(if alike { 0.0 } else { waits - works })
        };
        let longer: Vec<f64> = sizes.taking().filter_map(longer).collect();
        let longer = median(&longer).unwrap_or(0.0);
        Stream {
            sending: sizes.sending().map(copied).collect(),
            wake: longer.max(0.0),
            excess: (-longer).max(0.0),
        }
    }

    /// What sending takes from a size on.
    fn sending(&self, from: u64, next: Option<u64>) -> f64 {
        let inside = piece(&self.sending, from, next);
        let values: Vec<f64> = inside.iter().map(|at| at.value).collect();
        median(&values).unwrap_or(0.0)
    }
}

fn pieces(
    shape: &Shape,
    plain: &[At],
    received: &[At],
    ends: &Ends,
    stream: &Stream,
    handler: f64,
) -> Vec<Piece> {
    let mut starts: Vec<u64> = shape.lines.iter().chain(&shape.sends).copied().collect();
    starts.sort_unstable();
    starts.dedup();
    let within = |cuts: &[u64], from: u64| {
        let at = cuts.partition_point(|cut| *cut <= from);
        (cuts[at - 1], cuts.get(at).copied())
    };
    let all: Vec<f64> = received.iter().map(|at| ends.without(at).value).collect();
    let usual = median(&all).unwrap_or(0.0);
    let one = |&from: &u64| {
        let (begin, end) = within(&shape.lines, from);
        let here: Vec<f64> =
            piece(received, begin, end).iter().map(|at| ends.without(at).value).collect();
        let differs = |own: &f64| (own - usual).abs() > APART.1.max(APART.0 * usual);
        let receive = median(&here).filter(differs).unwrap_or(usual);
        let (first, last) = within(&shape.sends, from);
        let send = stream.sending(first, last);
        let floor = receive + send + handler;
        let least = Line { base: floor, slope: 2.0 * ends.copy, step: 0.0 };
        let line = Line::rising(&piece(plain, begin, end), &least);
        let parts = Parts {
            send,
            receive: (receive - stream.wake).max(0.0) + stream.excess,
            ..Parts::default()
        };
        let parts = parts.within(line.base - stream.wake - handler);
        Piece { from, parts, wire: line.slope - 2.0 * ends.copy }
    };
    starts.iter().map(one).collect()
}
