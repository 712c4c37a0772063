//! The report of a made-up MPI program's run.

use crate::mpi_read::MpiRun;
use document::{Document, Screen, Series};
use mpi_lens::found::{
    Blocked, GroupedBy, GroupsBlocked, Kind, Lane, Mpi, RankTime, Wait, WorstWait,
};
use report::{Entry, Page};
use stats::analysis::Analysis;

fn mpi_run() -> MpiRun {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("run");
    crate::mpi::write(&path, 400);
    crate::mpi_read::read(&path)
}

fn terminal(run: &MpiRun, width: usize) -> String {
    document::terminal(&document_of(run), Screen { width, colour: false })
}

fn page_text(run: &MpiRun) -> String {
    let mut page = Vec::new();
    document::page(&document_of(run), &mut page).expect("memory takes everything");
    String::from_utf8(page).expect("a page is UTF-8")
}

fn document_of(run: &MpiRun) -> Document {
    let (facts, parts) = (run.facts(), run.parts());
    let entry = Entry { parts: &parts, ..Entry::new("run", &facts, &run.analysis) };
    Page { title: "", runs: &[entry], floors: &[], remarks: &[] }.document()
}

/// What waited for the message with this tag, or the message itself.
fn planted_wait(run: &MpiRun, tag: i64) -> &WorstWait {
    let mut all = run.mpi.worst.iter();
    all.find(|wait| wait.tag == Some(tag)).expect("what was planted is among the worst")
}

#[test]
fn the_delays_planted_in_an_mpi_program_are_attributed() {
    let run = mpi_run();
    let told = |tag| {
        let wait = planted_wait(&run, tag);
        (wait.wait, wait.rank, wait.by, wait.waited_ns)
    };
    assert_eq!(told(11), (Wait::LateSender, 1, 0, crate::mpi::LATE_SENDER_NS));
    assert_eq!(told(13), (Wait::LateReceiver, 3, 0, crate::mpi::RENDEZVOUS_NS));
    let (wait, src, dst, unexpected) = told(12);
    assert_eq!((wait, src, dst), (Wait::Unexpected, 1, 2));
    // All but its transit, which is under 2 µs, and a thousandth.
    let short = crate::mpi::ASLEEP_NS - unexpected;
    assert!((1_500..2_000).contains(&short), "{short}");
    let blocked = &run.mpi.blocked;
    let of = |rank: u32, by: u32| {
        *blocked.iter().find(|b| (b.rank, b.by) == (rank, by)).expect("a pair")
    };
    assert!(of(1, 0).late_sender_ns >= crate::mpi::LATE_SENDER_NS);
    assert_eq!(of(3, 0).late_receiver_ns, crate::mpi::RENDEZVOUS_NS);
    let doing = &planted_wait(&run, 12).doing[0];
    assert_eq!(doing.call, None, "the receiver slept outside MPI: {doing:?}");
}

/// Every figure of blocked time is part of one account.
#[test]
fn the_numbers_of_one_page_add_up() {
    let run = mpi_run();
    let mpi = &run.mpi;
    let account = mpi.account.expect("the run has tables of blocked calls");
    let total = |wait: Wait| mpi.waits[wait as usize].total_ns;
    let blocking = Wait::BLOCKING;
    assert_eq!(account.blocked_ns, blocking.map(total).iter().sum::<i64>());
    assert!(account.blocked_ns <= account.in_calls_ns);
    assert!(account.in_calls_ns <= account.elapsed_ns);
    for wait in blocking {
        let pairs: i64 = mpi.blocked.iter().map(|blocked| blocked.of(wait)).sum();
        assert_eq!(pairs, total(wait), "{wait:?}");
    }
    let found = mpi.origins.as_ref().expect("all blocked time is followed");
    let began: i64 = found.origins.iter().map(|origin| origin.ns).sum();
    let rest = found.left_out.1 + found.circle_ns + found.unknown_ns + found.short_ns;
    assert_eq!(began + rest, account.blocked_ns, "{found:?}");
    for origin in &found.origins {
        assert!(origin.direct_ns <= origin.ns && origin.computing_ns() <= origin.ns, "{origin:?}");
    }
    for groups in &mpi.groups {
        for (at, wait) in Wait::OF_MESSAGES.into_iter().enumerate() {
            let sum: i64 = groups.groups.iter().map(|group| group.waits_ns[at]).sum();
            assert_eq!(sum, total(wait), "{:?} {wait:?}", groups.by);
        }
    }
    let calls = mpi.calls.as_ref().expect("tables of calls");
    let collectives: i64 = calls.collectives.iter().filter_map(|one| one.waited_ns).sum();
    assert_eq!(collectives, total(Wait::Collective));
    for one in &calls.collectives {
        assert!(one.waited_ns <= one.in_calls_ns, "{one:?}");
    }
    let at: i64 = calls.blocked_at.iter().map(|at| at.total_ns()).sum();
    assert_eq!(at, account.blocked_ns, "{:?}", calls.blocked_at);
    let recv = calls.blocked_at.iter().find(|at| at.call == "MPI_Recv" && at.site == Some(4));
    assert!(recv.is_some_and(|at| at.waits_ns[0] >= crate::mpi::LATE_SENDER_NS), "{recv:?}");
    let held: i64 = calls.ranks.iter().map(|rank| rank.activity_ns[5]).sum();
    assert_eq!(held, total(Wait::Collective));
}

/// A run of an earlier version has no such tables.
#[test]
fn a_run_without_an_account_says_so() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let path = folder.path().join("run");
    crate::mpi::write(&path, 400);
    for rank in 0..4 {
        let table = path.join(calls::table::waits_file(0, rank));
        std::fs::remove_file(table).expect("it was written");
    }
    let run = crate::mpi_read::read(&path);
    assert_eq!((run.mpi.account, &run.mpi.blocked[..]), (None, &[][..]));
    let text = terminal(&run, 120).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("an earlier version closed this run"), "{text}");
    assert!(!text.contains("Late sender") && !text.contains("Ranks were blocked"), "{text}");
    assert!(text.contains("Unexpected") && text.contains("MPI_Allreduce"), "{text}");
}

#[test]
fn the_report_of_an_mpi_program_begins_with_how_well_it_was_matched() {
    let run = mpi_run();
    for width in [80, 120] {
        let text = terminal(&run, width).replace('\u{a0}', " ");
        assert!(
            text.starts_with("100 % of the messages matched; 0 unmatched sends, 0 unmatched"),
            "{text}"
        );
        assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
        for part in [
            "Late sender",
            "Waited",
            "Computing",
            "MPI_Allreduce",
            "exchange (halo.c:4",
            "halo, 4 ranks, Open MPI 4.1.4",
            "meanwhile",
        ] {
            assert!(text.contains(part), "{part} is not in:\n{text}");
        }
        for no in ["full mesh", "node", "1 launch"] {
            assert!(!text.split("All parameters").next().unwrap().contains(no), "{no} in {text}");
        }
        assert!(!text.contains("send wait"), "a send wait of 0 says nothing:\n{text}");
    }
    let page = page_text(&run);
    let first = page.find("of the messages matched").expect("the line is there");
    assert!(first < page.find("<h1").expect("a headline"));
    for section in [
        "mpi-waits",
        "mpi-blocked",
        "mpi-origins",
        "mpi-lanes",
        "mpi-worst",
        "mpi-ranks",
        "mpi-functions",
        "mpi-sites",
    ] {
        assert!(page.contains(&format!("id=\"r0-{section}\"")), "{section}");
    }
    assert!(!page.contains("Send wait"), "a send wait of 0 says nothing");
}

#[test]
fn a_poorly_matched_run_gets_figures_and_no_conclusion() {
    let mut run = mpi_run();
    let conclusion = ["of the time of all ranks (", "is the largest stage of", "The slowest 10"];
    let text = terminal(&run, 120);
    assert!(conclusion.iter().any(|words| text.contains(words)), "{text}");
    run.tell("match_rate", 0.5.into());
    for text in [terminal(&run, 120), page_text(&run)] {
        assert!(text.contains("No conclusion can be drawn"));
        let drawn: Vec<_> = conclusion.iter().filter(|words| text.contains(**words)).collect();
        assert!(drawn.is_empty(), "{drawn:?}");
    }
}

#[test]
fn the_series_of_an_mpi_program_are_csv() {
    let run = mpi_run();
    let [part] = run.parts();
    assert_eq!(part.series.len(), 6);
    for series in &part.series {
        let text = csv(series);
        assert!(text.lines().count() > 4, "{}", series.name);
        let mut lines =
            text.lines().skip(1).map(|line| line.split('"').step_by(2).collect::<String>());
        assert!(lines.all(|line| line.split(',').count() == 8), "{}", series.name);
    }
    let blocked = part.series.iter().find(|series| series.name == "mpi-blocked");
    let text = csv(blocked.expect("who was blocked for whom"));
    assert!(text.contains("mpi-blocked,,late-receiver,,3,0,20000000,ns"), "{text}");
}

fn csv(series: &Series) -> String {
    let mut out = Vec::new();
    document::series_csv(std::slice::from_ref(series), &mut out).expect("memory takes everything");
    String::from_utf8(out).expect("CSV is UTF-8")
}

#[test]
fn a_hundred_ranks_are_shown_without_a_map_and_the_busiest_lanes_alone() {
    let mut run = mpi_run();
    let mpi = &mut run.mpi;
    let pair = Blocked::new(99, 98, [5, 0, 0, 0, 0, 0]);
    mpi.blocked.push(pair);
    let calls = mpi.calls.as_mut().expect("a table of calls");
    let lane = calls.lanes[0].clone();
    calls.lanes = (0..100).map(|rank| Lane { rank, ..lane.clone() }).collect();
    let rank = calls.ranks[0];
    calls.ranks = (0..100).map(|number| RankTime { rank: number, ..rank }).collect();
    let page = page_text(&run).replace(['\u{a0}', '\u{202f}'], " ");
    assert!(
        page.contains("A map of 100 ranks would be too fine to read")
            && !page.contains("mpi-blocked-map")
    );
    assert!(page.contains("and they are of one host and of one kind"));
    assert!(page.contains("36 ranks that waited less are left out"));
    let text = terminal(&run, 80);
    assert!(text.contains("76 more rows: --csv=mpi-rank-table has all."), "{text}");
}

#[test]
fn of_many_ranks_the_kinds_and_the_hosts_are_mapped() {
    let mut run = mpi_run();
    let mpi = &mut run.mpi;
    let pair = Blocked::new(99, 98, [5, 0, 0, 0, 0, 0]);
    mpi.blocked.push(pair);
    let groups = |by, names: [&str; 2]| GroupsBlocked {
        by,
        groups: names.iter().zip([90, 10]).map(|(name, ranks)| ((*name).into(), ranks)).collect(),
        blocked: vec![(0, 1, 7_000_000), (1, 1, 2_000_000)],
    };
    mpi.groups_blocked = vec![
        groups(GroupedBy::Host, ["n1", "n2"]),
        groups(GroupedBy::Kind, ["90 ranks like 7", "10 ranks like 95"]),
    ];
    let calls = mpi.calls.as_mut().expect("a table of calls");
    let rank = calls.ranks[0];
    calls.ranks = (0..100).map(|number| RankTime { rank: number, ..rank }).collect();
    let kind = |typical, ranks: std::ops::Range<u32>, computing| Kind {
        typical,
        ranks: ranks.collect(),
        parts: [computing, 0.0, 1.0 - computing, 0.0, 0.0, 0.0, 0.0],
        apart: 0.04,
    };
    calls.kinds = vec![kind(7, 0..90, 0.25), kind(95, 90..100, 0.75)];
    let page = page_text(&run).replace(['\u{a0}', '\u{202f}'], " ");
    for wanted in [
        "mpi-blocked-hosts-map",
        "n1</th><td>90</td><td class=\"left\">n2</td><td>7.00 ms</td>",
        "mpi-blocked-kinds-map",
        "90 ranks like 7</th><td>90</td><td class=\"left\">10 ranks like 95</td><td>7.00 ms</td>",
        "the 100 are taken together in 2 kinds",
        "by more than 4 % of the time",
    ] {
        assert!(page.contains(wanted), "{wanted}");
    }
    let text = terminal(&run, 100);
    assert!(text.contains("90–99") && text.contains("10 ranks like 95"), "{text}");
}

#[test]
fn a_program_without_messages_still_shows_its_calls() {
    let mut run = mpi_run();
    run.mpi = Mpi { calls: run.mpi.calls, ..Mpi::default() };
    run.analysis = Analysis {
        messages: 0,
        finding: None,
        stages: Vec::new(),
        shares: Vec::new(),
        breakdowns: Vec::new(),
        slowest: Vec::new(),
        ..run.analysis
    };
    let text = terminal(&run, 80);
    assert!(
        text.contains("earlier version closed this run") && text.contains("MPI_Allreduce"),
        "{text}"
    );
    let page = page_text(&run);
    assert!(page.contains("r0-mpi-ranks") && !page.contains("r0-mpi-waits"));
}
