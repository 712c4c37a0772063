//! The rows that nodes write: four stamps in order, hops, packets, and the bounds of what was not
//! observed.

use crate::table::{Carrier, Fabric, payload, ranks, spec_clock, take_in_time};
use fabric::{Handed, Letter, NodeId, Recording, Stamps, Wait, columns};
use record::{
    ABSENT, ArrivedClock, Batch, Field, How, Kind, NULL, NodeSheet, RecorderOptions, Run,
    RunFolder, RunInfo, Schema,
};
use std::path::{Path, PathBuf};

/// What two clocks of one host, put on one timeline, may disagree by (the kernel's stamps are on
/// another clock than ours).
const SLACK_NS: i64 = 20_000;

const FIELDS: [Field; 9] = [
    Field::ReadyNs,
    Field::SentNs,
    Field::ArrivedNs,
    Field::TakenNs,
    Field::Src,
    Field::Dst,
    Field::Bytes,
    Field::ArrivedHow,
    Field::Seq,
];

/// Every node sends to the next one, small and large; what is written about it must hold together.
pub fn stamps_are_in_order(fabric: &Fabric) {
    const EACH: u64 = 40;
    let folder = tempfile::tempdir().unwrap();
    let (run, path) = common_run(folder.path(), fabric);
    let spec = fabric.ground().spec;
    let clock = spec_clock(&spec);
    let quality = clock::measure(&clock);
    let recorder = |id: NodeId| {
        let sheet = NodeSheet::with_quality(0, u32::from(id), &clock, quality);
        let options = RecorderOptions { capacity_rows: 4096, ..RecorderOptions::default() };
        Recording::Full(run.recorder(sheet, &Schema::new(&columns(&spec)), options).unwrap())
    };
    let recordings = fabric.run_recorded(recorder, |node, _| {
        let (me, to) = (node.id(), (node.id() + 1) % node.nodes());
        let from = (me + node.nodes() - 1) % node.nodes();
        for number in 0..EACH {
            let bytes = if number % 4 == 3 { 2500 } else { 16 };
            node.send(to, Kind::Data, &payload(me, to, number, bytes)).unwrap();
            if number % 5 == 0 {
                continue;
            }
            assert_eq!(take_in_time(node).from, from);
        }
        for _ in 0..EACH.div_ceil(5) {
            take_in_time(node);
        }
    });
    for recording in recordings {
        let Recording::Full(recorder) = recording else { panic!("it recorded") };
        assert_eq!((recorder.recorded(), recorder.dropped()), (EACH, 0));
        recorder.finish(clock.anchor()).unwrap();
    }
    if fabric.carrier == Carrier::Mpi {
        ranks::meet();
    }
    if leads(fabric) {
        run.close().unwrap();
        let rows = check_rows(&Run::open(&path).unwrap(), fabric);
        assert_eq!(rows, EACH * u64::from(fabric.nodes));
    }
}

fn leads(fabric: &Fabric) -> bool {
    fabric.carrier != Carrier::Mpi || ranks::rank() == 0
}

/// One run for all nodes, wherever they are.
fn common_run(folder: &Path, fabric: &Fabric) -> (RunFolder, PathBuf) {
    let path = folder.join("run");
    let create = || RunFolder::create(&path, RunInfo::new("conformance")).unwrap();
    match fabric.carrier {
        Carrier::Mpi if leads(fabric) => {
            let run = create();
            (run, ranks::share_path(&path))
        }
        Carrier::Mpi => {
            let path = ranks::share_path(&path);
            (RunFolder::join(&path).unwrap(), path)
        }
        _ => (create(), path),
    }
}

/// A program that writes rows itself is told the same stamps, and the fabric writes nothing.
pub fn delegated_stamps_are_in_order(fabric: &Fabric) {
    const EACH: u64 = 60;
    let clock = spec_clock(&fabric.ground().spec);
    let recordings = fabric.run_recorded(
        |_| Recording::Delegated,
        |node, fabric| {
            let (me, to) = (node.id(), (node.id() + 1) % node.nodes());
            let (mut sent, mut taken) = (0, 0);
            while sent < EACH || taken < EACH {
                let bytes = payload(me, to, sent, 300);
                let mut letter = Letter::new(to, Kind::Event, clock.now());
                if sent < EACH && node.try_send(&mut letter, &bytes).unwrap() == Handed::Yes {
                    sent += 1;
                }
                let moment = Wait::Until(node.after(std::time::Duration::from_micros(100)));
                if let Some(message) = node.receive(moment).unwrap() {
                    check_delegated(message.ready.0, message.stamps(), message.taken.0, fabric);
                    taken += 1;
                }
            }
        },
    );
    assert!(recordings.iter().all(|recording| matches!(recording, Recording::Delegated)));
}

/// All nodes read one clock here, but the kernel's stamps are on another.
fn check_delegated(ready: u64, stamps: &Stamps, taken: u64, fabric: &Fabric) {
    assert!(
        ready != ABSENT && stamps.sent != ABSENT && stamps.arrived != ABSENT && taken != ABSENT
    );
    assert!(ready <= stamps.sent && stamps.sent <= taken, "{ready} {stamps:?} {taken}");
    if stamps.arrived_clock != ArrivedClock::Kernel && stamps.arrived_how == How::Observed {
        assert!(stamps.sent <= stamps.arrived && stamps.arrived <= taken, "{stamps:?} {taken}");
    }
    assert!(stamps.hops >= 1 && stamps.packets >= 1, "{stamps:?}");
    assert!(fabric.is_cube() || stamps.hops == 1, "{stamps:?}");
}

fn check_rows(run: &Run, fabric: &Fabric) -> u64 {
    let mut fields = FIELDS.to_vec();
    if fabric.is_cube() {
        fields.extend([Field::Hops, Field::Packets]);
    }
    if fabric.brackets() {
        fields.push(Field::ArrivedErrorNs);
    }
    let mut rows = 0;
    for chunk in run.chunks() {
        let mut batch = Batch::new();
        chunk.read(&fields, &mut batch).unwrap();
        for at in 0..batch.rows() {
            let of = |field: Field| batch.column(field).at(at);
            let stamps = [Field::ReadyNs, Field::SentNs, Field::ArrivedNs, Field::TakenNs].map(of);
            assert!(!stamps.contains(&NULL), "{stamps:?}");
            let error = if fabric.brackets() { of(Field::ArrivedErrorNs).max(0) } else { 0 };
            let [ready, sent, arrived, taken] = stamps;
            assert!(ready <= sent, "ready {ready} > sent {sent}");
            assert!(
                sent <= arrived + error + SLACK_NS,
                "sent {sent} > arrived {arrived} ± {error}"
            );
            assert!(
                arrived - error <= taken + SLACK_NS,
                "arrived {arrived} ± {error} > taken {taken}"
            );
            let observed = of(Field::ArrivedHow) == How::Observed as i64;
            assert!(fabric.brackets() || observed);
            assert!(error == 0 || !observed, "an observed arrival with an error of {error} ns");
            if fabric.is_cube() {
                let (src, dst) = (of(Field::Src) as NodeId, of(Field::Dst) as NodeId);
                assert_eq!(of(Field::Hops), i64::from((src ^ dst).count_ones()));
                assert_eq!(
                    of(Field::Packets),
                    of(Field::Bytes).max(1).div_euclid(1000)
                        + i64::from(of(Field::Bytes) % 1000 != 0)
                );
            }
            rows += 1;
        }
    }
    rows
}
