//! A trace in Perfetto's own format: packets in protocol buffers, each whole as soon as it is
//! written. Names are written once and then meant by their numbers.

use super::packets::{
    Argument, BEGIN, Data, END, Event, INSTANT, Name, Names, Packet, Process, TrackIs, Value,
};
use super::{Trace, TraceSlice, Track};
use prost::Message;
use std::collections::{BTreeMap, HashMap};
use std::io::{Result, Write};

/// The only writer.
const SEQUENCE: u32 = 1;
/// Names begin anew with the first packet, and all refer to them.
const ANEW: u32 = 1;
const NEEDS_NAMES: u32 = 2;
/// Tracks of a group are shown by their ranks.
const BY_RANK: i32 = 3;
/// Field 1 of a trace, of known length.
const PACKET: u8 = 0x0a;

/// A trace that is being written.
pub struct Protobuf<'a> {
    out: &'a mut dyn Write,
    /// The time of its zero, ns on the timeline: the format has no negative times.
    origin_ns: i64,
    bytes: Vec<u8>,
    packets: u64,
    groups: BTreeMap<u64, u64>,
    tracks: BTreeMap<Track, u64>,
    /// Number of the newest track or arrow.
    newest: u64,
    /// The identity of the floating slices that came last, and their track.
    floats: Option<(u64, u64)>,
    categories: Numbers,
    events: Numbers,
    arguments: Numbers,
}

/// Names by number, from 1.
#[derive(Default)]
struct Numbers {
    known: HashMap<String, u64>,
    /// Those that no packet has yet.
    fresh: Vec<Name>,
}

impl Numbers {
    fn of(&mut self, name: &str) -> u64 {
        if let Some(&number) = self.known.get(name) {
            return number;
        }
        let number = self.known.len() as u64 + 1;
        self.known.insert(name.to_owned(), number);
        self.fresh.push(Name { number, name: name.to_owned() });
        number
    }
}

impl<'a> Protobuf<'a> {
    /// Begin a trace in which nothing is before `origin_ns`.
    #[must_use]
    pub fn begin(out: &'a mut dyn Write, origin_ns: i64) -> Protobuf<'a> {
        Protobuf {
            out,
            origin_ns,
            bytes: Vec::new(),
            packets: 0,
            groups: BTreeMap::new(),
            tracks: BTreeMap::new(),
            newest: 0,
            floats: None,
            categories: Numbers::default(),
            events: Numbers::default(),
            arguments: Numbers::default(),
        }
    }

    fn new_number(&mut self) -> u64 {
        self.newest += 1;
        self.newest
    }

    fn group(&self, group: u64) -> Option<u64> {
        self.groups.get(&group).copied()
    }

    /// The number of a track, which gets one without a name where it has none.
    fn track(&mut self, track: Track) -> Result<u64> {
        if let Some(&uuid) = self.tracks.get(&track) {
            return Ok(uuid);
        }
        self.new_track(track, None)
    }

    fn new_track(&mut self, track: Track, name: Option<&str>) -> Result<u64> {
        let uuid = self.new_number();
        self.tracks.insert(track, uuid);
        self.packet(
            None,
            Data::Track(TrackIs {
                uuid,
                name: name.map(str::to_owned),
                parent: self.group(track.group),
                rank: i32::try_from(track.track).ok(),
                ..TrackIs::default()
            }),
        )?;
        Ok(uuid)
    }

    fn event(&mut self, at_ns: i64, event: Event) -> Result<()> {
        let at = at_ns.saturating_sub(self.origin_ns);
        self.packet(Some(u64::try_from(at).unwrap_or(0)), Data::Event(event))
    }

    /// Begin and end of a slice on the track of this number.
    fn slice_on(&mut self, track: u64, slice: &TraceSlice) -> Result<()> {
        let begin = Event {
            kind: BEGIN,
            track,
            name: Some(self.events.of(slice.name)),
            categories: vec![self.categories.of(slice.category)],
            arguments: slice.args.iter().map(|(name, value)| self.argument(name, value)).collect(),
            ..Event::default()
        };
        self.event(slice.from_ns, begin)?;
        self.event(slice.to_ns, Event { kind: END, track, ..Event::default() })
    }

    fn argument(&mut self, name: &str, value: &serde_json::Value) -> Argument {
        let value = match value {
            serde_json::Value::Bool(value) => Value::Bool(*value),
            serde_json::Value::String(text) => Value::Text(text.clone()),
            value => match (value.as_i64(), value.as_f64()) {
                (Some(number), _) => Value::Int(number),
                (None, Some(number)) => Value::Double(number),
                (None, None) => Value::Text(value.to_string()),
            },
        };
        Argument { name: self.arguments.of(name), value: Some(value) }
    }

    fn packet(&mut self, timestamp: Option<u64>, data: Data) -> Result<()> {
        let names = Names {
            categories: std::mem::take(&mut self.categories.fresh),
            events: std::mem::take(&mut self.events.fresh),
            arguments: std::mem::take(&mut self.arguments.fresh),
        };
        let first = if self.packets == 0 { ANEW } else { 0 };
        let packet = Packet {
            timestamp,
            sequence: SEQUENCE,
            flags: NEEDS_NAMES | first,
            names: (names != Names::default()).then_some(names),
            data: Some(data),
        };
        self.packets += 1;
        self.bytes.clear();
        self.bytes.push(PACKET);
        packet.encode_length_delimited(&mut self.bytes)?;
        self.out.write_all(&self.bytes)
    }
}

impl Trace for Protobuf<'_> {
    fn name_group(&mut self, group: u64, name: &str, order: u64) -> Result<()> {
        let uuid = self.new_number();
        self.groups.insert(group, uuid);
        let pid = i32::try_from(self.groups.len()).unwrap_or(i32::MAX);
        self.packet(
            None,
            Data::Track(TrackIs {
                uuid,
                process: Some(Process { pid, name: name.to_owned() }),
                ordering: Some(BY_RANK),
                rank: i32::try_from(order).ok(),
                ..TrackIs::default()
            }),
        )
    }

    fn name_track(&mut self, track: Track, name: &str) -> Result<()> {
        self.new_track(track, Some(name)).map(drop)
    }

    fn slice(&mut self, slice: &TraceSlice) -> Result<()> {
        let track = self.track(slice.track)?;
        self.slice_on(track, slice)
    }

    fn floating(&mut self, slice: &TraceSlice, id: u64) -> Result<()> {
        let track = match self.floats {
            Some((last, track)) if last == id => track,
            _ => {
                let uuid = self.new_number();
                // Tracks of one name are shown as one, which is as high as it must be.
                let (name, parent) = (slice.category, self.group(slice.track.group));
                let track =
                    TrackIs { uuid, name: Some(name.to_owned()), parent, ..TrackIs::default() };
                self.packet(None, Data::Track(track))?;
                uuid
            }
        };
        self.floats = Some((id, track));
        self.slice_on(track, slice)
    }

    /// The ends of arrows are moments of their own within the slices.
    fn arrow(&mut self, name: &str, from: (Track, i64), to: (Track, i64)) -> Result<()> {
        let arrow = self.new_number();
        let category = self.categories.of("message");
        let moment = |track| Event {
            kind: INSTANT,
            track,
            own_name: Some(name.to_owned()),
            categories: vec![category],
            ..Event::default()
        };
        let (begin, end) = (self.track(from.0)?, self.track(to.0)?);
        self.event(from.1, Event { leave: vec![arrow], ..moment(begin) })?;
        self.event(to.1, Event { end: vec![arrow], ..moment(end) })
    }

    fn end(&mut self, _facts: &serde_json::Value) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn packets(mut bytes: &[u8]) -> Vec<Packet> {
        let mut packets = Vec::new();
        while let Some((&PACKET, rest)) = bytes.split_first() {
            bytes = rest;
            packets.push(Packet::decode_length_delimited(&mut bytes).unwrap());
        }
        assert!(bytes.is_empty());
        packets
    }

    #[test]
    fn packets_can_be_read_one_by_one_and_name_each_name_once() {
        let mut out = Vec::new();
        let (one, other) = (Track { group: 1, track: 1 }, Track { group: 1, track: 2 });
        let mut trace = Protobuf::begin(&mut out, -1_500);
        trace.name_group(1, "ranks", 0).unwrap();
        trace.name_track(one, "rank 0").unwrap();
        let args = [("bytes", json!(8)), ("at", json!("a.c:7"))];
        let (name, category) = ("MPI_Send", "mpi");
        let slice =
            TraceSlice { track: one, name, category, from_ns: -1_500, to_ns: 7, args: &args };
        trace.slice(&slice).unwrap();
        trace.slice(&TraceSlice { from_ns: 8, to_ns: 9, ..slice }).unwrap();
        trace.floating(&slice, 255).unwrap();
        trace.floating(&slice, 255).unwrap();
        trace.arrow("message", (one, 7), (other, 1_234_567)).unwrap();
        trace.end(&json!({})).unwrap();
        let packets = packets(&out);
        let names = packets.iter().filter_map(|packet| packet.names.as_ref());
        let sends = names.flat_map(|names| &names.events).filter(|name| name.name == "MPI_Send");
        assert_eq!(sends.count(), 1);
        let times: Vec<u64> = packets.iter().filter_map(|packet| packet.timestamp).collect();
        assert_eq!(times, [0, 1507, 1508, 1509, 0, 1507, 0, 1507, 1507, 1_236_067]);
        let is_track = |packet: &&Packet| matches!(packet.data, Some(Data::Track(_)));
        assert_eq!(
            packets.iter().filter(is_track).count(),
            4,
            "group, two tracks, one that floats"
        );
        let arrows: Vec<(usize, usize)> = packets
            .iter()
            .filter_map(|packet| match &packet.data {
                Some(Data::Event(event)) => Some((event.leave.len(), event.end.len())),
                _ => None,
            })
            .filter(|ends| *ends != (0, 0))
            .collect();
        assert_eq!(arrows, [(1, 0), (0, 1)]);
    }
}
