//! What the test's nodes do.

use clock::Clock;
use fourstamp_launch::{Assignment, Control};
use record::{Kind, Row, RunFolder, Schema};
use rustix::process::{Signal, getpid, kill_process};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

/// The plan says what each node is to do: `{"nodes": ["count", "die"]}`.
pub fn behave(assignment: &Assignment, control: &Control) -> Result<Value, String> {
    let me = assignment.hosted[0];
    if let Some(folder) = assignment.plan["pids"].as_str() {
        std::fs::write(
            Path::new(folder).join(format!("node-{me}")),
            std::process::id().to_string(),
        )
        .unwrap();
    }
    let what = assignment.plan["nodes"][usize::from(me)].as_str().unwrap_or("count");
    match what {
        "never-ready" => return until_stop(control).map(|()| json!({})),
        "deaf-before" => loop {
            thread::sleep(Duration::from_secs(1));
        },
        "exit" => {
            // Where tests run one by one their names stand before, without a line end.
            eprintln!("\nthe dog ate my homework");
            std::process::exit(7);
        }
        _ => control.ready_and_wait_go()?,
    }
    match what {
        "count" => count(assignment, control),
        "record" => record(assignment, control),
        "until-stop" => until_stop(control).map(|()| json!({ "node": me })),
        "die" => {
            thread::sleep(Duration::from_millis(100));
            kill_process(getpid(), Signal::KILL).unwrap();
            unreachable!("killed")
        }
        "record-and-die" => {
            record(assignment, control)?;
            kill_process(getpid(), Signal::KILL).unwrap();
            unreachable!("killed")
        }
        "freeze" => {
            kill_process(getpid(), Signal::STOP).unwrap();
            until_stop(control).map(|()| json!({}))
        }
        "told-to-leave" => {
            assert!(crate::LEAVE.tell("it was told to end by SIGTERM"), "it works");
            until_stop(control).map(|()| json!({}))
        }
        "stuck" => {
            control.goal.store(10, Ordering::Relaxed);
            control.done.store(1, Ordering::Relaxed);
            until_stop(control).map(|()| json!({}))
        }
        "deaf" => loop {
            thread::sleep(Duration::from_secs(1));
        },
        "fail" => Err("it has a broken leg".into()),
        "panic" => panic!("it lost its head"),
        "large" => Ok(json!("x".repeat(2 << 20))),
        other => Err(format!("unknown behaviour {other}")),
    }
}

pub fn count(assignment: &Assignment, control: &Control) -> Result<Value, String> {
    const GOAL: u64 = 12;
    control.goal.store(GOAL, Ordering::Relaxed);
    while control.done.load(Ordering::Relaxed) < GOAL && !control.is_stopped() {
        thread::sleep(Duration::from_millis(100));
        control.done.fetch_add(1, Ordering::Relaxed);
    }
    Ok(json!({ "hosted": assignment.hosted, "peers": assignment.fabric.transport }))
}

/// Record 1000 rows into the run folder.
fn record(assignment: &Assignment, control: &Control) -> Result<Value, String> {
    let me = assignment.hosted[0];
    let folder = RunFolder::join(&assignment.run_folder).map_err(|error| error.to_string())?;
    let clock = control.clock();
    let sheet = record::NodeSheet::with_quality(
        assignment.launch,
        u32::from(me),
        &clock,
        control.quality(),
    );
    let recorder = folder.recorder(sheet, &Schema::new(&[]), assignment.recorder);
    let mut recorder = recorder.map_err(|error| error.to_string())?;
    for seq in 0..1000 {
        recorder.push(&row(me, seq, &clock));
    }
    if assignment.plan["nodes"][usize::from(me)] == "record" {
        recorder.finish(clock.anchor()).map_err(|error| error.to_string())?;
    } else {
        std::mem::forget(recorder);
    }
    Ok(json!({ "folder": assignment.run_folder }))
}

fn row(src: u16, seq: u64, clock: &Clock) -> Row {
    let now = clock.now().0;
    Row {
        ready: now,
        sent: now + 1,
        arrived: now + 2,
        taken: now + 3,
        seq,
        src,
        dst: src,
        kind: Kind::Data,
        hops: 1,
        arrived_clock: record::ArrivedClock::Receiver,
        arrived_how: record::How::Observed,
        bytes: 8,
        packets: 1,
        in_flight: 0,
        queue_len: 0,
        batch: 1,
    }
}

fn until_stop(control: &Control) -> Result<(), String> {
    while !control.is_stopped() {
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}
