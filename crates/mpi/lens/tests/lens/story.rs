//! The story of a message begins with who was blocked for it.

use mpi_lens::MpiReading;
use record::{Batch, Field, Run};
use report::{ProductStory, Reading};
use stats::Columns;
use stats::story::{FIELDS, Row};
use std::path::Path;

fn told(path: &Path, tag: i64) -> (Row, ProductStory) {
    let run = Run::open(path).unwrap();
    let mut batch = Batch::new();
    for chunk in run.chunks() {
        chunk.read(&FIELDS, &mut batch).unwrap();
        let tags = batch.column(Field::Tag);
        if let Some(row) = (0..batch.rows()).find(|&row| tags.at(row) == tag) {
            let message = Row::of(&Columns::of(&batch), row);
            let reading = MpiReading::open(&run).unwrap().unwrap();
            let said = reading.story(&message).unwrap();
            return (message, said);
        }
    }
    panic!("what was planted is there");
}

fn plain(story: &ProductStory) -> String {
    document::plain(&story.sentences.join(" "))
}

#[test]
fn it_says_who_was_blocked_for_how_long_and_for_whom() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    crate::mpi::write(&path, 400);
    let (message, late_sender) = told(&path, 11);
    let begins = "Rank 1 was blocked 5.00 ms for this message in MPI_Recv at take (halo.c:88), \
        because rank 0 had not sent it yet. Rank 0 sent it then at hand, over (halo.c:71); the \
        call lasted ";
    assert!(plain(&late_sender).starts_with(begins), "{}", plain(&late_sender));
    let blocked = &late_sender.figures["blocked"][0];
    assert_eq!(blocked["blocked_ns"], crate::mpi::LATE_SENDER_NS);
    assert_eq!(blocked["until_ns"], message.ready_ns.unwrap());
    assert_eq!(blocked["left_ns"], message.taken_ns.unwrap());
    let (_, rendezvous) = told(&path, 13);
    let begins = "Rank 3 was blocked 20.0 ms for this message in MPI_Send at hand, over \
        (halo.c:71), because rank 0 had not posted its receive yet.";
    assert!(plain(&rendezvous).starts_with(begins), "{}", plain(&rendezvous));
}

#[test]
fn a_message_that_lay_about_blocked_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    crate::mpi::write(&path, 400);
    let (_, lay) = told(&path, 12);
    assert!(plain(&lay).starts_with("No blocked time counts for this message"), "{lay:?}");
    assert_eq!(lay.figures["blocked"].as_array().map(Vec::len), Some(0));
    for rank in 0..4 {
        std::fs::remove_file(path.join(calls::table::waits_file(0, rank))).unwrap();
    }
    let (_, unknown) = told(&path, 11);
    assert!(plain(&unknown).contains("is not known: an earlier version"), "{unknown:?}");
}
