//! How often a comparison is wrong, and how often it finds a difference: `cargo run --release -p
//! fourstamp-stats --example alarms -- 2000`.
//!
//! Every row is so many pairs of made-up runs of one kind. Of equal runs, each verdict *slower* or
//! *faster* is a false alarm.

#[path = "../tests/launches/mod.rs"]
mod launches;

fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1000);
    println!("{count} comparisons a row, 95 % confidence, least effect 2 %");
    println!(
        "{:<42} {:>6} {:>7} {:>7} {:>11} {:>13}",
        "runs", "B is", "slower", "faster", "not slower", "undecided"
    );
    for kind in &launches::KINDS {
        for slower in [1.0, 1.05, 1.1, 1.2] {
            let [slow, fast, not, open] =
                launches::verdicts(kind, slower, count).map(|part| part * 100.0);
            let by = if slower == 1.0 {
                "equal".to_owned()
            } else {
                format!("+{:.0} %", (slower - 1.0) * 100.0)
            };
            println!(
                "{:<42} {by:>6} {slow:>5.1} % {fast:>5.1} % {not:>9.1} % {open:>11.1} %",
                kind.name
            );
        }
    }
}
