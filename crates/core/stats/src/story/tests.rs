//! Scenes that were planted, and what has to be told of them.

use record::{Cause, CauseSpan, How, Kind, NodeCauses};

use super::{Fact, Gather, Link, Memo, Picked, Row, Scene, Seen, Story};
use crate::analysis::Stage;

/// A message from node 1 to node 0 with these stamps.
fn message(seq: u64, [ready, sent, arrived, taken]: [i64; 4]) -> Row {
    Row { kind: Kind::Event, ..Row::stamped((1, 0), seq, [ready, sent, arrived, taken]) }
}

/// Work of a node.
fn work(kind: Kind, node: u32, seq: u64, (from, to): (i64, i64)) -> Row {
    let stamps = message(seq, [from, 0, 0, to]);
    Row { kind, src: node, dst: node, sent_ns: None, arrived_ns: None, ..stamps }
}

/// An object's rollback on node 0.
fn rollback(seq: u64, time: (i64, i64), object: i64, [from, to]: [f64; 2]) -> Row {
    let (virtual_send, virtual_receive) = (Some(from), Some(to));
    let packets = Some((from - to) as i64 + 1);
    let dst_object = Some(object);
    Row { dst_object, virtual_send, virtual_receive, packets, ..work(Kind::Rollback, 0, seq, time) }
}

/// A cancellation within node 0.
fn anti(seq: u64, at: i64, [from, to]: [i64; 2], [send, receive]: [f64; 2]) -> Row {
    Row {
        src_object: Some(from),
        dst_object: Some(to),
        virtual_send: Some(send),
        virtual_receive: Some(receive),
        ..work(Kind::Anti, 0, seq, (at, at))
    }
}

fn scene(message: &Row, rows: &[Row]) -> Scene {
    scene_of(message, rows, 1000)
}

fn scene_of(message: &Row, rows: &[Row], most: usize) -> Scene {
    let mut gather = Gather::new(message.clone(), most);
    rows.iter().for_each(|row| gather.add_row(row.clone()));
    gather.finish()
}

/// The story of a run that was not watched.
fn tell(scene: &Scene) -> Story {
    super::tell(scene, Picked::Named, Seen { causes: &[], launch: 0, traced: false })
}

fn facts(scene: &Scene, stage: Stage) -> Vec<Fact> {
    let story = tell(scene);
    let chapter = story.chapters.into_iter().find(|chapter| chapter.stage == stage);
    chapter.map(|chapter| chapter.facts).unwrap_or_default()
}

#[test]
fn nothing_is_said_of_a_node_of_which_nothing_is_recorded() {
    let m = message(9, [0, 10, 20, 10_000]);
    let told = facts(&scene(&m, &[]), Stage::ReceiveWait);
    assert_eq!(
        told,
        [
            Fact::Queue { before: 0, mates: 0, machinery: 0 },
            Fact::Gap { node: 0, from_ns: 20, to_ns: 10_000, is_whole: true },
            Fact::Silent { node: 0, ns: 9_980, watched: false },
        ]
    );
    assert_eq!(facts(&scene(&m, &[]), Stage::SendWait), [], "a short stage needs no words");
}

#[test]
fn a_queue_is_what_came_before_and_was_taken_before() {
    let m = message(9, [0, 10, 1000, 2000]);
    let rows = [
        message(1, [0, 5, 900, 1100]),
        message(2, [0, 6, 990, 1200]),
        message(3, [0, 20, 1300, 1400]), // later, and overtook
        message(4, [0, 7, 950, 1000]),   // taken as it arrived: it stood before it
        message(5, [0, 7, 950, 999]),    // gone before it came
        message(6, [0, 30, 1500, 2500]), // behind it
        Row { kind: Kind::Gvt, ..message(8, [0, 5, 900, 1100]) },
        Row { dst: 7, ..message(7, [0, 5, 900, 1100]) },
    ];
    let told = facts(&scene(&m, &rows), Stage::ReceiveWait);
    assert_eq!(told[0], Fact::Queue { before: 3, mates: 0, machinery: 1 });
    assert_eq!(told[1], Fact::TakenBefore { messages: 3, median_ns: 100 });
    assert_eq!(told[2], Fact::Overtaken { messages: 1 });
    assert_eq!(told[3], Fact::Gap { node: 0, from_ns: 1400, to_ns: 2000, is_whole: false });
}

#[test]
fn messages_of_its_own_frame_are_told_apart() {
    let framed = |seq, taken| Row { batch: Some(3), ..message(seq, [0, 10, 1000, taken]) };
    let told =
        facts(&scene(&framed(9, 2000), &[framed(8, 1990), framed(10, 2010)]), Stage::ReceiveWait);
    assert_eq!(told[0], Fact::Queue { before: 0, mates: 1, machinery: 0 });
}

#[test]
fn work_is_clipped_to_the_time_and_what_overlaps_counts_once() {
    let m = message(9, [0, 10, 1000, 2000]);
    let execution = |seq, time| Row {
        dst_object: Some(4),
        virtual_receive: Some(7.0),
        ..work(Kind::Execution, 0, seq, time)
    };
    let rows = [
        execution(1, (500, 1400)),
        execution(2, (1300, 1500)),
        work(Kind::GvtRound, 0, 3, (0, 1900)),
        execution(4, (3000, 4000)),
        work(Kind::Execution, 5, 5, (1000, 2000)), // another node's
    ];
    let told = facts(&scene(&m, &rows), Stage::ReceiveWait);
    assert!(told.contains(&Fact::Busy { node: 0, ns: 500, of_ns: 1000 }), "{told:?}");
    assert!(told.contains(&Fact::Unrecorded { node: 0, ns: 500 }), "{told:?}");
    let works: Vec<_> = told
        .iter()
        .filter_map(|fact| match fact {
            Fact::Work(work) => Some((work.kind, work.pieces, work.ns, work.longest.seq)),
            _ => None,
        })
        .collect();
    assert_eq!(works, [(Kind::Execution, 2, 500, 1), (Kind::GvtRound, 1, 900, 3)]);
}

/// The memo's message, in small: object 5 has run ahead to 20; node 0 cancels what it had sent.
fn memo() -> (Row, Vec<Row>) {
    let object = |row: Row| Row { dst_object: Some(5), src_object: Some(30), ..row };
    let at = |row: Row, send, receive| Row {
        virtual_send: Some(send),
        virtual_receive: Some(receive),
        ..row
    };
    let m = at(object(message(9, [100_000, 100_010, 101_000, 200_000])), 0.6, 6.5);
    let call = at(object(message(8, [90_000, 90_010, 91_000, 92_000])), 0.5, 1.0);
    let mut rows = vec![call, rollback(1000, (92_100, 92_900), 5, [20.0, 1.0])];
    for day in 1..20 {
        let from = 100_000 + 5_000 * day;
        let send = day as f64;
        rows.push(anti(2000 + day as u64, from, [5, 5], [send, send + 1.0]));
        rows.push(anti(3000 + day as u64, from + 5, [5, 100 + day], [send, send + 0.5]));
        let undone = [send + 0.5, send + 0.5];
        rows.push(rollback(4000 + day as u64, (from + 10, from + 4_990), 100 + day, undone));
    }
    (m, rows)
}

#[test]
fn the_memos_message_is_explained_as_in_the_memo() {
    let (m, rows) = memo();
    let scene = scene(&m, &rows);
    let told = facts(&scene, Stage::ReceiveWait);
    assert_eq!(told[0], Fact::Queue { before: 0, mates: 0, machinery: 0 });
    assert_eq!(told[1], Fact::Gap { node: 0, from_ns: 101_000, to_ns: 200_000, is_whole: true });
    let Fact::Cancelled(cancelled) = &told[2] else { panic!("{told:?}") };
    assert_eq!((cancelled.object, cancelled.to_self, cancelled.to_others), (5, 19, 19));
    let irony = Fact::ForThatObject { object: 5, receive: 6.5, cancelled: 19, later: 13 };
    assert!(told.contains(&irony), "{told:?}");
    let links: Vec<&Link> = told
        .iter()
        .filter_map(|fact| if let Fact::Because(link) = fact { Some(link) } else { None })
        .collect();
    let [
        Link::RolledBackFor { message: cancelling, .. },
        Link::CancelledAfter { object: 5, rollback },
        Link::RolledBackFor { message: straggler, .. },
    ] = links[..]
    else {
        panic!("{links:?}")
    };
    assert_eq!(cancelling.kind, Kind::Anti);
    assert_eq!((rollback.seq, straggler.seq), (1000, 8));
}

#[test]
fn without_the_cause_the_chain_says_that_it_is_not_there() {
    let (m, mut rows) = memo();
    rows.retain(|row| row.seq != 8);
    let told = facts(&scene(&m, &rows), Stage::ReceiveWait);
    let unknown =
        |fact: &Fact| matches!(fact, Fact::Because(Link::Unknown { work }) if work.seq == 1000);
    assert!(told.iter().any(unknown), "{told:?}");
}

#[test]
fn a_message_for_another_object_has_no_irony() {
    let (m, rows) = memo();
    let told = facts(&scene(&Row { dst_object: Some(6), ..m }, &rows), Stage::ReceiveWait);
    assert!(!told.iter().any(|fact| matches!(fact, Fact::ForThatObject { .. })), "{told:?}");
}

#[test]
fn an_execution_is_followed_to_the_message_that_called_for_it() {
    let m = message(9, [0, 10, 1000, 9000]);
    let execution = Row {
        dst_object: Some(4),
        virtual_receive: Some(7.0),
        ..work(Kind::Execution, 0, 3, (1000, 8990))
    };
    let called = |seq, object, receive, taken| Row {
        dst_object: Some(object),
        virtual_receive: Some(receive),
        ..message(seq, [0, 1, 2, taken])
    };
    let rows = [
        execution,
        called(1, 4, 7.0, 500),
        called(2, 4, 7.0, 700),
        called(3, 4, 7.5, 800),
        called(4, 3, 7.0, 900),
        called(5, 4, 7.0, 8995), // came after it had begun
    ];
    let told = facts(&scene(&m, &rows), Stage::ReceiveWait);
    let link = told.iter().find_map(|fact| match fact {
        Fact::Because(Link::ExecutedFor { message, .. }) => Some(message.seq),
        _ => None,
    });
    assert_eq!(link, Some(2));
}

#[test]
fn a_send_wait_is_told_by_what_else_was_sent() {
    let m = Row { in_flight: Some(12), batch: Some(4), ..message(9, [0, 10_000, 10_010, 10_020]) };
    let rows = [
        message(1, [0, 5_000, 5_500, 6_000]),
        Row { dst: 3, ..message(2, [0, 5_000, 5_500, 6_000]) },
        Row { dst: 3, ..message(3, [0, 20_000, 20_500, 26_000]) },
        work(Kind::Execution, 1, 4, (1_000, 9_000)),
    ];
    let told = facts(&scene(&m, &rows), Stage::SendWait);
    assert_eq!(told[0], Fact::SentMeanwhile { node: 1, same: 1, others: 1 });
    assert_eq!(told[1], Fact::TakenMeanwhile { node: 0, messages: 1 });
    assert_eq!(told[2], Fact::InFlight { messages: 12 });
    assert_eq!(told[3], Fact::Busy { node: 1, ns: 8_000, of_ns: 10_000 });
    assert_eq!(told.last(), Some(&Fact::Frame { messages: 4 }));
}

#[test]
fn a_transit_is_compared_with_others_and_with_those_beside_it() {
    let m = Row {
        hops: Some(2),
        packets: Some(3),
        how: How::Bracketed,
        error_ns: Some(7),
        ..message(9, [0, 10, 10_010, 10_020])
    };
    let rows = [message(1, [0, 5_000, 9_990, 11_000]), message(2, [0, 5_000, 6_000, 11_000])];
    let mut scene = scene(&m, &rows);
    let others = [100, 200, 300, 10_000, 20_000].into_iter().chain((0..5).map(|n| 210 + n));
    others.for_each(|ns| scene.usual.plant(Stage::Transit, ns));
    let told = facts(&scene, Stage::Transit);
    assert_eq!(told[0], Fact::ArrivalKnown { how: How::Bracketed, error_ns: Some(7) });
    let Fact::Usual(usual) = told[1] else { panic!("{told:?}") };
    assert_eq!((usual.messages, usual.median_ns, usual.slower), (10, 212, 1));
    assert_eq!(told[2], Fact::Way { hops: Some(2), packets: Some(3) });
    assert_eq!(told[3], Fact::Together { on_way: 2, arrived_with: 1 });
}

#[test]
fn clocks_that_disagree_are_said_to() {
    let m = message(9, [0, 1000, 900, 2000]);
    assert_eq!(facts(&scene(&m, &[]), Stage::Transit), [Fact::Backwards { ns: 100 }]);
}

#[test]
fn a_traced_program_is_not_asked_for_work() {
    let m = Row { posted_ns: Some(900), ..message(9, [0, 0, 1_000, 10_000]) };
    let seen = Seen { causes: &[], launch: 0, traced: true };
    let story = super::tell(&scene(&m, &[]), Picked::Named, seen);
    assert!(story.chapters.iter().all(|chapter| chapter.stage != Stage::SendWait));
    let mut all = story.chapters.iter().flat_map(|chapter| &chapter.facts);
    let of_work = |fact: &Fact| matches!(fact, Fact::Silent { .. } | Fact::Unrecorded { .. });
    assert!(!all.any(of_work), "{story:?}");
    assert!(facts(&scene(&m, &[]), Stage::ReceiveWait).iter().any(of_work), "of other programs");
    let transit = facts(&scene(&m, &[]), Stage::Transit);
    assert!(transit.contains(&Fact::PostedLate { after_sent_ns: 900 }), "{transit:?}");
}

#[test]
fn a_receive_that_nobody_had_asked_for() {
    let m =
        Row { posted_ns: Some(5_000), awaited_ns: Some(6_000), ..message(9, [0, 10, 20, 10_000]) };
    let told = facts(&scene(&m, &[]), Stage::ReceiveWait);
    assert!(told.contains(&Fact::Posted { after_arrival_ns: 4_980 }), "{told:?}");
    assert!(
        told.contains(&Fact::Awaited {
            after_arrival_ns: 5_980,
            woken_before_taken_ns: None,
            before_taken_ns: 4_000
        }),
        "{told:?}"
    );
}

/// What a watcher saw of node 0, which the message is for, and of node 1, which sent it.
fn seen(of_receiver: &[CauseSpan], of_sender: &[CauseSpan]) -> Vec<NodeCauses> {
    let of = |node, spans: &[CauseSpan]| NodeCauses { launch: 3, node, spans: spans.to_vec() };
    vec![of(0, of_receiver), of(1, of_sender)]
}

fn span(cause: Cause, from_ns: i64, to_ns: i64, amount: i64) -> CauseSpan {
    CauseSpan { cause, from_ns, to_ns, amount }
}

#[test]
fn what_was_seen_is_told_where_it_fills_a_good_part_and_of_the_right_node() {
    let m = message(9, [0, 10, 20, 10_020]);
    let causes = seen(
        &[
            span(Cause::Steal, 0, 6_020, 6_000),
            span(Cause::RunQueue, 0, 5_000, 3_000),
            span(Cause::RunQueue, 5_000, 20_000, 5_000),
            span(Cause::Watcher, 100, 200, 0),
            span(Cause::RunQueue, 20_000, 40_000, 4_000),
        ],
        &[span(Cause::RunQueue, 0, 20_000, 10_000)],
    );
    let story = super::tell(
        &scene(&m, &[]),
        Picked::Named,
        Seen { causes: &causes, launch: 3, traced: false },
    );
    let told: Vec<_> = story.chapters[2]
        .facts
        .iter()
        .filter_map(|fact| match fact {
            Fact::Held { part, of_ns: 10_000 } => Some((part.node, part.cause, part.ns)),
            _ => None,
        })
        .collect();
    assert_eq!(told, [(0, Cause::RunQueue, 8_000), (0, Cause::Steal, 6_000)]);
    let elsewhere = super::tell(
        &scene(&m, &[]),
        Picked::Named,
        Seen { causes: &causes, launch: 2, traced: false },
    );
    assert!(elsewhere.chapters[2].account.parts.is_empty(), "another launch");
}

#[test]
fn a_wait_for_a_core_that_was_booked_when_it_was_over_covers_all_of_it() {
    let m = message(9, [0, 10, 1_000_000, 300_000_000]);
    let rows: Vec<CauseSpan> = (0..31)
        .map(|look| {
            let from = look * 10_000_000 - 5_000_000;
            let amount = if look == 30 { 299_500_000 } else { 0 };
            span(
                if amount > 0 { Cause::RunQueue } else { Cause::Watcher },
                from,
                from + 10_000_000,
                amount,
            )
        })
        .collect();
    let causes = seen(&rows, &[span(Cause::RunQueue, 295_000_000, 305_000_000, 300_000_000)]);
    let story = super::tell(
        &scene(&m, &[]),
        Picked::Named,
        Seen { causes: &causes, launch: 3, traced: false },
    );
    let chapter = &story.chapters[2];
    let part = chapter.account.chief().expect("a cause");
    assert_eq!((part.node, part.cause, part.ns), (0, Cause::RunQueue, 299_000_000));
    assert!(
        !chapter.facts.iter().any(|fact| matches!(fact, Fact::Silent { .. })),
        "{:?}",
        chapter.facts
    );
}

#[test]
fn how_the_thread_was_is_told_only_where_the_node_recorded_nothing() {
    let m = message(9, [0, 10, 1_000_000, 300_000_000]);
    let rows = [span(Cause::Watcher, 0, 10, 5), span(Cause::Ran, 0, 301_000_000, 290_000_000)];
    let causes =
        seen(&[&rows[..], &[span(Cause::Watcher, 301_000_000, 301_000_010, 5)]].concat(), &[]);
    let told = |rows: &[Row]| {
        let story = super::tell(
            &scene(&m, rows),
            Picked::Named,
            Seen { causes: &causes, launch: 3, traced: false },
        );
        let facts = &story.chapters[2].facts;
        let is_silent = facts.iter().any(|fact| matches!(fact, Fact::Silent { watched: true, .. }));
        (is_silent, facts.iter().any(|fact| matches!(fact, Fact::Ran { node: 0, .. })))
    };
    assert_eq!(told(&[]), (true, true));
    assert_eq!(told(&[work(Kind::Rollback, 0, 1, (0, 299_000_000))]), (false, false));
}

#[test]
fn the_memos_message_is_told_from_one_that_only_has_its_name() {
    let (m, rows) = memo();
    let story = tell(&scene(&m, &rows));
    let said = Memo::of(&story, 5);
    assert!(said.cancelled > 0 && said.before == 0, "{said:?}");
    assert!(Memo { waited: 0.99, before: 0, cancelled: 60, of: 64 }.is_the_same());
    assert!(!Memo { waited: 0.99, before: 0, cancelled: 3, of: 64 }.is_the_same());
    assert!(!Memo { waited: 0.5, before: 0, cancelled: 60, of: 64 }.is_the_same());
    let alone = Memo::of(&tell(&scene(&m, &[])), 5);
    assert!(alone.cancelled == 0 && !alone.is_the_same(), "{alone:?}");
}

#[test]
fn what_is_left_out_is_the_earliest_and_is_counted() {
    let m = message(9, [0, 10, 1000, 200_000]);
    let rows: Vec<Row> =
        (0..100).map(|n| message(n + 10, [-10, -5, 900, 1100 + n as i64])).collect();
    let whole = scene_of(&m, &rows, 10);
    assert_eq!((whole.receiver.rows().len(), whole.receiver.left_out()), (10, 90));
    assert_eq!(whole.counts.before, 100, "counts know of all of them");
    assert!(whole.receiver.rows().iter().all(|row| row.taken_ns >= Some(1190)));
    assert_eq!(tell(&whole).left_out, 90);
}

#[test]
fn parts_merged_in_any_order_make_the_same_scene() {
    let (m, rows) = memo();
    let part = |rows: &[Row]| {
        let mut gather = Gather::new(m.clone(), 40);
        rows.iter().for_each(|row| gather.add_row(row.clone()));
        gather
    };
    let merged = |mut one: Gather, other: Gather| {
        one.merge(other);
        tell(&one.finish())
    };
    let half = rows.len() / 3;
    let forth = merged(part(&rows[..half]), part(&rows[half..]));
    assert_eq!(forth, merged(part(&rows[half..]), part(&rows[..half])));
    assert_eq!(forth, tell(&part(&rows).finish()));
}

#[test]
fn a_message_that_lacks_a_stamp_is_told_as_far_as_it_goes() {
    let m = Row { taken_ns: None, arrived_ns: None, ..message(9, [0, 1000, 0, 0]) };
    let story = tell(&scene(&m, &[]));
    assert_eq!(
        story.chapters.iter().map(|chapter| chapter.stage).collect::<Vec<_>>(),
        [Stage::SendWait]
    );
    assert!(story.lanes.is_empty());
}
