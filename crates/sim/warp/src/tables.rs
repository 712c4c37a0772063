//! The tables that a run leaves as CSV. Each appears whole or not at all.

use crate::critical::Step;
use crate::samples::Stretch;
use crate::sorted::merge;
use crate::{Objects, WarpError};
use record::csv_field;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use timewarp::{Committed, Counters, LoadCycle, NodeCounters, ObjectId, Outcome};

/// Committed counts per object, and their sum: `object,type,events,messages,sent,dropped`.
///
/// # Errors
/// When the file cannot be written.
pub fn write_counts(
    objects: &dyn Objects,
    outcome: &Outcome,
    path: &Path,
) -> Result<(), WarpError> {
    let line = |out: &mut dyn Write, name: &str, kind: &str, c: &Counters| {
        let Counters { events, messages, committed_sends, committed_drops, .. } = c;
        writeln!(
            out,
            "{},{kind},{events},{messages},{committed_sends},{committed_drops}",
            csv_field(name)
        )
    };
    write_whole(path, |out| {
        writeln!(out, "object,type,events,messages,sent,dropped")?;
        for (object, counters) in &outcome.objects {
            let object = ObjectId(*object);
            line(out, &objects.name_of(object), objects.kind_of(object), counters)?;
        }
        line(out, "TOTAL", "all", &outcome.total())
    })
}

/// The committed trace, in canonical order: `simtime,seq1,seq2,object,messages,sent`.
///
/// # Errors
/// When a node's file cannot be read, or the trace cannot be written.
pub fn write_trace(
    objects: &dyn Objects,
    of_nodes: &[PathBuf],
    path: &Path,
) -> Result<(), WarpError> {
    let names: Vec<String> =
        (0..objects.count()).map(|object| csv_field(&objects.name_of(ObjectId(object)))).collect();
    let mut unread = None;
    let written = write_whole(path, |out| {
        writeln!(out, "simtime,seq1,seq2,object,messages,sent")?;
        let merged = merge(of_nodes, |event: Committed| {
            let (time, name) = (event.time, &names[event.object.0 as usize]);
            let line = writeln!(
                out,
                "{},{},{},{name},{},{}",
                time.simtime(),
                time.seq1(),
                time.seq2(),
                event.messages,
                event.sent
            );
            line.map_err(WarpError::file("write", path))
        });
        // The draft must go as well.
        merged.map_err(|error| {
            unread = Some(error);
            io::Error::other("the trace cannot be assembled")
        })
    });
    unread.map_or(written, Err)
}

/// The statistics of the Time Warp Operating System, one line an object, with rollbacks and undone
/// events behind them; an object that has moved has a line for every node that counted something of
/// it. Columns of what does not exist here (dynamic objects) are left out. Outputs never move with
/// an object.
///
///
/// # Errors
/// When the file cannot be written.
pub fn write_xl_stats(
    objects: &dyn Objects,
    outcome: &Outcome,
    node_of: &dyn Fn(ObjectId) -> u16,
    path: &Path,
) -> Result<(), WarpError> {
    write_whole(path, |out| {
        writeln!(
            out,
            "Node,Obj,E+FT,E-FT,E+FR,E-FR,E+FC,e starts,e cmps,e com,e zap,# ssave,# scom,E \
            Sent,E+RT,E-RT,E+RR,E-RR,cm \
            cr,migr,stmigr,imigr,omigr,stforw,rollbacks,undone,ctime,cpu"
        )?;
        for (node, object, c) in lines_of_objects(outcome, node_of) {
            write!(out, "{node},{}", csv_field(&objects.name_of(object)))?;
            let columns = [
                c.positive_sent,
                c.anti_sent,
                c.positive_received,
                c.anti_received,
                c.messages,
                c.started,
                c.completed,
                c.events,
                c.annihilated,
                c.states_saved,
                c.states_committed,
                c.sends,
                c.returns_sent,
                0,
                c.returns_received,
                0,
                // It was made where it was placed.
                u64::from(node == node_of(object)),
                c.migrations,
                c.moved_states,
                c.moved_inputs,
                0,
                c.resent_states,
                c.rollbacks,
                c.undone,
            ];
            columns.iter().try_for_each(|column| write!(out, ",{column}"))?;
            writeln!(out, ",{},{}", seconds(c.spent_ns - c.undone_ns), seconds(c.spent_ns))?;
        }
        Ok(())
    })
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// The critical path, first event to last: `object,simtime,seq1,seq2,spent_ns,ends_ns,selector`.
/// The selector is that of the message that the event had to wait for, or empty where it waited for
/// its own object.
///
/// # Errors
/// When the file cannot be written.
pub fn write_critical_path(
    objects: &dyn Objects,
    steps: &[Step],
    path: &Path,
) -> Result<(), WarpError> {
    write_whole(path, |out| {
        writeln!(out, "object,simtime,seq1,seq2,spent_ns,ends_ns,selector")?;
        for Step { object, time, spent_ns, ends_ns, selector } in steps {
            let name = csv_field(&objects.name_of(*object));
            let selector = selector.map_or(String::new(), |selector| selector.to_string());
            let (simtime, seq1, seq2) = (time.simtime(), time.seq1(), time.seq2());
            writeln!(out, "{name},{simtime},{seq1},{seq2},{spent_ns},{ends_ns},{selector}")?;
        }
        Ok(())
    })
}

/// Instantaneous speed-up: `seconds,simtime,sequential_seconds,speedup`.
///
/// # Errors
/// When the file cannot be written.
pub fn write_speedup(rows: &[Stretch], path: &Path) -> Result<(), WarpError> {
    write_whole(path, |out| {
        writeln!(out, "seconds,simtime,sequential_seconds,speedup")?;
        for Stretch { seconds, simtime, sequential_seconds, speedup } in rows {
            writeln!(out, "{seconds:.6},{simtime},{sequential_seconds:.6},{speedup:.4}")?;
        }
        Ok(())
    })
}

/// Objects in order, those that have moved once for each node.
fn lines_of_objects<'o>(
    outcome: &'o Outcome,
    node_of: &dyn Fn(ObjectId) -> u16,
) -> Vec<(u16, ObjectId, &'o Counters)> {
    let mut lines: Vec<_> =
        outcome.parts.iter().map(|(node, object, c)| (*node, ObjectId(*object), c)).collect();
    let moved: BTreeSet<u32> = outcome.parts.iter().map(|(_, object, _)| *object).collect();
    let others = outcome.objects.iter().filter(|(object, _)| !moved.contains(object));
    lines.extend(others.map(|(object, c)| (node_of(ObjectId(*object)), ObjectId(*object), c)));
    lines.sort_by_key(|(node, object, _)| (*object, *node));
    lines
}

/// What the looks at the load found: `cycle,node,gvt,percent,when_ns`.
///
/// # Errors
/// When the file cannot be written.
pub fn write_load_cycles(outcome: &Outcome, path: &Path) -> Result<(), WarpError> {
    write_whole(path, |out| {
        writeln!(out, "cycle,node,gvt,percent,when_ns")?;
        for LoadCycle { cycle, node, gvt, percent, when_ns } in &outcome.load_cycles {
            writeln!(out, "{cycle},{node},{gvt},{percent},{when_ns}")?;
        }
        Ok(())
    })
}

/// What moved: `object,from,to`, `cut_simtime,cut_seq1,cut_seq2`, `gvt,when_ns,cycle` and
/// `from_percent,to_percent,part_percent`.
///
/// # Errors
/// When the file cannot be written.
pub fn write_migrations(
    objects: &dyn Objects,
    outcome: &Outcome,
    path: &Path,
) -> Result<(), WarpError> {
    write_whole(path, |out| {
        writeln!(
            out,
            "object,from,to,cut_simtime,cut_seq1,cut_seq2,gvt,when_ns,cycle,\
             from_percent,to_percent,part_percent"
        )?;
        for m in &outcome.migrations {
            let ((simtime, seq1, seq2), (high, low, part)) = (m.cut, m.percents);
            write!(
                out,
                "{},{},{},",
                csv_field(&objects.name_of(ObjectId(m.object))),
                m.from,
                m.to
            )?;
            writeln!(
                out,
                "{simtime},{seq1},{seq2},{},{},{},{high},{low},{part:.1}",
                m.gvt, m.when_ns, m.cycle
            )?;
        }
        Ok(())
    })
}

/// What each node counted.
///
/// # Errors
/// When the file cannot be written.
pub fn write_nodes(outcome: &Outcome, path: &Path) -> Result<(), WarpError> {
    write_whole(path, |out| {
        let columns = node_columns(&NodeCounters::default());
        let names: Vec<String> = columns.into_iter().map(|(name, _)| name).collect();
        writeln!(out, "node,{}", names.join(","))?;
        for (node, counters) in &outcome.nodes {
            write!(out, "{node}")?;
            node_columns(counters).iter().try_for_each(|(_, value)| write!(out, ",{value}"))?;
            writeln!(out)?;
        }
        Ok(())
    })
}

/// By name, in order of the names: whatever the engine counts is in the table.
fn node_columns(counters: &NodeCounters) -> Vec<(String, serde_json::Value)> {
    match serde_json::to_value(counters) {
        Ok(serde_json::Value::Object(fields)) => fields.into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Write a file whole or not at all.
fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WarpError> {
    record::write_whole(path, write).map_err(WarpError::file("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_are_quoted() {
        assert_eq!(csv_field("0-init"), "0-init");
        assert_eq!(csv_field("G0,0"), "\"G0,0\"");
        assert_eq!(csv_field("a\"b,c"), "\"a\"\"b,c\"");
    }

    #[test]
    fn a_file_that_fails_half_way_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.csv");
        let failed = write_whole(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("no"))
        });
        assert!(failed.unwrap_err().to_string().contains("x.csv"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(write_whole(Path::new("/proc/x.csv"), |_| Ok(())).is_err());
    }
}
