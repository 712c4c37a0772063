//! What a reader sees of a planted story.

use record::{Cause, How, Kind};
use stats::analysis::{Account, Paged, Part, Stage};
use stats::story::{
    Cancelled, Chapter, Fact, Lane, LaneOf, Link, Memo, Picked, Row, Story, UsualTimes, Work,
};

use super::{ObjectNames, Told, fold, place, section, stories};

fn row(kind: Kind, [ready, taken]: [i64; 2]) -> Row {
    Row {
        kind,
        src: 1,
        dst: 0,
        seq: 7,
        bytes: 64,
        ready_ns: Some(ready),
        sent_ns: Some(ready + 10),
        arrived_ns: Some(ready + 20),
        taken_ns: Some(taken),
        how: How::Observed,
        error_ns: None,
        hops: None,
        packets: Some(3),
        batch: None,
        in_flight: None,
        src_object: Some(1),
        dst_object: Some(0),
        virtual_send: Some(9.5),
        virtual_receive: Some(2.5),
        tag: None,
        posted_ns: None,
        awaited_ns: None,
        woken_ns: None,
    }
}

fn told(facts: Vec<Fact>) -> Told {
    let message = row(Kind::Event, [1_000, 1_001_000]);
    let account = Account::default();
    let chapter = Chapter {
        stage: Stage::ReceiveWait,
        from_ns: 1_020,
        to_ns: 1_001_000,
        share: 0.99998,
        facts,
        account,
    };
    let spans = vec![(1_020, 1_001_000)];
    let lanes = vec![
        Lane { what: LaneOf::Stage(Stage::ReceiveWait), spans: spans.clone() },
        Lane { what: LaneOf::Held { node: 1, cause: Cause::RunQueue }, spans },
    ];
    let picked = Picked::Slowest { by: Stage::EndToEnd, place: 1, of: 9, is_of_model: None };
    let story = Story { picked, message, usual: None, chapters: vec![chapter], lanes, left_out: 0 };
    let names = ObjectNames::new(["<i>diary</i>\u{1b}[2J".to_owned(), "1".to_owned()]);
    Told {
        story,
        launch: 2,
        noun: "node",
        product: crate::ProductStory::default(),
        names,
        memo: None,
    }
}

fn held(cause: Cause, ns: i64, while_ran: Option<u32>) -> Part {
    Part { node: 1, cause, ns, times: None, while_ran, spans: Vec::new() }
}

/// The sentence that a fact becomes, on one line.
fn sentence(fact: Fact) -> String {
    let text = shown(&told(vec![fact]), 120, false);
    let from = text.find("\n- ").expect("a sentence");
    text[from + 3..].split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shown(told: &Told, width: usize, colour: bool) -> String {
    document::terminal(
        &stories(std::slice::from_ref(told), false),
        document::Screen { width, colour },
    )
}

#[test]
fn stories_are_told_one_after_the_other_and_are_tables_for_scripts() {
    let mut second = told(vec![Fact::Silent { node: 0, ns: 5, watched: true }]);
    second.story.message.seq = 8;
    let document = stories(&[told(vec![Fact::Frame { messages: 3 }]), second], true);
    let csv = |name: &str| {
        let mut out = Vec::new();
        document::table_csv(&document, name, &mut out).expect("there is that table");
        String::from_utf8(out).expect("CSV is UTF-8")
    };
    let messages = csv("messages");
    assert!(
        messages.lines().nth(2).is_some_and(|line| {
            line.starts_with("2:1:8,event,2,1,0,8,64,1000,1000000,10,10,999980,,For 1.00 ms")
        }),
        "{messages}"
    );
    assert_eq!(csv("chapters").lines().nth(1), Some("2:1:7,receive-wait,1020,1001000,0.99998"));
    assert_eq!(
        csv("facts"),
        "message,stage,says\n2:1:7,receive-wait,It left in one frame with 2 others.\n\
         2:1:8,receive-wait,Node 0 recorded no work in these 5 ns.\n"
    );
    let said = document::terminal(&document, document::Screen { width: 80, colour: false });
    let order = ["Message 2:1:7: ", "in one frame", "Message 2:1:8: ", "no work", "is not whole"];
    let places: Vec<Option<usize>> = order.iter().map(|words| said.find(words)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}: {said}");
    assert!(!said.contains("999980"), "tables are for scripts: {said}");
}

#[test]
fn a_negative_stage_leaves_no_share() {
    let mut swapped = told(vec![Fact::Frame { messages: 3 }]);
    let chapter = swapped.story.chapters[0].clone();
    let (from_ns, to_ns, share) = (2_001_000, 1_000, -2.0);
    let facts = vec![Fact::Backwards { ns: 2_000_000 }];
    let send = Chapter { stage: Stage::SendWait, from_ns, to_ns, share, facts, ..chapter };
    swapped.story.chapters.insert(0, send);
    swapped.story.chapters[1].share = 3.0;
    let said = shown(&swapped, 200, false);
    assert!(!said.contains('%'), "{said}");
    assert!(said.contains("its send wait came out negative"), "{said}");
    assert!(said.contains("were ready and sent swapped?"), "{said}");
}

#[test]
fn facts_become_sentences() {
    let usual = UsualTimes { messages: 50, median_ns: 2_400, p99_ns: 9_000, slower: 1 };
    let link = |message: Row| {
        let rollback = Box::new(Row { src: 0, ..row(Kind::Rollback, [500, 900]) });
        Fact::Because(Link::RolledBackFor { rollback, message: Box::new(message) })
    };
    let work = Work {
        node: 0,
        kind: Kind::Collection,
        pieces: 2,
        ns: 3_000,
        of_ns: 9_000,
        events: 12,
        objects: 0,
        longest: row(Kind::Collection, [0, 2_000]),
    };
    let cases = [
        (
            Fact::Queue { before: 0, mates: 0, machinery: 0 },
            "The receive queue was empty when it arrived.",
        ),
        (
            Fact::Queue { before: 2, mates: 1, machinery: 0 },
            "When it arrived, 2 messages and 1 message of its own frame stood before it in the \
            receive queue.",
        ),
        (
            Fact::Usual(usual),
            "Half of the messages like it took at most 2.40 µs there, 99 % at most 9.00 µs; one \
            took longer than this one.",
        ),
        (
            Fact::Silent { node: 0, ns: 3_100_000, watched: false },
            "Node 0 recorded no work in these 3.10 ms: it was not looking, or not running.",
        ),
        (
            Fact::Gap { node: 0, from_ns: 2_020, to_ns: 5_020, is_whole: false },
            "For 3.00 µs of it, from 1.00 µs after it arrived, node 0 took nothing.",
        ),
        (
            Fact::Work(Box::new(work)),
            "2 steps of fossil collection, which committed 12 events, took 3.00 µs.",
        ),
        (
            Fact::ForThatObject { object: 1, receive: 5.5, cancelled: 64, later: 59 },
            "And the message is for object 1 itself: its receive time, 5.5, is earlier than the \
            send time of all but 5 of the 64 cancelled messages to itself.",
        ),
        (
            Fact::Cancelled(Cancelled {
                node: 0,
                object: 1,
                to_self: 3,
                to_others: 0,
                span: (0, 500),
                of_others: 0,
            }),
            "Meanwhile node 0 cancelled 3 messages from object 1 to itself, within 500 ns.",
        ),
        (
            Fact::Together { on_way: 12, arrived_with: 12 },
            "12 other messages of these nodes were on the way at the same time; all of them \
            arrived together with it.",
        ),
        (
            Fact::Posted { after_arrival_ns: -2_000 },
            "Its receive was posted 2.00 µs before it arrived.",
        ),
        (
            Fact::Backwards { ns: 40 },
            "It comes out negative by 40 ns, though one node read both stamps: they are in the \
            wrong order (were arrived and taken swapped?).",
        ),
        (
            Fact::PostedLate { after_sent_ns: 549_000_000 },
            "Its receive was posted 549 ms after it was sent.",
        ),
        (
            Fact::Held { part: held(Cause::RunQueue, 900, None), of_ns: 1_000 },
            "Consistent with the thread of node 1 waiting for a core: 900 ns of these 1.00 µs.",
        ),
        (
            Fact::Held { part: held(Cause::Stopped, 900, Some(0)), of_ns: 1_000 },
            "Consistent with the process of node 1 not running at all, though it did not wait for \
            a core, while that of node 0 ran (it was stopped by a signal, or its core \
            stalled): 900 ns of these 1.00 µs.",
        ),
        (
            Fact::Ran { node: 1, ns: 500, of_ns: 1_000 },
            "The thread of node 1 ran for 500 ns of it, at something that it did not record.",
        ),
        (
            Fact::Asleep { node: 1, ns: 500 },
            "For 500 ns of it the thread of node 1 neither ran nor waited for a core: it was \
            asleep, or blocked in the kernel.",
        ),
        (
            Fact::Paged(Paged { node: 1, pages: 24 }),
            "Meanwhile the thread of node 1 had to read 24 pages from a disk; whether the message \
            waited for that is not known.",
        ),
        (
            Fact::ArrivalKnown { how: How::Bracketed, error_ns: Some(300) },
            "When it arrived is not observed but known within ± 300 ns, and so are its transit and \
            its receive wait.",
        ),
    ];
    for (fact, expected) in cases {
        assert_eq!(sentence(fact), expected);
    }
    let straggler = sentence(link(row(Kind::Event, [100, 400])));
    assert!(
        straggler.ends_with(
            "for virtual time 2.5, was taken, 620 ns before this message arrived: a straggler."
        ),
        "{straggler}"
    );
    let cancelled = sentence(link(Row { dst: 1, ..row(Kind::Anti, [100, 400]) }));
    assert!(
        cancelled.contains("was rolled back because object 1 on node 1 cancelled the message"),
        "{cancelled}"
    );
}

#[test]
fn a_terminal_gets_no_control_characters_and_no_line_too_long() {
    let facts = vec![Fact::Queue { before: 0, mates: 0, machinery: 0 }];
    for width in [80, 100, 120] {
        let text = shown(&told(facts.clone()), width, false);
        assert!(
            text.starts_with("Message 2:1:7: event, 64 B, from node 1 to node 0, for"),
            "{text}"
        );
        assert!(!text.contains(['\u{1b}', '\u{7}']), "{text:?}");
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(width), "{widest:?} of {width}\n{text}");
    }
    assert!(shown(&told(facts), 80, true).contains("\u{1b}[1m"), "colours where they are wanted");
}

#[test]
fn names_are_harmless_on_the_page() {
    let section = section(&told(vec![Fact::Queue { before: 0, mates: 0, machinery: 0 }]));
    let sections = vec![section.expect("a section")];
    let mut page = Vec::new();
    let document = document::Document { sections, ..document::Document::default() };
    document::page(&document, &mut page).expect("memory takes everything");
    let page = String::from_utf8(page).expect("a page is UTF-8");
    assert!(page.contains("The receive queue was empty"), "{page}");
    assert_eq!(page.matches("<rect ").count(), 2);
    assert!(!page.contains("<i>diary"), "{page}");
}

#[test]
fn a_slow_message_leads_to_its_story() {
    let later = |seq| {
        let mut one = told(vec![Fact::Queue { before: 0, mates: 0, machinery: 0 }]);
        one.story.message.seq = seq;
        one
    };
    let mut instant = later(9);
    instant.story.message.taken_ns = instant.story.message.ready_ns;
    let all = [later(7), later(8), instant];
    let second = fold(&all[1]).expect("a fold");
    assert!(second.words.starts_with("2:1:8: "), "{}", second.words);
    assert_eq!(place(&all, "2:1:7").as_deref(), Some("r0-story"));
    assert_eq!(place(&all, "2:1:8"), Some(second.name));
    assert_eq!(place(&all, "2:1:9"), None, "a message without a life has no story");
    assert_eq!(place(&all, "2:1:10"), None);
}

#[test]
fn why_this_message_is_told_and_what_held_it_is_said_at_once() {
    let mut told = told(Vec::new());
    told.story.chapters[0].account = Account {
        of_ns: 1_000,
        parts: vec![held(Cause::RunQueue, 990, None)],
        ..Account::default()
    };
    let flat =
        |told: &Told| shown(told, 120, false).split_whitespace().collect::<Vec<_>>().join(" ");
    let text = flat(&told);
    assert!(text.contains("It is the slowest of 9 messages, from end to end."), "{text}");
    let why = "it waited in the receive queue. Consistent with the thread of node 1 waiting for a \
    core: 99 % of that time.";
    assert!(text.contains(why), "{text}");
    assert!(!text.contains("the message of the memo"), "{text}");
    for (is_m, said) in [
        (true, "It is M, the message of the memo of 1988."),
        (false, "It is not M, the message of the memo of 1988: story without --slowest tells of"),
    ] {
        let by = Stage::EndToEnd;
        told.story.picked = Picked::Slowest { by, place: 1, of: 9, is_of_model: Some(is_m) };
        assert!(flat(&told).contains(said), "{}", flat(&told));
    }
    told.story.picked = Picked::OfModel { is_slowest: false };
    told.memo = Some(Memo { waited: 0.31, before: 0, cancelled: 2, of: 64 });
    let text = flat(&told);
    assert!(text.contains("It is M, the message of the memo of 1988"), "{text}");
    assert!(text.contains("It is not the slowest"), "{text}");
    assert!(text.contains("This run is not the memo's story"), "{text}");
    assert!(text.contains("2 of the diary's 64 messages to itself were cancelled"), "{text}");
    told.memo = Some(Memo { waited: 0.998, before: 0, cancelled: 63, of: 64 });
    assert!(flat(&told).contains("This run is the memo's story: it spent"), "{}", flat(&told));
}

#[test]
fn a_stage_whose_end_was_not_observed_is_not_the_headline() {
    let flat = |how, error_ns| {
        let told = told(vec![Fact::ArrivalKnown { how, error_ns }]);
        shown(&told, 120, false).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let open = flat(How::Bracketed, Some(900_000));
    let words = "it was on its way or waited in the receive queue; its arrival was not observed.";
    assert!(open.contains(words) && open.contains("Receive wait, about"), "{open}");
    for known in [flat(How::Bracketed, Some(10_000)), flat(How::Observed, None)] {
        assert!(known.contains("it waited in the receive queue."), "{known}");
        assert!(!known.contains("about"), "{known}");
    }
}
