//! What killed processes left in shared memory and among temporary files.

use super::{Finding, good, limited};
use record::{Leftover, Verdict};
use std::fmt::Write as _;

/// What there is.
pub fn finding() -> Finding {
    let all = Leftover::all();
    let rubbish: Vec<_> = all.iter().filter(|leftover| leftover.verdict.is_rubbish()).collect();
    let unread =
        all.iter().filter(|leftover| matches!(leftover.verdict, Verdict::Unread { .. })).count();
    if rubbish.is_empty() && unread == 0 {
        return good("leftovers", "no process that was killed left anything".into());
    }
    let bytes: u64 = rubbish.iter().map(|leftover| leftover.bytes).sum();
    let seen = match unread {
        0 => format!("{} that nobody needs, {}", things(rubbish.len()), size(bytes)),
        _ => format!(
            "{} that nobody needs, {}; {} with rows of killed runs that nobody has read",
            things(rubbish.len()),
            size(bytes),
            things(unread)
        ),
    };
    limited(
        "leftovers",
        seen,
        "fourstamp doctor --clean removes the first and names the runs of the others",
    )
}

/// Remove what belongs to nobody; what was removed, and what was left and why.
pub fn clean() -> String {
    let (mut text, mut removed, mut freed, mut left) = (String::new(), 0, 0, 0);
    for leftover in Leftover::all() {
        let (path, bytes) = (leftover.path.display().to_string(), leftover.bytes);
        let (path, reason) = (path.escape_debug().to_string(), why(&leftover.verdict));
        let rubbish = leftover.verdict.is_rubbish();
        let done = leftover.remove();
        let (what, reason) = match done {
            Ok(()) if rubbish => ("removed", reason),
            Ok(()) => ("left", reason),
            Err(error) => ("left", format!("it cannot be removed: {error}")),
        };
        match what {
            "removed" => (removed, freed) = (removed + 1, freed + bytes),
            _ => left += 1,
        }
        let _ = writeln!(text, "{what:<8} {path} ({}): {reason}", size(bytes));
    }
    let _ = writeln!(text, "{} removed, {}; {} left", things(removed), size(freed), things(left));
    text
}

fn why(verdict: &Verdict) -> String {
    let shown = |run: &std::path::Path| run.display().to_string().escape_debug().to_string();
    match verdict {
        Verdict::InUse => "in use".into(),
        Verdict::Unread { run, rows } => {
            let run = shown(run);
            format!(
                "{rows} rows of the killed run {run}; `fourstamp report {run}` reads them and \
                removes it"
            )
        }
        Verdict::Useless => "nobody uses it".into(),
        Verdict::Orphaned { run, rows } => {
            format!("{rows} rows of a killed run whose folder {} is gone", shown(run))
        }
        Verdict::Unknown(reason) => reason.clone(),
    }
}

fn things(count: usize) -> String {
    if count == 1 { "1 file or folder".into() } else { format!("{count} files and folders") }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}
