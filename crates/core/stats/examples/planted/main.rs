//! How often planted peaks and knees are found, intervals hold the truth, and clean data gives
//! false alarms: `cargo run --release -p fourstamp-stats --example planted [seeds]`.

mod draw;
mod knees;
mod peaks;

fn main() {
    let seeds: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(400);
    println!("knees: {:?}", knees::planted(0..seeds));
    println!("straight lines: {:?}", knees::clean(0..seeds));
    println!("packets: {:?}", knees::packets(0..seeds));
    println!("{:#?}", peaks::planted(0..seeds));
    for (kind, name) in peaks::CLEAN.iter().enumerate() {
        println!("{name}: {} false alarms of {seeds}", peaks::false_alarms(kind, 0..seeds));
    }
}
