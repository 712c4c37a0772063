use super::*;

/// Faults at every page that was not read ahead, as a program would that reads these pages once.
/// Returns the faults and the pages read ahead.
fn read_once(streams: &mut Streams, pages: impl IntoIterator<Item = u64>) -> (u32, u32) {
    let mut ahead = std::collections::HashSet::new();
    let (mut faults, mut fetched) = (0, 0);
    for page in pages {
        let ask = match ahead.remove(&page) {
            true => streams.triggered(Page(page)).map(|(_, ask)| ask),
            false => {
                faults += 1;
                streams.missed(Page(page))
            }
        };
        let Some(ask) = ask else { continue };
        let window =
            (0..i64::from(ask.pages)).map(|i| ask.from.0.wrapping_add_signed(i * ask.stride));
        fetched += ask.pages;
        ahead.extend(window);
        streams.fetched(ask, ask.pages, Some(ask.from));
    }
    (faults, fetched)
}

#[test]
fn rising_falling_and_strided_reads_are_followed() {
    for stride in [1i64, -1, 3, -7, 1000] {
        let pages = (0..1000).map(|i| 5_000_000u64.wrapping_add_signed(i * stride));
        let (faults, fetched) = read_once(&mut Streams::new(64), pages);
        assert!(faults <= 4, "stride {stride}: {faults} faults");
        assert!(fetched < 1000 + 128, "stride {stride}: {fetched} read ahead");
    }
}

#[test]
fn interleaved_streams_are_told_apart() {
    let pages = (0..1000u64).flat_map(|i| (0..8).map(move |stream| stream * 100_000 + i));
    let (faults, _) = read_once(&mut Streams::new(64), pages);
    assert!(faults <= 8 * 5, "{faults} faults");
}

#[test]
fn one_fault_in_four_elsewhere_does_not_hide_the_trend() {
    let noise = |i: u64| if i % 4 == 3 { 10_000 + i * i % 97 } else { 10_000 + i };
    let mut streams = Streams::new(64);
    let asked = (0..64)
        .filter(|&i| streams.missed(Page(noise(i))).is_some_and(|ask| ask.stride == 1))
        .count();
    assert!(asked >= 8, "{asked} of 64 faults were seen as a stream");
}

#[test]
fn random_reads_have_no_trend() {
    let mut random = rand_pcg::Pcg64Mcg::new(3);
    let pages = (0..20_000).map(|_| rand::RngExt::random_range(&mut random, 0..1_000_000u64));
    let (faults, fetched) = read_once(&mut Streams::new(64), pages);
    assert!(faults >= 19_900 && fetched < 100, "{faults} faults, {fetched} read ahead");
}

#[test]
fn windows_double_while_triggers_are_touched_and_name_what_has_been_passed() {
    let mut streams = Streams::new(64);
    assert_eq!((streams.missed(Page(100)), streams.missed(Page(101))), (None, None));
    let mut ask = streams.missed(Page(102)).unwrap();
    let (mut windows, mut passed) = (vec![ask.pages], Vec::new());
    for _ in 0..6 {
        streams.fetched(ask, ask.pages, Some(ask.from));
        let (span, next) = streams.triggered(ask.from).unwrap();
        assert_eq!(next.from.0, ask.from.0 + u64::from(ask.pages), "windows join");
        passed.extend(span.map(|s| s.steps));
        windows.push(next.pages);
        ask = next;
    }
    assert_eq!(windows, [4, 8, 16, 32, 64, 64, 64]);
    assert_eq!(
        passed,
        [4, 8, 16, 32, 64],
        "a window has been read when the trigger of the next one is touched"
    );
    assert_eq!(streams.triggered(Page(100)), None);
}

#[test]
fn nothing_is_read_ahead_if_that_is_not_wanted() {
    assert_eq!(read_once(&mut Streams::new(0), 0..100), (100, 0));
}

#[test]
fn zeros_run_ahead_of_rising_touches_only() {
    let mut rising = Rising::new();
    assert_eq!(
        (rising.touched(Page(10)), rising.touched(Page(11)), rising.touched(Page(13))),
        (0, 1, 2)
    );
    assert_eq!(
        (rising.touched(Page(500)), rising.touched(Page(400)), rising.touched(Page(300))),
        (0, 0, 0)
    );
    assert_eq!(
        (rising.touched(Page(16)), rising.touched(Page(21)), rising.touched(Page(30))),
        (4, 8, 16)
    );
}
