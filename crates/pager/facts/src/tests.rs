use super::*;
use serde_json::json;

fn read(said: serde_json::Value) -> PagerFacts {
    serde_json::from_value(said).expect("facts")
}

#[test]
fn a_run_that_says_little_is_read_and_the_rest_is_nothing() {
    let facts = read(json!({
        "policy": "parity-log", "local_bytes": 1 << 20, "of_another_version": [1],
        "processes": [
            {"pid": 7, "transfers": 9, "prefetch": {"pages": 8, "windows": 4, "used": 3}},
            {"pid": 8, "transfers": 2, "user_mode_only": true},
        ],
    }));
    let process = facts.main().expect("a process");
    assert_eq!((process.pid, process.prefetch_efficiency(), process.page_outs), (7, Some(0.75), 0));
}

#[test]
fn what_is_written_is_read_back() {
    let happened = [
        Happened::ServerDown { server: 1, address: "a:1".into(), why: "gone".into() },
        Happened::ServerJoined { server: 4, address: "a:1".into() },
        Happened::Exposed { groups: 3 },
        Happened::Rebuilt { pages: 12 },
        Happened::DiskFull,
        Happened::DiskFailed { error: "no disk".into() },
        Happened::DiskWrong,
        Happened::PageTaken { page: 0x1000, how: Leaving::Unmapped },
        Happened::PageStuck { page: 0x1000, error: "no".into() },
        Happened::FrameFailed { frames: 3, task: FrameTask::Clear, error: "no".into() },
        Happened::NotPaged { bytes: 1 << 20, error: "no".into() },
        Happened::HeldTooMuch { bytes: 1 << 20 },
        Happened::FaultsUnreadable { error: "no".into() },
        Happened::Failed { error: "no".into() },
        Happened::Told("place 1 is down: gone".into()),
    ];
    let events = happened.map(|what| PagerEvent { at_s: 1.25, what }).to_vec();
    let seconds = PagedSeconds { elapsed: 2.0, user: 1.5, queue: Some(0.25), ..Default::default() };
    let process = Paged {
        pid: 7,
        finished: Some(false),
        seconds: seconds.with_other(),
        servers: vec![PageServer {
            address: "a:1".into(),
            role: ServerRole::Spare,
            ..Default::default()
        }],
        lost_pages: vec!["0x1000".into()],
        unprotected_groups: 3,
        anomalies: 1,
        events,
        ..Paged::default()
    };
    let facts = PagerFacts { processes: vec![process], ..PagerFacts::default() };
    let text = serde_json::to_string(&facts).expect("JSON");
    assert_eq!(serde_json::from_str::<PagerFacts>(&text).expect("facts"), facts);
    assert!(text.contains(r#""what":{"server-down":{"server":1,"address":"a:1","why":"gone"}}"#));
}

#[test]
fn events_have_words() {
    let said = |what: Happened| what.to_string();
    let frames = |frames, task| Happened::FrameFailed { frames, task, error: "no".into() };
    assert_eq!(said(frames(1, FrameTask::Fill)), "1 frame cannot be filled: no");
    assert_eq!(said(frames(2, FrameTask::Empty)), "2 frames cannot be emptied: no");
    let taken = Happened::PageTaken { page: 0x7f00, how: Leaving::GivenUp };
    assert_eq!(said(taken), "page 0x7f00 was discarded without the pager's knowledge");
    assert!(
        said(Happened::Rebuilt { pages: 1 }).starts_with("1 page of a lost server was rebuilt")
    );
}
