use super::*;
use crate::{Domain, RunInfo, models};
use clock::{Calibration, Model, Quality, Source};
use proptest::prelude::*;

const SECOND_NS: f64 = 1e9;

/// A machine in simulated time: a counter of 2.5 GHz, a raw clock, and a wall clock that a daemon
/// steers.
#[derive(Clone, Debug)]
struct Simulated {
    /// Rate of the wall clock against the raw one in each stretch of 4 s, ppm.
    slews_ppm: Vec<f64>,
    width_ticks: u64,
}

impl Simulated {
    fn ticks(at_s: f64) -> u64 {
        (at_s * 2.5e9) as u64
    }

    fn realtime_ns(&self, at_s: f64) -> i64 {
        let mut ns = 1.7e18_f64 as i64;
        for (stretch, ppm) in self.slews_ppm.iter().enumerate() {
            let spent_s = (at_s - stretch as f64 * 4.0).clamp(0.0, 4.0);
            ns += (spent_s * SECOND_NS * (1.0 + ppm * 1e-6)) as i64;
        }
        ns
    }

    fn anchor(&self, at_s: f64) -> Anchor {
        Anchor {
            ticks: Ticks(Simulated::ticks(at_s)),
            half_width: self.width_ticks,
            monotonic_raw_ns: (at_s * SECOND_NS) as i64,
            realtime_ns: self.realtime_ns(at_s),
        }
    }

    /// The log of a run that went on for so long: as the thread writes it.
    fn log(&self, live: &Path, sheet: &NodeSheet, length_s: f64) -> Vec<u8> {
        let path = log_path(live, sheet);
        let _ = std::fs::remove_file(&path);
        let head = LogHead { launch: 0, node: 0, schema: Schema::default() };
        let mut log = LogWriter::new(File::create_new(&path).unwrap(), &head).unwrap();
        for half_seconds in 0..=(length_s * 2.0) as u64 {
            log.append(&words(&self.anchor(half_seconds as f64 * 0.5))).unwrap();
        }
        std::fs::read(path).unwrap()
    }
}

fn sheet(first: Anchor) -> NodeSheet {
    let quality = Quality { ..clock::measure(&Clock::system()) };
    let mut sheet = NodeSheet::with_quality(0, 0, &Clock::system(), quality);
    // Of no machine that exists: nobody can look at its clock now.
    (sheet.boot_id, sheet.domain) = ("simulated".into(), "simulated/tsc".into());
    (sheet.source, sheet.anchors) = (Source::Tsc, vec![first]);
    sheet
}

/// The clock of the sheet as closing the run fits it.
fn fitted(live: &Path, sheet: &NodeSheet) -> Model {
    let mut info = RunInfo::new("simulated");
    info.origin.boot_id = "simulated".into();
    info.origin.monotonic_raw_ns = 0;
    let logged = vec![(sheet.domain.clone(), read(live, sheet))];
    let fitted = models::fit(&info, std::slice::from_ref(sheet), &logged, "another");
    let domain: Domain = fitted.domains.into_iter().next().unwrap();
    domain.model.unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Wherever the log is cut, what is known of the wall clock is known up to the last anchor in
    /// it, and as promised.
    #[test]
    fn a_log_that_is_cut_anywhere_places_kernel_stamps_within_the_bound(
        slews_ppm in prop::collection::vec(-40.0..40.0f64, 4),
        width_ticks in 20u64..400,
        length_s in 0.6..15.0f64,
        cut in 0.0..1.0f64,
    ) {
        let machine = Simulated { slews_ppm, width_ticks };
        let folder = tempfile::tempdir().unwrap();
        let sheet = sheet(machine.anchor(0.0));
        let whole = machine.log(folder.path(), &sheet, length_s);
        let kept = 64 + ((whole.len() - 64) as f64 * cut) as usize;
        std::fs::write(log_path(folder.path(), &sheet), &whole[..kept]).unwrap();
        let anchors = read(folder.path(), &sheet);
        // An anchor takes 88 bytes, and a torn one is none.
        prop_assert_eq!(anchors.len(), (kept - 64) / 88);
        let model = fitted(folder.path(), &sheet);
        let end_s = anchors.last().map_or(0.0, |anchor| anchor.ticks.0 as f64 / 2.5e9);
        for step in 0..=200 {
            // Half a second further than the last that was written, and a little more.
            let at_s = (end_s + 0.6) * f64::from(step) / 200.0;
            let stamp = machine.realtime_ns(at_s);
            let off_ns = model.realtime_to_timeline(stamp).0 as f64 - at_s * SECOND_NS;
            let bound_ns = model.realtime_error_ns(stamp);
            // A piece may hold a change of rate, which no anchor shows: at 80 ppm 10 µs in a
            // quarter of a second.
            let unseen_ns = if at_s > end_s { 0.0 } else { 80e-6 * 0.25 * SECOND_NS };
            prop_assert!(
                off_ns.abs() <= bound_ns + unseen_ns + 4.0,
                "{at_s} s of {end_s}: {off_ns} ± {bound_ns}"
            );
        }
    }

    #[test]
    fn thinning_bounds_what_is_kept_and_keeps_the_tightest_and_the_last(
        number in 1usize..5000,
        tightest in any::<prop::sample::Index>(),
    ) {
        let tightest = tightest.index(number);
        let mut thinned = Thinned::default();
        for at in 0..number {
            let half_width = if at == tightest { 1 } else { 10 };
            thinned.push(Anchor {
                ticks: Ticks(at as u64),
                half_width,
                monotonic_raw_ns: 0,
                realtime_ns: 0,
            });
        }
        let kept = thinned.finish();
        prop_assert!(kept.len() <= KEPT_MAX + 2 && kept.is_sorted_by_key(|anchor| anchor.ticks.0));
        prop_assert!(kept.iter().any(|anchor| anchor.half_width == 1));
        prop_assert_eq!(kept.last().unwrap().ticks.0, number as u64 - 1);
    }
}

#[test]
fn without_its_log_a_killed_nodes_wall_clock_is_not_known() {
    // The canary of the test above: the same machine, with the first anchor alone.
    let machine = Simulated { slews_ppm: vec![30.0; 4], width_ticks: 50 };
    let folder = tempfile::tempdir().unwrap();
    let sheet = sheet(machine.anchor(0.0));
    let off_ns =
        |model: Model| model.realtime_to_timeline(machine.realtime_ns(12.0)).0 as f64 - 12e9;
    assert!(off_ns(fitted(folder.path(), &sheet)).abs() > 100_000.0);
    machine.log(folder.path(), &sheet, 12.0);
    assert!(off_ns(fitted(folder.path(), &sheet)).abs() < 100.0);
    let _: Calibration = sheet.quality.calibration();
}

#[test]
fn a_recorder_has_its_clock_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let run = crate::RunFolder::create(&path, RunInfo::new("test")).unwrap();
    let (one, two) = (run.node(0).unwrap(), run.node(1).unwrap());
    let sheets: Vec<_> = [0, 1]
        .map(|node| path.join(format!("live/launch-0-node-{node}.json")))
        .iter()
        .map(|path| NodeSheet::parse(&std::fs::read(path).unwrap(), path).unwrap())
        .collect();
    while read(&path.join("live"), &sheets[0]).len() < 2 {
        std::thread::sleep(Duration::from_millis(20));
    }
    // One log for all nodes on one clock.
    assert!(read(&path.join("live"), &sheets[1]).is_empty());
    drop((one, two));
    let domains = run.close().unwrap().domains;
    assert!(domains[0].anchors.len() >= 4, "{domains:?}");
}
