//! How often a trend is wrong, and what it finds: `cargo run --release -p fourstamp-stats --example
//! trends -- 1000`.
//!
//! Every row is so many made-up series of runs. Of level series, each lasting change and each
//! newest run that is said to differ is a false alarm.

#[path = "../tests/launches/mod.rs"]
mod launches;
#[path = "../tests/series/mod.rs"]
mod series;

use series::{SERIES, SeriesKind, rates};

fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1000);
    println!("{count} series a row, 95 % confidence, least effect 2 %, 3 launches a run");
    println!(
        "{:<36} {:<16} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "series",
        "truth",
        "changed",
        "as step",
        "as drift",
        "misnamed",
        "placed",
        "sized",
        "newest"
    );
    for kind in &SERIES {
        let half = kind.runs / 2;
        for by in [1.0, 1.05, 1.1, 1.2] {
            let name = if by == 1.0 { "level".to_owned() } else { format!("step to {by}×") };
            row(kind, &name, count, &move |at| if at < half { 1.0 } else { by }, (half, by));
        }
        for by in [0.005, 0.01] {
            let whole = (by * (kind.runs - 1) as f64).exp();
            let name = format!("+{:.1} % a run", by * 100.0);
            row(kind, &name, count, &move |at| (by * at as f64).exp(), (0, whole));
        }
        let last = kind.runs - 1;
        row(kind, "newest 1.2×", count, &move |at| if at < last { 1.0 } else { 1.2 }, (0, 1.0));
    }
}

fn row(
    kind: &SeriesKind,
    name: &str,
    count: u64,
    truth: &dyn Fn(usize) -> f64,
    expected: (usize, f64),
) {
    let found = rates(kind, count, truth, expected);
    let parts = [
        found.changed,
        found.steps,
        found.drifts,
        found.misnamed,
        found.placed,
        found.sized,
        found.newest,
    ];
    let parts: String = parts.iter().map(|part| format!(" {:>6.1} %", part * 100.0)).collect();
    println!("{:<36} {name:<16}{parts}", kind.name);
}
