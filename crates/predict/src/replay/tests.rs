//! Made-up programs, run by a simulator of their own over one link, replayed over another, and
//! compared with the simulator over that.

use super::*;

/// As the player has it.
const SHORT_BYTES: u64 = 40;

const PAGE: u64 = 4096;

fn link(mbit: u64) -> Link {
    Link { latency_s: 20e-6, acknowledging: 0.0, ..Link::of_bits(mbit * 1_000_000) }
}

/// A program that goes through `pages` pages in order, computes for `compute_s` with each, and
/// changes it; pages are asked for `ahead` of their use, and written out `behind` it. At most
/// `room` of these are under way.
struct Program {
    pages: usize,
    compute_s: f64,
    ahead: usize,
    writes: bool,
    room: usize,
}

const SERVER_S: f64 = 15e-6;
const WAKE_S: f64 = 8e-6;

impl Program {
    /// Step by step, without any of the code under test.
    fn run(&self, link: &Link) -> Recorded {
        let (mut now, mut in_free, mut out_free) = (0.0_f64, 0.0_f64, 0.0_f64);
        let mut recorded = Recorded::default();
        let mut of_page = vec![usize::MAX; self.pages];
        let mut outs: Vec<f64> = Vec::new();
        for page in 0..self.pages {
            let from_s = now;
            let mut asked_s = now;
            if self.writes && page > 0 {
                if outs.len() >= self.room {
                    asked_s = asked_s.max(outs[outs.len() - self.room]);
                }
                out_free = out_free.max(asked_s) + link.busy_s(PAGE);
                in_free =
                    in_free.max(out_free + link.latency_s + SERVER_S) + link.busy_s(SHORT_BYTES);
                let done_s = in_free + link.latency_s;
                outs.push(done_s);
                recorded.transfers.push(Transfer {
                    direction: Direction::Out,
                    connection: 0,
                    bytes: PAGE,
                    asked_s,
                    done_s,
                });
            }
            for place in of_page.iter_mut().skip(page).take(self.ahead + 1) {
                if *place == usize::MAX {
                    out_free = out_free.max(asked_s) + link.busy_s(SHORT_BYTES);
                    in_free = in_free.max(out_free + link.latency_s + SERVER_S) + link.busy_s(PAGE);
                    let done_s = in_free + link.latency_s;
                    *place = recorded.transfers.len();
                    recorded.transfers.push(Transfer {
                        direction: Direction::In,
                        connection: 0,
                        bytes: PAGE,
                        asked_s,
                        done_s,
                    });
                }
            }
            now = recorded.transfers[of_page[page]].done_s.max(now) + WAKE_S;
            recorded.waits.push(Wait { from_s, to_s: now, transfer: Some(of_page[page]) });
            now += self.compute_s;
        }
        recorded.elapsed_s = now;
        recorded
    }
}

/// Largest error of replaying a run of 300 Mbit/s over 30 to 3000.
fn worst_error(program: &Program) -> f64 {
    let was = link(300);
    let run = program.run(&was);
    let error = |mbit| {
        let truth = program.run(&link(mbit)).elapsed_s;
        (replay(&run, &was, &link(mbit)).elapsed_s - truth).abs() / truth
    };
    [30, 60, 100, 300, 900, 3000].map(error).into_iter().fold(0.0, f64::max)
}

#[test]
fn a_run_replayed_over_its_own_link_is_itself() {
    let program = Program { pages: 2000, compute_s: 40e-6, ahead: 8, writes: true, room: 64 };
    let run = program.run(&link(300));
    let replayed = replay(&run, &link(300), &link(300));
    assert!(
        (replayed.elapsed_s - run.elapsed_s).abs() < 1e-6 * run.elapsed_s,
        "{replayed:?} {}",
        run.elapsed_s
    );
    assert_eq!(replayed.odd_waits, 0);
}

#[test]
fn without_prefetch_each_page_adds_its_time() {
    let program = Program { pages: 1000, compute_s: 1e-3, ahead: 0, writes: false, room: 1 };
    let run = program.run(&link(300));
    let slow = link(30);
    let each_s = 1e-3
        + slow.busy_s(PAGE)
        + slow.busy_s(SHORT_BYTES)
        + 2.0 * slow.latency_s
        + SERVER_S
        + WAKE_S;
    let replayed = replay(&run, &link(300), &slow).elapsed_s;
    assert!(
        (replayed - 1000.0 * each_s).abs() < 1e-3 * replayed,
        "{replayed} against {}",
        1000.0 * each_s
    );
}

#[test]
fn prefetching_hides_the_link_until_it_is_the_slower_one() {
    // 4096 bytes take 114 µs at 300 Mbit/s; computing takes 300.
    let program = Program { pages: 1000, compute_s: 300e-6, ahead: 16, writes: false, room: 1 };
    let run = program.run(&link(300));
    let at = |mbit| replay(&run, &link(300), &link(mbit)).elapsed_s;
    assert!(
        (at(3000) / run.elapsed_s - 1.0).abs() < 0.01,
        "computing bound: a faster link changes nothing"
    );
    let bound = 1000.0 * link(30).busy_s(PAGE);
    assert!((at(30) / bound - 1.0).abs() < 0.02, "link bound: {} against {bound}", at(30));
}

#[test]
fn every_kind_of_program_is_predicted_within_five_percent() {
    let programs = [
        ("computing", Program { pages: 2000, compute_s: 2e-3, ahead: 0, writes: false, room: 64 }),
        ("link", Program { pages: 2000, compute_s: 1e-6, ahead: 0, writes: false, room: 64 }),
        ("between", Program { pages: 2000, compute_s: 120e-6, ahead: 0, writes: true, room: 64 }),
        (
            "prefetch",
            Program { pages: 2000, compute_s: 120e-6, ahead: 32, writes: false, room: 64 },
        ),
        ("both ways", Program { pages: 2000, compute_s: 60e-6, ahead: 16, writes: true, room: 64 }),
        ("little room", Program { pages: 2000, compute_s: 30e-6, ahead: 4, writes: true, room: 2 }),
    ];
    for (name, program) in programs {
        let worst = worst_error(&program);
        assert!(worst < 0.05, "{name}: off by {:.1} %", 100.0 * worst);
    }
}

#[test]
fn a_wait_for_nothing_on_the_way_keeps_its_length() {
    let run = Recorded {
        elapsed_s: 3.0,
        waits: vec![Wait { from_s: 1.0, to_s: 1.5, transfer: None }],
        ..Recorded::default()
    };
    let replayed = replay(&run, &link(300), &link(30));
    assert_eq!(replayed, Replayed { elapsed_s: 3.0, waited_s: 0.5, odd_waits: 0 });
}

#[test]
fn a_page_that_comes_after_the_wait_for_it_is_counted() {
    let late = Transfer {
        direction: Direction::In,
        connection: 0,
        bytes: PAGE,
        asked_s: 1.0,
        done_s: 1.6,
    };
    let run = Recorded {
        elapsed_s: 2.0,
        transfers: vec![late],
        waits: vec![Wait { from_s: 1.0, to_s: 1.5, transfer: Some(0) }],
    };
    assert_eq!(replay(&run, &link(300), &link(300)).odd_waits, 1);
}

/// Two servers, of which one is asked for a page behind ten that go out to it.
#[test]
fn a_request_waits_behind_what_goes_out_on_its_connection_only() {
    let slow = Link { acknowledging: 0.0, ..Link::of_bits(8_000_000) };
    let transfer = |direction, connection, bytes| Transfer {
        direction,
        connection,
        bytes,
        asked_s: 0.0,
        done_s: 0.0,
    };
    let ended_s = |connection| {
        let transfers =
            vec![transfer(Direction::Out, 0, 10 * PAGE), transfer(Direction::In, connection, PAGE)];
        let waits = vec![Wait { from_s: 0.0, to_s: 0.0, transfer: Some(1) }];
        let run = Recorded { elapsed_s: 1.0, transfers, waits };
        replay(&run, &Link::of_bits(1_000_000_000_000), &slow).waited_s
    };
    let page_s = slow.busy_s(PAGE);
    assert!((ended_s(0) / (11.0 * page_s) - 1.0).abs() < 0.03, "{} of {page_s}", ended_s(0));
    assert!((ended_s(1) / page_s - 1.0).abs() < 0.03, "{} of {page_s}", ended_s(1));
}
