use super::*;
use document::{Screen, table_csv};
use pager_facts::{Paged, PagedSeconds};
use study::process::Times;

const MIB: u64 = 1 << 20;

fn launch(user: f64, network: f64) -> PagedLaunch {
    let seconds =
        PagedSeconds { elapsed: user + network, user, network, ..PagedSeconds::default() };
    PagedLaunch { seconds, tick_s: 0.01, ..PagedLaunch::default() }
}

fn row(alternative: Alternative, size_mib: u64, launches: &[PagedLaunch]) -> StudyRow {
    let results = launches.iter().cloned().collect();
    StudyRow { results, ..StudyRow::new(alternative, size_mib * MIB, 6 * MIB) }
}

fn study(rows: Vec<StudyRow>) -> PagingStudy {
    PagingStudy { program: "fft".into(), rows, ..PagingStudy::default() }
}

fn page(study: &PagingStudy) -> String {
    let mut page = Vec::new();
    document::page(&study.document(), &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

fn csv(study: &PagingStudy, name: &str) -> Vec<String> {
    let mut out = Vec::new();
    table_csv(&study.document(), name, &mut out).unwrap();
    String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
}

fn terminal(study: &PagingStudy) -> String {
    document::terminal(&study.document(), Screen { width: 80, colour: false })
}

#[test]
fn bars_are_parts_of_their_groups_longest() {
    let study = PagingStudy {
        remarks: vec!["<i>".into()],
        ..study(vec![
            row(Alternative::Disk, 1, &[launch(2.0, 8.0)]),
            row(Alternative::NoParity, 1, &[launch(2.0, 0.0)]),
            row(Alternative::Disk, 2, &[launch(4.0, 4.0)]),
        ])
    };
    let page = page(&study);
    assert_eq!(page.matches("<section ").count(), 2);
    for wanted in [
        "<i class=\"undo\" style=\"width:80.000%\"",
        "&lt;i&gt;",
        "below\u{a0}10.0\u{a0}ms",
        "<i class=\"work\" style=\"width:50.000%\"",
    ] {
        assert!(page.contains(wanted), "{wanted}");
    }
    assert!(!page.contains("<script"));
}

#[test]
fn what_a_link_foretells_is_marked_on_the_others() {
    let over = |bits, network: f64| {
        let mut launch = launch(2.0, network);
        (launch.seconds.network_bytes, launch.transfers) = (network, 9);
        row(Alternative::Network(bits), 24, &[launch])
    };
    let rows = vec![
        row(Alternative::AllMemory, 24, &[launch(2.0, 0.0)]),
        over(100_000_000, 1.0),
        over(10_000_000, 8.0),
    ];
    let study = study(rows);
    let page = page(&study);
    assert!(page.contains("predicted 12.0\u{a0}s") && page.contains("+20.0 %"), "{page}");
    let alternatives = csv(&study, "alternatives");
    assert_eq!(
        alternatives[0],
        "alternative,size_bytes,local_bytes,median_s,fastest_s,slowest_s,predicted_s,transfers,\
        waiting_over_work"
    );
    assert_eq!(alternatives[3], "10 Mbit/s,25165824,6291456,10,10,10,12,9,4");
    let predictions = csv(&study, "predictions");
    assert_eq!(
        predictions[..2],
        [
            "prediction,size_bytes,from_bits,to_bits,measured_s,predicted_s,\
            as_recorded_s,error",
            "link,25165824,100000000,10000000,10,12,,0.2"
        ]
    );
    assert_eq!(predictions.last().unwrap(), "median,,,,,,,0.2");
    let said = terminal(&study);
    assert!(said.contains("24 MiB of data, 6 MiB local") && said.contains("+20.0 %"), "{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
}

#[test]
fn the_tables_of_all_sizes_are_one_for_scripts() {
    let of = |size| row(Alternative::Swap, size, &[launch(1.0, 0.0), launch(2.0, 0.0)]);
    let study = study(vec![of(8), of(16)]);
    let sizes = |name| -> Vec<String> {
        csv(&study, name)[1..]
            .iter()
            .map(|line| line.split(',').find(|field| field.len() > 6).unwrap_or("").to_owned())
            .collect()
    };
    assert_eq!(sizes("alternatives").len(), 2);
    assert_eq!(csv(&study, "parts").len(), 3);
    assert_eq!(csv(&study, "launches").len(), 5);
}

#[test]
fn parity_logging_is_held_against_the_kernels_swap() {
    let study = study(vec![
        row(Alternative::Swap, 24, &[launch(4.0, 0.0)]),
        row(Alternative::ParityLog, 24, &[launch(1.0, 1.0), launch(1.0, 1.5), launch(1.0, 0.5)]),
    ]);
    let said = terminal(&study).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains(
            "With 24 MiB the median launch takes 0.500× as long with parity logging (3 launches) \
             as with the kernel's swap (1)."
        ),
        "{said}"
    );
}

#[test]
fn the_middle_launch_speaks_for_its_row() {
    let elapsed = |elapsed| launch(elapsed, 0.0);
    let row = row(Alternative::Disk, 24, &[elapsed(3.0), elapsed(1.0), elapsed(2.0)]);
    assert_eq!(row.middle().map(|launch| launch.seconds.elapsed), Some(2.0));
    assert_eq!(row.range_s(), (1.0, 3.0));
    let nothing = StudyRow::new(Alternative::Disk, MIB, 0);
    assert_eq!(nothing.middle().map(|launch| launch.transfers), None);
    assert_eq!(csv(&study(vec![row]), "launches").len(), 4);
}

/// Seen: a user time of −0.002 s, and 0.000 for what ran for 30 µs.
#[test]
fn no_time_is_negative_and_what_is_too_short_says_so() {
    let times = Times { elapsed_s: 0.025, user_s: 0.02, system_s: 0.0 };
    let alone = PagedLaunch::alone(times, 0.01);
    let said = |launch: &PagedLaunch| {
        let plain = |part: &PagedPart| document::plain(&part_text(part, launch.tick_s));
        launch.seconds.parts().map(|part| plain(&part))
    };
    let [user, system, .., other] = said(&alone);
    assert_eq!([&*user, &system, &other], ["20.0 ms", "below 10.0 ms", "below 10.0 ms"]);
    let seconds =
        PagedSeconds { elapsed: 30e-6, user: -0.002, network: 30e-6, ..PagedSeconds::default() };
    let process = Paged { seconds: seconds.with_other(), ..Paged::default() };
    let paged = PagedLaunch::paged(&process, None);
    assert!(said(&paged).iter().all(|part| !part.contains('−')) && said(&paged)[4] == "30.0 µs");
    let study = study(vec![row(Alternative::AllMemory, 1, &[alone])]);
    let launches = csv(&study, "launches");
    assert_eq!(
        launches[0],
        "program,alternative,size_bytes,local_bytes,launch,elapsed_s,user_s,system_s,init_s,\
         handling_s,network_s,server_s,disk_s,queue_s,other_s,page_outs,page_ins,transfers,\
         predicted_s"
    );
    assert!(launches[1].contains(",0.025,0.02,,0,"), "{launches:?}");
    assert!(!terminal(&study).contains("0.000"), "{}", terminal(&study));
}

#[test]
fn names_can_be_folders() {
    let row = StudyRow::new(Alternative::Network(10_000_000), 24 * MIB, 0);
    assert_eq!(row.key(), "10-mbit-s-24-mib");
}
