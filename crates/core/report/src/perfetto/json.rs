//! A run as a trace in Chrome's Trace Event Format, which ui.perfetto.dev and chrome://tracing
//! open.
//!
//! Events are written as they come, in any order: readers sort them. Times are in microseconds in
//! that format; nanoseconds stay as three decimals. The format is described in "Trace Event Format"
//! (Chromium, 2016).

use super::{Trace, TraceSlice, Track};
use serde_json::{Value, json};
use std::io::{Result, Write};

/// A trace that is being written.
pub struct Json<'a> {
    out: &'a mut dyn Write,
    events: u64,
    flows: u64,
}

impl<'a> Json<'a> {
    /// Begin a trace.
    ///
    /// # Errors
    /// When `out` refuses the text.
    pub fn begin(out: &'a mut dyn Write) -> Result<Json<'a>> {
        out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
        Ok(Json { out, events: 0, flows: 0 })
    }

    fn event(&mut self, event: &Value) -> Result<()> {
        self.separate()?;
        write!(self.out, "{event}")
    }

    fn separate(&mut self) -> Result<()> {
        self.events += 1;
        self.out.write_all(if self.events == 1 { b"\n" } else { b",\n" })
    }

    fn begin_event(
        &mut self,
        phase: &str,
        track: Track,
        name: &str,
        category: &str,
        at_ns: i64,
    ) -> Result<()> {
        self.separate()?;
        let (pid, tid) = (track.group, track.track);
        write!(self.out, "{{\"ph\":\"{phase}\",\"pid\":{pid},\"tid\":{tid},\"name\":")?;
        serde_json::to_writer(&mut *self.out, name)?;
        write!(self.out, ",\"cat\":\"{category}\",\"ts\":")?;
        self.micros(at_ns)
    }

    fn end_event(&mut self, args: &[(&'static str, Value)]) -> Result<()> {
        if !args.is_empty() {
            for (at, (name, value)) in args.iter().enumerate() {
                let before = if at == 0 { ",\"args\":{" } else { "," };
                write!(self.out, "{before}\"{name}\":{value}")?;
            }
            self.out.write_all(b"}")?;
        }
        self.out.write_all(b"}")
    }

    /// Nanoseconds as microseconds, none lost.
    fn micros(&mut self, ns: i64) -> Result<()> {
        let sign = if ns < 0 { "-" } else { "" };
        let ns = ns.unsigned_abs();
        write!(self.out, "{sign}{}.{:03}", ns / 1000, ns % 1000)
    }
}

impl Trace for Json<'_> {
    fn name_group(&mut self, group: u64, name: &str, order: u64) -> Result<()> {
        self.event(
            &json!({"ph": "M", "pid": group, "name": "process_name", "args": {"name": name}}),
        )?;
        self.event(&json!({
            "ph": "M", "pid": group, "name": "process_sort_index", "args": {"sort_index": order},
        }))
    }

    fn name_track(&mut self, track: Track, name: &str) -> Result<()> {
        let (pid, tid) = (track.group, track.track);
        self.event(&json!({
            "ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": {"name": name},
        }))?;
        self.event(&json!({
            "ph": "M", "pid": pid, "tid": tid, "name": "thread_sort_index",
            "args": {"sort_index": tid},
        }))
    }

    fn slice(&mut self, slice: &TraceSlice) -> Result<()> {
        self.begin_event("X", slice.track, slice.name, slice.category, slice.from_ns)?;
        write!(self.out, ",\"dur\":")?;
        self.micros(slice.to_ns.saturating_sub(slice.from_ns))?;
        self.end_event(slice.args)
    }

    fn floating(&mut self, slice: &TraceSlice, id: u64) -> Result<()> {
        self.begin_event("b", slice.track, slice.name, slice.category, slice.from_ns)?;
        write!(self.out, ",\"id\":\"{id:x}\"")?;
        self.end_event(slice.args)?;
        self.begin_event("e", slice.track, slice.name, slice.category, slice.to_ns)?;
        write!(self.out, ",\"id\":\"{id:x}\"")?;
        self.end_event(&[])
    }

    fn arrow(&mut self, name: &str, from: (Track, i64), to: (Track, i64)) -> Result<()> {
        self.flows += 1;
        let id = self.flows;
        self.begin_event("s", from.0, name, "message", from.1)?;
        write!(self.out, ",\"id\":{id}")?;
        self.end_event(&[])?;
        self.begin_event("f", to.0, name, "message", to.1)?;
        write!(self.out, ",\"id\":{id},\"bp\":\"e\"")?;
        self.end_event(&[])
    }

    fn end(&mut self, facts: &Value) -> Result<()> {
        writeln!(self.out, "\n],\"otherData\":{facts}}}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_json_with_paired_arrows_and_exact_times() {
        let mut out = Vec::new();
        let (one, other) = (Track { group: 1, track: 1 }, Track { group: 1, track: 2 });
        let name = "a \"quoted\"\n</script>";
        let mut trace = Json::begin(&mut out).unwrap();
        trace.name_group(1, "ranks", 0).unwrap();
        trace.name_track(one, "rank 0").unwrap();
        let args = [("bytes", json!(8)), ("site", json!(name))];
        let slice = TraceSlice {
            track: one,
            name,
            category: "mpi",
            from_ns: -1_500,
            to_ns: 9_007_199_254_741_993,
            args: &args,
        };
        trace.slice(&slice).unwrap();
        trace.floating(&TraceSlice { args: &[], ..slice }, 255).unwrap();
        trace.arrow("message", (one, 7), (other, 1_234_567)).unwrap();
        trace.end(&json!({"run": "x"})).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("\"ts\":-1.500,\"dur\":9007199254743.493"), "{text}");
        assert!(text.contains("\"ts\":1234.567"), "{text}");
        let read: Value = serde_json::from_str(&text).unwrap();
        let events = read["traceEvents"].as_array().unwrap();
        let phases: Vec<&str> = events.iter().map(|event| event["ph"].as_str().unwrap()).collect();
        assert_eq!(phases, ["M", "M", "M", "M", "X", "b", "e", "s", "f"]);
        assert_eq!(events[4]["args"]["site"], name);
        assert_eq!((&events[7]["id"], &events[5]["id"]), (&events[8]["id"], &events[6]["id"]));
    }
}
