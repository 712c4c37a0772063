//! Those who do not belong.

use crate::behaviour::count;
use crate::stage::*;
use fabric::RunKey;
use fourstamp_launch::*;
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

#[test]
fn strangers_are_refused_and_noted_and_disturb_nobody() {
    let mut stage = Stage::new(2);
    let address = stage.coordinator.address();
    let mut http = TcpStream::connect(address).unwrap();
    http.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let _silent = TcpStream::connect(address).unwrap();
    let wrong = thread::spawn(move || {
        let key = RunKey::generate().unwrap();
        serve(&NodeOptions::new(address.to_string()), &key, |_, _| Ok(json!(1)))
    });
    let error = wrong.join().unwrap().unwrap_err();
    assert!(error.to_string().contains("does not hold the same run key"), "{error}");
    assert!(stage.play(&["count", "count"]).is_ok());
    let mut answer = Vec::new();
    http.read_to_end(&mut answer).unwrap_or_default();
    assert!(answer.is_empty(), "a stranger is told nothing");
    let refused: Vec<_> =
        stage.notes.iter().filter(|note| matches!(note, Note::Refused(_))).collect();
    let text = format!("{refused:?}");
    assert!(
        text.contains("GET / HTTP/1.1") && text.contains("does not hold the same run key"),
        "{text}"
    );
    assert!(stage.run.info().notes.iter().any(|note| note.contains("run key")));
}

/// Far more idle connections than a door has places for, there before the nodes: these join as if
/// nobody were there, and one line says how many there were.
#[test]
fn a_crowd_at_the_port_keeps_no_node_out_and_is_counted() {
    let mut stage = Stage::new(2);
    let address = stage.coordinator.address();
    let crowd: Vec<_> = (0..400)
        .map(|at| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(&b"4stamp"[..at % 3]).unwrap();
            stream
        })
        .collect();
    assert!(stage.play(&["count", "count"]).is_ok());
    drop(crowd);
    let notes = &stage.run.info().notes;
    assert!(notes.len() <= 4, "{notes:?}");
    let counted = notes.iter().filter(|note| note.contains("connections were refused")).count();
    assert_eq!(counted, 1, "{notes:?}");
}

#[test]
fn one_process_too_many_is_refused_and_told_why() {
    let mut stage =
        Stage::with(LaunchOptions::new(0, spec(1, tcp()), Hosting::ProcessEach, Starter::External));
    let key = stage.key.clone();
    let options = NodeOptions::new(stage.coordinator.join_address());
    let joining: Vec<_> = (0..2)
        .map(|_| {
            let (options, key) = (options.clone(), key.clone());
            thread::spawn(move || {
                serve(&options, &key, |assignment, control| {
                    control.ready_and_wait_go()?;
                    count(assignment, control)
                })
            })
        })
        .collect();
    stage.play(&["count"]).unwrap();
    let results: Vec<_> = joining.into_iter().map(|node| node.join().unwrap()).collect();
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
    let refused = results.into_iter().find_map(Result::err).unwrap().to_string();
    assert!(refused.contains("all 1 nodes have already joined"), "{refused}");
}

#[test]
fn an_oversized_message_and_foreign_words_after_the_handshake_are_refused() {
    use fabric::{Introduction, Purpose, Role, authenticate};
    let mut stage =
        Stage::with(LaunchOptions::new(0, spec(1, tcp()), Hosting::ProcessEach, Starter::External));
    let key = stage.key.clone();
    stage.options.deadlines.join = Duration::from_secs(2);
    let address = stage.coordinator.address();
    for bytes in [[&u32::MAX.to_le_bytes()[..], &[1]].concat(), b"\x02\0\0\0\x01{}".to_vec()] {
        let mut stream = TcpStream::connect(address).unwrap();
        let node = Introduction::NO_NODE;
        let who = Introduction { role: Role::Client, purpose: Purpose::Control, node, session: 0 };
        authenticate(&mut stream, address, &key, who, Duration::from_secs(20)).unwrap();
        stream.write_all(&bytes).unwrap();
        assert!(matches!(stream.read(&mut [0]), Ok(0) | Err(_)), "it must hang up");
    }
    let error = stage.play(&[]).unwrap_err().to_string();
    assert!(error.contains("0 of 1") && error.contains(" node --join 127.0.0.1:"), "{error}");
    let text = format!("{:?}", stage.notes);
    assert!(text.contains("4294967295 bytes") && text.contains("malformed"), "{text}");
}
