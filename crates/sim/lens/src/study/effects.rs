//! What another transport, another way to time objects or another build makes of run times, over
//! all setups that differ in nothing else.
//!
//! Launches of one round are neighbours in time, so they are compared with each other: a round
//! gives one ratio, the geometric mean over its pairs, and the rounds give the interval.

use super::{SpeedupRow, SpeedupSetup, THIS_BUILD};
use document::{counted, ratio};
use report::reason_text;
use stats::speedup::{Estimate, typical};

/// In what two setups may differ.
struct Factor {
    value: fn(&SpeedupSetup) -> String,
    words: fn(&str) -> String,
}

static FACTORS: [Factor; 3] = [
    Factor { value: |setup| setup.transport.to_owned(), words: |value| format!("over {value}") },
    Factor {
        value: |setup| setup.timing.to_owned(),
        words: |value| format!("with timing {value}"),
    },
    Factor {
        value: |setup| setup.build.clone(),
        words: |value| match value {
            THIS_BUILD => "with this build".to_owned(),
            other => format!("with build {other}"),
        },
    },
];

/// A sentence for each other value of each factor, against its first.
pub(super) fn sentences(rows: &[SpeedupRow]) -> Vec<String> {
    let rows: Vec<&SpeedupRow> = rows.iter().filter(|row| row.setup.nodes.is_some()).collect();
    let mut said = Vec::new();
    for factor in &FACTORS {
        let mut values: Vec<String> = Vec::new();
        for value in rows.iter().map(|row| (factor.value)(&row.setup)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let Some((base, others)) = values.split_first() else { continue };
        said.extend(others.iter().filter_map(|other| of_pair(factor, &rows, base, other)));
    }
    said
}

fn of_pair(factor: &Factor, rows: &[&SpeedupRow], base: &str, other: &str) -> Option<String> {
    let rest = |row: &SpeedupRow| {
        let values = FACTORS.iter().filter(|known| !std::ptr::eq(*known, factor));
        let values: Vec<String> = values.map(|known| (known.value)(&row.setup)).collect();
        let SpeedupSetup { model, stretch, nodes, .. } = &row.setup;
        (values, model.clone(), *stretch, *nodes)
    };
    let of = |value: &str| {
        let value = value.to_owned();
        rows.iter().copied().filter(move |row| (factor.value)(&row.setup) == value)
    };
    let partner = |row: &SpeedupRow| of(base).find(|known| rest(known) == rest(row));
    let pairs: Vec<_> = of(other).filter_map(|row| Some((row, partner(row)?))).collect();
    let found = over_rounds(&pairs)?;
    let (a, b) = ((factor.words)(base), (factor.words)(other));
    let (times, mean) = (ratio(found.value), counted(pairs.len() as u64, "pair"));
    Some(match found.interval {
        Ok((low, high)) => {
            let span = format!("{mean} of setups; 95 %: {} to {}", ratio(low), ratio(high));
            let undecided = if low <= 1.0 && high >= 1.0 { ", which decides nothing" } else { "" };
            format!("A run takes {times} as long {b} as {a} ({span}){undecided}.")
        }
        Err(why) => {
            let why = reason_text(why);
            format!("A run takes {times} as long {b} as {a} ({mean} of setups; {why}).")
        }
    })
}

/// One ratio a round in which all were measured.
fn over_rounds(pairs: &[(&SpeedupRow, &SpeedupRow)]) -> Option<Estimate> {
    let seconds = |row: &SpeedupRow, round: u32| {
        let launch = row.launches.iter().find(|launch| launch.round == round);
        launch.map(|launch| launch.outcome.seconds)
    };
    let mean = |round: u32| {
        let logs = pairs
            .iter()
            .map(|(long, short)| Some((seconds(long, round)? / seconds(short, round)?).ln()));
        let sum: f64 = logs.sum::<Option<f64>>()?;
        Some((sum / pairs.len() as f64).exp())
    };
    let rounds = pairs.first()?.0.launches.iter().map(|launch| launch.round);
    typical(&rounds.filter_map(mean).collect::<Vec<f64>>())
}
