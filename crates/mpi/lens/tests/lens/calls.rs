//! What was planted in the calls of an MPI program must be found, to the nanosecond and in any
//! order.

use calls::cause::Cause;
use calls::list::Operation;
use mpi_lens::found::{Activity, Wait, WorstWait};
use mpi_lens::{BlockedCall, CallColumns, CallTally, Function};
use record::{NULL, Values};

const MS: i64 = 1_000_000;
const US: i64 = 1_000;

/// Columns of a rank's calls.
#[derive(Default)]
struct Table([Vec<i64>; 8]);

impl Table {
    fn call(mut self, enter: i64, exit: i64, call: i64) -> Table {
        self.push([enter, exit, call, NULL, 100, NULL, 3, 0]);
        self
    }

    fn collective(mut self, enter: i64, exit: i64) -> Table {
        self.push([enter, exit, 2, 1, 8, NULL, 4, 0]);
        self
    }

    fn polls(mut self, enter: i64, exit: i64, polls: i64) -> Table {
        self.push([enter, exit, 3, NULL, NULL, polls, 5, 0]);
        self
    }

    fn push(&mut self, row: [i64; 8]) {
        self.0.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
    }

    fn columns(&self) -> CallColumns<'_> {
        let rows = self.0[0].len();
        let [enter, exit, call, communicator, bytes, polls, site, thread] =
            self.0.each_ref().map(|column| Values::Each(column));
        CallColumns { rows, enter, exit, call, communicator, bytes, polls, site, thread }
    }
}

/// Rank 0 waits for rank 1 for 50.001 ms.
fn worst() -> WorstWait {
    WorstWait {
        wait: Wait::LateSender,
        rank: 0,
        by: 1,
        from_ns: 10 * MS,
        waited_ns: 50 * MS + US,
        error_ns: None,
        message: None,
        tag: None,
        collective: None,
        sites: [None; 2],
        doing: Vec::new(),
    }
}

fn functions() -> Vec<Function> {
    let function =
        |name: &str, activity, blocks| Function { name: name.to_owned(), activity, blocks };
    vec![
        function("MPI_Send", Activity::Sending, true),
        function("MPI_Recv", Activity::Waiting, true),
        function("MPI_Barrier", Activity::Collective, true),
        function("MPI_Test", Activity::Waiting, false),
    ]
}

fn two_ranks() -> [(u32, Table); 2] {
    let zero =
        Table::default().call(0, MS, 0).collective(4 * MS, 10 * MS).polls(10 * MS, 12 * MS, 500);
    let one =
        Table::default().call(0, 2 * MS, 1).collective(9 * MS, 10 * MS).call(15 * MS, NULL, 1);
    [(0, zero), (1, one)]
}

#[test]
fn the_time_of_ranks_and_functions_adds_up() {
    let mut tally = CallTally::new(functions(), &[]);
    two_ranks().iter().for_each(|(rank, table)| tally.add(*rank, &table.columns()));
    let calls = tally.finish(&mut []);
    // Computing, sending, waiting, polling, collective, waiting in one, other.
    assert_eq!(calls.ranks[0].activity_ns, [3 * MS, MS, 0, 2 * MS, 6 * MS, 0, 0]);
    assert_eq!(calls.ranks[1].activity_ns, [12 * MS, 0, 2 * MS, 0, MS, 0, 0]);
    assert_eq!((calls.ranks[0].calls, calls.ranks[1].unfinished), (502, 1));
    let functions: Vec<_> = calls
        .functions
        .iter()
        .map(|f| (f.name.as_str(), f.calls, f.polls, f.total_ns, f.max_ns))
        .collect();
    let expected = [
        ("MPI_Barrier", 2, 0, 7 * MS, 6 * MS),
        ("MPI_Recv", 2, 0, 2 * MS, 2 * MS),
        ("MPI_Test", 500, 500, 2 * MS, 2 * MS),
        ("MPI_Send", 1, 0, MS, MS),
    ];
    assert_eq!(functions, expected);
}

#[test]
fn ranks_may_be_gathered_apart() {
    let messages = [worst()];
    let gathered = |apart: bool| {
        let mut tallies: Vec<CallTally> = Vec::new();
        for (rank, table) in two_ranks() {
            if tallies.is_empty() || apart {
                tallies.push(CallTally::new(functions(), &messages));
            }
            tallies.last_mut().unwrap().add(rank, &table.columns());
        }
        let mut whole = tallies.pop().unwrap();
        tallies.into_iter().for_each(|tally| whole.merge(tally));
        let mut worst = messages.to_vec();
        (whole.finish(&mut worst), worst)
    };
    assert_eq!(gathered(true), gathered(false));
}

/// Rank 0 enters the barrier at 4 ms, rank 1 at 9.
fn held() -> BlockedCall {
    let span = [4 * MS, 9 * MS];
    BlockedCall {
        function: Some(Operation::Barrier as i64),
        ..BlockedCall::without_message(0, 1, span, (Cause::Collective, 1))
    }
}

#[test]
fn a_collective_is_told_with_the_time_in_it_and_that_spent_waiting() {
    let mut tally = CallTally::new(functions(), &[]);
    two_ranks().iter().rev().for_each(|(rank, table)| tally.add(*rank, &table.columns()));
    tally.add_blocked(&held());
    let calls = tally.finish(&mut []);
    let [barrier] = &calls.collectives[..] else { panic!("one function") };
    assert_eq!((barrier.count, barrier.spread_ns), (1, 5 * MS));
    assert_eq!(barrier.in_calls_ns, Some(7 * MS));
    assert_eq!(calls.collectives_left_out, 0);
    let of = |activity: Activity| calls.ranks[0].activity_ns[activity as usize];
    assert_eq!((of(Activity::Collective), of(Activity::CollectiveWait)), (MS, 5 * MS));
    assert_eq!(of(Activity::Computing), 3 * MS, "what is waiting is no other time");
}

#[test]
fn slices_hold_all_the_time() {
    let mut tally = CallTally::new(functions(), &[]);
    two_ranks().iter().for_each(|(rank, table)| tally.add(*rank, &table.columns()));
    tally.add_blocked(&held());
    let calls = tally.finish(&mut []);
    assert!(calls.lanes.iter().all(|lane| lane.slices.len() == calls.lanes[0].slices.len()));
    for (lane, rank) in calls.lanes.iter().zip(&calls.ranks) {
        for (activity, ns) in rank.activity_ns.iter().enumerate() {
            let parts: f64 = lane.slices.iter().map(|slice| f64::from(slice[activity])).sum();
            let found = parts * calls.slice_ns as f64;
            assert!(
                (found - *ns as f64).abs() < 2_000.0,
                "rank {} {activity}: {found} of {ns}",
                rank.rank
            );
        }
    }
}

#[test]
fn what_ranks_did_meanwhile_is_told() {
    let mut worst = [worst()];
    // It lies between 10 and 60.001 ms: the rank waited for is in Recv for 20 ms.
    let waiter = Table::default().call(10 * MS, 61 * MS, 1);
    let late = Table::default().call(5 * MS, 9 * MS, 0).call(30 * MS, 50 * MS, 1);
    let mut tally = CallTally::new(functions(), &worst);
    tally.add(0, &waiter.columns());
    tally.add(1, &late.columns());
    tally.finish(&mut worst);
    let doing = worst[0].doing.iter();
    let told: Vec<_> = doing.map(|doing| (doing.call.as_deref(), doing.calls, doing.ns)).collect();
    assert_eq!(told, [(None, 0, 30_001 * US), (Some("MPI_Recv"), 1, 20 * MS)]);
}
