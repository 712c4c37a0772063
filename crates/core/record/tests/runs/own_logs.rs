//! A producer with logs of its own closes its run itself.

use clock::{Clock, Ticks};
use fourstamp_record::{
    Batch, Closing, Column, Field, Kind, NULL, NodeSheet, RecordError, Run, RunFolder, RunInfo,
    Schema, State,
};
use std::path::Path;

/// A run with a node's sheet and a log that only the producer can read.
fn run_with_own_log(path: &Path) -> (RunFolder, NodeSheet) {
    let folder = RunFolder::create(path, RunInfo::new("own logs")).unwrap();
    let mut sheet = NodeSheet::new(0, 0, &Clock::system());
    sheet.schema = Schema::new(&[Column::Tag]);
    sheet.finished = true;
    std::fs::write(folder.live().join("launch-0-node-0.calls"), b"log").unwrap();
    (folder, sheet)
}

#[test]
fn a_reader_leaves_logs_alone_that_it_does_not_know() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    drop(run_with_own_log(&path));
    let refused = Run::open(&path).err().unwrap();
    assert!(matches!(refused, RecordError::OtherLogs { .. }), "{refused}");
    assert!(path.join("live/launch-0-node-0.calls").exists());
}

#[test]
fn the_producer_places_ticks_and_writes_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let (run, sheet) = run_with_own_log(&path);
    let mut closing = run.begin_closing().unwrap();
    closing.fit(std::slice::from_ref(&sheet));
    let now = sheet.anchors[0].ticks;
    let ready = closing.model(&sheet).unwrap().timeline(Ticks(now.0 + 1000)).0;
    let mut file = closing.messages(&sheet).unwrap();
    let value = |field| match field {
        Field::Kind => Kind::Data as i64,
        Field::ReadyNs => ready,
        Field::Tag => 7,
        Field::Seq | Field::Src | Field::Dst | Field::Bytes => 0,
        _ => NULL,
    };
    file.push(&[()], |field, rows, out| out.resize(out.len() + rows.len(), value(field))).unwrap();
    let rows = file.finish().unwrap();
    let info = closing.finish(&[(sheet, rows)]).unwrap();
    assert_eq!((info.state, info.rows()), (State::Closed, 1));

    let run = Run::open(&path).unwrap();
    let mut batch = Batch::new();
    run.chunks()[0].read(&[Field::ReadyNs, Field::Tag, Field::TakenNs], &mut batch).unwrap();
    let read = [Field::ReadyNs, Field::Tag, Field::TakenNs].map(|field| batch.column(field).at(0));
    assert_eq!(read, [ready, 7, NULL]);
    assert!(!path.join("live").exists());
}

#[test]
fn a_run_that_was_cut_can_be_closed_by_its_producer_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let (run, sheet) = run_with_own_log(&path);
    assert!(matches!(Closing::of_cut(&path), Err(RecordError::GoingOn { .. })));
    drop(run);
    let mut closing = Closing::of_cut(&path).unwrap().unwrap();
    closing.fit(std::slice::from_ref(&sheet));
    let rows = closing.messages(&sheet).unwrap().finish().unwrap();
    assert_eq!(closing.finish(&[(sheet, rows)]).unwrap().state, State::Cut);
    assert!(Closing::of_cut(&path).unwrap().is_none());
}

/// All find it still held, as commands do that end at the same time. None of them closes it, so
/// that each has its turn.
#[test]
fn those_who_wait_to_close_a_run_do_not_keep_each_other_from_it() {
    for _ in 0..2 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let (held, _) = run_with_own_log(&path);
        let closers = std::thread::scope(|scope| {
            let wait = || matches!(Closing::of_cut(&path), Ok(Some(_)));
            let closers = [(); 8].map(|()| scope.spawn(wait));
            std::thread::sleep(std::time::Duration::from_millis(100));
            drop(held);
            closers.map(|closer| closer.join().unwrap())
        });
        assert_eq!(closers, [true; 8]);
    }
}
