//! A run's quantiles in the text format that Prometheus and its kin scrape (OpenMetrics 1.0).

use std::io::Write;

use stats::analysis::{Analysis, Summary};

use crate::facts::Facts;
use crate::palette::key;

/// Write them. Times are in seconds, as the format wants its units to be base units.
///
/// # Errors
/// When they cannot be written.
pub fn write(facts: &Facts, analysis: &Analysis, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "# TYPE fourstamp_message_seconds summary")?;
    writeln!(out, "# UNIT fourstamp_message_seconds seconds")?;
    writeln!(out, "# HELP fourstamp_message_seconds Time of messages by stage of their life.")?;
    let stages = analysis.stages.iter().map(|view| (key(view.stage), &view.summary));
    let cycles = analysis.cycles.iter().map(|view| ("cycle", &view.summary));
    stages.chain(cycles).try_for_each(|(stage, of)| summary(stage, of, out))?;
    let lost = &facts.lost;
    writeln!(out, "# TYPE fourstamp_lost_messages gauge")?;
    writeln!(
        out,
        "# HELP fourstamp_lost_messages Messages dropped, or known to be in damaged chunks."
    )?;
    writeln!(out, "fourstamp_lost_messages {}", lost.dropped + lost.damaged_rows)?;
    writeln!(out, "# TYPE fourstamp_run info")?;
    writeln!(out, "# HELP fourstamp_run What ran.")?;
    writeln!(
        out,
        "fourstamp_run_info{{workload=\"{}\",transport=\"{}\",topology=\"{}\",nodes=\"{}\",\
        launches=\"{}\"}} 1",
        label(&facts.workload),
        label(&facts.transport),
        label(&facts.topology),
        facts.nodes,
        facts.launches
    )?;
    writeln!(out, "# EOF")
}

fn summary(stage: &str, of: &Summary, out: &mut dyn Write) -> std::io::Result<()> {
    const NAME: &str = "fourstamp_message_seconds";
    for quantile in &of.quantiles {
        let s = quantile.value_ns as f64 / 1e9;
        writeln!(out, "{NAME}{{stage=\"{stage}\",quantile=\"{}\"}} {s:e}", quantile.p)?;
    }
    // A sum of times that may be negative is none of a summary.
    if of.min_ns >= 0 {
        writeln!(out, "{NAME}_sum{{stage=\"{stage}\"}} {:e}", of.total_ns / 1e9)?;
    }
    writeln!(out, "{NAME}_count{{stage=\"{stage}\"}} {}", of.count)
}

/// Text between quotes: the format escapes these three.
fn label(text: &str) -> String {
    text.replace('\\', r"\\").replace('"', r#"\""#).replace('\n', r"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_label_may_not_hold_is_escaped() {
        assert_eq!(label("a\"b\n\\"), r#"a\"b\n\\"#);
    }
}
