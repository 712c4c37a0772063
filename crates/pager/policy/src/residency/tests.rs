//! Single steps, one after another.

use crate::{
    Access, Action, Checksum, Fault, Frame, Grabbed, Installed, Into, Operation, Options, Page,
    Pager, Policy, Status,
};

fn pager(prefetch_pages: u32) -> Pager {
    let mut pager = Pager::new(Options {
        budget_pages: 16,
        staging_frames: 8,
        prefetch_pages,
        policy: Policy::Disk,
        servers: Vec::new(),
    })
    .unwrap();
    pager.map(Page(0), 100);
    pager
}

/// Answers everything but reads, which it returns. Every page holds its number.
fn carry_out(pager: &mut Pager) -> Vec<(Operation, Into)> {
    let mut reads = Vec::new();
    while let Some(action) = next_action(pager) {
        match action {
            Action::Read { operation, into, .. } => reads.push((operation, into)),
            action => answer(pager, action),
        }
    }
    reads
}

fn answer(pager: &mut Pager, action: Action) {
    match action {
        Action::Zero { page } | Action::Install { page, .. } => {
            pager.installed(page, Installed::Done)
        }
        Action::Grab { page, .. } => {
            pager.grabbed(page, Grabbed::Taken(Checksum(u128::from(page.0))))
        }
        Action::Drop { page } => pager.grabbed(page, Grabbed::Dropped),
        Action::Write { operation, .. } => pager.done(operation, Ok(None)),
        _ => {}
    }
}

/// Tidies up when there is nothing else to do.
fn next_action(pager: &mut Pager) -> Option<Action> {
    pager.next_action().or_else(|| {
        pager.tidy();
        pager.next_action()
    })
}

fn touch(pager: &mut Pager, page: u64) -> (Option<Fault>, Vec<(Operation, Into)>) {
    let fault = pager.fault(Page(page), false);
    (fault, carry_out(pager))
}

fn done(pager: &mut Pager, operation: Operation, installed: Option<Installed>) {
    pager.done(operation, Ok(installed));
}

/// Pages 0 to 59 were touched, in an order without a trend; the first ones are outside.
fn filled(prefetch_pages: u32) -> Pager {
    let mut pager = pager(prefetch_pages);
    for i in 0..60 {
        touch(&mut pager, i * 7 % 60);
    }
    pager
}

fn status(pager: &Pager) -> Status {
    pager.status()
}

#[test]
fn options_out_of_bounds_are_refused() {
    let good = Options {
        budget_pages: 16,
        staging_frames: 8,
        prefetch_pages: 64,
        policy: Policy::Disk,
        servers: Vec::new(),
    };
    assert!(Pager::new(good.clone()).is_ok());
    let bad = [
        Options { budget_pages: 15, ..good.clone() },
        Options { staging_frames: 7, ..good.clone() },
        Options { prefetch_pages: 65, ..good },
    ];
    assert!(bad.into_iter().all(|options| Pager::new(options).is_err()));
}

#[test]
fn memory_that_is_not_mapped_is_not_known() {
    let mut pager = pager(0);
    assert_eq!(touch(&mut pager, 100).0, None);
    assert_eq!(touch(&mut pager, 99).0, Some(Fault::Zero));
    pager.unmap(Page(99), 1);
    assert_eq!(touch(&mut pager, 99).0, None);
}

#[test]
fn a_page_that_has_just_left_comes_back_from_its_frame() {
    let mut pager = filled(0);
    let limbo = status(&pager).limbo_pages;
    assert!(limbo > 0);
    let soft = (0..60).find(|&page| {
        let before = status(&pager).faults_limbo;
        let (_, reads) = touch(&mut pager, page);
        for (operation, _) in reads {
            done(&mut pager, operation, Some(Installed::Done));
            carry_out(&mut pager);
        }
        status(&pager).faults_limbo > before
    });
    assert!(soft.is_some(), "one of them was in a frame");
}

#[test]
fn an_unchanged_page_is_not_sent_again() {
    let mut pager = filled(0);
    let before = status(&pager);
    for page in 0..60 {
        for (operation, _) in touch(&mut pager, page).1 {
            done(&mut pager, operation, Some(Installed::Done));
            carry_out(&mut pager);
        }
    }
    let after = status(&pager);
    assert!(after.evictions_clean > before.evictions_clean);
    let never_sent_before = 16;
    assert!(
        after.evictions_dirty <= before.evictions_dirty + never_sent_before,
        "only what had not left yet is sent"
    );
}

#[test]
fn what_comes_after_the_page_was_given_up_is_not_welcome() {
    for case in 0..3 {
        let mut pager = filled(0);
        let (fault, reads) = touch(&mut pager, 0);
        assert_eq!((fault, reads.len()), (Some(Fault::Hard), 1));
        let (operation, into) = reads[0];
        assert_eq!(into, Into::Page(Page(0)));
        assert!(pager.welcome(operation, Page(0)).is_some());
        match case {
            0 => pager.unmap(Page(0), 1),
            1 => pager.forget(Page(0), 1),
            _ => pager.moved(Page(0), Page(500), 1),
        }
        carry_out(&mut pager);
        assert!(pager.welcome(operation, Page(0)).is_none());
        pager.map(Page(0), 1);
        assert_eq!(touch(&mut pager, 0).0, Some(Fault::Zero), "new memory is zero");
        done(&mut pager, operation, Some(Installed::Gone));
        carry_out(&mut pager);
        if case == 2 {
            assert_eq!(
                touch(&mut pager, 500).1.len(),
                1,
                "the contents followed, and are read again"
            );
        }
    }
}

#[test]
fn a_stream_holds_one_page_of_each_window_back() {
    let mut pager = Pager::new(Options {
        budget_pages: 64,
        staging_frames: 32,
        prefetch_pages: 4,
        policy: Policy::Disk,
        servers: Vec::new(),
    })
    .unwrap();
    pager.map(Page(0), 400);
    for i in 0..400 {
        touch(&mut pager, i * 7 % 400);
    }
    let mut framed = None;
    for page in 0..40 {
        let (_, reads) = touch(&mut pager, page);
        for (operation, into) in reads {
            if let Into::Frame(frame) = into {
                framed = framed.or(Some(frame));
                done(&mut pager, operation, None);
            } else {
                done(&mut pager, operation, Some(Installed::Done));
            }
            carry_out(&mut pager);
        }
    }
    assert!(matches!(framed, Some(Frame(0..32))), "the trigger is in a frame of ours");
    assert!(status(&pager).windows >= 1 && status(&pager).windows_used >= 1);
}

/// Touches page after page, with a driver that protects those it may. Returns those that were
/// dropped.
fn read_in_a_row(pager: &mut Pager, pages: std::ops::Range<u64>) -> Vec<Page> {
    let mut dropped = Vec::new();
    for page in pages {
        pager.fault(Page(page), false);
        while let Some(action) = next_action(pager) {
            match action {
                Action::Read { operation, into: Into::Frame(_), .. } => {
                    done(pager, operation, None)
                }
                Action::Read { operation, into: Into::Page(page), .. } => {
                    let protect = pager.welcome(operation, page) == Some(Access::Read);
                    done(
                        pager,
                        operation,
                        Some(if protect { Installed::Protected } else { Installed::Done }),
                    );
                }
                action => {
                    dropped.extend(if let Action::Drop { page } = action {
                        Some(page)
                    } else {
                        None
                    });
                    answer(pager, action);
                }
            }
        }
    }
    dropped
}

#[test]
fn what_a_stream_reads_and_nobody_writes_is_dropped_where_it_is() {
    let mut pager = filled(4);
    let before = status(&pager).evictions_clean;
    let dropped = read_in_a_row(&mut pager, 0..60);
    assert!(!dropped.is_empty());
    assert!(status(&pager).evictions_clean >= before + dropped.len() as u64);
}

#[test]
fn what_was_written_to_is_taken_out() {
    let mut pager = filled(4);
    read_in_a_row(&mut pager, 0..30);
    let resident: Vec<Page> = (0..60).map(Page).filter(|&page| pager.written(page)).collect();
    assert!(status(&pager).faults_write > 0, "some page was protected");
    let dropped = read_in_a_row(&mut pager, 30..60);
    assert!(!dropped.iter().any(|page| resident.contains(page)), "{dropped:?} of {resident:?}");
}

#[test]
fn where_protected_pages_are_written_to_no_more_are_protected_for_a_while() {
    let mut pager = filled(4);
    let mut faults = Vec::new();
    for first in [0, 10] {
        read_in_a_row(&mut pager, first..first + 10);
        let before = status(&pager).faults_write;
        (0..60).for_each(|page| _ = pager.written(Page(page)));
        faults.push(status(&pager).faults_write - before);
    }
    assert!(faults[0] > 0 && faults[1] == 0, "{faults:?}");
}

#[test]
fn held_pages_stay_and_half_the_budget_is_the_most() {
    let mut pager = filled(0);
    assert!(!pager.hold(Page(0), 9), "more than half");
    assert!(pager.hold(Page(90), 8));
    carry_out(&mut pager);
    assert!(pager.held(Page(90), 8));
    assert!(!pager.hold(Page(80), 1));
    for page in 0..60 {
        for (operation, _) in touch(&mut pager, page).1 {
            done(&mut pager, operation, Some(Installed::Done));
            carry_out(&mut pager);
        }
    }
    assert!(pager.held(Page(90), 8), "others left instead");
    pager.release(Page(90), 8);
    assert_eq!(status(&pager).held_pages, 0);
}

#[test]
fn what_is_pinned_stays_where_it_is_outside_too() {
    let mut pager = filled(0);
    let is_there = |pager: &Pager, page| pager.held(Page(page), 1);
    let there: Vec<u64> = (8..60).filter(|page| is_there(&pager, *page)).take(4).collect();
    let away: Vec<u64> = (0..8).filter(|page| !is_there(&pager, *page)).collect();
    assert!(!there.is_empty() && !away.is_empty(), "{there:?} {away:?}");
    let (first, last) = (there[0], there[there.len() - 1]);
    assert!(pager.pin(Page(first), last - first + 1) && pager.pin(Page(0), 8));
    assert!(carry_out(&mut pager).is_empty(), "nothing is brought");
    for page in (8..60).filter(|page| !(first..=last).contains(page)) {
        for (operation, _) in touch(&mut pager, page).1 {
            done(&mut pager, operation, Some(Installed::Done));
            carry_out(&mut pager);
        }
    }
    assert!(there.iter().all(|page| is_there(&pager, *page)), "others left instead");
    assert!(away.iter().all(|page| !is_there(&pager, *page)));
    pager.release(Page(0), 100);
    assert_eq!(status(&pager).held_pages, 0);
}

#[test]
fn pages_that_cannot_be_taken_are_left_alone_until_the_next_tick() {
    let mut pager = pager(0);
    let mut grabs = 0;
    for page in 0..40 {
        pager.fault(Page(page * 2), false);
        while let Some(action) = pager.next_action() {
            match action {
                Action::Zero { page } => pager.installed(page, Installed::Done),
                Action::Grab { page, .. } => {
                    grabs += 1;
                    pager.grabbed(page, Grabbed::Busy);
                }
                _ => {}
            }
        }
    }
    assert!((64..=256).contains(&grabs), "{grabs} attempts");
    assert!(status(&pager).waiting_pages > 0);
    pager.tick(1);
    carry_out(&mut pager);
    assert_eq!(status(&pager).waiting_pages, 0, "room was made as soon as pages could be taken");
}

#[test]
fn a_page_dropped_behind_our_back_reads_as_zeros() {
    let mut pager = pager(0);
    touch(&mut pager, 5);
    assert_eq!(pager.fault(Page(5), false), Some(Fault::Stale));
    assert_eq!(pager.next_action(), Some(Action::Zero { page: Page(5) }));
    pager.installed(Page(5), Installed::Done);
    assert_eq!((status(&pager).surprises, status(&pager).resident_pages), (1, 1));
}

/// As [`carry_out`], where all that is taken is zero. Reads are answered.
fn carry_out_zeros(pager: &mut Pager) {
    while let Some(action) = next_action(pager) {
        match action {
            Action::Grab { page, .. } => pager.grabbed(page, Grabbed::TakenZeros),
            Action::Read { operation, .. } => done(pager, operation, Some(Installed::Done)),
            Action::Write { .. } => panic!("zeros are sent: {action:?}"),
            action => answer(pager, action),
        }
    }
}

#[test]
fn pages_that_leave_all_zero_are_kept_nowhere_and_made_again() {
    let mut pager = filled(0);
    let outside = |pager: &Pager| status(pager).vault.places.iter().map(|it| it.pages).sum::<u64>();
    let before = outside(&pager);
    for touch in 0..120 {
        pager.fault(Page(touch % 60), true);
        carry_out_zeros(&mut pager);
    }
    let after = status(&pager);
    assert!(after.evictions_zeros >= 44 && after.faults_hard >= 20, "{after:?}");
    // Pages that never left since keep what they have outside.
    let left = outside(&pager);
    assert!(before >= 40 && left <= after.resident_pages, "{before} before, {left} after");
    assert_eq!(pager.fault(Page(0), false), Some(Fault::Zero));
    carry_out_zeros(&mut pager);
    assert!(pager.settled() && pager.held(Page(0), 1));
}

/// What is taken and what is written of pages that a pass over `pages` touches, again and again.
fn taken_and_written(pages: u64) -> (u64, u64) {
    let mut pager = pager(0);
    for touch in 0..400 {
        for (operation, _) in touch_changed(&mut pager, touch % pages, touch) {
            done(&mut pager, operation, Some(Installed::Done));
            carry_out(&mut pager);
        }
    }
    (status(&pager).evictions_dirty, status(&pager).vault.page_outs)
}

/// The page holds something else each time it leaves.
fn touch_changed(pager: &mut Pager, page: u64, version: u64) -> Vec<(Operation, Into)> {
    pager.fault(Page(page), true);
    let mut reads = Vec::new();
    while let Some(action) = next_action(pager) {
        match action {
            Action::Grab { page, .. } => {
                pager.grabbed(page, Grabbed::Taken(Checksum(u128::from(page.0 << 32 | version))))
            }
            Action::Read { operation, into, .. } => reads.push((operation, into)),
            action => answer(pager, action),
        }
    }
    reads
}

#[test]
fn a_page_that_comes_back_at_once_is_not_sent() {
    let (taken, written) = taken_and_written(18);
    assert!(taken > 100 && written < taken / 10, "a little too much: {written} of {taken}");
    let (taken, written) = taken_and_written(60);
    assert!(taken > 100 && written + 4 >= taken, "far too much: {written} of {taken}");
}
