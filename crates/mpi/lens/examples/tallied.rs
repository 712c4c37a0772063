//! What a call costs in the tally, one in twenty a collective: `cargo run --release -p
//! fourstamp-mpi-lens --example tallied [millions]`. Times are those on the core.

use mpi_lens::found::Activity;
use mpi_lens::{CallColumns, CallTally, Function};
use record::Values;

const ROWS: usize = 1 << 16;

fn main() {
    let millions: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20);
    let function =
        |name: &str, activity| Function { name: name.to_owned(), activity, blocks: true };
    let functions = vec![
        function("MPI_Send", Activity::Sending),
        function("MPI_Recv", Activity::Waiting),
        function("MPI_Allreduce", Activity::Collective),
    ];
    let rows = |value: fn(i64) -> i64| (0..ROWS as i64).map(value).collect::<Vec<i64>>();
    // Spread about as calls are, and the same every time.
    let enter = rows(|row| row * 700 + row * row % 97);
    let exit = rows(|row| row * 700 + row * row % 97 + 20 + row * 31 % 641);
    let call = rows(|row| if row % 20 == 0 { 2 } else { row % 2 });
    let (bytes, site) = (rows(|row| 8 * (1 + row * 37 % 500)), rows(|row| 1 + row * 13 % 7));
    let columns = CallColumns {
        rows: ROWS,
        enter: Values::Each(&enter),
        exit: Values::Each(&exit),
        call: Values::Each(&call),
        communicator: Values::Constant(1),
        bytes: Values::Each(&bytes),
        polls: Values::Absent,
        site: Values::Each(&site),
        thread: Values::Absent,
    };
    let mut tally = CallTally::new(functions, &[]);
    let times = millions * 1_000_000 / ROWS as u64;
    let begin = on_core_s();
    (0..times).for_each(|rank| tally.add(rank as u32 % 64, &columns));
    let each = (on_core_s() - begin) / (times * ROWS as u64) as f64 * 1e9;
    println!("{each:.2} ns a call, {} ranks", tally.finish(&mut []).ranks.len());
}

fn on_core_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = stat.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok());
    ns.map_or(f64::NAN, |ns| ns / 1e9)
}
